"""A walk over passages and what they name: passages that the best ones lead to rise (HippoRAG 2, section 3; quality.md).

Passages lead to the documents whose titles they name and to entities that they mention; these lead back to their
passages. Where a walker that starts at the best candidates and at what the question names is most often found, with
personalised PageRank, is what the question is about. Only the neighbourhood of the candidates is walked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from retrieval.graph import Graph
from retrieval.model import CHUNKS, Found, Passage, Query
from retrieval.ports import Deps
from retrieval.steps.lanes import scored

Masses = npt.NDArray[np.float64]

# Measured on the sets of benchmarks/quality.py, one setting for all of them.
SEEDS, SHARPNESS = 30, 12
NAMED = 0.6
DAMPING, ROUNDS = 0.85, 15
OWN, MENTIONED_BACK = 0.75, 0.1
HOPS, MOST_PASSAGES, MOST_OF_DOCUMENT = 2, 400, 40
LEAST_SIMILARITY = 0.02
PART_OF, CONTAINS = "is_part_of", "contains"


@dataclass(slots=True)
class Net:
    """Passages and the documents that they lead to, as far as they were visited."""

    texts: dict[str, str] = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)
    named: dict[str, tuple[str, ...]] = field(default_factory=dict)


def walk(query: Query, found: Found, deps: Deps) -> Found:
    """`found` with its passages ranked by a walk from them; passages that the walk leads to are added."""
    passages = [item for item in found.items if isinstance(item, Passage)]
    if not passages or query.config.get("walk") is False or query.config.get("fusion") == "rrf":
        return found
    graph, asked = deps.graph(), list(deps.titles().named(query.text))
    net = _explored(query, passages, asked, graph, deps)
    measured = scored(query, found, deps, list(net.texts))
    starts = {p.id: max(p.score or 0.0, 0.0) for p in passages[:SEEDS]}
    visits = visited(net, starts, asked, {i: own["cosine"] for i, own in measured.items()})
    if not visits:
        return found
    most = max(visits.values())
    known = {p.id: p.parts for p in passages}
    parts = {i: dict(known.get(i, own)) for i, own in measured.items()} | {i: dict(p) for i, p in known.items()}
    for i, own in parts.items():
        own["walk"] = visits.get(i, 0.0) / most
    order = sorted(parts, key=lambda i: (-round(parts[i]["walk"], 9), -round(parts[i]["score"], 9), i))
    rows = {p.id: p.entry for p in passages}
    rows |= {entry.id: entry for entry in deps.vectors.fetch(CHUNKS, [i for i in order if i not in rows])}
    ranked = [i for i in order if i in rows and (query.node_sets is None or query.node_sets.admits(rows[i].node_sets))]
    return replace(
        found,
        items=tuple(
            Passage(rank, rows[i], 1.0 - parts[i]["cosine"], parts[i]["score"], parts[i])
            for rank, i in enumerate(ranked, start=1)
        ),
        lanes={**found.lanes, "walk": {i: parts[i]["walk"] for i in ranked if parts[i]["walk"]}},
    )


def visited(net: Net, starts: dict[str, float], asked: Sequence[str], similar: dict[str, float]) -> dict[str, float]:
    """How often a walker is at each passage: personalised PageRank over the net, restarting at `starts` (score of each
    passage, sharpened) and at the documents asked for; a document leads to its passages as they are similar.
    """
    passages = {i: place for place, i in enumerate(net.texts)}
    documents = {
        d: place for place, d in enumerate(dict.fromkeys([*asked, *net.own.values(), *_all(net.named.values())]))
    }
    links = [(passages[p], documents[d], OWN, 1.0) for p, d in net.own.items()]
    links += [(passages[p], documents[d], 1.0, MENTIONED_BACK) for p, own in net.named.items() for d in own]
    if not links:
        return {}
    ends = np.array([link[:2] for link in links])
    weights = np.array([link[2:] for link in links])
    names = list(passages)
    near = np.array([max(similar.get(names[p], 0.0), LEAST_SIMILARITY) for p in ends[:, 0]])
    there = _shares(ends[:, 0], weights[:, 0], len(passages))
    back = _shares(ends[:, 1], weights[:, 1] * near, len(documents))
    start = np.array([starts.get(i, 0.0) for i in names]) ** SHARPNESS
    start = start / start.sum() if start.sum() else start
    aim = np.zeros(len(documents))
    aim[[documents[d] for d in asked]] = NAMED / max(len(asked), 1)
    start *= 1.0 - aim.sum()
    at, towards = start, aim
    for _ in range(ROUNDS):
        onwards = np.bincount(ends[:, 1], at[ends[:, 0]] * there, minlength=len(documents))
        home = np.bincount(ends[:, 0], towards[ends[:, 1]] * back, minlength=len(passages))
        at, towards = (1 - DAMPING) * start + DAMPING * home, (1 - DAMPING) * aim + DAMPING * onwards
    return {i: float(at[place]) for i, place in passages.items() if at[place] > 0}


def _shares(ends: npt.NDArray[np.int64], weights: Masses, count: int) -> Masses:
    """Each weight as a share of all weights at the same end."""
    sums = np.bincount(ends, weights, minlength=count)
    return weights / sums[ends]


def _explored(query: Query, passages: Sequence[Passage], asked: Sequence[str], graph: Graph, deps: Deps) -> Net:
    """The candidates and the passages of the documents that they and the question name, some steps on."""
    titles, net = deps.titles(), Net()
    _visit(net, [(p.id, p.entry.text, p.entry.document_id) for p in passages[:SEEDS]])
    waiting = [i for document in asked for i in passages_of(graph, document)]
    for _ in range(HOPS + 1):
        fresh = [i for i in dict.fromkeys(waiting) if i not in net.texts][: MOST_PASSAGES - len(net.texts)]
        _visit(net, [(e.id, e.text, e.document_id) for e in deps.vectors.fetch(CHUNKS, fresh)])
        waiting = []
        for i, text in net.texts.items():
            if i not in net.named:
                net.named[i] = tuple(d for d in titles.named(text) if d != net.own[i])
                waiting += [p for document in net.named[i] for p in passages_of(graph, document)]
        if not waiting:
            break
    return net


def _visit(net: Net, rows: Iterable[tuple[str, str, str]]) -> None:
    for i, text, document in rows:
        net.texts[i] = text
        net.own[i] = document


def passages_of(graph: Graph, document: str) -> list[str]:
    """Ids of the passages of a document, at most MOST_OF_DOCUMENT of them."""
    [node] = graph.find([document])
    if node < 0:
        return []
    edges = graph.incident(np.array([node]))
    own = edges[(graph.targets[edges] == node) & graph.related_by(edges, (PART_OF,))]
    return graph.ids(graph.sources[own[:MOST_OF_DOCUMENT]])


def _all(groups: Iterable[Sequence[str]]) -> Iterable[str]:
    return (member for group in groups for member in group)
