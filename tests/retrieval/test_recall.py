"""recall(): routing, scopes and the fallback."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from retrieval.errors import NoDataError, QueryValidationError
from retrieval.options import Request
from retrieval.recall import recalled
from tests.world import RULES, World, world


@pytest.fixture
def made(tmp_path: Path) -> World:
    small = world(tmp_path)
    small.dataset(rules=RULES)
    return small


def recall(
    made: World, question: str, query_type: str | None = None, scope: Any = None, **options: Any
) -> list[dict[str, Any]]:
    return recalled(made.engine, partial(Request, question, **options), query_type, scope, auto_route=True)


def test_a_routed_type_says_which_and_why(made: World) -> None:
    entries = recall(made, "What coding rules apply to tests?")
    assert {e["search_type"] for e in entries} == {"CODING_RULES"}
    assert entries[0]["source"] == "graph"
    assert "coding rules" in entries[0]["reason"]
    assert any("A test must be able to fail." in e["text"] for e in entries)


def test_no_rule_means_hybrid(made: World) -> None:
    [entry] = recall(made, "Who works at Acme?")
    assert (entry["search_type"], entry["kind"]) == ("HYBRID_COMPLETION", "completion")


def test_a_phrase_that_is_nowhere_is_asked_again_of_hybrid(made: World) -> None:
    [entry] = recall(made, '"zzz qqq"')
    assert entry["search_type"] == "HYBRID_COMPLETION"
    assert "CHUNKS_LEXICAL found nothing" in entry["reason"]


def test_what_the_caller_chose_is_not_replaced(tmp_path: Path) -> None:
    bare = world(tmp_path)
    bare.dataset()
    with pytest.raises(NoDataError):
        recall(bare, "coding rules", "CODING_RULES")
    [entry] = recall(bare, "What coding rules apply to names?")
    assert entry["search_type"] == "HYBRID_COMPLETION"


def test_a_session_that_holds_the_answer_is_enough(made: World) -> None:
    [turn] = made.engine.ask(Request("Who works at Acme?", session_id="talk"))
    turn.read()
    made.forget_calls()
    [entry] = recall(made, "Acme works", session_id="talk")
    assert (entry["source"], entry["metadata"]["qa_id"]) == ("session", turn.id)
    assert made.embedder.calls == []
    entries = recall(made, "Acme works", session_id="talk", scope="all")
    assert [e["source"] for e in entries] == ["session", "graph"]
    assert recall(made, "zebra", session_id="talk", scope="session") == []


def test_an_unknown_scope_is_named(made: World) -> None:
    with pytest.raises(QueryValidationError, match="'everything'"):
        recall(made, "x", scope=["graph", "everything"])
