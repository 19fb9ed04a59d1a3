"""Datasets, permissions and documents in a database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from retrieval import identity
from retrieval.adapters import tables
from retrieval.adapters.database import Database
from retrieval.adapters.record_values import (
    dataset_changes,
    dataset_name,
    name_taken,
    no_dataset,
    now_utc,
    permission,
)
from retrieval.model import Dataset, Document


class SqlCatalog:
    """The Catalog port over a database."""

    def __init__(self, database: Database, now: Callable[[], datetime] = now_utc) -> None:
        self._database = database
        self._now = now

    def create_dataset(self, name: str, owner: str, description: str = "") -> Dataset:
        """A new dataset; a taken name of the same owner raises QueryValidationError."""
        now = self._now()
        row = {
            "id": identity.dataset_id(owner, name, now.isoformat()),
            "name": dataset_name(name),
            "owner": owner,
            "description": description,
            "created_at": now,
        }
        with self._database.writing() as connection:
            try:
                connection.execute(insert(tables.datasets).values(row))
            except IntegrityError as error:
                raise name_taken(name) from error
            return _known_dataset(connection, str(row["id"]))

    def datasets(self) -> list[Dataset]:
        """All datasets, oldest first."""
        with self._database.reading() as connection:
            rows = connection.execute(
                select(tables.datasets).order_by(tables.datasets.c.created_at, tables.datasets.c.number)
            )
            return [_dataset(row) for row in rows]

    def update_dataset(self, dataset_id: str, **changes: str | int) -> Dataset:
        """The dataset with these fields changed."""
        values = dataset_changes(changes)
        with self._database.writing() as connection:
            _known_dataset(connection, dataset_id)
            if values:
                try:
                    connection.execute(update(tables.datasets).where(tables.datasets.c.id == dataset_id).values(values))
                except IntegrityError as error:
                    raise name_taken(str(values["name"])) from error
            return _known_dataset(connection, dataset_id)

    def delete_dataset(self, dataset_id: str) -> None:
        """Forget the dataset and every record that belongs to it; turns that quote it are such records."""
        turns, sessions = tables.turns.c, tables.sessions.c
        touched = select(turns.user, turns.session_id).where(turns.dataset_id == dataset_id).distinct()
        with self._database.writing() as connection:
            emptied = [(row.user, row.session_id) for row in connection.execute(touched)]
            for table in (tables.turns, tables.weights, tables.query_log):
                connection.execute(delete(table).where(table.c.dataset_id == dataset_id))
            for user, session in emptied:
                left = select(turns.id).where(turns.user == user, turns.session_id == session).exists()
                connection.execute(
                    delete(tables.sessions).where(sessions.user_id == user, sessions.id == session, ~left)
                )
            connection.execute(delete(tables.datasets).where(tables.datasets.c.id == dataset_id))

    def grants(self, dataset_id: str) -> set[tuple[str, str]]:
        """(user, permission) pairs besides the owner's."""
        given = tables.grants.c
        with self._database.reading() as connection:
            rows = connection.execute(select(given.user_id, given.permission).where(given.dataset_id == dataset_id))
            return {(row.user_id, row.permission) for row in rows}

    def grant(self, dataset_id: str, user: str, permission_name: str, *, allowed: bool) -> None:
        """Give or take a permission."""
        row = {"dataset_id": dataset_id, "user_id": user, "permission": permission(permission_name)}
        with self._database.writing() as connection:
            _known_dataset(connection, dataset_id)
            if allowed:
                self._database.put_new(connection, tables.grants, row)
            else:
                connection.execute(delete(tables.grants).where(*(tables.grants.c[name] == row[name] for name in row)))

    def put_document(self, document: Document) -> None:
        """Store or replace a document's record; one that is `added` anew drops what was under way for it."""
        running = tables.operations.c
        with self._database.writing() as connection:
            _known_dataset(connection, document.dataset_id)
            self._database.put(connection, tables.documents, asdict(document))
            if document.status == "added":
                own = (running.dataset_id == document.dataset_id, running.document_id == document.id)
                connection.execute(delete(tables.operations).where(*own))

    def documents(self, dataset_id: str) -> list[Document]:
        """The dataset's documents, oldest first."""
        known = tables.documents
        wanted = select(known).where(known.c.dataset_id == dataset_id).order_by(known.c.created_at, known.c.id)
        with self._database.reading() as connection:
            return [_document(row) for row in connection.execute(wanted)]


def _known_dataset(connection: Connection, dataset_id: str) -> Dataset:
    row = connection.execute(select(tables.datasets).where(tables.datasets.c.id == dataset_id)).one_or_none()
    if row is None:
        raise no_dataset(dataset_id)
    return _dataset(row)


def _dataset(row: Row[Any]) -> Dataset:
    known = row._asdict()
    del known["number"]
    return Dataset(**known)


def _document(row: Row[Any]) -> Document:
    known = row._asdict()
    return Document(**known | {"node_sets": tuple(known["node_sets"])})
