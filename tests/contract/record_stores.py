"""Record stores of both kinds, and small records, for the contract tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

from retrieval.adapters.memory_records import memory_records
from retrieval.adapters.record_values import Records
from retrieval.adapters.records import open_records
from retrieval.model import Contribution, Document, Edge, Node, StoredTurn

KINDS = ("memory", "sqlite")
START = datetime(2024, 1, 1, tzinfo=UTC)


def opened(kind: str, folder: Path) -> Records:
    """A store of this kind; one on disk lies in the folder."""
    return memory_records() if kind == "memory" else open_records(folder / "records.sqlite")


def at(minutes: float) -> datetime:
    """A moment after START."""
    return START + timedelta(minutes=minutes)


def document(dataset_id: str, name: str, status: str = "added", minutes: float = 0) -> Document:
    """A document whose id is its name."""
    return Document(name, dataset_id, name, f"sha-{name}", "text/plain", 3, status, at(minutes))


def said(document_id: str, *elements: Node | Edge | str) -> list[Contribution]:
    """Contributions of a document; a text is the id of an entity."""
    nodes = [Node(e, "Entity", e) if isinstance(e, str) else e for e in elements]
    return [Contribution(document_id, e.id, e, f"chunk of {document_id}") for e in nodes]


def turn(number: int, session: str = "s", user: str = "sam", **changes: object) -> StoredTurn:
    """The turn `t<number>` of a session, asked that many minutes after START."""
    known: dict[str, object] = {
        "id": f"t{number}",
        "session_id": session,
        "user": user,
        "dataset_id": "d",
        "search_type": "GRAPH_COMPLETION",
        "question": f"Q{number}",
        "answer": f"A{number}",
        "created_at": at(number),
    }
    return StoredTurn(**known | changes)  # type: ignore[arg-type]


def in_threads(work: Callable[[int], object], numbers: Iterable[int], threads: int = 8) -> None:
    """Do the work for every number, in several threads at once; the first error is raised."""
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, numbers))
