"""Dates in words: the exact values of acceptance 12.9, bugs 33, 34, 36, 38, and the words around a date."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.calendar import MONTHS, Span, civil, of_day, of_month, of_year, shown
from retrieval.dates import NoWindow, asked_of, asks_when, between, instant, spans, timestamp, window
from retrieval.model import Window

NOW = datetime(2026, 12, 15, 12, tzinfo=UTC)  # a Tuesday
DAY = 86_400_000


def day(text: str) -> int:
    """Milliseconds of the start of a date like 2024-03-01."""
    found = timestamp(text)
    assert found is not None
    return found.start


@pytest.mark.parametrize(
    ("text", "start", "until", "precision"),
    [
        ("1950", -631152000000, -599616000000, "year"),
        ("1950-03", -626054400000, -623376000000, "month"),
        ("1950-03-18", -624585600000, -624499200000, "day"),
        ("1969-07-20 20:17:40", -14182940000, -14182939000, "second"),
        ("March–June 2024", 1709251200000, 1719792000000, "span"),
        ("from March to June 2024", 1709251200000, 1719792000000, "span"),
        ("March 2024 through June 2024", 1709251200000, 1719792000000, "span"),
    ],
)
def test_ac_e_timestamps(text: str, start: int, until: int, precision: str) -> None:
    assert timestamp(text) == Span(start, until, precision)


@pytest.mark.parametrize(
    "text",
    [
        "1803/1815",
        "1803-1815",
        "1803–1815",
        "1803—1815",
        "1803 − 1815",
        "1803–15",
        "1803 to 1815",
        "from 1803 to 1815",
        "between 1803 and 1815",
        "1803 through 1815",
        "1803 until 1815",
        "from 1803 till 1815",
    ],
)
def test_ac_e_a_range_in_any_form(text: str) -> None:
    assert timestamp(text) == Span(-5270054400000, -4859827200000, "span")


def test_ac_e_dates_in_words() -> None:
    assert timestamp("23 March 1947") == timestamp("March 23, 1947") == timestamp("1947-03-23") == of_day(1947, 3, 23)
    assert timestamp("March 1947") == timestamp("1947-03") == of_month(1947, 3)


@pytest.mark.parametrize(
    "text",
    ["that spring", "1950-02-30", "0000", "9999", "the 1950s", "July 24", "", "12/03/2024", "the Aurora of 1950"],
)
def test_ac_e_what_is_no_timestamp(text: str) -> None:
    assert timestamp(text) is None


def test_ac_e_windows_of_two_dates() -> None:
    assert between("1950-01-01", "1951-01-01") == Window(of_year(1950).start, of_year(1950).until)
    assert between(None, "1950") == Window(None, of_year(1950).start)
    assert between("1950", None) == Window(of_year(1950).start, None)
    assert between(None, None) is NoWindow.UNSAID
    assert between("1951", "1950") is NoWindow.INVALID
    assert between("2021-02-29", None) is NoWindow.INVALID


@pytest.mark.parametrize(
    ("question", "start", "until"),
    [
        ("What events occurred in 2021?", "2021-01-01", "2022-01-01"),
        ("What was decided in July 2021?", "2021-07-01", "2021-08-01"),
        ("Who left after 2023?", "2024-01-01", None),
        ("Who left before 2023?", None, "2023-01-01"),
        ("Who led the firm since 2023?", "2023-01-01", None),
        ("Which ships were sold by 2023?", None, "2024-01-01"),
        ("Which ships sailed until 2023?", None, "2024-01-01"),
        ("Which ships sailed through 2023?", None, "2024-01-01"),
        ("Who is chair as of March 2023?", None, "2023-04-01"),
        ("What happened between 1900 and 1919?", "1900-01-01", "1920-01-01"),
        ("What happened from March 2020 to June 2021?", "2020-03-01", "2021-07-01"),
        ("What happened from 1 March to 3 April 2024?", "2024-03-01", "2024-04-04"),
        ("What happened during 12-14 March 2024?", "2024-03-12", "2024-03-15"),
        ("What changed in the 1990s?", "1990-01-01", "2000-01-01"),
        ("What changed in the early 1990s?", "1990-01-01", "1993-05-01"),
        ("What changed in early 2024?", "2024-01-01", "2024-05-01"),
        ("What changed in late March 2024?", "2024-03-21", "2024-04-01"),
        ("What was built in the 19th century?", "1801-01-01", "1901-01-01"),
        ("What was sold in Q3 2023?", "2023-07-01", "2023-10-01"),
        ("What was sold in the third quarter of 2023?", "2023-07-01", "2023-10-01"),
        ("What was sold in the second half of 2023?", "2023-07-01", "2024-01-01"),
        ("Where was she in the last week of August 2023?", "2023-08-25", "2023-09-01"),
        ("Who joined after 2010 but before 2015?", "2011-01-01", "2015-01-01"),
        ("Who joined from 2010 onwards?", "2010-01-01", None),
        ("Who joined in 2010 or later?", "2010-01-01", None),
        ("Who joined in 2010 or earlier?", None, "2011-01-01"),
        ("Who fought in 1914-18?", "1914-01-01", "1919-01-01"),
        ("What happened yesterday?", "2026-12-14", "2026-12-15"),
        ("What happened last week?", "2026-12-07", "2026-12-14"),
        ("What happens next Friday?", "2026-12-18", "2026-12-19"),
        ("What happened last Friday?", "2026-12-11", "2026-12-12"),
        ("What was said two months ago?", "2026-10-01", "2026-11-01"),
        ("What happened in the last three weeks?", "2026-11-24", "2026-12-16"),
        ("What happened last year?", "2025-01-01", "2026-01-01"),
        ("What did we do on March 6th?", "2026-03-06", "2026-03-07"),
        ("What did we do in December?", "2026-12-01", "2027-01-01"),
        ("What did Bob say on 13/03/2024?", "2024-03-13", "2024-03-14"),
        ("What is between January and March?", "2026-01-01", "2026-04-01"),
        ("What happened between 3 and 7 May 2024?", "2024-05-03", "2024-05-08"),
        ("What happened from January 5th to 7th?", "2026-01-05", "2026-01-08"),
        ("What changed since last March?", "2026-03-01", None),
        ("Who left on or after 5 May 2024?", "2024-05-05", None),
        ("Who left on or before 5 May 2024?", None, "2024-05-06"),
        ("What happened in July and August 2023?", "2023-07-01", "2023-09-01"),
        ("What happened in 2020, 2021 and 2022?", "2020-01-01", "2023-01-01"),
        ("What did Bob say on 20260105?", "2026-01-05", "2026-01-06"),
    ],
)
def test_windows_of_questions(question: str, start: str | None, until: str | None) -> None:
    """Bugs 33 and 34 among them."""
    assert window(question, NOW) == Window(start and day(start), until and day(until))


@pytest.mark.parametrize(
    "question",
    [
        "Who is Alice?",
        "Was she hired before or after 2015?",
        "Was it in 1991 or in 1993?",
        "May I go to the march?",
        "How did 1500 soldiers win?",
        "Which of the 2000 people left?",
        "What is due on 12/03/2024?",
        "Who sent order 20264711?",
    ],
)
def test_no_time_that_is_told(question: str) -> None:
    assert asked_of(question, NOW) is NoWindow.UNSAID


@pytest.mark.parametrize(
    "question",
    ["What happened on 2021-02-29?", "Who left on 30 February 1950?", "Who came after 2020 and before 2010?"],
)
def test_impossible_times(question: str) -> None:
    assert asked_of(question, NOW) is NoWindow.INVALID
    assert window(question, NOW) is None


def test_bug_36_far_years_do_not_fail() -> None:
    assert window("Who died in 44 BCE?", NOW) == Window(of_year(-43).start, of_year(-43).until)
    assert window("What was before 44 BC?", NOW) == Window(None, of_year(-43).start)
    assert timestamp("500-300 BCE") == Span(of_year(-499).start, of_year(-298).start, "span")
    assert window("What was between 500 and 300 BCE?", NOW) == Window(of_year(-499).start, of_year(-298).start)
    assert spans("-0043-03-15")[0][0] == of_day(-43, 3, 15)
    assert timestamp("2000 BC") == of_year(-1999)
    assert window("What is after 9999-12-31?", NOW) == Window(of_year(10_000).start, None)
    assert window("What is in the year 9999?", NOW) == Window(of_year(9999).start, of_year(9999).until)
    assert window("What erupted in AD 79?", NOW) == Window(of_year(79).start, of_year(79).until)


def test_bug_38_aware_and_naive_times_are_utc() -> None:
    naive = NOW.replace(tzinfo=None)
    elsewhere = NOW.astimezone(timezone(timedelta(hours=5)))
    assert instant(naive) == instant(NOW) == instant(elsewhere)
    assert window("yesterday", naive) == window("yesterday", elsewhere)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Lunch the day after tomorrow?", ["17 December 2026"]),
        ("20 August 1991 (declared); 6 September 1991", ["20 August 1991", "6 September 1991"]),
        ("Date: Mon, 5 Jan 2026 10:00:05 +0200", ["5 January 2026, 08:00:05"]),
        ("# 2:14 pm on 3 September, 2023 Deborah", ["3 September 2023, 14:14"]),
        ("Time: 20260105_20:15", ["5 January 2026, 20:15"]),
        ("[12:03:55, 05.01.2026] Bob", ["5 January 2026, 12:03:55"]),
        ("I went there last Friday with 2 kids", ["11 December 2026"]),
        ("We met on Friday.", ["11 December 2026"]),
        ("See you on Friday!", ["18 December 2026"]),
        ("See you on the 8th!", ["8 December 2026"]),
        ("It costs $2,015 and weighs 1600 kg, v 0.1.2010", []),
        ("Paid in 2014 and 2016, by 1,500 people", ["2014", "2016"]),
    ],
)
def test_what_texts_say(text: str, told: list[str]) -> None:
    assert [shown(span) for span, _, _ in spans(text, NOW)] == told


def test_without_a_reference_time_relative_words_say_nothing() -> None:
    assert spans("yesterday, on March 6th, and in May") == []


def test_where_a_date_stands() -> None:
    text = "It was sold on 18 March 1950, they say."
    [(_, begin, end)] = spans(text)
    assert text[begin:end] == "18 March 1950"


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("When did Jon move?", True),
        ("In which month was the game?", True),
        ("What year was it founded?", True),
        ("How long ago was that?", True),
        ("How long is the border?", False),
        ("Who is Alice?", False),
    ],
)
def test_questions_for_a_date(question: str, asks: bool) -> None:
    assert asks_when(question) is asks


@given(st.dates())
def test_every_form_of_a_day_is_that_day(date: date) -> None:
    month = MONTHS[date.month - 1]
    forms = [
        f"{date.day} {month} {date.year:04}",
        f"{month} {date.day}, {date.year:04}",
        f"{date.year:04}-{date.month:02}-{date.day:02}",
    ]
    assert {timestamp(form) for form in forms} == {of_day(date.year, date.month, date.day)}


@given(st.text(max_size=60), st.integers(-(10**14), 10**15))
def test_any_text_is_read_without_failing(text: str, now: int) -> None:
    for span, begin, end in spans(text, now):
        assert span.start < span.until
        assert 0 <= begin < end <= len(text)
    asked_of(text, now)


@given(
    st.lists(
        st.sampled_from(
            "in on 2024 1950 May March 3 31st last next week year ago BCE - to and before 9999-12-31 the 1990s".split()
        )
    ),
    st.datetimes(),
)
def test_any_words_of_time_are_read_without_failing(words: list[str], now: datetime) -> None:
    found = asked_of(" ".join(words), now)
    if isinstance(found, Window) and found.start is not None and found.until is not None:
        assert found.start < found.until
        assert civil(found.start // DAY) <= civil(found.until // DAY)
