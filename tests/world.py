"""An engine all in memory over a small world of documents, for tests that need a whole search."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from retrieval.adapters.memory import HashEmbedder, MemoryGraph, MemoryLexical, MemoryVectors
from retrieval.adapters.memory_records import memory_records
from retrieval.adapters.rules import Rules
from retrieval.adapters.sandbox import Sandbox
from retrieval.adapters.thinking import Generative, ModelReasoner
from retrieval.engine import Engine
from retrieval.library import Parts
from retrieval.memory import Memories, Stores
from retrieval.model import CODING_RULES_SET, Dataset
from retrieval.ports import LanguageModel
from retrieval.settings import Settings
from tests.fakes import CountingAnswerer, CountingEmbedder, StatedFacts

DOCUMENTS = {
    "people.md": "# People\n\nAlice works at Acme. Alice knows Bob. Bob works at Initech.\n",
    "firms.md": "# Firms\n\nCarol founded Acme. Acme bought Initech in 2015.\n",
    "places.md": "# Places\n\nLatvia borders Estonia. Estonia borders Latvia. Acme refers to Acme in its rules.\n",
}
RULES = "# Rules\n\n## Names\nName things by what they are at Acme.\n\n## Tests\nA test must be able to fail.\n"
# What a type that takes statements is asked in place of a question.
STATEMENT = "MATCH (p:Person)-[r:WORKS_AT]->(c) WHERE c.name = 'Acme' RETURN p.name, r, c"
START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class World:
    """An engine with its countable models."""

    engine: Engine
    embedder: CountingEmbedder
    answerer: CountingAnswerer

    def dataset(
        self, name: str = "world", documents: dict[str, str] | None = None, sets: Iterable[str] = (), rules: str = ""
    ) -> Dataset:
        """A new dataset with these documents, processed; `rules` is one more in the node set of coding rules."""
        made = self.engine.create_dataset("local", name)
        for file, text in (DOCUMENTS if documents is None else documents).items():
            self.engine.add("local", made.id, file, text.encode(), tuple(sets))
        if rules:
            self.engine.add("local", made.id, "rules.md", rules.encode(), (CODING_RULES_SET,))
        for _ in self.engine.cognify("local", made.id):
            pass
        return self.engine.dataset("local", made.id)

    def forget_calls(self) -> None:
        """Start counting anew."""
        self.embedder.calls.clear()
        self.answerer.prompts.clear()


def clock() -> Callable[[], datetime]:
    """A clock that moves on by one second with every look."""
    ticks = count()
    return lambda: START + timedelta(seconds=next(ticks))


def world(folder: Path, model: LanguageModel | None = None, **settings: bool | int) -> World:
    """A world over in-memory stores; only uploaded files are on disk. With a model, it answers and thinks."""
    now = clock()
    records = memory_records(now)
    embedder, answerer = CountingEmbedder(HashEmbedder()), CountingAnswerer()

    def stores(dataset_id: str) -> Stores:
        return Stores(
            MemoryGraph(),
            MemoryVectors(),
            MemoryLexical(),
            lambda version, nodes, edges: Sandbox(folder / f"{dataset_id}-{version}.kuzu", nodes, edges),
        )

    parts = Parts(
        settings=Settings(data_folder=folder, **settings),  # type: ignore[arg-type]
        catalog=records.catalog,
        operations=records.operations,
        conversations=records.conversations,
        feedback=records.feedback,
        memories=Memories(stores, records.operations, records.feedback),
        embedder=embedder,
        extractor=StatedFacts(),
        answerer=Generative(model) if model else answerer,
        reasoner=ModelReasoner(model) if model else Rules(embedder),
        now=now,
    )
    return World(Engine(parts), embedder, answerer)
