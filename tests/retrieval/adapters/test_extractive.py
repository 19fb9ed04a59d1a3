"""The extractive answer: verbatim sentences with sources, or nothing."""

from __future__ import annotations

import pytest

from retrieval.adapters.extractive import NOTHING, Extractive, asked_names
from retrieval.adapters.memory import HashEmbedder
from retrieval.model import Prompt, Source, Statement

TEXTS = (
    "The capital of Estonia is Tallinn.",
    "Estonia land boundaries: Latvia 333 km.",
    "Estonia land boundaries: Russia 324 km.",
    "Riga is the capital of Latvia.",
    "# Geography",
    "Revenue grew in the fourth quarter.",
)


def answer(question: str, texts: tuple[str, ...] = TEXTS, distance: float | None = None) -> str:
    sources = tuple(Source(n, f"c{n}", "d", f"doc{n}.md", 0, None, text) for n, text in enumerate(texts, start=1))
    statements = tuple(Statement(text, n, distance) for n, text in enumerate(texts, start=1))
    return "".join(Extractive(HashEmbedder()).answer(Prompt(question, "context", "system", "", sources, statements)))


def test_the_best_sentence_comes_first_with_its_source() -> None:
    assert answer("What is the capital of Estonia?").startswith("The capital of Estonia is Tallinn. [1]")


def test_a_list_question_gets_several_sentences() -> None:
    found = answer("Which land boundaries does Estonia have, how many km?")
    assert "Latvia 333 km. [2]" in found
    assert "Russia 324 km. [3]" in found


@pytest.mark.parametrize(
    "question", ["What is the capital of Japan?", "Who is the president of Chile?", "zebra crossing"]
)
def test_what_the_memory_does_not_name_is_not_answered(question: str) -> None:
    assert answer(question) == NOTHING


def test_headings_are_never_quoted() -> None:
    assert "#" not in answer("Geography of Estonia land boundaries")


def test_nothing_to_quote_is_said() -> None:
    assert answer("What is the capital of Estonia?", ()) == NOTHING


def test_near_duplicates_are_said_once() -> None:
    twice = ("The capital of Estonia is Tallinn.", "the capital of Estonia is Tallinn")
    assert answer("What is the capital of Estonia?", twice).count("Tallinn") == 1


def test_names_in_a_question() -> None:
    assert asked_names("What is the highest point of Japan in 2015?") == {"japan", "2015"}
    assert asked_names("capital of estonia") == frozenset()
