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


LINE = "Land boundaries: 657 km; Latvia 333 km, Russia 324 km."


def listed(question: str, said: tuple[tuple[str, int], ...], sources: dict[int, str]) -> str:
    given = tuple(Source(n, f"c{n}", "d", f"doc{n}.md", 0, None, text) for n, text in sources.items())
    statements = tuple(Statement(text, n) for text, n in said)
    return "".join(Extractive(HashEmbedder()).answer(Prompt(question, "context", "system", "", given, statements)))


def test_a_list_is_completed_from_the_line_of_its_source() -> None:
    said = (("Estonia land boundaries: Latvia 333 km.", 1), ("Latvia land boundaries: Russia 332 km.", 2))
    found = listed(
        "Which land boundaries does Estonia have?", said, {1: f"# Estonia\n\n{LINE}\nClimate: maritime.", 2: "Latvia."}
    )
    assert found == f"Estonia land boundaries: Latvia 333 km. [1] {LINE} [1]"


def test_what_the_line_does_not_say_is_kept() -> None:
    said = (("Estonia land boundaries: Latvia 333 km.", 1), ("Estonia land boundaries: Sweden 1 km.", 1))
    found = listed("Which land boundaries does Estonia have?", said, {1: LINE})
    assert LINE in found
    assert "Sweden 1 km. [1]" in found


def test_one_fact_is_not_blown_up_to_its_line() -> None:
    said = (("Estonia land boundaries: Latvia 333 km.", 1),)
    assert LINE not in listed("How long is the land boundary of Estonia and Latvia?", said, {1: LINE})


def test_members_of_several_subjects_are_listed_where_the_question_names_what_they_share() -> None:
    said = (
        ("Ukraine land boundaries: Russia 1,944 km.", 1),
        ("Belarus land boundaries: Russia 1,312 km.", 2),
        ("Belarus land boundaries: Poland 418 km.", 2),
    )
    found = listed("Which countries have land boundaries with Russia?", said, {1: LINE, 2: LINE})
    assert "Ukraine land boundaries: Russia 1,944 km. [1]" in found
    assert "Belarus land boundaries: Russia 1,312 km. [2]" in found
    assert "Poland" not in found


def test_what_is_asked_of_one_year_is_not_answered_with_another() -> None:
    said = ("Margrethe has been head of state since 1972.", "Merkel has been head of government since 2005.")
    assert answer("Which heads took office in 2005?", said, 0.4).endswith("since 2005. [2]")
    other = (*said, "Independence came in 1991.")
    assert "Merkel" not in answer("Which heads of government took office in 1991?", other, 0.4)


def test_further_sentences_that_answer_nearly_as_well_follow() -> None:
    said = ("It was Anna Berg who founded the company.", "The company was founded in Tallinn.", "Bananas are yellow.")
    assert answer("Who founded the company?", said, 0.3) == f"{said[0]} [1] {said[1]} [2]"
