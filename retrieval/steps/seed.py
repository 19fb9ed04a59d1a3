"""First steps: the question's vector, the nearest rows of collections, and lexical matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from retrieval.model import CHUNKS, EDGE_TYPES, NODE_COLLECTIONS, TRIPLETS, Found, Hits, Json, Passage, Query
from retrieval.ports import Deps
from retrieval.recipe import Step


def embed(query: Query, found: Found, deps: Deps) -> Found:
    """`found` with the question's vector: the one embedding of a search, or the one made with others in a batch."""
    if query.vector is not None:
        return replace(found, vector=query.vector)
    return replace(found, vector=deps.embedder.embed([query.text])[0])


def nearest_everywhere(query: Query, found: Found, deps: Deps) -> Found:
    """`found` with the nearest rows of every existing node collection and of the edge collection (page, stage 1)."""
    existing = deps.vectors.counts()
    collections = [name for name in (*NODE_COLLECTIONS, EDGE_TYPES) if existing.get(name)]

    def hits(collection: str) -> Hits:
        scope = None if collection == EDGE_TYPES else query.node_sets
        limit = query.wide_search_top_k if query.node_sets is None else None
        return nearest_hits(collection, replace(query, node_sets=scope), found, deps, limit)

    with ThreadPoolExecutor(max_workers=4) as pool:
        return replace(found, seeds=tuple(pool.map(hits, collections)))


def nearest(collection: str) -> Step:
    """A step that keeps the top_k nearest rows of one collection as passages."""

    def step(query: Query, found: Found, deps: Deps) -> Found:
        hits = nearest_hits(collection, query, found, deps, query.top_k)
        rows = {entry.id: entry for entry in deps.vectors.fetch(collection, hits.ids)}
        near = [(rows[i], float(d)) for i, d in zip(hits.ids, hits.distances, strict=True) if i in rows]
        items = tuple(Passage(rank, entry, distance=d) for rank, (entry, d) in enumerate(near, start=1))
        return replace(found, seeds=(hits,), items=items)

    return step


def nearest_rows(
    collection: str, query: Query, found: Found, deps: Deps, limit: int
) -> tuple[tuple[str, ...], list[float]]:
    """(ids, distances) of the nearest rows of a collection, nearest first; none where it does not exist."""
    hits = nearest_hits(collection, query, found, deps, limit)
    return hits.ids, hits.distances.tolist()


def lexical(query: Query, found: Found, deps: Deps) -> Found:
    """`found` with the top_k chunks by BM25; only chunks that share a term with the question."""
    graph = deps.graph()
    scored = lexical_matches(query, deps, query.top_k)
    ids = [i for i, _ in scored]
    rows = {entry.id: entry for entry in deps.vectors.fetch(CHUNKS, ids)}
    shown = [(rows[i], s) for i, s in scored if i in rows]
    items = tuple(Passage(rank, entry, score=s) for rank, (entry, s) in enumerate(shown, start=1))
    notes = () if items or not len(graph) else ("No chunk shares a word with the question.",)
    return replace(found, items=items, notes=(*found.notes, *notes))


def lexical_matches(query: Query, deps: Deps, wanted: int | None) -> list[tuple[str, float]]:
    """(chunk id, BM25 score) of the best matches whose document is switched in; all of them with None."""
    graph, limit = deps.graph(), wanted
    while True:
        scored = deps.lexical.search(query.text, limit, query.node_sets)
        seen = graph.find([i for i, _ in scored]) >= 0
        visible = [pair for pair, keep in zip(scored, seen, strict=True) if keep]
        if limit is None or len(scored) < limit or len(visible) >= (wanted or 0):
            return visible[:wanted]
        limit *= 4


def nearest_hits(collection: str, query: Query, found: Found, deps: Deps, limit: int | None) -> Hits:
    """Nearest rows that belong to elements of the current graph; rows of a document being written are passed over."""
    if found.vector is None:
        raise ValueError("embed must run before a vector search")
    asked = limit
    while True:
        hits = deps.vectors.search(collection, found.vector, asked, query.node_sets)
        kept = np.flatnonzero(_seen(collection, hits.ids, deps))
        enough = asked is None or limit is None or len(hits.ids) < asked or len(kept) >= limit
        if enough:
            kept = kept[:limit]
            return Hits(collection, tuple(hits.ids[i] for i in kept), hits.distances[kept])
        asked = (asked or 1) * 4


def _seen(collection: str, ids: Sequence[str], deps: Deps) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    graph = deps.graph()
    if collection == EDGE_TYPES:
        return graph.find_kinds(ids) >= 0
    if collection == TRIPLETS:
        ends = {row.id: row.extra for row in deps.vectors.fetch(collection, ids)}
        return graph.has_edges([_ends(ends.get(i, {})) for i in ids])
    return graph.find(ids) >= 0


def _ends(extra: Mapping[str, Json]) -> tuple[str, str, str]:
    """(source id, target id, relationship) of a triplet row."""
    return str(extra.get("source_id", "")), str(extra.get("target_id", "")), str(extra.get("relationship", ""))
