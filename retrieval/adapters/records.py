"""Opens the records of all datasets: catalog, operation log, conversations and feedback in one database."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from retrieval.adapters.catalog import SqlCatalog
from retrieval.adapters.conversations import SqlConversations
from retrieval.adapters.database import Database
from retrieval.adapters.feedback_store import SqlFeedback
from retrieval.adapters.operations import SqlOperations
from retrieval.adapters.record_values import Records, now_utc


def open_records(place: str | Path, now: Callable[[], datetime] = now_utc) -> Records:
    """The records in this SQLite file (created when it is new) or at this database URL."""
    database = Database(place)
    return Records(
        catalog=SqlCatalog(database, now),
        operations=SqlOperations(database, now),
        conversations=SqlConversations(database),
        feedback=SqlFeedback(database),
        close=database.close,
    )
