"""A process that builds a memory on the real stores and kills itself after some steps: `killed_run.py FOLDER STEPS`."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pyarrow as pa

from retrieval.adapters.kuzu import KuzuGraph
from retrieval.adapters.lance import LanceVectors
from retrieval.adapters.lexical import SqliteLexical
from retrieval.adapters.memory import HashEmbedder
from retrieval.adapters.records import open_records
from retrieval.adapters.rules import Rules
from retrieval.engine import Engine
from retrieval.library import Parts
from retrieval.memory import Memories, Stores
from retrieval.ports import GraphQueries
from retrieval.settings import Settings
from tests.digest import contents
from tests.fakes import CountingAnswerer, StatedFacts
from tests.world import DOCUMENTS, clock

DELETED = "people.md"


def _no_queries(version: int, nodes: pa.Table, edges: pa.Table) -> GraphQueries:
    """Nothing here asks in Cypher."""
    raise NotImplementedError


def engine_on_disk(folder: Path) -> Engine:
    """An engine on Kuzu, LanceDB and SQLite files below the folder, with small models."""
    records = open_records(folder / "records.sqlite")
    embedder = HashEmbedder()

    def stores(dataset_id: str) -> Stores:
        own = folder / "datasets" / dataset_id
        own.mkdir(parents=True, exist_ok=True)
        graph, vectors = KuzuGraph(own / "graph.kuzu"), LanceVectors(own / "vectors", embedder.dimensions)
        return Stores(graph, vectors, SqliteLexical(own / "lexical.sqlite"), _no_queries)

    parts = Parts(
        settings=Settings(data_folder=folder),
        catalog=records.catalog,
        operations=records.operations,
        conversations=records.conversations,
        feedback=records.feedback,
        memories=Memories(stores, records.operations, records.feedback),
        embedder=embedder,
        extractor=StatedFacts(),
        answerer=CountingAnswerer(),
        reasoner=Rules(embedder),
        now=clock(),
    )
    return Engine(parts)


def main(folder: Path, steps: int) -> None:
    """Add and process three documents and delete one; after `steps` steps the process is killed. Else print what is stored."""
    engine = engine_on_disk(folder)
    known = engine.datasets("local")
    dataset = known[0] if known else engine.create_dataset("local", "world")
    names = {d.name for d in engine.documents("local", dataset.id)}
    if not (folder / "added").exists():
        for name, text in DOCUMENTS.items():
            if name not in names:
                engine.add("local", dataset.id, name, text.encode())
        (folder / "added").touch()
    for step in engine.cognify("local", dataset.id):
        steps = _counted(steps, step.stage)
    for document in engine.documents("local", dataset.id):
        if document.name == DELETED:
            from retrieval.ingest.pipeline import remove

            for step in remove(document, engine._workshop(dataset.id)):
                steps = _counted(steps, step.stage)
    sys.stdout.write(json.dumps(contents(engine, dataset.id)))


def _counted(steps: int, stage: str) -> int:
    if steps == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return steps - 1


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
