"""CYPHER and NATURAL_LANGUAGE: the gate, the attempts, and what is shown (D5, V15; reference 3.12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.adapters.thinking import ModelReasoner
from retrieval.errors import CypherError, NoDataError, SearchTypeDisabledError
from retrieval.options import Request
from retrieval.ports import Shape
from tests.world import STATEMENT, World, world

ASKED = Request("Who works at Acme?", "NATURAL_LANGUAGE")


@pytest.fixture
def small(tmp_path: Path) -> World:
    made = world(tmp_path)
    made.dataset()
    made.forget_calls()
    return made


class Writer:
    """A language model that replies with these texts in turn and keeps what it was asked."""

    name = "writer"

    def __init__(self, replies: Sequence[str]) -> None:
        self._replies = iter(replies)
        self.asked: list[str] = []

    def stream(self, messages: Sequence[tuple[str, str]]) -> Iterator[str]:
        self.asked.append("\n".join(text for _, text in messages))
        yield next(self._replies)

    def structured(self, messages: Sequence[tuple[str, str]], shape: type[Shape]) -> Shape:
        raise NotImplementedError


def scripted(tmp_path: Path, replies: Sequence[str]) -> tuple[World, Writer]:
    made, model = world(tmp_path), Writer(replies)
    made.engine.parts = replace(made.engine.parts, reasoner=ModelReasoner(model))
    made.dataset()
    return made, model


def test_rows_are_dictionaries_with_a_picture(small: World) -> None:
    [turn] = small.engine.ask(Request(STATEMENT, "CYPHER"))
    [row] = turn.text_result()
    assert list(row) == ["p.name", "r", "c"]
    assert (row["p.name"], row["r"]["relationship"], row["c"]["name"]) == ("Alice", "works_at", "Acme")
    payload = turn.payload()
    assert payload["rows"]["columns"] == ["p.name", "r", "c"]
    assert [n["name"] for n in payload["picture"]["nodes"]] == ["Acme", "Alice"]
    assert [e["relationship"] for e in payload["picture"]["edges"]] == ["works_at"]
    assert set(turn.stored.node_ids) == {n["id"] for n in payload["picture"]["nodes"]}
    assert turn.read() == ""
    assert small.embedder.calls == []


def test_a_statement_sees_a_document_once_it_is_processed_and_no_more_once_it_is_gone(small: World) -> None:
    def names() -> list[object]:
        [turn] = small.engine.ask(Request("MATCH (p:Person) RETURN p.name ORDER BY p.name", "CYPHER"))
        return [row["p.name"] for row in turn.text_result()]

    [dataset] = small.engine.datasets("local")
    before = names()
    added = small.engine.add("local", dataset.id, "more.md", b"Zoe knows Alice.")
    assert names() == before
    for _ in small.engine.cognify("local", dataset.id):
        pass
    assert names() == [*before, "Zoe"]
    small.engine.delete_document("local", dataset.id, added.id)
    assert names() == before


@pytest.mark.parametrize("kind", ["CYPHER", "NATURAL_LANGUAGE"])
def test_v15_switched_off_both_are_refused_before_anything_is_touched(tmp_path: Path, kind: str) -> None:
    made = world(tmp_path, allow_cypher_query=False)
    with pytest.raises(SearchTypeDisabledError, match="ALLOW_CYPHER_QUERY=true") as refused:
        made.engine.ask(Request("", kind, datasets="no such dataset"))
    assert refused.value.status == 403
    assert made.embedder.calls == []


def test_switched_off_no_question_is_sent_there(tmp_path: Path) -> None:
    made = world(tmp_path, allow_cypher_query=False)
    made.dataset()
    for question in ("How many persons are there?", "complete lists and counts, most and least"):
        [turn] = made.engine.ask(Request(question, "FEELING_LUCKY"))
        assert turn.recipe.name != "NATURAL_LANGUAGE"


def test_a_wrong_statement_costs_nothing_and_says_why(small: World) -> None:
    with pytest.raises(CypherError, match="no node type Robot"):
        small.engine.ask(Request("MATCH (n:Robot) RETURN n", "CYPHER"))
    assert small.embedder.calls == []


def test_without_data_nothing_runs(tmp_path: Path) -> None:
    made = world(tmp_path)
    made.engine.create_dataset("local", "empty")
    with pytest.raises(NoDataError, match="Add data first"):
        made.engine.ask(Request("MATCH (n) RETURN n", "CYPHER"))


def test_a_question_is_shown_as_the_statement_that_was_run(small: World) -> None:
    [turn] = small.engine.ask(ASKED)
    assert [row["p.name"] for row in turn.text_result()] == ["Alice"]
    assert any(note.startswith("Asked as: MATCH") for note in turn.found.notes)


def test_a_question_of_no_known_shape_says_what_can_be_asked(small: World) -> None:
    [turn] = small.engine.ask(replace(ASKED, query_text="Why is the sky blue?"))
    assert (turn.text_result(), turn.found.rows) == ([], None)
    assert "Without a language model" in turn.found.notes[0]


def test_a_model_writes_anew_with_what_came_of_it(tmp_path: Path) -> None:
    good = "MATCH (p:Person)-[:works_at]->(c {name: 'Acme'}) RETURN p.name"
    replies = ["MATCH (n:Robot) RETURN n", "```cypher\nMATCH (n {name: 'nobody'}) RETURN n\n```", good]
    made, model = scripted(tmp_path, replies)
    [turn] = made.engine.ask(ASKED)
    assert [row["p.name"] for row in turn.text_result()] == ["Alice"]
    first, _, last = model.asked
    assert "(:Person)" in first
    assert "works_at" in first
    assert "no node type Robot" in last
    assert "gave no rows" in last


@pytest.mark.parametrize(
    ("replies", "config", "calls"),
    [
        (["CREATE (n)", "MATCH (n) DELETE n", "COPY x", "never asked"], {}, 3),
        (["CREATE (n)", "never asked"], {"max_attempts": 1}, 1),
        (["CREATE (n)", "CREATE (n)", "never asked"], {}, 2),
    ],
)
def test_a_model_that_only_writes_is_stopped(
    tmp_path: Path, replies: list[str], config: dict[str, int], calls: int
) -> None:
    made, model = scripted(tmp_path, replies)
    with pytest.raises(CypherError, match="not allowed here"):
        made.engine.ask(replace(ASKED, retriever_specific_config=config))
    assert len(model.asked) == calls


def test_an_empty_result_of_every_attempt_is_empty(tmp_path: Path) -> None:
    replies = [f"MATCH (n {{name: 'nobody {i}'}}) RETURN n" for i in range(3)]
    made, model = scripted(tmp_path, replies)
    [turn] = made.engine.ask(ASKED)
    assert turn.text_result() == []
    assert turn.found.rows is not None
    assert len(model.asked) == 3


def test_only_context_gives_the_rows_as_text(small: World) -> None:
    [turn] = small.engine.ask(
        Request("MATCH (p:Person) RETURN p.name ORDER BY p.name LIMIT 2", "CYPHER", only_context=True)
    )
    assert turn.found.context == '{"p.name": "Alice"}\n{"p.name": "Bob"}'
