"""The four record ports in memory, held to the same contracts as the database."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from retrieval import identity
from retrieval.adapters.memory_conversations import MemoryConversations, MemoryFeedback
from retrieval.adapters.memory_tables import Tables
from retrieval.adapters.record_values import (
    Records,
    being_deleted,
    clean,
    cleaned,
    dataset_changes,
    dataset_name,
    element_of,
    name_taken,
    new_id,
    no_operation,
    now_utc,
    payload_of,
    permission,
    status_during,
    to_json,
)
from retrieval.model import Contribution, Dataset, Document, Operation


def memory_records(now: Callable[[], datetime] = now_utc) -> Records:
    """Fresh records that live as long as this object."""
    tables = Tables(now)
    return Records(MemoryCatalog(tables), MemoryOperations(tables), MemoryConversations(tables), MemoryFeedback(tables))


class MemoryCatalog:
    """The Catalog port in memory."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def create_dataset(self, name: str, owner: str, description: str = "") -> Dataset:
        """A new dataset; a taken name of the same owner raises QueryValidationError."""
        tables = self._tables
        now = tables.now()
        made = cleaned(
            Dataset(identity.dataset_id(owner, name, now.isoformat()), dataset_name(name), description, owner, now)
        )
        with tables.lock:
            if made.id in tables.datasets:
                raise name_taken(made.name)
            self._refuse_taken(made)
            tables.datasets[made.id] = made
        return made

    def _refuse_taken(self, wanted: Dataset) -> None:
        for other in self._tables.datasets.values():
            if (other.owner, other.name) == (wanted.owner, wanted.name) and other.id != wanted.id:
                raise name_taken(wanted.name)

    def datasets(self) -> list[Dataset]:
        """All datasets, oldest first."""
        with self._tables.lock:
            return sorted(self._tables.datasets.values(), key=lambda d: d.created_at)

    def update_dataset(self, dataset_id: str, **changes: str | int) -> Dataset:
        """The dataset with these fields changed."""
        values = dataset_changes(changes)
        with self._tables.lock:
            changed = replace(self._tables.dataset(dataset_id), **values)  # type: ignore[arg-type]
            self._refuse_taken(changed)
            self._tables.datasets[dataset_id] = changed
        return changed

    def delete_dataset(self, dataset_id: str) -> None:
        """Forget the dataset and every record that belongs to it; turns that quote it are such records."""
        tables = self._tables
        with tables.lock:
            tables.datasets.pop(dataset_id, None)
            tables.grants.pop(dataset_id, None)
            tables.weights.pop(dataset_id, None)
            for document in tables.documents_of(dataset_id):
                tables.forget((dataset_id, document.id))
            quoting = [key for key, turn in tables.turns.items() if turn.dataset_id == dataset_id]
            sessions = {(key[0], tables.turns.pop(key).session_id) for key in quoting}
            for key in quoting:
                tables.ratings.pop(key, None)
                tables.deleted_turns.discard(key)
            for user, session in sessions:
                if not tables.turns_of(user, session):
                    tables.sessions.pop((user, session), None)
            tables.queries = [query for query in tables.queries if query.dataset_id != dataset_id]

    def grants(self, dataset_id: str) -> set[tuple[str, str]]:
        """(user, permission) pairs besides the owner's."""
        with self._tables.lock:
            return set(self._tables.grants.get(dataset_id, ()))

    def grant(self, dataset_id: str, user: str, permission_name: str, *, allowed: bool) -> None:
        """Give or take a permission."""
        pair = (clean(user), permission(permission_name))
        with self._tables.lock:
            self._tables.dataset(dataset_id)
            given = self._tables.grants.setdefault(dataset_id, set())
            given.add(pair) if allowed else given.discard(pair)

    def put_document(self, document: Document) -> None:
        """Store or replace a document's record; one that is `added` anew drops what was under way for it."""
        own = cleaned(document)
        with self._tables.lock:
            self._tables.dataset(own.dataset_id)
            self._tables.documents[own.dataset_id, own.id] = own
            if own.status == "added":
                self._tables.stop((own.dataset_id, own.id))

    def documents(self, dataset_id: str) -> list[Document]:
        """The dataset's documents, oldest first."""
        with self._tables.lock:
            return self._tables.documents_of(dataset_id)


class MemoryOperations:
    """The OperationLog port in memory."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def begin(self, dataset_id: str, document_id: str, kind: str) -> Operation:
        """The unfinished operation of this document and kind, or a new one."""
        tables, key, status = self._tables, (dataset_id, document_id), status_during(kind)
        with tables.lock:
            document, under_way = tables.document(key), tables.under_way(key)
            if kind != "delete" and "delete" in under_way:
                raise being_deleted(document_id)
            if kind == "delete":
                tables.stop(key, but="delete")
            tables.documents[key] = replace(document, status=status)
            if kind in under_way:
                return under_way[kind]
            operation = cleaned(Operation(new_id(), dataset_id, document_id, kind, "", tables.now()))
            tables.operations[operation.id] = operation
            return operation

    def advance(self, operation: Operation, stage: str) -> Operation:
        """The operation with this stage finished; `done` ends it."""
        tables, key = self._tables, (operation.dataset_id, operation.document_id)
        with tables.lock:
            if operation.id not in tables.operations:
                raise no_operation(operation)
            advanced = replace(operation, stage=clean(stage))
            tables.operations[operation.id] = advanced
            if stage == "done":
                del tables.operations[operation.id]
                if operation.kind == "delete":
                    tables.forget(key)
                else:
                    tables.documents[key] = replace(tables.documents[key], status="done")
                dataset = tables.datasets[operation.dataset_id]
                tables.datasets[dataset.id] = replace(dataset, version=dataset.version + 1)
        return advanced

    def pending(self, dataset_id: str) -> list[Operation]:
        """Unfinished operations, oldest first."""
        with self._tables.lock:
            return [o for o in self._tables.operations.values() if o.dataset_id == dataset_id]

    def contribute(self, dataset_id: str, document_id: str, contributions: Sequence[Contribution]) -> None:
        """Make these the whole of what the document contributes."""
        kept = [_kept(document_id, own) for own in contributions]
        with self._tables.lock:
            self._tables.document((dataset_id, document_id))
            self._tables.contributions[dataset_id, document_id] = kept

    def contributions(self, dataset_id: str, document_id: str) -> list[Contribution]:
        """What the document contributes, in the order given."""
        with self._tables.lock:
            return list(self._tables.contributions.get((dataset_id, document_id), ()))

    def about(self, dataset_id: str, element_ids: Sequence[str]) -> Mapping[str, list[Contribution]]:
        """Contributions per element of all documents that are not being deleted, in the order of the documents."""
        wanted, found = set(element_ids), dict[str, list[Contribution]]()
        with self._tables.lock:
            for document in self._tables.documents_of(dataset_id):
                for own in self._tables.said(document) if document.status != "deleting" else ():
                    if own.element_id in wanted:
                        found.setdefault(own.element_id, []).append(own)
        return found

    def hidden(self, dataset_id: str) -> set[str]:
        """Ids of elements that only documents not `done` contribute."""
        visible, others = set[str](), set[str]()
        with self._tables.lock:
            for document in self._tables.documents_of(dataset_id):
                ids = {own.element_id for own in self._tables.said(document)}
                (visible if document.status == "done" else others).update(ids)
        return others - visible


def _kept(document_id: str, own: Contribution) -> Contribution:
    """The contribution as a database gives it back: through JSON."""
    kind, payload = payload_of(own.element)
    element = element_of(kind, json.loads(to_json(payload)))
    return Contribution(clean(document_id), clean(own.element_id), element, clean(own.chunk_id))
