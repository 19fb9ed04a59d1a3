"""The one place where ports meet adapters."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from retrieval.adapters.extractive import Extractive
from retrieval.adapters.kuzu import KuzuGraph
from retrieval.adapters.lance import LanceVectors
from retrieval.adapters.lexical import SqliteLexical
from retrieval.adapters.minilm import MiniLM
from retrieval.adapters.records import open_records
from retrieval.adapters.rules import Rules
from retrieval.adapters.sandbox import Sandbox
from retrieval.adapters.sandbox_copy import left_over, unlink
from retrieval.adapters.spacy_facts import SpacyFacts
from retrieval.engine import Engine
from retrieval.library import Parts
from retrieval.memory import Memories, Stores
from retrieval.settings import Settings


def build(settings: Settings) -> Engine:
    """An engine on the embedded stores and models, over the settings' data folder."""
    settings.data_folder.mkdir(parents=True, exist_ok=True)
    records = open_records(settings.database_url or settings.data_folder / "records.sqlite")
    embedder = MiniLM()

    def open_stores(dataset_id: str) -> Stores:
        folder: Path = settings.data_folder / "datasets" / dataset_id
        folder.mkdir(parents=True, exist_ok=True)
        graph = KuzuGraph(folder / "graph.kuzu")
        for copy in left_over(folder):
            unlink(copy)
        return Stores(
            graph,
            LanceVectors(folder / "vectors", embedder.dimensions),
            SqliteLexical(folder / "lexical.sqlite"),
            lambda version, nodes, edges: Sandbox(folder / f"queries-{version}.kuzu", nodes, edges),
        )

    parts = Parts(
        settings=settings,
        catalog=records.catalog,
        operations=records.operations,
        conversations=records.conversations,
        feedback=records.feedback,
        memories=Memories(open_stores, records.operations, records.feedback),
        embedder=embedder,
        extractor=SpacyFacts(),
        answerer=Extractive(embedder),
        reasoner=Rules(embedder),
        now=lambda: datetime.now(UTC),
    )
    return Engine(parts)
