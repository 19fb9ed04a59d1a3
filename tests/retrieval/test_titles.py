"""Titles in texts: whole phrases, the longest one, and no common words."""

from __future__ import annotations

import pytest

from retrieval.titles import titles

KNOWN = titles(
    {"a": "Kutno County", "b": "Lilu (mythology)", "c": "Kutno", "d": "Notes", "e": "It", "f": "1969", "g": "New York"}
)


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        ("Gallu is a demon, Lilu a spirit.", ["b"]),
        ("It lies in Kutno County, near Kutno.", ["a", "c"]),
        ("it lies in KUTNO county", ["a"]),
        ("she took notes about it in 1969", []),
        ("Notes of a town", ["d"]),
        ("the new York and New Yorkers", ["g"]),
        ("Kutnohora", []),
        ("", []),
    ],
)
def test_a_title_is_found_as_a_whole_phrase(text: str, documents: list[str]) -> None:
    assert list(KNOWN.named(text)) == documents


def test_documents_of_one_title_are_all_found() -> None:
    assert list(titles({"x": "Apollo", "y": "Apollo (film)"}).named("Apollo landed")) == ["x", "y"]


def test_titles_without_a_word_are_none() -> None:
    assert titles({"x": "!!!", "y": ""}).named("!!! what") == {}
