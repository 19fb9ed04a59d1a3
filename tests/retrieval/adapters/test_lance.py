"""LanceDB's own affairs: folders opened again, other lengths, large collections with an index, merged files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import lancedb
import numpy as np
import pytest

from retrieval.adapters.lance import LanceVectors
from retrieval.errors import EmbeddingMismatchError, StoreError
from retrieval.model import Entry, Floats, NodeSetFilter
from tests.retrieval.build_graph import uid

C = "Some_text"
ROOT = Path(__file__).parents[3]


def row(*values: float) -> Floats:
    return np.array(values, dtype=np.float32)


def fragments(folder: Path) -> int:
    return int(lancedb.connect(str(folder)).open_table(C).stats()["fragment_stats"]["num_fragments"])


def test_rows_survive_opening_again(tmp_path: Path) -> None:
    first = LanceVectors(tmp_path, 2)
    first.upsert(C, [Entry(uid(1), "kept")], row(1, 0)[np.newaxis])
    first.close()
    again = LanceVectors(tmp_path, 2)
    assert [e.text for e in again.fetch(C, [uid(1)])] == ["kept"]


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    """Otherwise a search of a deleted dataset would find nothing without a word."""
    store = LanceVectors(tmp_path, 2)
    store.upsert(C, [Entry(uid(1), "t")], row(1, 0)[np.newaxis])
    store.close()
    asked: list[Callable[[], object]] = [
        store.counts,
        lambda: store.search(C, row(1, 0), 1),
        lambda: store.fetch(C, [uid(1)]),
        lambda: store.upsert(C, [Entry(uid(1), "t")], row(1, 0)[np.newaxis]),
    ]
    for call in asked:
        with pytest.raises(StoreError, match="closed"):
            call()


def test_vectors_of_another_length_are_refused(tmp_path: Path) -> None:
    store = LanceVectors(tmp_path, 2)
    with pytest.raises(StoreError, match="2 dimensions, not 3"):
        store.upsert(C, [Entry(uid(1), "t")], row(1, 0, 0)[np.newaxis])
    store.upsert(C, [Entry(uid(1), "t"), Entry(uid(2), "t")], np.eye(2, dtype=np.float32))
    with pytest.raises(EmbeddingMismatchError, match="2 dimensions, but the embedding model gives 3"):
        store.search(C, row(1, 0, 0), 1)
    with pytest.raises(EmbeddingMismatchError, match="2 dimensions, but the embedding model gives 4"):
        LanceVectors(tmp_path, 4).search(C, row(1, 0, 0, 0), 1)


def test_what_json_cannot_say_is_refused_as_our_error(tmp_path: Path) -> None:
    store = LanceVectors(tmp_path, 2)
    with pytest.raises(StoreError, match="JSON"):
        store.upsert(C, [Entry(uid(1), "t", extra={"x": float("inf")})], row(1, 0)[np.newaxis])
    assert store.search(C, row(1, 0), 1).ids == ()


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LanceVectors:
    """A collection too large to be held in memory: 600 rows, of which each tenth is in set A, and 40 are equal."""
    monkeypatch.setattr("retrieval.adapters.lance.INDEX_FROM", 500)
    store = LanceVectors(tmp_path, 4)
    vectors = np.random.default_rng(7).normal(size=(600, 4)).astype(np.float32)
    vectors[100:140] = [1, 2, 3, 4]
    entries = [Entry(uid(n), "t", node_sets=("A",) if n % 10 == 0 else ()) for n in reversed(range(600))]
    store.upsert(C, entries, vectors[::-1])
    return store


def exact(store: LanceVectors, vector: Floats, limit: int | None, node_sets: NodeSetFilter | None = None) -> list[str]:
    ids = [uid(n) for n in range(600) if node_sets is None or n % 10 == 0]
    hits = store.distances(C, vector, ids)
    ordered = sorted(zip(hits.distances.tolist(), hits.ids, strict=True))
    return [i for _, i in ordered][:limit]


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("limit", [1, 5, 45, None])
def test_a_large_collection_is_searched_in_its_table(large: LanceVectors, indexed: bool, limit: int | None) -> None:
    """Rows as near as the last one are many here: ties go by id, whichever of them the table would give."""
    if indexed:
        large.optimize()
    vector = row(1, 2, 3, 4)
    found = large.search(C, vector, limit).ids
    assert list(found) == exact(large, vector, limit)
    assert len(found) == (limit or 600)


@pytest.mark.parametrize("indexed", [False, True])
def test_a_filter_cuts_no_hit_short_in_a_large_collection(large: LanceVectors, indexed: bool) -> None:
    if indexed:
        large.optimize()
    scope = NodeSetFilter(("A",))
    found = large.search(C, row(-1, 0.5, 2, 0), 50, scope).ids
    assert list(found) == exact(large, row(-1, 0.5, 2, 0), 50, scope)
    assert large.search(C, row(1, 0, 0, 0), 5, NodeSetFilter(())).ids == ()


def test_rows_written_after_the_index_are_found(large: LanceVectors) -> None:
    large.optimize()
    large.upsert(C, [Entry(uid(700), "late")], row(9, -9, 9, -9)[np.newaxis])
    assert large.search(C, row(1, -1, 1, -1), 1).ids == (uid(700),)


def test_many_small_writes_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.adapters.lance.MERGE_AFTER", 4)
    for start in (0, 3, 6):
        store = LanceVectors(tmp_path, 2)
        for n in range(start, start + 3):
            store.upsert(C, [Entry(uid(n), "t")], row(1, 1)[np.newaxis])
        store.close()
    assert fragments(tmp_path) <= 5
    assert LanceVectors(tmp_path, 2).search(C, row(1, 1), None).ids == tuple(uid(n) for n in range(9))


def test_importing_the_adapters_loads_no_database() -> None:
    """They take seconds to load, and a first page waits for what it imports."""
    script = (
        "import sys, retrieval.adapters.lance, retrieval.adapters.kuzu, retrieval.adapters.lexical\n"
        "print(sorted({'lancedb', 'kuzu', 'pandas'} & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"
