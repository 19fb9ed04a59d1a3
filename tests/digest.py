"""Everything that a dataset's stores hold, in one comparable value."""

from __future__ import annotations

import hashlib
import json

from retrieval.engine import Engine


def digest(engine: Engine, dataset_id: str) -> str:
    """A hash over all nodes, edges, vector rows and lexical scores of a dataset, independent of the order of writing."""
    stores = engine.memory(dataset_id).stores
    nodes, edges = stores.graph.columns()
    ids = sorted(nodes["id"].to_pylist())
    parts: list[object] = [repr(n) for n in stores.graph.nodes(ids)]
    parts += sorted(map(repr, edges.select(["source", "target", "relationship", "text"]).to_pylist()))
    vector = engine.parts.embedder.embed(["alice"])[0]
    for collection in sorted(stores.vectors.counts()):
        hits = stores.vectors.search(collection, vector, None)
        rows = [repr(row) for row in stores.vectors.fetch(collection, hits.ids)]
        parts.append([collection, rows, [round(float(d), 4) for d in hits.distances]])
    parts.append(sorted((i, round(s, 6)) for i, s in stores.lexical.search("alice acme latvia", None)))
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def contents(engine: Engine, dataset_id: str) -> list[object]:
    """What the stores hold, without ids, which depend on the dataset."""
    stores = engine.memory(dataset_id).stores
    nodes, edges = stores.graph.columns()
    rows = sorted(zip(nodes["type"].to_pylist(), nodes["name"].to_pylist(), strict=True))
    kinds = sorted(zip(edges["relationship"].to_pylist(), edges["text"].to_pylist(), strict=True))
    described = sorted(n.description for n in stores.graph.nodes(nodes["id"].to_pylist()))
    vectors = sorted(stores.vectors.counts().items())
    return [*rows, *kinds, *described, *vectors, stores.lexical.count()]
