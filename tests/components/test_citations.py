"""Citations (bug 93) and the sentences that they rest on."""

from __future__ import annotations

import pytest

from components.answer import highlighted
from components.citations import citations, shown, supporting


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("Alpha. [1]", [1]),
        ("Alpha [2,3] and beta [1].", [2, 3, 1]),
        ("In [2021] it was.", []),
        ("See `array[0]` and x[1].", []),
        ("```\na [1]\n```\nthen [2]", [2]),
        ("link [1](http://x)", []),
        ("[E1, E2]", []),
        ("Twice [1] [2]", [1, 2]),
    ],
)
def test_bug_93_numbers_in_brackets_are_citations(answer: str, numbers: list[int]) -> None:
    assert [c.number for c in citations(answer, {1, 2, 3})] == numbers


def test_unknown_numbers_are_flagged_and_struck_out() -> None:
    [known, unknown] = citations("A [1] b [9]", {1})
    assert (known.known, unknown.known) == (True, False)
    assert shown("A [1] b [9]", {1}) == "A :blue[\\[1\\]] b ~~\\[9\\]~~"


def test_a_citation_knows_what_it_supports() -> None:
    found = citations("First one. [1] Second one. [2]", {1, 2})
    assert [c.supports for c in found] == ["First one.", "Second one."]


def test_the_answer_is_literal_around_its_citations() -> None:
    assert shown("costs $5 and $6 [1]", {1}) == "costs \\$5 and \\$6 :blue[\\[1\\]]"


def test_the_supporting_sentence_is_found_verbatim_or_by_its_words() -> None:
    text = "Tallinn is old. Land boundaries: 657 km; Latvia 333 km. The end."
    assert supporting(text, "Tallinn is old.") == "Tallinn is old."
    assert supporting(text, "Estonia land boundaries: Latvia 333 km.") == "Land boundaries: 657 km; Latvia 333 km."
    assert supporting(text, "zebra") == ""
    assert supporting("", "x") == ""


def test_highlights_are_literal_html() -> None:
    found = highlighted("A <b> & c. Then more.", ["A <b> & c."])
    assert found == "<mark>A &lt;b&gt; &amp; c.</mark> Then more."
