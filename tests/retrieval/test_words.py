"""Tokens, titles and blanks (acceptance 12.2 C4, 12.4; bug 1)."""

from __future__ import annotations

import pytest

from retrieval.words import NO_STOP_WORDS, findable, is_blank, query_tokens, title, tokens


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
        ("plain Words of café", ["plain", "words", "café"]),
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("HTMLParser", ["htmlparser", "html", "parser"]),
        ("PDFs and IDs", ["pdfs", "ids"]),
        ("utf8Decoder", ["utf8decoder", "utf", "8", "decoder"]),
        ("ÜberKlasse Ünïcode_Wört", ["überklasse", "über", "klasse", "ünïcode_wört", "ünïcode", "wört"]),
        ("камелКейс", ["камелкейс", "камел", "кейс"]),
        ("node.js, C++; .NET", ["node", "js", "node.js", "c", "c++", "net", ".net"]),
        ("3.x and C++11", ["3", "x", "c", "11"]),
        ("Binder, (sync)!", ["binder", "sync"]),
        ("国際標準化", ["国際", "際標", "標準", "準化"]),
        ("佐々木", ["佐々", "々木"]),
        ("・猫・", ["猫"]),
        ("초과근무 승인", ["초과근무", "승인"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("ܫܠܳܡܐ", ["ܫܠܳܡܐ"]),
        ("Donau\u00adschiff", ["donauschiff"]),
        ("👨\u200d👩\u200d👧 ❤\ufe0f", []),
        ("x\ud83dy", ["x", "y"]),
        ("", []),
    ],
)
def test_words_of_all_kinds(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("one", "other"), [("Straße", "STRASSE"), ("café", "cafe\u0301"), ("각", "\u1100\u1161\u11a8")]
)
def test_bug_28_case_and_composition_make_no_difference(one: str, other: str) -> None:
    assert tokens(one) == tokens(other) != []


def test_findable_are_stop_words_and_letters_of_unspaced_scripts_too() -> None:
    assert findable("the 猫が。猫") == {"the": 1, "猫が": 1, "猫": 2, "が": 1}


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


@pytest.mark.parametrize("text", ["", " ", "\t\n", "\u00a0", "\u200b", "\ufeff \u2060", "\x00", "\u3164", "\u2800"])
def test_what_cannot_be_seen_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", ".", "🏆", "\u0301a"])
def test_what_can_be_seen_is_not_blank(text: str) -> None:
    assert not is_blank(text)
