"""Summaries without a model: the most central sentences, word for word."""

from __future__ import annotations

import numpy as np

from retrieval.ingest.summarise import summarise
from retrieval.model import Floats

TOLD = [
    "Estonia joined the union early.",
    "Estonia joined the alliance in spring.",
    "Bananas are yellow and sweet.",
]


def vectors(*rows: tuple[float, float]) -> Floats:
    given = np.array(rows, dtype=np.float32)
    return given / np.linalg.norm(given, axis=1, keepdims=True)


def test_the_sentences_nearest_to_the_middle_in_their_order() -> None:
    assert summarise(TOLD, vectors((1, 0.1), (1, 0.2), (0, 1))) == f"{TOLD[0]} {TOLD[1]}"


def test_order_is_that_of_the_text_not_of_the_rank() -> None:
    turned = [TOLD[2], TOLD[1], TOLD[0]]
    assert summarise(turned, vectors((0, 1), (1, 0.2), (1, 0.1))) == f"{TOLD[1]} {TOLD[0]}"


def test_of_equally_central_sentences_the_earlier_ones_are_taken() -> None:
    same = ["One two three four.", "Two three four five.", "Three four five six."]
    assert summarise(same, vectors((1, 0), (1, 0), (1, 0))) == "One two three four. Two three four five."


def test_headings_and_fragments_only_where_there_is_nothing_else() -> None:
    assert summarise(["# Geography of all Estonia", "Too short.", TOLD[0]], vectors((1, 0), (1, 0), (0, 1))) == TOLD[0]
    assert summarise(["# Geography"], vectors((1, 0))) == "# Geography"


def test_nothing_has_no_summary() -> None:
    assert summarise([], np.empty((0, 2), dtype=np.float32)) == ""
