"""Who may do what: the one place where permissions are asked."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from retrieval.errors import DatasetNotFoundError, PermissionDeniedError, QueryValidationError
from retrieval.model import Dataset
from retrieval.ports import Catalog

PERMISSIONS = ("read", "write", "delete", "share")


class Access:
    """Permissions over a catalog; with `enabled=False` there is one local user, who may do everything."""

    def __init__(self, catalog: Catalog, *, enabled: bool) -> None:
        self._catalog = catalog
        self._enabled = enabled

    def allows(self, user: str, dataset: Dataset, permission: str) -> bool:
        """Whether the user has this permission on the dataset."""
        if not self._enabled or dataset.owner == user:
            return True
        return (user, permission) in self._catalog.grants(dataset.id)

    def check(self, user: str, dataset: Dataset, permission: str) -> None:
        """PermissionDeniedError where the user lacks the permission."""
        if not self.allows(user, dataset, permission):
            raise PermissionDeniedError(
                f"You lack the [{permission}] permission for dataset {dataset.name} (id: {dataset.id}). "
                "Ask its owner to share it with you."
            )

    def readable(self, user: str) -> list[Dataset]:
        """The datasets that the user can read, oldest first."""
        return [d for d in self._catalog.datasets() if self.allows(user, d, "read")]

    def resolve(
        self,
        user: str,
        names: str | Sequence[str] | None,
        ids: str | Sequence[str] | None,
        permission: str = "read",
    ) -> list[Dataset]:
        """The datasets of these ids, else of these names, else all that are readable; all or nothing, in request order.

        None means all; an empty list is refused, since it means that nothing was chosen.
        """
        wanted = ids if ids is not None else names
        if wanted is None:
            found = [d for d in self._catalog.datasets() if self.allows(user, d, permission)]
            return found
        listed = [wanted] if isinstance(wanted, str | uuid.UUID) else list(wanted)
        if not listed:
            raise QueryValidationError("No dataset is selected. Select at least one, or all of them.")
        keys = list(dict.fromkeys(str(item) for item in listed))
        known = {d.id: d for d in self._catalog.datasets()}
        by_key = known if ids is not None else self._named(user, keys, known)
        missing = [key for key in keys if key not in by_key]
        if missing:
            raise DatasetNotFoundError(f"No dataset found for: {', '.join(missing)}. Check the name, or create it first.")
        chosen = list({by_key[key].id: by_key[key] for key in keys}.values())
        for dataset in chosen:
            self.check(user, dataset, permission)
        return chosen

    def _named(self, user: str, keys: Sequence[str], known: dict[str, Dataset]) -> dict[str, Dataset]:
        """Datasets by name: the caller's own first, then those that the caller can read; an id counts as its name too."""
        readable = [d for d in known.values() if self.allows(user, d, "read")]
        ordered = sorted(readable, key=lambda d: d.owner == user)
        return {d.id: d for d in readable} | {d.name: d for d in ordered}
