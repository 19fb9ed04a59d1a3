"""One handle per file and process, and bounded sizes (bugs 50, 51, 53; F4)."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Event

import pytest

from retrieval.adapters.kuzu import KuzuGraph, compact
from retrieval.errors import StoreError, StoreLockedError
from retrieval.model import Edge, Node
from tests.retrieval.build_graph import uid

ROOT = Path(__file__).parents[3]
OTHER = """
import sys
from pathlib import Path
from retrieval.adapters.kuzu import KuzuGraph
from retrieval.errors import StoreLockedError
try:
    KuzuGraph(Path(sys.argv[1]))
except StoreLockedError as error:
    print("locked:", error.message)
else:
    print("opened")
"""


CLOSED_WHILE_READ = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from retrieval.adapters.kuzu import KuzuGraph
from retrieval.errors import StoreError, StoreLockedError
from retrieval.model import Node
from tests.retrieval.build_graph import uid

def read(store, barrier):
    barrier.wait()
    try:
        while True:
            assert store.columns()[0].num_rows == 2000
    except StoreError as error:
        return "closed" in error.message

for attempt in range(5):
    store, barrier = KuzuGraph(Path(sys.argv[1] + str(attempt))), Barrier(4)
    store.upsert([Node(uid(n), "T", "x" * 50) for n in range(2000)], [])
    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read, store, barrier) for _ in range(3)]
        barrier.wait()
        for _ in range(3):
            store.columns()
        store.close()
    assert all(reader.result() for reader in readers)
print("alive")
"""


def other_process(path: Path, script: str = OTHER) -> str:
    command = [sys.executable, "-c", script, str(path)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_bug_51_every_spelling_of_a_path_is_one_database(tmp_path: Path) -> None:
    path = tmp_path / "g.kuzu"
    first = KuzuGraph(path)
    (tmp_path / "link.kuzu").symlink_to(path)
    others = [KuzuGraph(tmp_path / "." / "g.kuzu"), KuzuGraph(tmp_path / "link.kuzu")]
    for number, store in enumerate([first, *others]):
        store.upsert([Node(uid(number), "T", "x")], [])
    assert {store.counts() for store in (first, *others)} == {(3, 0)}
    for store in (first, *others):
        store.close()


def test_bug_50_and_f4_another_process_is_told_that_the_data_is_open(tmp_path: Path) -> None:
    first, second = KuzuGraph(tmp_path / "g.kuzu"), KuzuGraph(tmp_path / "g.kuzu")
    second.close()
    told = other_process(tmp_path / "g.kuzu")
    assert told.startswith("locked:")
    assert "another running app" in told
    first.close()
    assert other_process(tmp_path / "g.kuzu") == "opened\n"


def test_bug_53_many_datasets_can_be_open(tmp_path: Path) -> None:
    stores = [KuzuGraph(tmp_path / f"{n}.kuzu") for n in range(24)]
    assert {store.counts() for store in stores} == {(0, 0)}
    for store in stores:
        store.close()


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = KuzuGraph(tmp_path / "g.kuzu")
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.counts()


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "g.kuzu"
    path.write_bytes(b"not a database" * 400)
    with pytest.raises(StoreError, match="can't be opened"):
        KuzuGraph(path)


def test_a_store_closed_while_it_is_read_ends_no_process(tmp_path: Path) -> None:
    """A dataset may be deleted during a search; Kuzu itself crashes when it is closed under a query."""
    assert other_process(tmp_path / "g.kuzu", CLOSED_WHILE_READ) == "alive\n"


def test_a_path_with_lock_in_it_is_not_taken_for_a_lock(tmp_path: Path) -> None:
    path = tmp_path / "lockwood" / "none" / "g.kuzu"
    with pytest.raises(StoreError, match="can't be opened") as raised:
        KuzuGraph(path)
    assert not isinstance(raised.value, StoreLockedError)


def test_what_json_cannot_say_is_refused_as_our_error(tmp_path: Path) -> None:
    store = KuzuGraph(tmp_path / "g.kuzu")
    with pytest.raises(StoreError, match="JSON"):
        store.upsert([Node(uid(1), "T", properties={"x": float("nan")})], [])
    assert store.counts() == (0, 0)
    store.close()


def test_a_failed_write_leaves_the_store_usable(tmp_path: Path) -> None:
    store = KuzuGraph(tmp_path / "g.kuzu")
    store.upsert([Node(uid(1), "T", "old")], [])
    with pytest.raises(StoreError):
        store.upsert([Node(uid(1), "T", "new", importance_weight="heavy")], [])  # type: ignore[arg-type]
    store.upsert([Node(uid(1), "T", "new")], [])
    assert [n.name for n in store.nodes([uid(1)])] == ["new"]
    store.close()


def test_a_grown_file_is_written_anew_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.adapters.kuzu.GROWN_BYTES", 1 << 20)
    monkeypatch.setattr("retrieval.adapters.kuzu.GROWN_TIMES", 1)
    store = KuzuGraph(tmp_path / "graph.kuzu")
    nodes: dict[str, Node] = {}
    edges: dict[str, Edge] = {}
    sizes = []
    for group in range(12):
        fresh = [
            Node(uid(group * 100 + i), "Entity", f"name {i}", "d" * 300 + str(i), "", 0.5, ("a", "b"))
            for i in range(60)
        ]
        changed = [replace(node, description=f"changed in {group} " + "x" * 400) for node in list(nodes.values())[::9]]
        links = [Edge(node.id, fresh[0].id, "is_a", "", 0.5, {"texts": ["é", str(group)]}) for node in fresh[1:]]
        store.upsert([*fresh, *changed], links)
        nodes |= {node.id: node for node in [*fresh, *changed]}
        edges |= {edge.id: edge for edge in links}
        sizes.append((tmp_path / "graph.kuzu").stat().st_size)
    assert any(later < earlier for earlier, later in pairwise(sizes))
    assert store.nodes(list(nodes)) == list(nodes.values())
    kept = store.columns()[1].to_pylist()
    assert {(e["source"], e["target"], e["relationship"]) for e in kept} == {
        (e.source, e.target, e.relationship) for e in edges.values()
    }
    assert store.counts() == (len(nodes), len(edges))
    store.close()
    again = KuzuGraph(tmp_path / "graph.kuzu")
    assert again.counts() == (len(nodes), len(edges))
    again.close()


def test_readers_go_on_while_the_file_is_written_anew(tmp_path: Path) -> None:
    store = KuzuGraph(tmp_path / "graph.kuzu")
    store.upsert([Node(uid(i), "Entity", str(i)) for i in range(500)], [])
    stop, seen = Event(), []

    def read() -> None:
        while not stop.is_set():
            seen.append(store.counts()[0])

    with ThreadPoolExecutor(max_workers=3) as pool:
        reading = [pool.submit(read) for _ in range(3)]
        for _ in range(5):
            compact(store._handle)
        stop.set()
        for reader in reading:
            reader.result()
    assert set(seen) == {500}
    store.close()
