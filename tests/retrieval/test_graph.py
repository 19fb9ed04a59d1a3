"""The columnar graph: building, finding, neighbours, hidden elements, weights (T22)."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from retrieval.adapters.memory import MemoryGraph
from retrieval.graph import Graph, build
from retrieval.model import Edge, Node
from tests.retrieval.build_graph import graph_of, uid

NODES = [Node(uid(n), "T", f"n{n}", node_sets=("s",) if n == 2 else ("s", "t") if n == 3 else ()) for n in (3, 1, 2)]
EDGES = [
    Edge(uid(2), uid(3), "r"),
    Edge(uid(1), uid(2), "r", "words"),
    Edge(uid(1), uid(2), "q"),
    Edge(uid(2), uid(2), "self"),
    Edge(uid(2), uid(99), "dangling"),
]


@pytest.fixture(scope="module")
def graph() -> Graph:
    return graph_of(NODES, EDGES)


def test_nodes_and_edges_are_ordered_by_id(graph: Graph) -> None:
    assert graph.node_ids.to_pylist() == [uid(1), uid(2), uid(3)]
    named = list(zip(graph.sources.tolist(), graph.targets.tolist(), graph.relationships.to_pylist(), strict=True))
    assert named == [(0, 1, "q"), (0, 1, "r"), (1, 1, "self"), (1, 2, "r")]


def test_t22_an_edge_naming_a_missing_node_is_skipped(graph: Graph) -> None:
    assert "dangling" not in graph.relationships.to_pylist()


def test_edge_ids_are_those_of_the_elements(graph: Graph) -> None:
    assert set(graph.edge_ids(np.arange(4))) == {e.id for e in EDGES[:4]}


def test_unknown_ids_are_not_found(graph: Graph) -> None:
    assert graph.find([uid(2), uid(98), uid(1)]).tolist() == [1, -1, 0]
    assert graph.find([]).tolist() == []


def test_what_is_no_uuid_is_not_found(graph: Graph) -> None:
    assert graph.find(["Acme", "", uid(1)]).tolist() == [-1, -1, 0]
    assert graph.find_kinds(["works at"]).tolist() == [-1]
    assert graph.has_edges([("Acme", uid(2), "r"), (uid(1), "x", "q")]).tolist() == [False, False]


def test_t22_of_nodes_with_one_id_the_first_is_kept() -> None:
    graph = graph_of([Node(uid(2), "T", "b"), Node(uid(1), "T", "first"), Node(uid(1), "T", "second")], [])
    assert graph.node_names.to_pylist() == ["first", "b"]


def test_an_edge_that_names_no_uuid_is_skipped() -> None:
    store = MemoryGraph()
    store.upsert([Node(uid(1), "T")], [])
    nodes, edges = store.columns()
    row = {"source": uid(1), "target": "Acme", "relationship": "r", "text": "", "importance_weight": 0.5}
    assert build(1, nodes, pa.Table.from_pylist([row], edges.schema)).edge_count == 0


def test_neighbours_of_both_ends_come_once(graph: Graph) -> None:
    """F7: an edge between two seeds, parallel ones and a self-edge are one edge each."""
    assert graph.incident(graph.find([uid(1), uid(2)])).tolist() == [0, 1, 2, 3]
    assert graph.incident(graph.find([uid(1)])).tolist() == [0, 1]
    assert graph.between(0, 1).tolist() == [0, 1]
    assert graph.between(1, 0).tolist() == []


def test_a_node_in_a_set_twice_is_a_member_once() -> None:
    graph = graph_of([Node(uid(1), "T", node_sets=("s", "s"))], [])
    assert graph.members(["s"], match_all=False).tolist() == [0]


def test_neighbours_count_a_self_edge_once(graph: Graph) -> None:
    assert graph.incident(graph.find([uid(2)])).tolist() == [0, 1, 2, 3]
    assert graph.incident(np.empty(0, dtype=np.int64)).tolist() == []


def test_edges_of_one_text_share_a_kind(graph: Graph) -> None:
    [kind] = graph.find_kinds([Edge("", "", "r").kind_id])
    assert graph.of_kinds(np.array([kind])).tolist() == [3]


def test_hidden_elements_are_not_there() -> None:
    graph = graph_of(NODES, EDGES, hidden=[uid(3), EDGES[2].id])
    assert graph.node_ids.to_pylist() == [uid(1), uid(2)]
    assert graph.relationships.to_pylist() == ["r", "self"]


def test_node_sets_by_any_and_all(graph: Graph) -> None:
    assert graph.set_names == ("s", "t")
    assert graph.members(["s", "t"], match_all=False).tolist() == [1, 2]
    assert graph.members(["s", "t"], match_all=True).tolist() == [2]
    assert graph.members(["no"], match_all=False).tolist() == []


def test_feedback_weights_reach_their_element_alone(graph: Graph) -> None:
    edge = EDGES[1]
    weighted = graph.reweighted({uid(3): 0.9, edge.id: 0.1, uid(98): 0.7}, {edge.id: (edge.source, edge.target)})
    assert weighted.node_feedback.tolist() == pytest.approx([0.5, 0.5, 0.9])
    assert weighted.edge_feedback.tolist() == pytest.approx([0.5, 0.1, 0.5, 0.5])
    assert graph.node_feedback.tolist() == [0.5, 0.5, 0.5]


def test_importance_is_clamped_and_missing_ones_are_neutral() -> None:
    graph = graph_of([Node(uid(n), "T", importance_weight=w) for n, w in enumerate((3.0, -1.0, float("nan")))], [])
    assert graph.node_importance.tolist() == [1.0, 0.0, 0.5]


def test_which_edges_are_there(graph: Graph) -> None:
    asked = [(uid(1), uid(2), "q"), (uid(2), uid(1), "q"), (uid(1), uid(2), "z"), ("", "", "")]
    assert graph.has_edges(asked).tolist() == [True, False, False, False]


def test_an_empty_graph() -> None:
    graph = graph_of([], [])
    assert (len(graph), graph.edge_count, graph.set_names) == (0, 0, ())
    assert graph.find([uid(1)]).tolist() == [-1]
    assert graph.best_connected(3, without=()) == []


def test_best_connected_nodes_by_name(graph: Graph) -> None:
    assert graph.best_connected(2, without=()) == ["n2", "n1"]


def test_what_is_visible_of_the_whole_is_what_the_graph_has_in_its_order() -> None:
    store = MemoryGraph()
    store.upsert([*NODES, Node(uid(9), "T", "hidden")], [*EDGES[:4], Edge(uid(1), uid(9), "r")])
    secret = Edge(uid(3), uid(1), "secret")
    store.upsert([], [secret])
    hidden = {uid(9), secret.id}
    made = build(1, *store.columns(), hidden)
    nodes, edges = made.visible(*store.whole(), hidden)
    assert nodes["id"].to_pylist() == made.node_ids.to_pylist() == [uid(1), uid(2), uid(3)]
    told = [(row["source"], row["target"], row["relationship"]) for row in edges.to_pylist()]
    assert told == [(uid(1), uid(2), "q"), (uid(1), uid(2), "r"), (uid(2), uid(2), "self"), (uid(2), uid(3), "r")]
    assert made.same_elements(made.reweighted({}, {}))
    assert not made.same_elements(build(1, *store.columns(), hidden))
