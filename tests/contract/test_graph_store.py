"""What every GraphStore keeps to: in memory and Kuzu (bugs 43, 45, 60; F5, F6)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from retrieval.adapters.kuzu import KuzuGraph
from retrieval.adapters.memory import MemoryGraph
from retrieval.errors import StoreError
from retrieval.model import Edge, Node
from retrieval.ports import GraphStore
from tests.contract.test_vector_store import NASTY
from tests.retrieval.build_graph import uid

NODES = [Node(uid(n), "T", f"n{n}", "d", "", 0.25, ("a", "b"), {"class": "Entity", "n": n}) for n in range(4)]
EDGES = [
    Edge(uid(0), uid(1), "knows", "zero knows one"),
    Edge(uid(0), uid(1), "likes"),
    Edge(uid(1), uid(0), "knows"),
    Edge(uid(2), uid(2), "refers_to"),
    Edge(uid(2), uid(3), "non-compliant 由...组成 o'x"),
]


@pytest.fixture(params=["memory", "kuzu"])
def store(request: pytest.FixtureRequest, tmp_path: Path):  # type: ignore[no-untyped-def]
    made = MemoryGraph() if request.param == "memory" else KuzuGraph(tmp_path / "graph.kuzu")
    yield made
    made.close()


@pytest.fixture
def filled(store: GraphStore) -> GraphStore:
    store.upsert(NODES, EDGES)
    return store


def edges_of(store: GraphStore) -> list[tuple[str, str, str, str]]:
    rows = store.columns()[1].to_pylist()
    return sorted((r["source"], r["target"], r["relationship"], r["text"] or "") for r in rows)


def test_nodes_come_back_whole_in_the_order_asked(filled: GraphStore) -> None:
    assert filled.nodes([uid(3), uid(77), uid(0)]) == [NODES[3], NODES[0]]


def test_parallel_reverse_and_self_edges_are_edges_of_their_own(filled: GraphStore) -> None:
    """Bug 45: names of relationships are data, whatever they contain."""
    assert edges_of(filled) == sorted((e.source, e.target, e.relationship, e.text) for e in EDGES)


def test_bug_60_writing_again_changes_nothing(filled: GraphStore) -> None:
    before = edges_of(filled)
    filled.upsert(NODES, EDGES)
    assert filled.counts() == (4, 5)
    assert edges_of(filled) == before


def test_changes_replace_what_was_stored(filled: GraphStore) -> None:
    filled.upsert([Node(uid(0), "T", "new", node_sets=())], [Edge(uid(0), uid(1), "knows", "other words", 0.75)])
    [node] = filled.nodes([uid(0)])
    assert (node.name, node.description, node.node_sets, dict(node.properties)) == ("new", "", (), {})
    assert (uid(0), uid(1), "knows", "other words") in edges_of(filled)
    assert filled.counts() == (4, 5)


def test_the_last_spelling_of_a_relationship_is_kept(filled: GraphStore) -> None:
    """`Knows` and `knows` give one edge id, so they are one edge."""
    filled.upsert([], [Edge(uid(0), uid(1), "Knows", "zero knows one")])
    assert filled.counts() == (4, 5)
    assert (uid(0), uid(1), "Knows", "zero knows one") in edges_of(filled)


def test_a_write_that_was_cut_off_ends_well_when_repeated(filled: GraphStore) -> None:
    nodes = [Node(uid(n), "T", f"later {n}") for n in (3, 4, 5)]
    edges = [Edge(uid(4), uid(5), "r", "words"), Edge(uid(5), uid(0), "r")]
    filled.upsert(nodes[:2], [])
    filled.upsert(nodes, edges[:1])
    for _ in range(2):
        filled.upsert(nodes, edges)
    assert filled.counts() == (6, 7)
    assert filled.nodes([n.id for n in nodes]) == nodes
    for _ in range(2):
        filled.delete([n.id for n in nodes], edges)
    assert filled.counts() == (3, 4)


def test_ids_that_are_no_uuid_are_missing(filled: GraphStore) -> None:
    assert filled.nodes(["Acme", "", uid(1), "'; MATCH (n) DELETE n; //"]) == [NODES[1]]
    filled.delete(["Acme"], [Edge("Acme", uid(1), "knows")])
    assert filled.counts() == (4, 5)


def test_an_edge_needs_both_ends(filled: GraphStore) -> None:
    with pytest.raises(StoreError):
        filled.upsert([], [Edge(uid(0), uid(99), "knows")])
    assert filled.counts() == (4, 5)


def test_deleted_nodes_take_their_edges_along(filled: GraphStore) -> None:
    """Kuzu's DETACH DELETE leaves phantoms where deleted nodes are linked to each other."""
    filled.delete([uid(0), uid(1)], [])
    assert filled.counts() == (2, 2)
    assert len(edges_of(filled)) == 2


def test_one_of_parallel_edges_can_go(filled: GraphStore) -> None:
    filled.delete([], [EDGES[1], Edge(uid(3), uid(0), "never stored")])
    assert filled.counts() == (4, 4)
    assert EDGES[0].text in {e[3] for e in edges_of(filled)}


def test_bug_43_names_and_texts_come_back_as_they_went_in(store: GraphStore) -> None:
    nodes = [Node(uid(n), "T", text, text, text, properties={"t": text}) for n, text in enumerate(NASTY)]
    edges = [Edge(uid(0), uid(0), text, text, properties={"t": text}) for text in NASTY]
    store.upsert(nodes, edges)
    assert store.nodes([n.id for n in nodes]) == nodes
    assert edges_of(store) == sorted((e.source, e.target, e.relationship, e.text) for e in edges)


def test_f6_lone_surrogates_do_no_harm(store: GraphStore) -> None:
    store.upsert([Node(uid(1), "T", "x \ud83d y")], [])
    store.upsert([], [Edge(uid(1), uid(1), "r \ud83d", "t \ud83d")])
    store.upsert([], [Edge(uid(1), uid(1), "r \ud83d", "t \ud83d")])
    assert store.counts() == (1, 1)


def test_columns_name_nodes_without_a_name_by_their_text(store: GraphStore) -> None:
    store.upsert([Node(uid(1), "DocumentChunk", text="word " * 40)], [])
    assert store.columns()[0]["name"].to_pylist() == [("word " * 40)[:60]]


def test_whole_has_all_that_is_stored(filled: GraphStore) -> None:
    nodes, edges = filled.whole()
    told = {row["id"]: row for row in nodes.to_pylist()}
    assert told[uid(0)] == {
        "id": uid(0),
        "type": "T",
        "name": "n0",
        "description": "d",
        "text": "",
        "importance_weight": 0.25,
        "node_sets": ["a", "b"],
        "properties": '{"class": "Entity", "n": 0}',
    }
    said = {(row["source"], row["target"], row["relationship"]): row["text"] for row in edges.to_pylist()}
    assert said == {(e.source, e.target, e.relationship): e.text for e in EDGES}
    assert edges.column_names == ["source", "target", "relationship", "text", "importance_weight", "properties"]


def test_an_empty_graph_has_empty_columns(store: GraphStore) -> None:
    nodes, edges = store.columns()
    assert (nodes.num_rows, edges.num_rows) == (0, 0)
    assert nodes.column_names == ["id", "type", "name", "importance_weight", "node_sets"]


def test_a_large_write_and_delete_leave_no_phantoms(store: GraphStore) -> None:
    """More than one batch of ids, every node linked to the next one both ways."""
    count = 1200
    nodes = [Node(uid(n), "T", str(n)) for n in range(count)]
    ring = [Edge(uid(n), uid((n + step) % count), "next") for n in range(count) for step in (1, -1)]
    store.upsert(nodes, ring)
    assert store.counts() == (count, 2 * count)
    store.delete([n.id for n in nodes[:700]], [])
    assert store.counts() == (500, 2 * 499)
    assert len(edges_of(store)) == 2 * 499
    assert len(store.nodes([n.id for n in nodes])) == 500


def test_f5_four_threads_write_without_an_error(store: GraphStore) -> None:
    def write(thread: int) -> None:
        for n in range(20):
            store.upsert([Node(uid(1000 * thread + n), "T", "x")], [])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(1, 5)))
    assert store.counts() == (80, 0)
