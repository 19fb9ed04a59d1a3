"""The SQLite file of the lexical index: opened again, from before, broken, and what a failed write leaves."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.adapters.lexical import SqliteLexical
from retrieval.errors import StoreError
from retrieval.model import NodeSetFilter

ABC = [("a", "alpha alpha alpha project"), ("b", "alpha project project project"), ("c", "beta gamma delta")]
FORMER = """
CREATE TABLE passage(
    position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, document_id TEXT NOT NULL, length INTEGER NOT NULL,
    node_sets TEXT NOT NULL);
CREATE TABLE posting(position INTEGER NOT NULL, term TEXT NOT NULL, frequency INTEGER NOT NULL);
INSERT INTO passage VALUES (3, 'b', 'd', 4, 'A' || char(31) || 'B'), (7, 'a', 'd', 4, 'A'), (8, 'c', 'e', 3, '');
INSERT INTO posting VALUES (7, 'alpha', 3), (7, 'project', 1), (3, 'project', 3), (3, 'alpha', 1),
    (8, 'beta', 1), (8, 'gamma', 1), (8, 'delta', 1);
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.sqlite"


@pytest.fixture
def index(path: Path) -> Iterator[SqliteLexical]:
    made = SqliteLexical(path)
    made.replace("document", ABC, ("A",))
    yield made
    made.close()


def test_an_index_is_as_it_was_after_opening_again(path: Path, index: SqliteLexical) -> None:
    expected = index.search("alpha project", None)
    again = SqliteLexical(path)
    assert again.search("alpha project", None, NodeSetFilter(("A",))) == expected
    again.close()


def test_an_index_of_the_former_layout_is_taken_over(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.executescript(FORMER)
    database.close()
    for _ in range(2):
        index = SqliteLexical(path)
        assert [i for i, _ in index.search("alpha project", None)] == ["b", "a"]
        assert dict(index.search("project", None)) == pytest.approx({"b": 0.765932, "a": 0.451532}, abs=5e-7)
        assert [i for i, _ in index.search("alpha", None, NodeSetFilter(("B",)))] == ["b"]
        index.remove("e")
        index.replace("e", [("c", "beta gamma delta")])
        index.close()


def test_a_write_that_fails_changes_nothing(index: SqliteLexical) -> None:
    before = index.search("alpha", None)
    with pytest.raises(StoreError):
        index.replace("document", [("d", "alpha"), (None, "alpha")])  # type: ignore[list-item]
    assert index.search("alpha", None) == before
    index.replace("document", [("d", "alpha")])
    assert [i for i, _ in index.search("alpha", None)] == ["d"]


def test_a_file_that_is_no_index_is_named(path: Path) -> None:
    path.write_bytes(b"not a database" * 400)
    with pytest.raises(StoreError, match=r"index\.sqlite can't be opened"):
        SqliteLexical(path)


def test_a_closed_index_says_so(index: SqliteLexical) -> None:
    index.close()
    with pytest.raises(StoreError, match="closed"):
        index.search("alpha", None)
