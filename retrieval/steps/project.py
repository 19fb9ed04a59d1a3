"""Second step of the graph family: from seeds to a memory fragment with a distance on every node and edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from retrieval.graph import Graph, positions
from retrieval.model import EDGE_TYPES, NODE_COLLECTIONS, Floats, Found, Fragment, Hits, Indices, Query
from retrieval.ports import Deps


def fragment(query: Query, found: Found, deps: Deps) -> Found:
    """`found` with its fragment: one hop around the seeds, k hops, or the chosen node sets (page, stage 2)."""
    graph = deps.graph()
    indices, distances = node_hits(graph, found.seeds)
    if query.neighborhood_depth is not None:
        nodes, edges = neighbourhood(graph, indices[: query.neighborhood_seed_top_k], query.neighborhood_depth)
    elif query.node_sets is not None:
        nodes, edges = within(graph, graph.members(query.node_sets.names, match_all=query.node_sets.match_all))
    elif len(indices):
        edges = graph.incident(indices)
        nodes = np.unique(np.concatenate([graph.sources[edges], graph.targets[edges]]))
    else:
        edges = edges_of_kinds(graph, found.seeds)
        nodes = np.unique(np.concatenate([graph.sources[edges], graph.targets[edges]]))
    if query.neighborhood_depth is not None:
        indices, distances = _with_expansion(graph, nodes, indices, distances, found, deps)
    return replace(found, fragment=measured(graph, nodes, edges, (indices, distances), found.seeds, query))


def measured(
    graph: Graph,
    nodes: Indices,
    edges: Indices,
    hits: tuple[Indices, Floats],
    seeds: Sequence[Hits],
    query: Query,
) -> Fragment:
    """The fragment of these nodes and edges; whatever has no vector hit gets the penalty (page, stage 2)."""
    node_distances, node_matched = _spread(nodes, *hits, query.triplet_distance_penalty)
    kinds, distances = kind_hits(graph, seeds)
    edge_distances, edge_matched = _spread(graph.edge_kinds[edges], kinds, distances, query.triplet_distance_penalty)
    return Fragment(graph, nodes, edges, node_distances, edge_distances, node_matched, edge_matched)


def node_hits(graph: Graph, seeds: Sequence[Hits]) -> tuple[Indices, Floats]:
    """(node indices, distances) of the hits, nearest first, ties by index; a node found twice keeps its best distance."""
    found = [(graph.find(h.ids), h.distances) for h in seeds if h.collection != EDGE_TYPES]
    return _best(found)


def kind_hits(graph: Graph, seeds: Sequence[Hits]) -> tuple[Indices, Floats]:
    """(edge kind indices, distances) of the hits in the edge collection, nearest first."""
    found = [(graph.find_kinds(h.ids), h.distances) for h in seeds if h.collection == EDGE_TYPES]
    return _best(found)


def neighbourhood(graph: Graph, seeds: Indices, depth: int) -> tuple[Indices, Indices]:
    """(nodes, edges) of everything within `depth` undirected hops, with all edges between the nodes kept."""
    nodes = frontier = np.unique(seeds)
    for _ in range(depth):
        edges = graph.incident(frontier)
        reached = np.union1d(graph.sources[edges], graph.targets[edges])
        frontier = np.setdiff1d(reached, nodes, assume_unique=True)
        if not len(frontier):
            break
        nodes = np.union1d(nodes, frontier)
    return within(graph, nodes)


def within(graph: Graph, nodes: Indices) -> tuple[Indices, Indices]:
    """(nodes, edges) of the subgraph that these nodes span."""
    edges = graph.incident(nodes)
    inside = np.isin(graph.sources[edges], nodes) & np.isin(graph.targets[edges], nodes)
    return nodes, edges[inside]


def edges_of_kinds(graph: Graph, seeds: Sequence[Hits]) -> Indices:
    """Edges whose text was hit, for a memory in which no node was."""
    kinds, _ = kind_hits(graph, seeds)
    return graph.of_kinds(kinds)


def _with_expansion(
    graph: Graph, nodes: Indices, indices: Indices, distances: Floats, found: Found, deps: Deps
) -> tuple[Indices, Floats]:
    """The hits, and the real distances of the nodes that the expansion added."""
    added = np.setdiff1d(nodes, indices)
    if found.vector is None or not len(added):
        return indices, distances
    ids = graph.ids(added)
    existing = deps.vectors.counts()
    scored = [deps.vectors.distances(c, found.vector, ids) for c in NODE_COLLECTIONS if existing.get(c)]
    return _best([(indices, distances), *((graph.find(h.ids), h.distances) for h in scored)])


def _best(found: Sequence[tuple[Indices, Floats]]) -> tuple[Indices, Floats]:
    """Each index once with its smallest distance, nearest first, ties by index; index -1 is dropped."""
    if not found:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    indices = np.concatenate([i for i, _ in found])
    distances = np.concatenate([d for _, d in found])
    indices, distances = indices[indices >= 0], distances[indices >= 0]
    order = np.lexsort((indices, distances))
    _, first = np.unique(indices[order], return_index=True)
    kept = order[np.sort(first)]
    return indices[kept], distances[kept]


def _spread(elements: Indices, hit: Indices, distances: Floats, penalty: float) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """(distance of each element, whether it was hit); elements may repeat."""
    order = np.argsort(hit)
    at = positions(hit[order], elements)
    matched = at >= 0
    values = np.full(len(elements), penalty, dtype=np.float32)
    values[matched] = distances[order][at[matched]]
    return values, matched
