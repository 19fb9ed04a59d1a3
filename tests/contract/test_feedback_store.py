"""The FeedbackStore contract over every store of records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.adapters.record_values import Records
from retrieval.feedback import fold
from retrieval.model import Feedback, LoggedQuery
from tests.contract.record_stores import KINDS, at, in_threads, opened, turn


@pytest.fixture(params=KINDS)
def records(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Records]:
    store = opened(request.param, tmp_path)
    for number in range(4):
        store.conversations.append(turn(number, node_ids=("n",), edge_ids=(f"e{number}",), payload={"big": number}))
    yield store
    store.close()


def rated(records: Records, dataset: str = "d") -> list[tuple[str, int | None]]:
    return [(own.id, feedback.score) for own, feedback in records.feedback.ratings(dataset)]


def test_a_comment_round_trips_bug_100(records: Records) -> None:
    comment = ("Zoë 🚀 said:\n'so'\t\"and\" so; " * 250)[:5000]
    feedback = Feedback(1, comment, at(10))
    assert records.feedback.rate("sam", "t1", feedback)
    ((own, known),) = records.feedback.ratings("d")
    assert known == own.feedback == feedback
    assert len(known.text) == 5000
    assert (own.id, own.user, own.node_ids, own.edge_ids) == ("t1", "sam", ("n",), ("e1",))


def test_one_rating_per_user_and_turn_that_can_be_changed_and_withdrawn_bug_100(records: Records) -> None:
    records.feedback.rate("sam", "t1", Feedback(5, "", at(10)))
    records.feedback.rate("sam", "t1", Feedback(5, "", at(11)))
    assert rated(records) == [("t1", 5)]
    records.feedback.rate("sam", "t1", Feedback(None, "only words", at(12)))
    assert records.feedback.ratings("d")[0][1] == Feedback(None, "only words", at(12))
    assert records.feedback.rate("sam", "t1", None)
    assert rated(records) == []
    assert records.feedback.rate("sam", "t1", None)
    assert records.conversations.turn("sam", "t1") is not None


def test_an_unknown_turn_is_not_rated_12_12(records: Records) -> None:
    assert not records.feedback.rate("sam", "unknown", Feedback(5, "", at(10)))
    assert not records.feedback.rate("sam", "unknown", None)
    assert not records.feedback.rate("kim", "t1", Feedback(1, "not mine", at(10)))
    assert not records.feedback.rate("kim", "t1", None)
    assert rated(records) == []


def test_the_log_keeps_the_order_of_the_first_rating(records: Records) -> None:
    for number, minutes in ((2, 10), (0, 11), (3, 12), (1, 12)):
        records.feedback.rate("sam", f"t{number}", Feedback(4, "", at(minutes)))
    records.feedback.rate("sam", "t2", Feedback(1, "", at(20)))
    assert rated(records) == [("t2", 1), ("t0", 4), ("t1", 4), ("t3", 4)]
    records.feedback.rate("sam", "t2", None)
    records.feedback.rate("sam", "t2", Feedback(2, "", at(30)))
    assert rated(records) == [("t0", 4), ("t1", 4), ("t3", 4), ("t2", 2)]


def test_weights_follow_exactly_through_rating_changing_and_withdrawing_bug_32(records: Records) -> None:
    records.feedback.rate("sam", "t0", Feedback(5, "", at(10)))
    before = fold(records.feedback.ratings("d"))
    records.feedback.rate("sam", "t1", Feedback(1, "", at(11)))
    once = fold(records.feedback.ratings("d"))
    records.feedback.rate("sam", "t1", Feedback(1, "", at(12)))
    assert fold(records.feedback.ratings("d")) == once == {"n": 0.495, "e0": 0.55, "e1": 0.45}
    records.feedback.rate("sam", "t1", Feedback(5, "", at(13)))
    assert fold(records.feedback.ratings("d")) == {"n": 0.595, "e0": 0.55, "e1": 0.55}
    records.feedback.rate("sam", "t1", None)
    assert fold(records.feedback.ratings("d")) == before


def test_ratings_are_of_one_dataset_and_leave_payloads_out(records: Records) -> None:
    records.conversations.append(turn(9, dataset_id="other"))
    for name in ("t1", "t9"):
        records.feedback.rate("sam", name, Feedback(5, "", at(10)))
    assert (rated(records), rated(records, "other"), rated(records, "none")) == ([("t1", 5)], [("t9", 5)], [])
    assert records.feedback.ratings("d")[0][0].payload == {}


def test_a_deleted_session_keeps_its_ratings(records: Records) -> None:
    records.feedback.rate("sam", "t1", Feedback(5, "", at(10)))
    records.conversations.delete_session("sam", "s")
    assert rated(records) == [("t1", 5)]


def test_weights_are_per_dataset_and_replaced_whole(records: Records) -> None:
    records.feedback.set_weights("d", {"a": 0.55, "b": 0.0})
    records.feedback.set_weights("other", {"a": 1.0})
    records.feedback.set_weights("d", {"b": 0.1, "\ud83d": 0.6355})
    assert records.feedback.weights("d") == {"b": 0.1, "\ufffd": 0.6355}
    assert records.feedback.weights("other") == {"a": 1.0}
    records.feedback.set_weights("d", {})
    assert records.feedback.weights("d") == {}


def test_the_query_log_is_newest_first(records: Records) -> None:
    first = LoggedQuery("sam", "d", "CHUNKS", "q\ud83d", 1.25, "", at(1))
    entries = [replace(first, question=f"q{number}", created_at=at(number)) for number in (2, 1, 3, 3)]
    entries[3] = replace(entries[3], error="StoreError")
    for entry in entries:
        records.feedback.log(entry)
    assert records.feedback.logged() == [entries[3], entries[2], entries[0], entries[1]]
    assert records.feedback.logged(1) == [entries[3]]
    assert records.feedback.logged(0) == []
    records.feedback.log(replace(first, created_at=at(9)))
    assert records.feedback.logged(1)[0].question == "q\ufffd"


def test_eight_threads_rate_and_log(records: Records) -> None:
    def work(number: int) -> None:
        records.feedback.rate("sam", f"t{number % 4}", Feedback(1 + number % 5, "x", at(number)))
        records.feedback.log(LoggedQuery("sam", "d", "CHUNKS", str(number), 1.0, "", at(number)))

    in_threads(work, range(40))
    assert sorted(name for name, _ in rated(records)) == ["t0", "t1", "t2", "t3"]
    assert [entry.question for entry in records.feedback.logged()] == [str(n) for n in range(39, -1, -1)]
