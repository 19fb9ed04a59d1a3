"""Acceptance 12.9: the order of events and the text of their descriptions, exact."""

from __future__ import annotations

from math import inf
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from retrieval.model import Entry, Found, Passage, Query
from retrieval.ports import Deps
from retrieval.steps.temporal import descriptions, ranked

NONE = cast(Deps, None)


def test_ac_e_descriptions() -> None:
    texts = ["  First  ", "", "Second", "", "   Third line   "]
    found = Found(items=tuple(Passage(n, Entry(str(n), text)) for n, text in enumerate(texts, start=1)))
    line = "#" * 21
    assert descriptions(Query("q"), found, NONE) == f"First\n{line}\nSecond\n{line}\nThird line"


def test_ac_e_ranking() -> None:
    lane = {"e1": 1.0, "e2": 1.0, "e3": 1.0}
    assert ranked(lane, {"e2": 0.10, "e1": 0.20}, 2) == ["e2", "e1"]
    assert ranked(lane, {"e2": 0.10, "e1": 0.20}, 9) == ["e2", "e1", "e3"]
    assert ranked(lane, {}, None) == ["e1", "e2", "e3"]


def test_ac_e_ties_tightest_first_then_by_date() -> None:
    lane = {"year": 365.0, "day_early": 1.0, "month": 30.0, "day_late": 1.0}
    assert ranked(lane, {}, None) == ["day_early", "day_late", "month", "year"]
    assert ranked(lane, dict.fromkeys(lane, 0.3), None) == ["day_early", "day_late", "month", "year"]


@given(
    st.dictionaries(st.text("abc", min_size=1), st.integers(1, 3)),
    st.dictionaries(st.text("abc", min_size=1), st.sampled_from([0.1, 0.2, 0.3])),
    st.none() | st.integers(1, 4),
)
def test_every_event_once_scored_ones_first(lane: dict[str, int], near: dict[str, float], top_k: int | None) -> None:
    whole = ranked(lane, near, None)
    assert sorted(whole) == sorted(lane)
    assert ranked(lane, near, top_k) == whole[:top_k]
    keys = [(near.get(event, inf), lane[event]) for event in whole]
    assert keys == sorted(keys)
