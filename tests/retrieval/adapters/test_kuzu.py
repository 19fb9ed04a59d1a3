"""One handle per file and process, and bounded sizes (bugs 50, 51, 53; F4)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from retrieval.adapters.kuzu import KuzuGraph
from retrieval.errors import StoreError
from retrieval.model import Node
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


def other_process(path: Path) -> str:
    command = [sys.executable, "-c", OTHER, str(path)]
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
