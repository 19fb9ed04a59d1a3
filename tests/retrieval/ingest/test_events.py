"""Dated statements: of prose, labelled lines, chats, letters and minutes; what a date above gives to what follows."""

from __future__ import annotations

import pytest

from retrieval.calendar import shown
from retrieval.ingest.events import dated


def told(*texts: str, title: str = "Notes") -> list[tuple[str, ...]]:
    """(text, time, …) of each statement."""
    return [(e.text, *map(shown, e.times)) for own in dated(title, texts) for e in own]


def test_a_sentence_with_a_date_and_none_without() -> None:
    assert told("Acme was founded in 1990. It makes ships. In 44 BCE nothing was sold.") == [
        ("Acme was founded in 1990.", "1990"),
        ("In 44 BCE nothing was sold.", "44 BCE"),
    ]


def test_each_value_of_a_labelled_line_says_whose_it_is() -> None:
    text = "Chief of state: King Harald V (since 17 January 1991); Crown Prince Haakon (born 20 July 1973); others.\n"
    assert told(text, title="Norway (Factbook, 2015)") == [
        ("Norway chief of state: King Harald V (since 17 January 1991).", "17 January 1991"),
        ("Norway chief of state: Crown Prince Haakon (born 20 July 1973).", "20 July 1973"),
    ]


def test_relative_words_and_dates_without_a_year_say_nothing_without_a_date_above() -> None:
    assert told("She left yesterday. They met on March 6th.") == []


def test_a_letter_is_dated_by_its_head() -> None:
    letter = "From: Bob\nDate: Mon, 5 Jan 2026 10:00:00 +0000\n\nThe goods came yesterday. We pay next Friday.\n"
    assert told(letter) == [
        ("The goods came yesterday.", "4 January 2026", "5 January 2026, 10:00:00"),
        ("We pay next Friday.", "9 January 2026", "5 January 2026, 10:00:00"),
    ]


def test_minutes_are_dated_by_their_heading_also_in_later_passages() -> None:
    assert told("# Minutes of the board, 3 March 2024\n\nThe board sold the Aurora.\n", "It closes in April.\n") == [
        ("The board sold the Aurora.", "3 March 2024"),
        ("It closes in April.", "April 2024", "3 March 2024"),
    ]


def test_a_later_date_takes_over() -> None:
    assert told("5 January 2026\n\nWe met.\n\n6 January 2026\n\nNothing new.\n") == [
        ("We met.", "5 January 2026"),
        ("Nothing new.", "6 January 2026"),
    ]


@pytest.mark.parametrize(
    "chat",
    [
        "Time: 20260105_11:00\nBob: Hi! I came yesterday.\nAnn: Welcome. See you on the 8th!\n",
        "# 11:00 am on 5 January, 2026\nBob: Hi! I came yesterday.\nAnn: Welcome. See you on the 8th!\n",
    ],
)
def test_a_chat_by_turns(chat: str) -> None:
    assert told(chat) == [
        ("Bob: Hi! I came yesterday.", "4 January 2026", "5 January 2026, 11:00"),
        ("Ann: Welcome. See you on the 8th!", "8 January 2026", "5 January 2026, 11:00"),
    ]


@pytest.mark.parametrize(
    "head", ["# 2:14 pm on 3 September, 2023 Deborah", "Deborah, [3 Sep 2023 14:14]", "Deborah  3 Sep 2023 2:14 PM"]
)
def test_a_name_beside_the_date_is_who_speaks(head: str) -> None:
    assert told(f"{head}\nHi! I was there last week.\n") == [
        ("Deborah: Hi! I was there last week.", "21 August 2023 to 27 August 2023", "3 September 2023, 14:14")
    ]


def test_stamps_in_a_line_date_that_line_and_its_words() -> None:
    assert told("[2024-03-01 10:02] Ann: I was there yesterday.\n2024-03-02 09:00 - Bob: Me too.\n") == [
        ("[2024-03-01 10:02] Ann: I was there yesterday.", "1 March 2024, 10:02", "29 February 2024"),
        ("2024-03-02 09:00 - Bob: Me too.", "2 March 2024, 09:00"),
    ]


def test_what_only_stands_below_a_date_is_not_stated() -> None:
    [own] = dated("Notes", ["Date: 5 January 2026\n\nThe goods came. They were paid in 2025.\n"])
    assert [(e.text, e.stated) for e in own] == [("The goods came.", False), ("They were paid in 2025.", True)]


def test_a_sentence_that_begins_with_a_date_dates_nothing_else() -> None:
    assert told("20 August 1991 was the day of independence. Tallinn is the capital.") == [
        ("20 August 1991 was the day of independence.", "20 August 1991")
    ]


def test_names_are_short() -> None:
    [[event]] = dated("Notes", ["In 1990 " + "a very long sentence " * 20 + "ended."])
    assert len(event.name) <= 80
    assert event.name.endswith("…")
