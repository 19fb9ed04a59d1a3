"""Graph queries in a process of its own (bugs 47; F1 to F3)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pytest

from retrieval.adapters.memory import MemoryGraph
from retrieval.adapters.sandbox import Child, Limits, Sandbox
from retrieval.adapters.sandbox_copy import copied
from retrieval.errors import CypherError, StoreError
from retrieval.model import Edge, Node
from tests.retrieval.build_graph import uid

NODES = [
    Node(
        uid(0),
        "Ship",
        "Aurora",
        "a ship",
        properties={"built": 1998, "length": 120.5, "class": "Entity", "flags": ["NO", "SE"]},
    ),
    Node(
        uid(1), "Ship", "Boreas", properties={"built": 2011, "retired": True, "name": "not this one", "Built": "text"}
    ),
    Node(uid(2), "Harbour", "Bergen", properties={"depth": None, "mixed": 1}),
    Node(uid(3), "Harbour", "Gävle", properties={"mixed": "one", "nested": {"a": [1]}, "huge": 2**70}),
]
EDGES = [
    Edge(uid(0), uid(2), "calls_at", "Aurora calls at Bergen.", properties={"since": 2001}),
    Edge(uid(1), uid(2), "calls_at"),
    Edge(uid(1), uid(3), "built in"),
    Edge(uid(3), uid(3), "faces"),
]


def tables() -> tuple[pa.Table, pa.Table]:
    graph = MemoryGraph()
    graph.upsert(NODES, EDGES)
    return graph.whole()


@pytest.fixture(scope="module")
def ships(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    made = Sandbox(tmp_path_factory.mktemp("ships") / "queries-1.kuzu", *tables())
    yield made
    made.close()


def rows(sandbox: Sandbox, statement: str) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in sandbox.rows(statement).rows]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("MATCH (s:Ship) WHERE s.built > 2000 RETURN s.name", [("Boreas",)]),
        (
            "MATCH (s:Ship)-[c:CALLS_AT]->(h:Harbour) RETURN s.name, h.name, c.since ORDER BY s.name",
            [("Aurora", "Bergen", 2001), ("Boreas", "Bergen", None)],
        ),
        ("MATCH (s:Ship)-[:`built in`]->(h) RETURN h.name", [("Gävle",)]),
        ("MATCH (h:Harbour) RETURN h.mixed ORDER BY h.mixed", [("1",), ("one",)]),
        ("MATCH (h {name: 'Gävle'}) RETURN h.nested, h.huge", [('{"a": [1]}', float(2**70))]),
        ("MATCH (s:Ship) RETURN s.name, s.retired ORDER BY s.name", [("Aurora", None), ("Boreas", True)]),
        ("MATCH (s {name: 'Aurora'}) RETURN size(s.flags), s.length, label(s)", [(2, 120.5, "Ship")]),
        (
            "MATCH ()-[r]->() RETURN type(r), count(*) ORDER BY type(r)",
            [("built in", 1), ("calls_at", 2), ("faces", 1)],
        ),
        ("MATCH (h:Harbour)-[:faces]->(h) RETURN h.name", [("Gävle",)]),
        ("MATCH (a:Ship)-[r:calls_at|faces]-(h) RETURN count(*)", [(2,)]),
        ("MATCH (a {name: 'Aurora'})-[:CALLS_AT*1..2]-(b:Ship) WHERE a.id <> b.id RETURN b.name", [("Boreas",)]),
        ("MATCH p = shortestPath((a {name: 'Aurora'})-[*..4]-(b {name: 'Gävle'})) RETURN length(p)", [(3,)]),
        (
            "RETURN sum(1), 1.5, date('2020-01-31'), interval('2 days'), [1, NULL], {a: true}",
            [(1, 1.5, "2020-01-31", 172800.0, [1, None], {"a": True})],
        ),
        ("RETURN 1.0 / 0.0, cast('ab' AS blob)", [("inf", "6162")]),
        ("MATCH (n) WHERE n.name = 'CREATE' RETURN n", []),
    ],
)
def test_statements_give_rows_of_plain_values(
    ships: Sandbox, statement: str, expected: list[tuple[object, ...]]
) -> None:
    assert rows(ships, statement) == expected


def test_nodes_edges_and_paths_come_whole_and_without_internal_ids(ships: Sandbox) -> None:
    found = ships.rows("MATCH p = (a {name: 'Aurora'})-[r]->(b) RETURN a, r, p")
    [row] = found.rows
    assert found.columns == ("a", "r", "p")
    assert row["a"] == {
        "id": uid(0),
        "type": "Ship",
        "name": "Aurora",
        "description": "a ship",
        "importance_weight": 0.5,
        "built": 1998,
        "class": "Entity",
        "flags": ["NO", "SE"],
        "length": 120.5,
    }
    assert row["r"] == {
        "source": uid(0),
        "target": uid(2),
        "relationship": "calls_at",
        "text": "Aurora calls at Bergen.",
        "importance_weight": 0.5,
        "since": 2001,
    }
    assert [n["name"] for n in row["p"]["nodes"]] == ["Aurora", "Bergen"]  # type: ignore[index, call-overload, union-attr]
    assert [n.name for n in found.nodes] == ["Aurora", "Bergen"]
    assert [e.id for e in found.edges] == [EDGES[0].id]


def test_an_edge_alone_brings_its_ends_for_the_picture(ships: Sandbox) -> None:
    found = ships.rows("MATCH ()-[r:faces]->() RETURN r")
    assert ([n.name for n in found.nodes], [e.id for e in found.edges]) == (["Gävle"], [EDGES[3].id])


def test_columns_keep_their_names_and_repeated_ones_are_numbered(ships: Sandbox) -> None:
    found = ships.rows("MATCH (s:Ship) RETURN label(s), count(*), count(s) AS n, 'x' AS `label(s)`")
    assert found.columns == ("label(s)", "count(*)", "n", "label(s) (2)")


def test_the_schema_has_types_relationships_and_kinds_of_values(ships: Sandbox) -> None:
    schema = ships.schema()
    assert dict(schema.types) == {"Ship": 2, "Harbour": 2}
    assert dict(schema.joins["calls_at"]) == {("Ship", "Harbour"): 2}
    assert schema.node_properties["Ship"] == {
        "built": "number",
        "length": "decimal",
        "class": "text",
        "flags": "text[]",
        "retired": "flag",
    }
    assert schema.edge_properties == {"calls_at": {"since": "number"}}


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("MATCH (s) RETURN s.colour", r"property colour for s\. Nodes have: .*built.*Relationships have: .*since"),
        ("MATCH (s RETURN s", "can't be read, near"),
        ("MATCH (s) RETURN t", "Variable t is not in scope"),
        ("MATCH (s:Robot) RETURN s", "no node type Robot"),
        ("RETURN 1; RETURN 2", "Only one statement"),
    ],
)
def test_errors_are_in_the_words_of_the_statement(ships: Sandbox, statement: str, says: str) -> None:
    with pytest.raises(CypherError, match=says):
        ships.rows(statement)


def test_more_rows_than_the_limit_are_left_out_and_told(tmp_path: Path) -> None:
    small = Sandbox(tmp_path / "q.kuzu", *tables(), Limits(rows=3))
    try:
        found = small.rows("UNWIND range(1, 50) AS x RETURN x")
        assert ([row["x"] for row in found.rows], found.truncated) == ([1, 2, 3], True)
        assert not small.rows("UNWIND range(1, 3) AS x RETURN x").truncated
        assert small.rows("UNWIND range(1, 9) AS x RETURN x LIMIT 5").truncated
    finally:
        small.close()


def test_long_cells_end_the_result(tmp_path: Path) -> None:
    small = Sandbox(tmp_path / "q.kuzu", *tables(), Limits(characters=1000))
    try:
        found = small.rows("UNWIND range(1, 50) AS x RETURN repeat('long ', 100)")
        assert (len(found.rows), found.truncated) == (2, True)
    finally:
        small.close()


RUNAWAYS = (
    "UNWIND range(1, 100000000) AS x RETURN sum(x)",
    "UNWIND range(1, 100000000) AS x WITH collect(x) AS y RETURN size(y)",
    "MATCH (a)-[*1..30]-(b) RETURN count(*)",
    "UNWIND range(1, 40000) AS x UNWIND range(1, 40000) AS y WITH x, y WHERE x * y % 7 = 3 RETURN count(*)",
)


@pytest.mark.parametrize("statement", RUNAWAYS)
def test_f3_a_runaway_is_ended_and_the_next_statement_runs(tmp_path: Path, statement: str) -> None:
    nodes = [Node(uid(n), "T", f"n{n}") for n in range(12)]
    edges = [Edge(uid(a), uid(b), "r") for a in range(12) for b in range(12)]
    graph = MemoryGraph()
    graph.upsert(nodes, edges)
    dense = Sandbox(tmp_path / "q.kuzu", *graph.whole(), Limits(seconds=1.0, computing=4, memory=256 << 20))
    try:
        with pytest.raises(CypherError, match="was ended"):
            dense.rows(statement)
        assert rows(dense, "RETURN 1") == [(1,)]
    finally:
        dense.close()


def running() -> set[str]:
    """Commands of this process's children."""
    own = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = (entry / "stat").read_text().rsplit(")", 1)[1].split()[1]
                command = (entry / "cmdline").read_text()
            except OSError:
                continue
            if parent == str(os.getpid()):
                own.append(command)
    return {command for command in own if "sandbox_child" in command}


def test_nothing_is_left_of_a_closed_or_forgotten_sandbox(tmp_path: Path) -> None:
    before = running()
    closed = Sandbox(tmp_path / "a.kuzu", *tables())
    forgotten = Sandbox(tmp_path / "b.kuzu", *tables())
    for sandbox in (closed, forgotten):
        sandbox.rows("RETURN 1")
    assert len(running() - before) == 2
    closed.close()
    with pytest.raises(StoreError, match="Ask again"):
        closed.rows("RETURN 1")
    del forgotten, sandbox
    assert running() == before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "statement",
    [
        "LOAD FROM '{folder}/secret.csv' RETURN *",
        "COPY (MATCH (n) RETURN n.name) TO '{folder}/out.csv'",
        "EXPORT DATABASE '{folder}/out'",
        "ATTACH '{folder}/other.kuzu' AS other (dbtype kuzu)",
        "MATCH (n) SET n.name = 'x'",
        "CREATE (n:Node {nid: 99})",
    ],
)
def test_f1_the_process_itself_can_neither_write_nor_open_files(tmp_path: Path, statement: str) -> None:
    """Should a statement get past the check: the process holds a read-only handle and can open nothing."""
    (tmp_path / "secret.csv").write_text("a\n1\n", encoding="utf-8")
    (tmp_path / "own").mkdir()
    path = tmp_path / "own" / "q.kuzu"
    copied(path, *tables())
    child = Child(path, Limits(seconds=5.0))
    try:
        assert child.ask("MATCH (n) RETURN count(*)")["rows"] == [[4]]
        with suppress(CypherError):  # ended by the system: as good
            assert child.ask(statement.replace("{folder}", str(tmp_path))).keys() == {"error"}
        assert sorted(p.name for p in tmp_path.iterdir()) in (["own", "secret.csv"], ["out", "own", "secret.csv"])
        assert not [p for p in tmp_path.rglob("out*") if p.is_file() and p.stat().st_size]
        assert child.ask("MATCH (n) RETURN count(*)")["rows"] == [[4]]
    finally:
        child.remove()
