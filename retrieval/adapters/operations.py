"""What each document contributes, and which writes are under way, in a database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, insert, select, update

from retrieval.adapters import tables
from retrieval.adapters.database import Database, batches
from retrieval.adapters.record_values import (
    being_deleted,
    element_of,
    new_id,
    no_document,
    no_operation,
    now_utc,
    payload_of,
    status_during,
)
from retrieval.model import Contribution, Operation

SAID = tables.contributions.c
KNOWN = tables.documents.c
RUNNING = tables.operations.c
OF_DOCUMENT = (SAID.dataset_id == KNOWN.dataset_id) & (SAID.document_id == KNOWN.id)
INSERTED_AT_ONCE = 5_000


class SqlOperations:
    """The OperationLog port over a database."""

    def __init__(self, database: Database, now: Callable[[], datetime] = now_utc) -> None:
        self._database = database
        self._now = now

    def begin(self, dataset_id: str, document_id: str, kind: str) -> Operation:
        """The unfinished operation of this document and kind, or a new one.

        The document's status follows at once: `processing`, or `deleting`, which hides it and ends an unfinished add.
        """
        status = status_during(kind)
        own = (RUNNING.dataset_id == dataset_id, RUNNING.document_id == document_id)
        document = (KNOWN.dataset_id == dataset_id, KNOWN.id == document_id)
        with self._database.writing() as connection:
            # Two that begin at the same time wait for each other at the document.
            if connection.execute(select(KNOWN.id).where(*document).with_for_update()).first() is None:
                raise no_document(document_id)
            under_way = {row.kind: _operation(row) for row in connection.execute(select(tables.operations).where(*own))}
            if kind != "delete" and "delete" in under_way:
                raise being_deleted(document_id)
            if kind == "delete":
                connection.execute(delete(tables.operations).where(*own, RUNNING.kind != kind))
            connection.execute(update(tables.documents).where(*document).values(status=status))
            if kind in under_way:
                return under_way[kind]
            operation = Operation(new_id(), dataset_id, document_id, kind, "", self._now())
            connection.execute(insert(tables.operations).values(_row(operation)))
            return operation

    def advance(self, operation: Operation, stage: str) -> Operation:
        """The operation with this stage finished; `done` ends it, all in one transaction."""
        with self._database.writing() as connection:
            changed = connection.execute(
                update(tables.operations).where(RUNNING.id == operation.id).values(stage=stage)
            )
            if not changed.rowcount:
                raise no_operation(operation)
            if stage == "done":
                _finish(connection, operation)
        return replace(operation, stage=stage)

    def pending(self, dataset_id: str) -> list[Operation]:
        """Unfinished operations, oldest first."""
        wanted = select(tables.operations).where(RUNNING.dataset_id == dataset_id).order_by(RUNNING.number)
        with self._database.reading() as connection:
            return [_operation(row) for row in connection.execute(wanted)]

    def contribute(self, dataset_id: str, document_id: str, contributions: Sequence[Contribution]) -> None:
        """Make these the whole of what the document contributes."""
        with self._database.writing() as connection:
            document = (KNOWN.dataset_id == dataset_id, KNOWN.id == document_id)
            if connection.execute(select(KNOWN.id).where(*document).with_for_update()).first() is None:
                raise no_document(document_id)
            connection.execute(
                delete(tables.contributions).where(SAID.dataset_id == dataset_id, SAID.document_id == document_id)
            )
            for start in range(0, len(contributions), INSERTED_AT_ONCE):
                rows = [
                    _said(dataset_id, document_id, start + offset, own)
                    for offset, own in enumerate(contributions[start : start + INSERTED_AT_ONCE])
                ]
                connection.execute(insert(tables.contributions), rows)

    def contributions(self, dataset_id: str, document_id: str) -> list[Contribution]:
        """What the document contributes, in the order given."""
        own = (SAID.dataset_id == dataset_id, SAID.document_id == document_id)
        with self._database.reading() as connection:
            rows = connection.execute(select(tables.contributions).where(*own).order_by(SAID.position))
            return [_contribution(row) for row in rows]

    def about(self, dataset_id: str, element_ids: Sequence[str]) -> Mapping[str, list[Contribution]]:
        """Contributions per element of all documents that are not being deleted, in the order of the documents."""
        live = (SAID.dataset_id == dataset_id, KNOWN.status != "deleting")
        order = (KNOWN.created_at, KNOWN.id, SAID.position)
        wanted = select(tables.contributions).join(tables.documents, OF_DOCUMENT).where(*live).order_by(*order)
        found: dict[str, list[Contribution]] = {}
        with self._database.reading() as connection:
            for batch in batches(element_ids):
                for row in connection.execute(wanted.where(SAID.element_id.in_(batch))):
                    found.setdefault(row.element_id, []).append(_contribution(row))
        return found

    def hidden(self, dataset_id: str) -> set[str]:
        """Ids of elements that only documents not `done` contribute."""
        by_others = tables.contributions.alias()
        others = tables.documents.alias()
        visible = (
            select(by_others.c.element_id)
            .join(
                others,
                (others.c.dataset_id == by_others.c.dataset_id) & (others.c.id == by_others.c.document_id),
            )
            .where(
                by_others.c.dataset_id == SAID.dataset_id,
                by_others.c.element_id == SAID.element_id,
                others.c.status == "done",
            )
            .exists()
        )
        unfinished = (SAID.dataset_id == dataset_id, KNOWN.status != "done")
        wanted = select(SAID.element_id).join(tables.documents, OF_DOCUMENT).where(*unfinished, ~visible).distinct()
        with self._database.reading() as connection:
            return set(connection.execute(wanted).scalars())


def _finish(connection: Connection, operation: Operation) -> None:
    """End the operation: its document is done, or gone with all its records; the dataset has a new version."""
    document: tuple[ColumnElement[bool], ...] = (
        KNOWN.dataset_id == operation.dataset_id,
        KNOWN.id == operation.document_id,
    )
    if operation.kind == "delete":
        connection.execute(delete(tables.documents).where(*document))
    else:
        connection.execute(delete(tables.operations).where(RUNNING.id == operation.id))
        connection.execute(update(tables.documents).where(*document).values(status="done"))
    grown = {"version": tables.datasets.c.version + 1}
    connection.execute(update(tables.datasets).where(tables.datasets.c.id == operation.dataset_id).values(grown))


def _row(operation: Operation) -> dict[str, Any]:
    return {name: getattr(operation, name) for name in Operation.__dataclass_fields__}


def _operation(row: Row[Any]) -> Operation:
    return Operation(row.id, row.dataset_id, row.document_id, row.kind, row.stage, row.started_at)


def _said(dataset_id: str, document_id: str, position: int, contribution: Contribution) -> dict[str, Any]:
    kind, payload = payload_of(contribution.element)
    return {
        "dataset_id": dataset_id,
        "document_id": document_id,
        "position": position,
        "element_id": contribution.element_id,
        "chunk_id": contribution.chunk_id,
        "kind": kind,
        "payload": payload,
    }


def _contribution(row: Row[Any]) -> Contribution:
    return Contribution(row.document_id, row.element_id, element_of(row.kind, row.payload), row.chunk_id)
