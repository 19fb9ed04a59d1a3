"""HYBRID's first steps: candidates from three lanes at once, and one score for each (page; reference 3.9; models.md A.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from retrieval.model import CHUNKS, SUMMARIES, Found, Passage, Query
from retrieval.ports import Deps
from retrieval.steps.seed import lexical_matches, nearest_rows

LEXICAL, VECTOR, SUMMARY, WALK = "lexical", "vector", "summary", "walk"
# Candidates of each lane at least: the walk starts from the best of them.
POOL = 30
COVERAGE_WEIGHT = 1.5
MOST = 10
Lane = Mapping[str, float]


def limits(query: Query) -> tuple[int, int, int, int]:
    """(passages, entities, facts, summaries) that a search keeps: the options, else top_k up to ten."""
    usual = min(query.top_k or 5, MOST)
    passages, entities, facts, summaries = (
        query.config.get(name) for name in ("chunks_top_k", "entities_top_k", "facts_top_k", "text_summaries_top_k")
    )
    kept = usual if passages is None else passages
    return (
        kept,
        usual if entities is None else entities,
        usual if facts is None else facts,
        kept if summaries is None else summaries,
    )


def lanes(query: Query, found: Found, deps: Deps) -> Found:
    """`found` with the candidates of the lexical, the vector and the summary lane, searched at the same time."""
    passages, _, _, summaries = limits(query)
    pool = max(2 * passages, POOL)
    wanted: dict[str, Callable[[], Lane]] = {
        LEXICAL: lambda: dict(lexical_matches(query, deps, pool)),
        VECTOR: lambda: _similar(nearest_rows(CHUNKS, query, found, deps, pool)),
        SUMMARY: lambda: _summarised(query, found, deps, summaries),
    }
    with ThreadPoolExecutor(max_workers=len(wanted)) as threads:
        under_way = {name: threads.submit(lane) for name, lane in wanted.items()}
        return replace(found, lanes={name: lane.result() for name, lane in under_way.items()})


def fuse(query: Query, found: Found, deps: Deps) -> Found:
    """`found` with the best candidates as passages, each with what every lane gave to its score."""
    rows = {entry.id: entry for entry in deps.vectors.fetch(CHUNKS, list(candidates(found.lanes)))}
    score = reciprocal_ranks if query.config.get("fusion") == "rrf" else weighted
    parts = {i: own for i, own in score(query, found, deps).items() if i in rows and rows[i].text}
    if query.config.get("use_importance_weight", True):
        for i, own in parts.items():
            own["importance"] = importance(rows[i].importance_weight)
            own["score"] *= own["importance"]
    best_rank: dict[str, int] = {}
    for lane in found.lanes.values():
        for rank, i in enumerate(lane):
            best_rank[i] = min(rank, best_rank.get(i, rank))
    order = sorted(parts, key=lambda i: (-round(parts[i]["score"], 9), best_rank[i], i))
    items = tuple(
        Passage(rank, rows[i], 1.0 - parts[i]["cosine"] if "cosine" in parts[i] else None, parts[i]["score"], parts[i])
        for rank, i in enumerate(order, start=1)
    )
    return replace(found, items=items)


def cut(query: Query, found: Found, deps: Deps) -> Found:
    """`found` with as many passages as are wanted."""
    return replace(found, items=found.items[: limits(query)[0]])


def candidates(found: Mapping[str, Lane]) -> list[str]:
    """Every chunk id of the lanes, once."""
    return list(dict.fromkeys(i for lane in found.values() for i in lane))


def weighted(query: Query, found: Found, deps: Deps) -> dict[str, dict[str, float]]:
    """For each candidate: cosine, coverage, and their sum, coverage counting one and a half times."""
    return scored(query, found, deps, candidates(found.lanes))


def scored(query: Query, found: Found, deps: Deps, ids: Sequence[str]) -> dict[str, dict[str, float]]:
    """Cosine, coverage and score of any chunks."""
    if found.vector is None:
        raise ValueError("embed must run before a fused search")
    hits = deps.vectors.distances(CHUNKS, found.vector, ids)
    cosines = {i: 1.0 - float(d) for i, d in zip(hits.ids, hits.distances, strict=True)}
    coverage = dict(zip(ids, deps.lexical.coverage(query.text, ids), strict=True))
    return {
        i: {
            "cosine": cosines[i],
            "coverage": coverage[i],
            "score": max(cosines[i], 0.0) + COVERAGE_WEIGHT * coverage[i],
        }
        for i in ids
        if i in cosines
    }


def reciprocal_ranks(query: Query, found: Found, deps: Deps) -> dict[str, dict[str, float]]:
    """For each candidate 1 / (k + rank) of every lane that has it, and their sum (reference 3.9)."""
    k = rrf_constant(limits(query)[0])
    parts: dict[str, dict[str, float]] = {}
    for name, lane in found.lanes.items():
        for rank, i in enumerate(lane, start=1):
            parts.setdefault(i, {})[name] = 1.0 / (k + rank)
    return {i: own | {"score": sum(own.values())} for i, own in parts.items()}


def rrf_constant(passages: int) -> int:
    """The constant of reciprocal rank fusion: 20 + 2 for each passage kept, between 30 and 60."""
    return min(max(20 + 2 * passages, 30), 60)


def importance(weight: float) -> float:
    """What an importance weight multiplies a passage's score with: 0.75 to 1.25, 1 for the neutral 0.5."""
    return 0.75 + 0.5 * min(max(weight, 0.0), 1.0)


def _similar(hits: tuple[tuple[str, ...], Sequence[float]]) -> Lane:
    return {i: 1.0 - distance for i, distance in zip(*hits, strict=True)}


def _summarised(query: Query, found: Found, deps: Deps, limit: int) -> Lane:
    """The chunks whose summaries are nearest, each with its summary's cosine."""
    if not limit:
        return {}
    ids, distances = nearest_rows(SUMMARIES, query, found, deps, limit)
    chunks = {entry.id: entry.chunk_id for entry in deps.vectors.fetch(SUMMARIES, ids)}
    return {chunks[i]: 1.0 - d for i, d in zip(ids, distances, strict=True) if chunks.get(i)}
