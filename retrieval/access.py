"""Who may do what with which dataset: the one place that decides."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence

from retrieval.errors import DatasetNotFoundError, PermissionDeniedError, QueryValidationError
from retrieval.model import Dataset
from retrieval.ports import Catalog


class Access:
    """Permissions over a catalog; switched off, the one local user may do everything."""

    def __init__(self, catalog: Catalog, enabled: bool) -> None:
        self._catalog = catalog
        self._enabled = enabled

    def allows(self, user: str, dataset: Dataset, permission: str) -> bool:
        """Whether the user has this permission; an owner has all of them."""
        if not self._enabled or dataset.owner == user:
            return True
        return (user, permission) in self._catalog.grants(dataset.id)

    def check(self, user: str, dataset: Dataset, permission: str) -> None:
        """Raise PermissionDeniedError where the user lacks the permission."""
        if not self.allows(user, dataset, permission):
            self._refuse(user, [dataset], permission)

    def readable(self, user: str) -> list[Dataset]:
        """The datasets that the user can read, oldest first."""
        return [dataset for dataset in self._catalog.datasets() if self.allows(user, dataset, "read")]

    def resolve(
        self,
        user: str,
        names: str | Sequence[str] | None = None,
        ids: str | uuid.UUID | Sequence[str | uuid.UUID] | None = None,
        permission: str = "read",
    ) -> list[Dataset]:
        """The datasets asked for, each once and in request order, or an error: never some of them.

        Ids go before names. Without both these are all datasets on which the user has the permission; an empty list
        asks for none and is refused.
        """
        known = self._catalog.datasets()
        if ids is not None:
            wanted = _by_id(known, _listed(ids, "dataset_ids"))
        elif names is not None:
            wanted = self._by_name(user, known, _listed(names, "datasets"))
        else:
            return [dataset for dataset in known if self.allows(user, dataset, permission)]
        refused = [dataset for dataset in wanted if not self.allows(user, dataset, permission)]
        if refused:
            self._refuse(user, refused, permission)
        return wanted

    def _by_name(self, user: str, known: Sequence[Dataset], names: Sequence[str]) -> list[Dataset]:
        """Datasets by name, the user's own first, then those that the user can read; a UUID may stand for a name."""
        found: dict[str, list[Dataset]] = {}
        readable: list[Dataset] | None = None
        for name in names:
            found[name] = [d for d in known if d.name == name and d.owner == user]
            if not found[name]:
                readable = self.readable(user) if readable is None else readable
                found[name] = [d for d in readable if name in {d.name, d.id}]
        missing = [name for name in names if not found[name]]
        if missing:
            raise _not_found("named", missing)
        for name, datasets in found.items():
            if len(datasets) > 1:
                choice = ", ".join(dataset.id for dataset in datasets)
                raise QueryValidationError(f"Several datasets are named {name!r}. Choose one by its id: {choice}.")
        return _once(datasets[0] for datasets in found.values())

    def _refuse(self, user: str, datasets: Sequence[Dataset], permission: str) -> None:
        # The name of a dataset is for those who can read it.
        shown = [d.name if self.allows(user, d, "read") else d.id for d in datasets]
        raise PermissionDeniedError(
            f"You don't have the {permission} permission on: {', '.join(shown)}. Ask the owner to share it with you."
        )


def _listed(asked: object, option: str) -> list[str]:
    """What was asked for as a list of texts; a lone one is a list of one, an empty list is refused."""
    if isinstance(asked, str | uuid.UUID):
        return [str(asked)]
    if not isinstance(asked, Iterable):
        raise QueryValidationError(f"{option} must be a text or a list of texts, not {asked!r}.")
    listed = list(asked)
    if not listed:
        raise QueryValidationError(f"Select at least one dataset: {option} is empty. Leave it out to ask for all.")
    unusable = [item for item in listed if not isinstance(item, str | uuid.UUID)]
    if unusable:
        raise QueryValidationError(f"{option} must hold texts, not {unusable[0]!r}.")
    return list(dict.fromkeys(str(item) for item in listed))


def _by_id(known: Sequence[Dataset], ids: Sequence[str]) -> list[Dataset]:
    by_id = {_canonical(dataset.id): dataset for dataset in known}
    missing = [own for own in ids if _canonical(own) not in by_id]
    if missing:
        raise _not_found("with the id", missing)
    return _once(by_id[_canonical(own)] for own in ids)


def _canonical(identifier: str) -> str:
    """The id in the one spelling that a UUID has here; what is no UUID stays as it is."""
    try:
        return str(uuid.UUID(identifier))
    except ValueError:
        return identifier


def _once(datasets: Iterable[Dataset]) -> list[Dataset]:
    return list({dataset.id: dataset for dataset in datasets}.values())


def _not_found(how: str, missing: Sequence[str]) -> DatasetNotFoundError:
    listed = ", ".join(repr(name) for name in missing)
    return DatasetNotFoundError(f"There is no dataset {how} {listed}. Nothing was done; check the list of datasets.")
