"""Transactions over the tables of all records: a SQLite file by default, PostgreSQL by URL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from retrieval.adapters.record_values import to_json
from retrieval.adapters.tables import metadata
from retrieval.errors import StoreError, StoreLockedError

BUSY_MILLISECONDS = 15_000
BATCH = 400  # ids in one statement; databases limit the parameters of a statement


class Database:
    """Transactions over the tables; anything that goes wrong in one leaves as StoreError."""

    def __init__(self, place: str | Path) -> None:
        self.url = _url(place)
        with self._translated():
            self._engine = _engine(self.url)
        self.postgres = self.url.get_backend_name() == "postgresql"
        self._writer = self._engine.execution_options(writes=True)
        with self.writing() as connection:
            metadata.create_all(connection)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one state of the records."""
        with self._translated(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is kept whole when the block ends, and forgotten when it raises."""
        with self._translated(), self._writer.begin() as connection:
            yield connection

    def put(
        self,
        connection: Connection,
        table: Table,
        row: Mapping[str, Any],
        key: Sequence[str] = (),
        kept: Sequence[str] = (),
    ) -> None:
        """Insert the row, or change the one with the same key (the primary key by default); `kept` columns stay."""
        key = key or [column.name for column in table.primary_key]
        insert = self._insert(table)
        changed = {name: insert.excluded[name] for name in row if name not in {*key, *kept}}
        connection.execute(insert.values(row).on_conflict_do_update(index_elements=key, set_=changed))

    def put_new(self, connection: Connection, table: Table, row: Mapping[str, Any]) -> None:
        """Insert the row unless there is one with its primary key."""
        connection.execute(self._insert(table).values(row).on_conflict_do_nothing())

    def _insert(self, table: Table) -> postgresql.Insert | sqlite.Insert:
        return postgresql.insert(table) if self.postgres else sqlite.insert(table)

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        where = self.url.render_as_string(hide_password=True)
        try:
            yield
        except OperationalError as error:
            if "locked" in str(error.orig):
                raise StoreLockedError(f"{where} is busy: another process is writing to it. Try again.") from error
            raise StoreError(f"The records in {where} can't be read or written: {error.orig}.") from error
        except SQLAlchemyError as error:
            reason = getattr(error, "orig", None) or error
            raise StoreError(f"The records in {where} can't be read or written: {reason}.") from error
        except ModuleNotFoundError as error:
            raise StoreError(f"{where} needs the package {error.name}: install it.") from error


def batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """The distinct ids in pieces that fit into one statement."""
    distinct = list(dict.fromkeys(ids))
    for start in range(0, len(distinct), BATCH):
        yield distinct[start : start + BATCH]


def _url(place: str | Path) -> URL:
    if isinstance(place, str) and "://" in place:
        return _database_url(place)
    path = Path(place).expanduser()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{path.parent} can't be created: {error.strerror}.") from error
    return URL.create("sqlite", database=str(path))


def _database_url(text: str) -> URL:
    try:
        url = make_url(text.replace("postgres://", "postgresql://", 1))
    except (SQLAlchemyError, ValueError) as error:
        raise StoreError("The database URL can't be read: write postgresql://user:password@host/name.") from error
    if url.get_backend_name() == "sqlite" and url.database in {None, "", ":memory:"}:
        raise StoreError("The database URL names no file, so nothing would be kept: write sqlite:///path/to/file.")
    return url


def _engine(url: URL) -> Engine:
    # A pool as large as any burst of threads: waiting for a connection is waiting for nothing with SQLite.
    engine = create_engine(url, json_serializer=to_json, json_deserializer=json.loads, pool_size=8, max_overflow=56)
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _prepare)
        event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: DBAPIConnection, _record: object) -> None:
    """Settings of each SQLite connection; the driver itself begins no transactions."""
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (f"busy_timeout={BUSY_MILLISECONDS}", "journal_mode=WAL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    """A writer takes the lock at once: one that starts as a reader could not wait for it."""
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
