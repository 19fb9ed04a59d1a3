"""AC-M and reference 11: the loops, counted with a scripted model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from retrieval.errors import LLMPaymentRequiredError, LLMTimeoutError, NoDataError, QueryValidationError
from retrieval.model import Triplet
from retrieval.options import Request
from retrieval.recipes import RECIPES
from retrieval.steps.loop import subqueries, told
from retrieval.turn import Turn
from tests.fakes import ScriptedModel
from tests.world import RULES, world

COT, EXTENSION, PARTS = (f"GRAPH_COMPLETION_{name}" for name in ("COT", "CONTEXT_EXTENSION", "DECOMPOSITION"))


def asked(
    tmp_path: Path, model: ScriptedModel, kind: str, question: str = "Who works at Acme?", **options: Any
) -> Turn:
    made = world(tmp_path, model)
    made.dataset(rules=RULES)
    [turn] = made.engine.ask(Request(question, kind, **options))
    turn.read()
    return turn


@pytest.mark.parametrize(("rounds", "calls", "without_answer"), [(1, 4, 3), (2, 7, 6), (4, 13, 12)])
def test_chain_of_thought_costs_three_calls_a_round_and_one(
    tmp_path: Path, rounds: int, calls: int, without_answer: int
) -> None:
    for only_context, expected in ((False, calls), (True, without_answer)):
        model = ScriptedModel()
        asked(
            tmp_path / str(only_context),
            model,
            COT,
            only_context=only_context,
            retriever_specific_config={"max_iter": rounds},
        )
        assert len(model.calls) == expected
        assert model.kinds.count("AnswerVerdict") == rounds


def test_chain_of_thought_stops_when_the_answer_is_complete(tmp_path: Path) -> None:
    model = ScriptedModel({"AnswerVerdict": lambda _: {"complete": True, "reasoning": "all there"}})
    turn = asked(tmp_path, model, COT)
    assert model.kinds == ["text", "AnswerVerdict", "text"]
    judged = next(s for s in turn.trace.stages if s.name == "judge")
    assert judged.counts == {"complete": True, "reasoning": "all there"}


def test_chain_of_thought_accumulates_without_repeats(tmp_path: Path) -> None:
    """Weakness 8."""
    questions = iter(["Who founded Acme?", "What did Acme buy?", "Who knows Bob?", "What borders Latvia?"])
    model = ScriptedModel(
        {"text": lambda said: next(questions) if "exactly one" in said or "What it lacks" in said else "draft"}
    )
    turn = asked(tmp_path, model, COT, top_k=3)
    ids = [item.id for item in turn.found.items]
    assert len(ids) == len(set(ids)) > 3
    assert [item.rank for item in turn.found.items] == list(range(1, len(ids) + 1))
    connections = turn.found.context.partition("Connections:\n")[2].split("\n")
    assert len(connections) == len(set(connections))
    assert [draft.question for draft in turn.found.drafts][:2] == ["Who founded Acme?", "What did Acme buy?"]


def test_extension_stops_when_a_round_finds_nothing_new(tmp_path: Path) -> None:
    same = ScriptedModel({"text": lambda _: "Who works at Acme?"})
    turn = asked(tmp_path, same, EXTENSION)
    assert len(same.calls) == 2
    assert sum(stage.name == "rank" for stage in turn.trace.stages) == 2


def test_extension_costs_a_call_a_round_and_one(tmp_path: Path) -> None:
    texts = iter(["Who founded Acme?", "What borders Latvia?", "Bob", "Initech", "the end"])
    model = ScriptedModel({"text": lambda _: next(texts)})
    turn = asked(tmp_path, model, EXTENSION, top_k=3, retriever_specific_config={"context_extension_rounds": 2})
    assert len(model.calls) == 3
    assert len(turn.found.items) > 3


@pytest.mark.parametrize(
    ("mode", "calls", "without_answer"), [("answer_per_subquery", 4, 3), ("combined_triplets_context", 2, 1)]
)
def test_decomposition_costs_what_its_mode_says(tmp_path: Path, mode: str, calls: int, without_answer: int) -> None:
    for only_context, expected in ((False, calls), (True, without_answer)):
        model = ScriptedModel(
            {"QueryDecomposition": lambda _: {"subqueries": ["Who works at Acme?", "Who works at Initech?"]}}
        )
        turn = asked(
            tmp_path / f"{only_context}",
            model,
            PARTS,
            only_context=only_context,
            retriever_specific_config={"decomposition_mode": mode},
        )
        assert len(model.calls) == expected
        ids = [item.id for item in turn.found.items]
        assert len(ids) == len(set(ids))


def test_decomposition_answers_each_part_in_order(tmp_path: Path) -> None:
    model = ScriptedModel(
        {
            "QueryDecomposition": lambda _: {"subqueries": ["Who works at Acme?", "Who works at Initech?"]},
            "text": lambda said: (
                "sub " + ("Acme" if "works at Acme" in said.split("Context")[0].split("<context>")[0] else "Initech")
            ),
        }
    )
    turn = asked(tmp_path, model, PARTS, "Who works at both?")
    assert turn.found.context == (
        "Question decomposition results:\n\nSubquery 1: Who works at Acme?\nSubquery 1 Answer:\nsub Acme\n\n"
        "Subquery 2: Who works at Initech?\nSubquery 2 Answer:\nsub Initech"
    )
    embeddings = next(s for s in turn.trace.stages if s.name == "embed").counts
    assert embeddings == {"embeddings": 2}


def test_the_parts_are_embedded_in_one_call(tmp_path: Path) -> None:
    made = world(tmp_path)
    made.dataset()
    made.forget_calls()
    made.engine.ask(Request("Who works at Acme and Initech?", PARTS))
    assert made.embedder.calls[0] == ("Who works at Acme?", "Who works at Initech?")
    assert len(made.embedder.calls) == 1


def test_a_failing_decomposition_asks_the_question_itself_but_no_budget_is_final(tmp_path: Path) -> None:
    model = ScriptedModel({"QueryDecomposition": lambda _: LLMTimeoutError("slow")})
    turn = asked(tmp_path / "a", model, PARTS)
    assert [draft.question for draft in turn.found.drafts] == ["Who works at Acme?"]
    broke = ScriptedModel({"QueryDecomposition": lambda _: LLMPaymentRequiredError("no budget")})
    with pytest.raises(LLMPaymentRequiredError):
        asked(tmp_path / "b", broke, PARTS)


def test_subqueries_are_stripped_distinct_and_at_most_five() -> None:
    given = [
        "  First query  ",
        "",
        "first query",
        "Second query",
        "Third query",
        "Fourth query",
        "Fifth query",
        "Sixth query",
    ]
    assert subqueries("q", given) == ["First query", "first query", "Second query", "Third query", "Fourth query"]
    assert subqueries("  q ", ["", "  "]) == ["q"]
    assert told([]) == "Question decomposition results:"


def test_a_condensed_context_costs_two_calls(tmp_path: Path) -> None:
    model = ScriptedModel({"text": lambda said: "condensed" if "search results" in said else "answer"})
    turn = asked(tmp_path / "a", model, "GRAPH_SUMMARY_COMPLETION")
    assert (turn.found.context, turn.text, len(model.calls)) == ("condensed", "answer", 2)
    alone = ScriptedModel()
    asked(tmp_path / "b", alone, "GRAPH_SUMMARY_COMPLETION", only_context=True)
    assert len(alone.calls) == 1


def test_an_agent_calls_tools_until_it_answers(tmp_path: Path) -> None:
    steps = iter(
        [
            {"thought": "look", "tool": "chunks_search", "arguments": {"query": "Latvia", "top_k": 1}},
            {"thought": "wrong", "tool": "no_such_tool"},
            {"thought": "done", "answer": "Estonia."},
        ]
    )
    model = ScriptedModel({"AgentStep": lambda _: next(steps)})
    turn = asked(tmp_path, model, "AGENTIC_COMPLETION")
    assert (turn.text, len(model.calls)) == ("Estonia.", 3)
    assert "# Tool call 1: chunks_search\n# Places" in turn.found.context
    assert "ERROR: there is no tool no_such_tool" in turn.found.context


def test_an_agent_that_never_answers_is_made_to(tmp_path: Path) -> None:
    model = ScriptedModel({"AgentStep": lambda _: {"tool": "chunks_search"}, "text": lambda _: "forced"})
    turn = asked(tmp_path / "a", model, "AGENTIC_COMPLETION")
    assert (turn.text, len(model.calls)) == ("forced", 7)
    alone = ScriptedModel()
    asked(tmp_path / "b", alone, "AGENTIC_COMPLETION", only_context=True)
    assert alone.calls == []


def test_an_agent_needs_exactly_one_dataset(tmp_path: Path) -> None:
    made = world(tmp_path)
    made.dataset("one")
    made.dataset("two")
    with pytest.raises(QueryValidationError, match="exactly one dataset"):
        made.engine.ask(Request("Acme", "AGENTIC_COMPLETION"))
    assert made.engine.ask(Request("Acme", "AGENTIC_COMPLETION", datasets="two"))


@pytest.mark.parametrize("name", [n for n, r in RECIPES.items() if r.completes or r.chooses])
def test_nothing_stored_calls_no_model(tmp_path: Path, name: str) -> None:
    model = ScriptedModel()
    made = world(tmp_path, model)
    made.engine.create_dataset("local", "empty")
    with pytest.raises(NoDataError):
        made.engine.ask(Request("Acme", name))
    assert (model.calls, made.embedder.calls) == ([], [])


def test_feeling_lucky_runs_what_the_model_picks(tmp_path: Path) -> None:
    model = ScriptedModel({"TypeChoice": lambda _: {"search_type": " `chunks` ", "reason": "raw"}})
    turn = asked(tmp_path / "a", model, "FEELING_LUCKY")
    assert turn.recipe.name == "CHUNKS"
    assert any("Runs CHUNKS: raw" in note for note in turn.found.notes)
    odd = ScriptedModel({"TypeChoice": lambda _: {"search_type": "NONSENSE"}})
    assert asked(tmp_path / "b", odd, "FEELING_LUCKY").recipe.name == "RAG_COMPLETION"
    failing = ScriptedModel({"TypeChoice": lambda _: LLMTimeoutError("slow")})
    assert asked(tmp_path / "c", failing, "FEELING_LUCKY").recipe.name == "RAG_COMPLETION"


def test_a_batch_is_embedded_in_one_call_and_equal_questions_give_equal_contexts(tmp_path: Path) -> None:
    made = world(tmp_path)
    made.dataset()
    made.forget_calls()
    texts = ["Who works at Acme?", "What borders Latvia?", "Who works at Acme?"]
    for kind in (name for name, recipe in RECIPES.items() if recipe.batches):
        turns = made.engine.ask(Request(query_type=kind, query_batch=texts, top_k=3, only_context=True))
        assert [turn.query.text for turn in turns] == texts
        assert turns[0].found.context == turns[2].found.context != turns[1].found.context
        assert made.embedder.calls[0] == (texts[0], texts[1])
        made.forget_calls()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"query_batch": []}, "non-empty list"),
        ({"query_batch": "text"}, "non-empty list"),
        ({"query_batch": ["a", " "]}, "All items"),
        ({"query_batch": ["a"], "query_text": "b"}, "both"),
        ({"query_batch": ["a"], "session_id": "s"}, "session"),
        ({"query_batch": ["a"], "query_type": PARTS}, "one question at a time"),
        ({"query_batch": ["a"], "query_type": "CHUNKS"}, "one question at a time"),
        ({}, "non-empty string"),
    ],
)
def test_v17_v18_a_wrong_batch_is_refused(tmp_path: Path, wrong: dict[str, Any], message: str) -> None:
    made = world(tmp_path)
    with pytest.raises(QueryValidationError, match=message):
        made.engine.ask(replace(Request(), **wrong))


def test_follow_ups_without_a_model_ask_of_entities_that_were_found(tmp_path: Path) -> None:
    made = world(tmp_path)
    made.dataset()
    [turn] = made.engine.ask(Request("Who founded the firm that bought Initech in which year with whom?", COT, top_k=2))
    assert turn.found.drafts
    named = {node.name for item in turn.found.items if isinstance(item, Triplet) for node in (item.source, item.target)}
    assert all(draft.question.partition(":")[0] in named for draft in turn.found.drafts)
