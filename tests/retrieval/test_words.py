"""Tokens, titles and blanks (acceptance 12.2 C4, 12.4; bug 1)."""

from __future__ import annotations

import pytest

from retrieval.words import NO_STOP_WORDS, is_blank, query_tokens, title, tokens


def test_tokens_of_the_reference_in_order_with_the_parts_that_product_asks_for() -> None:
    found = tokens("Café naïve user_id don't C++ 3.14 the AND")
    assert [t for t in found if t not in {"user", "id", "c++"}] == [
        "café",
        "naïve",
        "user_id",
        "don",
        "t",
        "c",
        "3",
        "14",
    ]


def test_only_stop_words_are_no_tokens_but_a_question_of_them_keeps_them() -> None:
    assert tokens("to be or not to be") == []
    assert query_tokens("to be or not to be") == ["to", "be", "or", "not", "to", "be"]
    assert tokens("the who", NO_STOP_WORDS) == ["the", "who"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The quick brown fox jumps over the lazy dog. The dog sleeps.",
            "The quick brown fox jumps over the... [dog, quick, brown]",
        ),
        ("Short text", "Short text... [short, text]"),
        ("Word.", "Word.... [word]"),
    ],
)
def test_c4_titles(text: str, expected: str) -> None:
    assert title(text) == expected


def test_c4_frequent_words_come_by_frequency_then_first_occurrence() -> None:
    assert title("alpha beta alpha gamma beta alpha delta").endswith("[alpha, beta, gamma]")


@pytest.mark.parametrize("text", ["", " ", "\t\n", "\u00a0", "\u200b", "\ufeff \u2060", "\x00"])
def test_what_cannot_be_seen_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", ".", "🏆", "\u0301a"])
def test_what_can_be_seen_is_not_blank(text: str) -> None:
    assert not is_blank(text)
