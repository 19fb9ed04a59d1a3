"""The calendar in integers: equal to datetime where that reaches, whole and ordered beyond it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.calendar import (
    DAY,
    Span,
    at_clock,
    civil,
    days,
    month_length,
    months_on,
    of_century,
    of_day,
    of_decade,
    of_month,
    of_year,
    shown,
    third,
)

YEARS = st.integers(-12_000, 12_000)


@given(st.dates())
def test_it_counts_as_datetime_does(day: date) -> None:
    number = (day - date(1970, 1, 1)).days
    assert days(day.year, day.month, day.day) == number
    assert civil(number) == (day.year, day.month, day.day)


@given(st.integers(-5_000_000, 5_000_000))
def test_a_day_has_one_date_and_the_next_day_follows_it(number: int) -> None:
    year, month, day = civil(number)
    assert days(year, month, day) == number
    following = (year, month, day + 1) if day < month_length(year, month) else (*months_on(year, month, 1), 1)
    assert civil(number + 1) == following


@given(YEARS)
def test_the_months_of_a_year_are_the_year(year: int) -> None:
    months = [of_month(year, month) for month in range(1, 13)]
    assert (months[0].start, months[-1].until) == (of_year(year).start, of_year(year).until)
    assert all(one.until == other.start for one, other in pairwise(months))


@given(YEARS, st.integers(1, 12), st.integers(-500, 500))
def test_months_on_and_back(year: int, month: int, count: int) -> None:
    assert months_on(*months_on(year, month, count), -count) == (year, month)


@given(YEARS, st.sampled_from([of_year, of_decade, lambda year: of_month(year, 2)]))
def test_three_thirds_are_the_whole(year: int, of: Callable[[int], Span]) -> None:
    early, middle, late = (third(of(year), part) for part in range(3))
    assert (early.start, early.until, middle.until, late.until) == (
        of(year).start,
        middle.start,
        late.start,
        of(year).until,
    )


def test_ac_e_a_leap_year_has_366_days() -> None:
    assert of_year(2020).length == 366 * DAY


@pytest.mark.parametrize(
    ("year", "month", "day"), [(2021, 2, 29), (1900, 2, 29), (1950, 2, 30), (2020, 13, 1), (2020, 1, 0)]
)
def test_a_day_that_there_is_not(year: int, month: int, day: int) -> None:
    with pytest.raises(ValueError, match="There is no day"):
        of_day(year, month, day)


def test_bug_36_before_our_era() -> None:
    assert of_year(-43) < of_year(0) < of_year(1)
    assert of_year(0).until == of_year(1).start
    assert shown(of_year(-43)) == "44 BCE"
    assert shown(of_day(-43, 3, 15)) == "15 March 44 BCE"
    assert shown(of_century(-1)) == "100 BCE to 1 BCE"


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (of_year(1950), "1950"),
        (of_year(79), "79 CE"),
        (of_year(9999), "9999"),
        (of_month(1950, 3), "March 1950"),
        (of_day(1950, 3, 18), "18 March 1950"),
        (at_clock(of_day(2026, 1, 5), 20, 15), "5 January 2026, 20:15"),
        (at_clock(of_day(1969, 7, 20), 20, 17, 40), "20 July 1969, 20:17:40"),
        (of_decade(1990), "1990 to 1999"),
        (of_century(20), "1901 to 2000"),
        (third(of_year(2024), 0), "January 2024 to April 2024"),
        (third(of_month(2024, 3), 0), "1 March 2024 to 10 March 2024"),
    ],
)
def test_spans_as_people_write_them(span: Span, text: str) -> None:
    assert shown(span) == text


def test_a_time_that_no_clock_shows() -> None:
    with pytest.raises(ValueError, match="There is no time"):
        at_clock(of_day(2024, 1, 1), 12, 60)
