"""Events in columns: which overlap a window, in what order, and how exactly (acceptance 12.9)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.calendar import Span, of_day, of_decade, of_month, of_year
from retrieval.dates import timestamp
from retrieval.model import Entry, Window
from retrieval.timeline import Told, timeline, told_of


def of(**events: Span) -> dict[str, Told]:
    return {name: told(span) for name, span in events.items()}


def told(*spans: Span) -> Told:
    return Told("chunk", stated=True, spans=tuple((span.start, span.until) for span in spans))


SECOND = timestamp("2020-05-04 10:00:00")
assert SECOND is not None
TIMES = of(second=SECOND, day=of_day(2020, 5, 4), month=of_month(2020, 5), year=of_year(2020), decade=of_decade(2020))


def asked(span: Span) -> Window:
    return Window(span.start, span.until)


@pytest.mark.parametrize(
    ("window", "tiers"),
    [
        (asked(of_day(2020, 5, 4)), [{"second", "day"}, {"month"}, {"year"}, {"decade"}]),
        (asked(of_year(2020)), [{"second", "day", "month", "year"}, {"decade"}]),
        (Window(of_year(2019).start, None), [{"second", "day", "month", "year", "decade"}]),
        (Window(None, None), [{"second", "day", "month", "year", "decade"}]),
    ],
)
def test_ac_e_tightest_first(window: Window, tiers: list[set[str]]) -> None:
    """A day question: a second and a day tie, a year ranks after; a year question: all but the decade; open: all tie."""
    lengths = timeline(TIMES).within(window)
    by_length: dict[int, set[str]] = {}
    for name, length in lengths.items():
        by_length.setdefault(length, set()).add(name)
    assert [by_length[length] for length in sorted(by_length)] == tiers


def test_windows_are_half_open() -> None:
    times = timeline(of(before=of_day(2023, 12, 31), after=of_day(2024, 1, 1)))
    start = of_year(2024).start
    assert list(times.within(Window(start, None))) == ["after"]
    assert list(times.within(Window(None, start))) == ["before"]


def test_events_come_by_date_then_id_whatever_the_order_given() -> None:
    times = of(b=of_year(1990), c=of_year(1980), a=of_year(1990))
    assert list(timeline(times).within(Window(None, None))) == ["c", "a", "b"]


def test_an_event_with_several_times_is_found_by_each_and_once() -> None:
    times = timeline({"e": told(of_year(1990), of_month(1995, 3))})
    assert list(times.within(asked(of_year(1995)))) == ["e"]
    assert times.within(asked(of_decade(1990))) == {"e": of_decade(1990).length}
    assert times.within(asked(of_year(1992))) == {}


def test_no_events() -> None:
    assert timeline({}).within(Window(None, None)) == {}


def test_what_rows_tell_of_their_events() -> None:
    rows = [Entry("a", "text"), Entry("b", "text", chunk_id="c", extra={"times": [[1, 5], [7, 9]], "stated": True})]
    assert told_of(rows) == {
        "a": Told("", stated=False, spans=()),
        "b": Told("c", stated=True, spans=((1, 5), (7, 9))),
    }


@given(
    st.dictionaries(
        st.text("abcdef", min_size=1), st.lists(st.tuples(st.integers(-50, 50), st.integers(1, 30)), min_size=1)
    ),
    st.none() | st.integers(-60, 60),
    st.none() | st.integers(1, 40),
)
def test_within_is_the_overlap(events: dict[str, list[tuple[int, int]]], start: int | None, width: int | None) -> None:
    until = None if width is None else (start or 0) + width
    times = {name: Told("", stated=True, spans=tuple((s, s + n) for s, n in own)) for name, own in events.items()}
    expected = {
        name
        for name, own in times.items()
        if any((until is None or s < until) and (start is None or u > start) for s, u in own.spans)
    }
    assert set(timeline(times).within(Window(start, until))) == expected
