"""What every VectorStore keeps to: in memory and LanceDB (bugs 15, 21, 22, 54, 56; F8)."""

from __future__ import annotations

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
NASTY = [
    'O\'Neil "x"',
    "C:\\repo\\src",
    "x\\",
    "投影直线L'",
    "a\nb",
    "🚀",
    "nul \0 in it",
    "'; DROP TABLE x; --",
    "שלום",
]


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


def test_a_collection_without_rows_has_no_hits(filled: VectorStore) -> None:
    filled.delete(C, [uid(1), uid(2), uid(3)])
    assert filled.counts() == {C: 0}
    assert filled.search(C, row(1, 0), 5).ids == ()
    assert filled.distances(C, row(1, 0), [uid(1)]).ids == ()


def test_nothing_to_store_makes_no_collection(store: VectorStore) -> None:
    store.upsert(C, [], np.empty((0, 2), dtype=np.float32))
    assert store.counts() == {}


def test_an_empty_question_is_refused_wherever_it_is_asked(store: VectorStore) -> None:
    """Bug 22: also of a collection that does not exist, so that it is never taken for nothing found."""
    with pytest.raises(StoreError):
        store.search("None_text", row(0, 0), 3)
    with pytest.raises(StoreError):
        store.distances("None_text", row(0, float("nan")), [uid(1)])


def test_a_row_has_one_distance_however_it_is_asked(store: VectorStore) -> None:
    vectors = np.random.default_rng(1).normal(size=(30, 2)).astype(np.float32)
    store.upsert(C, [Entry(uid(n), "t") for n in range(30)], vectors)
    hits = store.search(C, vectors[7], None)
    assert hits.distances.min() == 0
    again = store.distances(C, vectors[7], hits.ids).distances
    assert again.min() == 0
    assert again.tolist() == pytest.approx(hits.distances.tolist(), abs=2e-6)


def test_stored_vectors_are_those_of_the_moment_of_writing(store: VectorStore) -> None:
    vectors = np.array([[1, 0]], dtype=np.float32)
    store.upsert(C, [Entry(uid(1), "t")], vectors)
    vectors[:] = [[0, 1]]
    assert store.search(C, row(1, 0), 1).distances.tolist() == [0]


@pytest.mark.parametrize(("match_all", "found"), [(False, 0), (True, 3)])
def test_no_node_sets_are_any_of_none_and_all_of_none(filled: VectorStore, match_all: bool, found: int) -> None:
    assert len(filled.search(C, row(1, 0), None, NodeSetFilter((), match_all)).ids) == found


def test_ids_that_nobody_gave_are_missing(filled: VectorStore) -> None:
    strange = ["x' OR '1'='1", "", "half \ud83d", "a\\", uid(2)]
    assert [e.id for e in filled.fetch(C, strange)] == [uid(2)]
    filled.delete(C, strange[:-1])
    assert filled.counts() == {C: 3}


def test_bug_56_many_writers_of_the_same_ids_leave_each_once(store: VectorStore) -> None:
    """Eight threads write fifty times each in the report; ten times here, where a write takes twenty milliseconds."""

    def write(thread: int) -> None:
        for n in range(10):
            entries = [Entry(uid(m), f"{thread} {n}") for m in (n, n + 1, 99)]
            store.upsert(C, entries, np.ones((3, 2), dtype=np.float32))

    def read(_: int) -> set[bool]:
        found = [store.search(C, row(1, 1), None).ids for _ in range(10)]
        return {list(ids) == sorted(set(ids)) for ids in found}

    with ThreadPoolExecutor(10) as pool:
        writes = pool.map(write, range(8))
        assert set().union(*pool.map(read, range(2))) == {True}
        list(writes)
    assert store.counts() == {C: 12}
    assert store.search(C, row(1, 1), None).ids == tuple(uid(n) for n in (*range(11), 99))


def test_rows_are_the_newest_whether_they_were_searched_before_or_not(filled: VectorStore) -> None:
    """A store that keeps rows in memory after a search must not give old ones."""
    wanted = [uid(3), uid(77), uid(1)]
    before = filled.fetch(C, wanted)
    filled.search(C, row(1, 0), None)
    assert filled.fetch(C, wanted) == before
    changed = Entry(uid(3), "changed", page=2, extra={"k": 1})
    filled.upsert(C, [changed], row(1, 1)[np.newaxis])
    assert filled.fetch(C, [uid(3)]) == [changed]
    filled.search(C, row(1, 0), None)
    filled.delete(C, [uid(1)])
    assert filled.fetch(C, wanted) == [changed]
