"""Build a data folder whose graph is known to the last edge: `python -m tests.e2e.small_memory FOLDER` prints it as JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

from retrieval.bootstrap import build
from retrieval.engine import Engine
from retrieval.settings import Settings
from tests.fakes import StatedFacts

# Two edges of one direction, one against them, and one from a node to itself.
TEXT = "Alice works at Acme. Alice founded Acme. Alice knows Bob. Bob knows Alice. Acme refers to Acme. Carol bought Initech."


def main(folder: Path) -> None:
    """The real stores and embedder; only what is extracted is stated by the text."""
    engine = build(Settings(data_folder=folder))
    engine = Engine(replace(engine.parts, extractor=StatedFacts()))
    dataset = engine.create_dataset("local", "Small memory")
    engine.add("local", dataset.id, "small.txt", TEXT.encode())
    for _ in engine.cognify("local", dataset.id):
        pass
    nodes, edges = engine.memory(dataset.id).stores.graph.columns()
    columns = (edges.column(name).to_pylist() for name in ("source", "relationship", "target"))
    known = {"nodes": dict(zip(nodes.column("id").to_pylist(), nodes.column("name").to_pylist(), strict=True))}
    sys.stdout.write(json.dumps({**known, "edges": list(zip(*columns, strict=True))}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
