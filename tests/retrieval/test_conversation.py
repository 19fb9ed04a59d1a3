"""Session ids and the history that a model reads: cases 12.12, D9."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from retrieval.conversation import checked_last_n, default_session_id, rendered, with_history
from retrieval.errors import SessionParameterError
from retrieval.model import StoredTurn

DATASET = "11111111-1111-1111-1111-111111111111"
S1 = "Previous conversation:\n\n[2024-01-01T00:00:00]\nQUESTION: Q1\nANSWER: A1\n\n"


def turn(number: int = 1, **changes: object) -> StoredTurn:
    moment = datetime(2024, 1, number, tzinfo=UTC)
    known = StoredTurn(f"t{number}", "s", "sam", DATASET, "RAG_COMPLETION", f"Q{number}", f"A{number}", moment)
    return replace(known, **changes)  # type: ignore[arg-type]


def test_one_turn_ac_s1() -> None:
    assert rendered([turn()]) == S1


def test_no_turn_ac_s1() -> None:
    assert rendered([]) == ""


def test_turns_follow_one_another_in_the_order_given() -> None:
    assert rendered([turn(1), turn(2)]) == S1 + "[2024-01-02T00:00:00]\nQUESTION: Q2\nANSWER: A2\n\n"


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2024, 1, 1, 0, 0, 0, 999_999, tzinfo=UTC),
        datetime(2024, 1, 1),
        datetime(2024, 1, 1, 5, 30, tzinfo=timezone(timedelta(hours=5, minutes=30))),
        datetime(2023, 12, 31, 16, tzinfo=timezone(timedelta(hours=-8))),
    ],
)
def test_times_are_told_in_utc_to_the_second_bug_38(moment: datetime) -> None:
    assert rendered([turn(created_at=moment)]) == S1


def test_only_complete_turns_of_types_that_remember_are_history() -> None:
    others = [turn(2, remembered=False), turn(3, state="stopped"), turn(4, state="failed"), turn(5, state="running")]
    assert rendered([turn(1), *others]) == S1
    assert rendered(others) == ""


def test_the_last_n_are_counted_among_the_history() -> None:
    turns = [turn(2), turn(1), turn(3, remembered=False), turn(4, state="failed")]
    assert rendered(turns, 1) == S1
    assert rendered(turns, 5) == rendered(turns)


@pytest.mark.parametrize("last_n", [0, -1, True, 1.0, "3"])
def test_last_n_is_a_whole_number_of_at_least_1(last_n: object) -> None:
    with pytest.raises(SessionParameterError, match="last_n") as refused:
        checked_last_n(last_n)
    assert refused.value.status == 422


def test_last_n_in_range() -> None:
    assert (checked_last_n(None), checked_last_n(1), checked_last_n(10)) == (None, 1, 10)
    with pytest.raises(SessionParameterError):
        rendered([turn()], 0)


def test_default_ids_12_12() -> None:
    assert default_session_id(DATASET) == f"default_session_{DATASET}"
    assert default_session_id(None) == "default_session"


@pytest.mark.parametrize("dataset", ["main_dataset", "", "1111", f"{DATASET}x"])
def test_a_default_session_needs_an_id_12_12(dataset: str) -> None:
    with pytest.raises(SessionParameterError) as refused:
        default_session_id(dataset)
    assert refused.value.status == 422
    assert repr(dataset) in refused.value.message


def test_history_goes_before_the_system_prompt_d9() -> None:
    assert with_history("Answer briefly.", S1) == f"{S1}\nTASK:Answer briefly."
    assert with_history("Answer briefly.", "") == "Answer briefly."
