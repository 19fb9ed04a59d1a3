"""What the record stores in memory share: all records, and one lock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from threading import RLock

from retrieval.adapters.record_values import no_dataset, no_document
from retrieval.model import Contribution, Dataset, Document, Feedback, LoggedQuery, Operation, StoredTurn

Key = tuple[str, str]


@dataclass
class SessionRow:
    """A session as it is kept; its turns are counted when it is read."""

    title: str
    created_at: datetime
    updated_at: datetime
    deleted: bool = False


@dataclass
class Tables:
    """All records; keys are (dataset, document), (user, session) or (user, turn)."""

    now: Callable[[], datetime]
    lock: RLock = field(default_factory=RLock)
    datasets: dict[str, Dataset] = field(default_factory=dict)
    grants: dict[str, set[Key]] = field(default_factory=dict)
    documents: dict[Key, Document] = field(default_factory=dict)
    operations: dict[str, Operation] = field(default_factory=dict)
    contributions: dict[Key, list[Contribution]] = field(default_factory=dict)
    sessions: dict[Key, SessionRow] = field(default_factory=dict)
    turns: dict[Key, StoredTurn] = field(default_factory=dict)
    deleted_turns: set[Key] = field(default_factory=set)
    ratings: dict[Key, tuple[datetime, Feedback]] = field(default_factory=dict)
    weights: dict[str, dict[str, float]] = field(default_factory=dict)
    queries: list[LoggedQuery] = field(default_factory=list)

    def dataset(self, dataset_id: str) -> Dataset:
        """The dataset of this id."""
        if dataset_id not in self.datasets:
            raise no_dataset(dataset_id)
        return self.datasets[dataset_id]

    def document(self, key: Key) -> Document:
        """The document of this dataset and id."""
        if key not in self.documents:
            raise no_document(key[1])
        return self.documents[key]

    def under_way(self, key: Key) -> dict[str, Operation]:
        """Unfinished operations of a document by kind."""
        return {o.kind: o for o in self.operations.values() if (o.dataset_id, o.document_id) == key}

    def stop(self, key: Key, but: str = "") -> None:
        """Drop what is under way for a document, except one kind."""
        for kind, operation in self.under_way(key).items():
            if kind != but:
                del self.operations[operation.id]

    def documents_of(self, dataset_id: str) -> list[Document]:
        """The dataset's documents, oldest first."""
        own = [d for d in self.documents.values() if d.dataset_id == dataset_id]
        return sorted(own, key=lambda d: (d.created_at, d.id))

    def said(self, document: Document) -> list[Contribution]:
        """What the document contributes."""
        return self.contributions.get((document.dataset_id, document.id), [])

    def turns_of(self, user: str, session_id: str) -> list[tuple[Key, StoredTurn]]:
        """All turns of a session, oldest first."""
        own = [(k, t) for k, t in self.turns.items() if (t.user, t.session_id) == (user, session_id)]
        return sorted(own, key=lambda pair: pair[1].created_at)

    def rated(self, key: Key) -> StoredTurn:
        """The turn with its feedback."""
        return replace(self.turns[key], feedback=self.ratings[key][1] if key in self.ratings else None)

    def forget(self, key: Key) -> None:
        """Remove a document with its contributions and operations."""
        self.stop(key)
        self.documents.pop(key, None)
        self.contributions.pop(key, None)
