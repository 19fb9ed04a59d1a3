"""Third step of the graph family: the page's triplet score, and the k triplets with the smallest one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from retrieval.model import Edge, Floats, Found, Fragment, Indices, Node, Query, Triplet
from retrieval.ports import Deps

Scores = npt.NDArray[np.float64]

# float32 distances carry noise beyond this; scores equal up to it are a tie, and ties break by id.
DECIMALS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Positions into `fragment.edges`, best first, and the score of each."""

    edges: Indices
    scores: Scores


def triplets(query: Query, found: Found, deps: Deps) -> Found:
    """`found` with its top_k triplets as items (page, stage 3)."""
    if found.fragment is None:
        return found
    ranking = rank(found.fragment, query.feedback_influence, query.top_k)
    return replace(found, items=described(found.fragment, ranking, deps))


def rank(fragment: Fragment, feedback_influence: float, top_k: int | None) -> Ranking:
    """The top_k edges with the smallest triplet score; ties keep the order of edges, which is by id."""
    scores = triplet_scores(fragment, feedback_influence)
    chosen = np.arange(len(scores))
    if top_k is not None and top_k < len(scores):
        bound = np.partition(scores, top_k - 1)[top_k - 1]
        chosen = np.flatnonzero(scores <= bound)
    order = chosen[np.argsort(scores[chosen], kind="stable")][:top_k]
    return Ranking(order, scores[order])


def triplet_scores(fragment: Fragment, feedback_influence: float) -> Scores:
    """One score per edge of the fragment: the scaled distances of source, edge and target added up; lower is closer."""
    graph, edges = fragment.graph, fragment.edges
    nodes = scaled(
        fragment.node_distances,
        graph.node_importance[fragment.nodes],
        graph.node_feedback[fragment.nodes],
        fragment.node_matched,
        feedback_influence,
    )
    own = scaled(
        fragment.edge_distances,
        graph.edge_importance[edges],
        graph.edge_feedback[edges],
        fragment.edge_matched,
        feedback_influence,
    )
    sources, targets = ends(fragment)
    return np.round(nodes[sources] + own + nodes[targets], DECIMALS)


def scaled(
    distances: Floats,
    importance: npt.ArrayLike,
    feedback: npt.ArrayLike,
    matched: npt.NDArray[np.bool_],
    influence: float,
) -> Scores:
    """(2 - importance) x distance; where there was a vector hit, blended with the feedback weight (page, stage 3).

    d1 = (2 - w) d;  d2 = 2 ((1 - f) d1 / 2 + f (1 - feedback)). Weights are clamped to [0, 1], so that a weight above 2
    cannot turn a far element into a near one.
    """
    weight = np.clip(np.asarray(importance, dtype=np.float64), 0.0, 1.0)
    plain = (2.0 - weight) * np.asarray(distances, dtype=np.float64)
    if influence == 0.0:
        return plain
    liking = np.clip(np.asarray(feedback, dtype=np.float64), 0.0, 1.0)
    blended = (1.0 - influence) * plain + 2.0 * influence * (1.0 - liking)
    return np.where(matched, blended, plain)


def ends(fragment: Fragment) -> tuple[Indices, Indices]:
    """Positions into `fragment.nodes` of each edge's source and target."""
    return (
        np.searchsorted(fragment.nodes, fragment.graph.sources[fragment.edges]),
        np.searchsorted(fragment.nodes, fragment.graph.targets[fragment.edges]),
    )


def described(fragment: Fragment, ranking: Ranking, deps: Deps) -> tuple[Triplet, ...]:
    """The ranked triplets with the names and texts of their nodes: the only texts a graph search reads."""
    graph = fragment.graph
    sources, targets = ends(fragment)
    wanted = np.unique(np.concatenate([sources[ranking.edges], targets[ranking.edges]]))
    ids = graph.ids(fragment.nodes[wanted])
    nodes = {node.id: node for node in deps.nodes(ids)}
    named = dict(zip(wanted.tolist(), ids, strict=True))
    return tuple(
        _triplet(fragment, nodes, named, (int(sources[e]), int(e), int(targets[e])), rank, float(score))
        for rank, (e, score) in enumerate(zip(ranking.edges, ranking.scores, strict=True), start=1)
    )


def _triplet(
    fragment: Fragment,
    nodes: dict[str, Node],
    named: dict[int, str],
    at: tuple[int, int, int],
    rank: int,
    score: float,
) -> Triplet:
    graph = fragment.graph
    source, position, target = at
    index = int(fragment.edges[position])

    def node(place: int) -> Node:
        own = int(fragment.nodes[place])
        kept = nodes.get(named[place]) or Node(
            named[place], graph.node_types[own].as_py(), graph.node_names[own].as_py()
        )
        return replace(kept, importance_weight=round(float(graph.node_importance[own]), DECIMALS))

    return Triplet(
        rank=rank,
        source=node(source),
        edge=Edge(
            named[source],
            named[target],
            graph.relationships[index].as_py(),
            graph.edge_texts[index].as_py() or "",
            round(float(graph.edge_importance[index]), DECIMALS),
        ),
        target=node(target),
        score=score,
        source_distance=float(fragment.node_distances[source]),
        edge_distance=float(fragment.edge_distances[position]),
        target_distance=float(fragment.node_distances[target]),
        source_matched=bool(fragment.node_matched[source]),
        edge_matched=bool(fragment.edge_matched[position]),
        target_matched=bool(fragment.node_matched[target]),
        source_feedback=float(graph.node_feedback[fragment.nodes[source]]),
        edge_feedback=float(graph.edge_feedback[index]),
        target_feedback=float(graph.node_feedback[fragment.nodes[target]]),
    )
