"""Ratings to weights: cases 12.13, bug 32."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import SessionParameterError
from retrieval.feedback import fold, moved, rating
from retrieval.model import Feedback, StoredTurn

MOMENT = datetime(2024, 1, 1, tzinfo=UTC)


def rated(turn: str, score: int | None, *nodes: str, edges: tuple[str, ...] = ()) -> tuple[StoredTurn, Feedback]:
    known = StoredTurn(turn, "s", "sam", "d", "GRAPH_COMPLETION", "Q", "A", MOMENT, node_ids=nodes, edge_ids=edges)
    return known, Feedback(score, "", MOMENT)


@pytest.mark.parametrize(
    ("score", "r", "weight", "half"),
    [(1, 0, 0.45, 0.475), (2, 0.25, 0.475, 0.4875), (3, 0.5, 0.5, 0.5), (4, 0.75, 0.525, 0.5125), (5, 1, 0.55, 0.525)],
)
def test_one_rating_12_13(score: int, r: float, weight: float, half: float) -> None:
    assert rating(score) == r
    assert moved(0.5, rating(score)) == weight
    assert moved(0.5, rating(score), alpha=0.05) == half


def test_three_fives_12_13() -> None:
    ratings = [rated(f"t{n}", 5, "n") for n in range(3)]
    assert [fold(ratings[:n])["n"] for n in (1, 2, 3)] == [0.55, 0.595, 0.6355]


def test_weights_are_clamped_12_13() -> None:
    assert moved(2.0, 1, 0.5) == 1.0
    assert moved(-1, 0, 0.5) == 0.0


@pytest.mark.parametrize("score", [0, 6, 9, -1, True, 4.0, "5", float("nan"), [5]])
def test_a_score_is_a_whole_number_from_1_to_5(score: object) -> None:
    with pytest.raises(SessionParameterError, match="1 to 5") as refused:
        rating(score)
    assert refused.value.status == 422


@pytest.mark.parametrize("alpha", [0, -0.1, 1.1, True, "0.1", None, float("nan"), float("inf")])
def test_alpha_lies_above_0_and_up_to_1_12_13(alpha: float) -> None:
    with pytest.raises(SessionParameterError, match="alpha"):
        moved(0.5, 1, alpha)
    with pytest.raises(SessionParameterError, match="alpha"):
        fold([], alpha)
    assert moved(0.5, 1, 1) == 1.0


def test_nodes_and_edges_of_a_turn_move_each_once() -> None:
    assert fold([rated("t", 5, "n", "n", "m", edges=("e", "n"))]) == {"n": 0.55, "m": 0.55, "e": 0.55}


def test_turns_fold_in_the_order_of_the_log() -> None:
    up, down = rated("t1", 5, "n", "a"), rated("t2", 1, "n", "b")
    assert fold([up, down]) == {"n": 0.495, "a": 0.55, "b": 0.45}
    assert fold([down, up]) == {"n": 0.505, "a": 0.55, "b": 0.45}


def test_the_same_rating_twice_counts_once_and_the_last_one_counts_bug_32() -> None:
    turn, up = rated("t", 5, "n")
    assert fold([(turn, up), (turn, up)]) == {"n": 0.55}
    assert fold([(turn, up), (turn, replace(up, score=1))]) == {"n": 0.45}
    assert fold([(turn, up), (turn, replace(up, score=None))]) == {}
    other = replace(turn, user="kim")
    assert fold([(turn, up), (other, up)]) == {"n": 0.595}


def test_words_alone_move_nothing() -> None:
    assert fold([rated("t", None, "n")]) == {}
    assert fold([]) == {}
    assert fold([rated("t", 5)]) == {}


LOG = st.lists(
    st.builds(
        lambda number, score, nodes: rated(f"t{number}", score, *nodes),
        st.integers(0, 5),
        st.none() | st.integers(1, 5),
        st.lists(st.sampled_from("abc"), max_size=3),
    ),
    max_size=12,
    unique_by=lambda pair: pair[0].id,
)


@given(LOG)
def test_weights_stay_in_0_1_with_four_digits(log: list[tuple[StoredTurn, Feedback]]) -> None:
    weights = fold(log)
    assert all(0 <= w <= 1 and w == round(w, 4) for w in weights.values())
    assert set(weights) == {n for turn, feedback in log if feedback.score for n in turn.node_ids}


@given(LOG, st.integers(1, 5))
def test_a_rating_changed_and_changed_back_leaves_no_trace(log: list[tuple[StoredTurn, Feedback]], score: int) -> None:
    changed = [(turn, replace(feedback, score=score)) for turn, feedback in log]
    assert fold([*log, *changed, *log]) == fold(log)
    assert fold([*log, *changed]) == fold(changed)
