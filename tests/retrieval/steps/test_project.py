"""Acceptance 12.3, mapping and projection: T13 to T16, T21, T22; bugs 10, 18, F7; weaknesses 10 and 14."""

from __future__ import annotations

import numpy as np
import pytest

from retrieval.graph import Graph
from retrieval.model import EDGE_TYPES, ENTITIES, SUMMARIES, Edge, Hits, Node, Query
from retrieval.steps.project import measured, neighbourhood, node_hits, within
from tests.retrieval.build_graph import graph_of, uid

FAR = 6.5


@pytest.fixture(scope="module")
def graph() -> Graph:
    """1-2-3-4 in a line, with a parallel and a reverse edge between 1 and 2 and a self-edge at 3."""
    nodes = [Node(uid(n), "T", f"n{n}", node_sets=("s",) if n < 3 else ()) for n in (1, 2, 3, 4)]
    edges = [
        Edge(uid(1), uid(2), "a"),
        Edge(uid(1), uid(2), "b", "b in words"),
        Edge(uid(2), uid(1), "a"),
        Edge(uid(2), uid(3), "a"),
        Edge(uid(3), uid(3), "loop"),
        Edge(uid(3), uid(4), "a"),
    ]
    return graph_of(nodes, edges)


def hits(collection: str, *pairs: tuple[str, float]) -> Hits:
    return Hits(collection, tuple(i for i, _ in pairs), np.array([d for _, d in pairs], dtype=np.float32))


def test_t14_seeds_are_ordered_by_their_best_distance(graph: Graph) -> None:
    """A node found in several collections keeps the smallest distance, not the last one."""
    found = [hits(ENTITIES, (uid(1), 0.1), (uid(3), 0.8), (uid(4), 0.9)), hits(SUMMARIES, (uid(3), 0.2), (uid(2), 0.5))]
    indices, distances = node_hits(graph, found)
    assert [graph.ids(indices)[i] for i in range(4)] == [uid(1), uid(3), uid(2), uid(4)]
    assert distances.tolist() == pytest.approx([0.1, 0.2, 0.5, 0.9])


def test_hits_that_the_graph_does_not_have_are_dropped(graph: Graph) -> None:
    indices, _ = node_hits(graph, [hits(ENTITIES, (uid(99), 0.1), (uid(2), 0.3))])
    assert graph.ids(indices) == [uid(2)]


def test_one_hop_is_every_edge_with_an_end_among_the_seeds(graph: Graph) -> None:
    """Parallel and reverse edges are edges of their own; a self-edge counts once (F7)."""
    assert len(graph.incident(graph.find([uid(1)]))) == 3
    around = graph.incident(graph.find([uid(3)]))
    assert [graph.relationships[int(e)].as_py() for e in around] == ["a", "loop", "a"]


def test_t13_elements_without_a_hit_hold_the_penalty(graph: Graph) -> None:
    nodes, edges = np.arange(4), np.arange(6)
    seeds = [hits(EDGE_TYPES, (kind_of("b in words"), 0.25))]
    part = measured(graph, nodes, edges, (np.array([1]), np.array([0.5], dtype=np.float32)), seeds, Query("q"))
    assert part.node_distances.tolist() == [FAR, 0.5, FAR, FAR]
    assert part.edge_distances.tolist() == [FAR, 0.25, FAR, FAR, FAR, FAR]
    assert part.edge_matched.tolist() == [False, True, False, False, False, False]


def test_t13_edges_without_text_match_through_their_relationship(graph: Graph) -> None:
    seeds = [hits(EDGE_TYPES, (kind_of("a"), 0.25))]
    none = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))
    part = measured(graph, np.arange(4), np.arange(6), none, seeds, Query("q", triplet_distance_penalty=2.5))
    assert part.edge_distances.tolist() == [0.25, 2.5, 0.25, 0.25, 2.5, 0.25]


def kind_of(text: str) -> str:
    return Edge("", "", "", text).kind_id


@pytest.mark.parametrize(("depth", "reached"), [(1, [1, 2]), (2, [1, 2, 3]), (3, [1, 2, 3, 4]), (9, [1, 2, 3, 4])])
def test_k_hops_keep_all_edges_between_the_reached_nodes(graph: Graph, depth: int, reached: list[int]) -> None:
    nodes, edges = neighbourhood(graph, graph.find([uid(1)]), depth)
    assert graph.ids(nodes) == [uid(n) for n in reached]
    both = np.isin(graph.sources, nodes) & np.isin(graph.targets, nodes)
    assert edges.tolist() == np.flatnonzero(both).tolist()


def test_a_node_set_subgraph_holds_each_edge_once_in_its_stored_direction(graph: Graph) -> None:
    """Weakness 14."""
    nodes, edges = within(graph, graph.members(["s"], match_all=False))
    assert graph.ids(nodes) == [uid(1), uid(2)]
    pairs = [(int(graph.sources[e]), int(graph.targets[e])) for e in edges]
    assert pairs == [(0, 1), (0, 1), (1, 0)]


def test_no_seeds_no_fragment(graph: Graph) -> None:
    nodes, edges = neighbourhood(graph, np.empty(0, dtype=np.int64), 3)
    assert (len(nodes), len(edges)) == (0, 0)
