"""Spans of time in ms since 1970 on the proleptic Gregorian calendar, in integers: datetime ends at the years 1 and 9999."""

from __future__ import annotations

from dataclasses import dataclass

SECOND, MINUTE, DAY = 1_000, 60_000, 86_400_000
MONTHS = "January February March April May June July August September October November December".split()
LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open span [start, until) with how exactly it was said: second, minute, day, week, month, quarter, year, decade,
    century, millennium, or span for any other.
    """

    start: int
    until: int
    precision: str

    @property
    def length(self) -> int:
        """Milliseconds from its start to its end."""
        return self.until - self.start


def leap(year: int) -> bool:
    """Whether this astronomical year (0 is 1 BCE) has 366 days."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_length(year: int, month: int) -> int:
    """Days of a month."""
    return LENGTHS[month - 1] + (month == 2 and leap(year))


def days(year: int, month: int = 1, day: int = 1) -> int:
    """Days from 1970-01-01 to a date; ValueError for one that the calendar does not have."""
    if not 1 <= month <= 12 or not 1 <= day <= month_length(year, month):
        raise ValueError(f"There is no day {year:04}-{month:02}-{day:02}.")
    before = sum(month_length(year, m) for m in range(1, month))
    past = year - 1
    return past * 365 + past // 4 - past // 100 + past // 400 + before + day - 1 - 719_162


def civil(day: int) -> tuple[int, int, int]:
    """(year, month, day) of a number of days since 1970-01-01."""
    year = (day + 719_162) * 400 // 146_097 + 1
    while days(year) > day:
        year -= 1
    while days(year + 1) <= day:
        year += 1
    left, month = day - days(year), 1
    while left >= month_length(year, month):
        left -= month_length(year, month)
        month += 1
    return year, month, left + 1


def months_on(year: int, month: int, count: int) -> tuple[int, int]:
    """(year, month) that many months later, or earlier where negative."""
    whole = year * 12 + month - 1 + count
    return whole // 12, whole % 12 + 1


def of_months(year: int, month: int, count: int, precision: str = "span") -> Span:
    """That many months from this one on."""
    return Span(days(year, month) * DAY, days(*months_on(year, month, count)) * DAY, precision)


def of_years(year: int, count: int, precision: str) -> Span:
    """That many years from this one on."""
    return of_months(year, 1, 12 * count, precision)


def of_year(year: int) -> Span:
    """A year; 0 is 1 BCE, -43 is 44 BCE."""
    return of_years(year, 1, "year")


def of_month(year: int, month: int) -> Span:
    """A month; ValueError for one that no year has."""
    return of_months(year, month, 1, "month")


def of_day(year: int, month: int, day: int) -> Span:
    """A day; ValueError for one that its month does not have."""
    return of_days(days(year, month, day))


def of_days(first: int, count: int = 1, precision: str = "day") -> Span:
    """That many days from a number of days since 1970 on."""
    return Span(first * DAY, (first + count) * DAY, precision)


def at_clock(day: Span, hour: int, minute: int, second: int | None = None) -> Span:
    """The minute, or the second, of a day; ValueError for a time that no clock shows."""
    if not (0 <= hour <= 24 and 0 <= minute < 60 and 0 <= (second or 0) < 60):
        raise ValueError(f"There is no time {hour}:{minute:02}.")
    start = day.start + (hour * 60 + minute) * MINUTE + (second or 0) * SECOND
    return Span(start, start + (MINUTE if second is None else SECOND), "minute" if second is None else "second")


def of_decade(year: int) -> Span:
    """The ten years from this one on."""
    return of_years(year, 10, "decade")


def of_century(number: int, length: int = 100, precision: str = "century") -> Span:
    """The century of this number, which starts with its year 1; negative ones are before our era (-1: 100 to 1 BCE)."""
    return of_years((number - 1) * length + 1 if number > 0 else number * length + 1, length, precision)


def third(span: Span, part: int) -> Span:
    """The first (0), middle (1) or last (2) third of a month, a year or more; by months from a year on, else by tens of days."""
    year, month, _ = civil(span.start // DAY)
    months = round(span.length / (DAY * 365.2425 / 12))
    if months >= 3:
        first, last = months * part // 3, months * (part + 1) // 3
        return of_months(*months_on(year, month, first), last - first)
    first = span.start + 10 * part * DAY
    return Span(first, span.until if part == 2 else first + 10 * DAY, "span")


def year_name(year: int) -> str:
    """A year as people write it: 1950, 44 BCE, 79 CE."""
    if year <= 0:
        return f"{1 - year} BCE"
    return str(year) if year >= 1000 else f"{year} CE"


def shown(span: Span) -> str:
    """A span as people write it."""
    year, month, day = civil(span.start // DAY)
    if span.precision in {"second", "minute"}:
        clock = span.start % DAY // SECOND
        seconds = f":{clock % 60:02}" if span.precision == "second" else ""
        return f"{day} {MONTHS[month - 1]} {year_name(year)}, {clock // 3600:02}:{clock // 60 % 60:02}{seconds}"
    if span.precision == "day":
        return f"{day} {MONTHS[month - 1]} {year_name(year)}"
    if span.precision == "month":
        return f"{MONTHS[month - 1]} {year_name(year)}"
    if span.precision == "year":
        return year_name(year)
    return _between((year, month, day), civil((span.until - 1) // DAY))


def _between(first: tuple[int, int, int], last: tuple[int, int, int]) -> str:
    """From a first to a last day, with as little as says it."""
    if first[1:] == (1, 1) and last[1:] == (12, 31):
        return year_name(first[0]) if first[0] == last[0] else f"{year_name(first[0])} to {year_name(last[0])}"
    if first[2] == 1 and last[2] == month_length(last[0], last[1]):
        return f"{MONTHS[first[1] - 1]} {year_name(first[0])} to {MONTHS[last[1] - 1]} {year_name(last[0])}"
    return " to ".join(f"{d} {MONTHS[m - 1]} {year_name(y)}" for y, m, d in dict.fromkeys((first, last)))
