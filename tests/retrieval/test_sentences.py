"""Sentences by rule: each a verbatim piece of the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.sentences import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Smith paid $3.5 million. He left.", ["Dr. Smith paid $3.5 million.", "He left."]),
        ("J. R. Tolkien wrote it. True.", ["J. R. Tolkien wrote it.", "True."]),
        ("In the U.S. it rained. Then not.", ["In the U.S. it rained.", "Then not."]),
        ("# Title\n\nText here.", ["# Title", "Text here."]),
        ("Borders: A 3 km, B 4 km.\nCapital: C.", ["Borders: A 3 km, B 4 km.", "Capital: C."]),
        ("- first\n- second", ["- first", "- second"]),
        ("これは文です。次の文です。", ["これは文です。", "次の文です。"]),
        ("He said \"stop.\" Then he went.", ["He said \"stop.\"", "Then he went."]),
        ("", []),
        ("---\n***", []),
    ],
)  # fmt: skip
def test_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet=st.sampled_from("ab .!?\n#。A1"), max_size=200))
def test_every_sentence_is_a_piece_of_the_text(text: str) -> None:
    assert all(sentence in text for sentence in sentences(text))
