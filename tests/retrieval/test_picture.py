"""The part of a fragment that is drawn: exactly the fragment, or its best part with the totals."""

from __future__ import annotations

import numpy as np

from retrieval.model import Edge, Node, Rows
from retrieval.picture import drawn, drawn_rows
from tests.retrieval.build_graph import graph_of, uid, whole


def test_a_small_fragment_is_drawn_whole() -> None:
    graph = graph_of(
        [Node(uid(n), "T", f"n{n}") for n in range(3)],
        [Edge(uid(0), uid(1), "a"), Edge(uid(0), uid(1), "b"), Edge(uid(1), uid(0), "a"), Edge(uid(2), uid(2), "self")],
    )
    fragment = whole(graph, {uid(n): 0.1 for n in range(3)}, [0.1] * 4)
    picture = drawn(fragment, ())
    assert [n["id"] for n in picture["nodes"]] == graph.node_ids.to_pylist()
    assert [e["id"] for e in picture["edges"]] == graph.edge_ids(np.arange(4))
    assert (picture["total_nodes"], picture["total_edges"]) == (3, 4)


def test_a_large_fragment_is_drawn_by_its_best_triplets() -> None:
    count = 40
    graph = graph_of(
        [Node(uid(n), "T") for n in range(count)], [Edge(uid(n), uid(n + 1), "r", f"t{n}") for n in range(count - 1)]
    )
    fragment = whole(graph, {uid(n): 0.1 for n in range(count)}, [n / 100 for n in range(count - 1)])
    picture = drawn(fragment, (), most_nodes=5, most_edges=100)
    assert [n["id"] for n in picture["nodes"]] == [uid(n) for n in range(5)]
    assert (len(picture["edges"]), picture["total_nodes"], picture["total_edges"]) == (4, 40, 39)


def test_rows_are_drawn_with_the_nodes_and_edges_of_their_cells() -> None:
    nodes = tuple(Node(uid(n), "T", f"n{n}") for n in range(4))
    edges = (Edge(uid(0), uid(1), "a"), Edge(uid(1), uid(3), "b"))
    picture = drawn_rows(Rows("RETURN 1", nodes=nodes, edges=edges))
    assert [(n["name"], n["ranked"]) for n in picture["nodes"]] == [
        ("n0", True),
        ("n1", True),
        ("n2", False),
        ("n3", True),
    ]
    assert [(e["relationship"], e["rank"]) for e in picture["edges"]] == [("a", 1), ("b", 2)]
    capped = drawn_rows(Rows("RETURN 1", nodes=nodes, edges=edges), most_nodes=2)
    assert ([e["relationship"] for e in capped["edges"]], capped["total_nodes"], capped["total_edges"]) == (["a"], 4, 2)
