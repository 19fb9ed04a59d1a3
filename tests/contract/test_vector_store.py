"""What every VectorStore keeps to: in memory and LanceDB (bugs 15, 21, 22, 54, 56; F8)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from retrieval.adapters.lance import LanceVectors
from retrieval.adapters.memory import MemoryVectors
from retrieval.errors import StoreError
from retrieval.model import Entry, Floats, NodeSetFilter
from retrieval.ports import VectorStore
from tests.retrieval.build_graph import uid

C = "Some_text"
NASTY = ['O\'Neil "x"', "C:\\repo\\src", "x\\", "投影直线L'", "a\nb", "🚀", "'; DROP TABLE x; --", "שלום"]


def row(*values: float) -> Floats:
    return np.array(values, dtype=np.float32)


@pytest.fixture(params=["memory", "lance"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> VectorStore:
    return MemoryVectors() if request.param == "memory" else LanceVectors(tmp_path, 2)


@pytest.fixture
def filled(store: VectorStore) -> VectorStore:
    entries = [Entry(uid(n), f"text {n}", node_sets=sets) for n, sets in ((1, ("A",)), (2, ("B",)), (3, ("A", "B")))]
    store.upsert(C, entries, np.array([[1, 0], [0, 1], [-1, 0]], dtype=np.float32))
    return store


def test_bug_21_distances_are_cosine_nearest_first(filled: VectorStore) -> None:
    hits = filled.search(C, row(2, 0), None)
    assert hits.ids == (uid(1), uid(2), uid(3))
    assert hits.distances.tolist() == pytest.approx([0, 1, 2], abs=1e-6)


def test_ties_go_by_id(store: VectorStore) -> None:
    store.upsert(C, [Entry(uid(n), "t") for n in (5, 3, 4)], np.ones((3, 2), dtype=np.float32))
    assert store.search(C, row(1, 1), 2).ids == (uid(3), uid(4))


def test_f8_all_rows_come_unless_a_limit_is_given(store: VectorStore) -> None:
    store.upsert(C, [Entry(uid(n), "t") for n in range(40)], np.ones((40, 2), dtype=np.float32))
    assert len(store.search(C, row(1, 1), None).ids) == 40
    assert len(store.search(C, row(1, 1), 25).ids) == 25


SCOPES = [
    (["A"], False, {1, 3}),
    (["A", "B"], False, {1, 2, 3}),
    (["A", "B"], True, {3}),
    (["C"], False, set()),
    (["it's"], True, set()),
]


@pytest.mark.parametrize(("names", "match_all", "found"), SCOPES)
def test_bug_15_node_sets(filled: VectorStore, names: list[str], match_all: bool, found: set[int]) -> None:
    hits = filled.search(C, row(1, 0), None, NodeSetFilter(tuple(names), match_all))
    assert set(hits.ids) == {uid(n) for n in found}


@pytest.mark.parametrize("bad", [row(0, 0), row(float("nan"), 1), row(float("inf"), 1)])
def test_bug_22_empty_vectors_are_refused_at_write_and_at_search(filled: VectorStore, bad: Floats) -> None:
    with pytest.raises(StoreError):
        filled.upsert(C, [Entry(uid(9), "t")], bad[np.newaxis])
    with pytest.raises(StoreError):
        filled.search(C, bad, 3)
    assert filled.counts() == {C: 3}


def test_a_missing_collection_has_no_hits(store: VectorStore) -> None:
    assert store.search("None_text", row(1, 0), 5).ids == ()
    assert store.fetch("None_text", [uid(1)]) == []
    assert store.distances("None_text", row(1, 0), [uid(1)]).ids == ()
    store.delete("None_text", [uid(1)])


def test_writing_again_replaces(filled: VectorStore) -> None:
    filled.upsert(C, [Entry(uid(1), "new")], row(0, 1)[np.newaxis])
    assert filled.counts() == {C: 3}
    assert [e.text for e in filled.fetch(C, [uid(1)])] == ["new"]
    assert filled.distances(C, row(0, 1), [uid(1)]).distances.tolist() == pytest.approx([0], abs=1e-6)


def test_bug_54_rows_with_other_fields_fit_one_collection(store: VectorStore) -> None:
    first = Entry(uid(1), "a", page=None, extra={"note": None})
    second = Entry(uid(2), "b", page=7, chunk_index=0, extra={"note": "hi", "list": [1, 2]})
    store.upsert(C, [first], row(1, 0)[np.newaxis])
    store.upsert(C, [second], row(0, 1)[np.newaxis])
    assert store.fetch(C, [uid(2), uid(1)]) == [second, first]


def test_bug_43_texts_come_back_as_they_went_in(store: VectorStore) -> None:
    entries = [Entry(uid(n), text, document_name=text, node_sets=(text,)) for n, text in enumerate(NASTY)]
    store.upsert(C, entries, np.ones((len(entries), 2), dtype=np.float32))
    assert store.fetch(C, [e.id for e in entries]) == entries
    for entry in entries:
        assert store.search(C, row(1, 1), None, NodeSetFilter(entry.node_sets)).ids == (entry.id,)


def test_f6_lone_surrogates_do_no_harm(store: VectorStore) -> None:
    store.upsert(C, [Entry(uid(1), "x \ud83d y")], row(1, 0)[np.newaxis])
    assert store.counts() == {C: 1}


def test_order_of_given_ids_is_kept_and_missing_ones_left_out(filled: VectorStore) -> None:
    wanted = [uid(3), uid(99), uid(1)]
    assert [e.id for e in filled.fetch(C, wanted)] == [uid(3), uid(1)]
    hits = filled.distances(C, row(1, 0), wanted)
    assert hits.ids == (uid(3), uid(1))
    assert hits.distances.tolist() == pytest.approx([2, 0], abs=1e-6)


def test_deleted_rows_are_gone(filled: VectorStore) -> None:
    filled.delete(C, [uid(1), uid(77)])
    assert filled.counts() == {C: 2}
    assert uid(1) not in filled.search(C, row(1, 0), None).ids


def test_bug_56_many_writers_of_the_same_ids_leave_each_once(store: VectorStore) -> None:
    entries = [Entry(uid(n), "t") for n in range(50)]
    vectors = np.ones((50, 2), dtype=np.float32)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: store.upsert(C, entries, vectors), range(8)))
    assert store.counts() == {C: 50}
    assert len(store.search(C, row(1, 1), None).ids) == 50


def test_lance_rows_survive_opening_again(tmp_path: Path) -> None:
    first = LanceVectors(tmp_path, 2)
    first.upsert(C, [Entry(uid(1), "kept")], row(1, 0)[np.newaxis])
    first.close()
    again = LanceVectors(tmp_path, 2)
    assert [e.text for e in again.fetch(C, [uid(1)])] == ["kept"]


def test_lance_refuses_vectors_of_another_length(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="2 dimensions, not 3"):
        LanceVectors(tmp_path, 2).upsert(C, [Entry(uid(1), "t")], row(1, 0, 0)[np.newaxis])


def test_a_large_collection_is_searched_in_its_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the limit the same answers come from LanceDB itself."""
    monkeypatch.setattr("retrieval.adapters.lance.INDEX_FROM", 2)
    store: Callable[[], LanceVectors] = lambda: LanceVectors(tmp_path, 2)  # noqa: E731
    made = store()
    entries = [Entry(uid(n), "t", node_sets=("A",) if n else ()) for n in range(4)]
    made.upsert(C, entries, np.array([[1, 0], [0, 1], [-1, 0], [1, 0.1]], dtype=np.float32))
    assert made.search(C, row(1, 0), 2).ids == (uid(0), uid(3))
    assert made.search(C, row(1, 0), None, NodeSetFilter(("A",))).ids == (uid(3), uid(1), uid(2))
    assert made.distances(C, row(1, 0), [uid(2)]).distances.tolist() == pytest.approx([2], abs=1e-5)
    made.optimize()
