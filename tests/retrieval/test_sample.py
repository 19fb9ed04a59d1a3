"""The sample memory on the real stores and models: how many of its computed answers are in the context, per search type."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from retrieval import sample
from retrieval.bootstrap import build
from retrieval.engine import Engine
from retrieval.options import Request
from retrieval.settings import Settings

# Measured: GRAPH 36, HYBRID 47, RAG 48, condensed 35, step by step 47, extended 40, in parts 31, TRIPLET 38, TEMPORAL 46,
# CHUNKS 48, LEXICAL 53, SUMMARIES 19, NATURAL_LANGUAGE 34, AGENTIC 50.
# Ids differ between two builds, and with them which of two equal scores comes first:
# the counts vary by one or two. A change that loses more must say so here and in the README.
LEAST = {
    "GRAPH_COMPLETION": 34,
    "HYBRID_COMPLETION": 45,
    "RAG_COMPLETION": 46,
    "GRAPH_SUMMARY_COMPLETION": 33,
    "GRAPH_COMPLETION_COT": 45,
    "GRAPH_COMPLETION_CONTEXT_EXTENSION": 38,
    "GRAPH_COMPLETION_DECOMPOSITION": 29,
    "TRIPLET_COMPLETION": 36,
    "CHUNKS": 46,
    "CHUNKS_LEXICAL": 51,
    "SUMMARIES": 17,
    "TEMPORAL": 44,
    "NATURAL_LANGUAGE": 32,
    "AGENTIC_COMPLETION": 48,
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    made = build(Settings(data_folder=tmp_path_factory.mktemp("sample")))
    for _ in made.ensure_sample("local"):
        pass
    yield made
    made.parts.memories.close()


def expected_parts(question: dict[str, object]) -> list[str]:
    """What must be in the context for the answer to be: names, and lengths without their separators."""
    parts = []
    for answer in question["answers"]:  # type: ignore[attr-defined]
        name, _, detail = str(answer).partition(" (")
        parts.append(name)
        if detail.endswith("km)"):
            parts.append(detail.removesuffix(" km)"))
    return parts


def answered(context: str, question: dict[str, object]) -> bool:
    plain = context.replace(",", "").casefold()
    return all(part.replace(",", "").casefold() in plain for part in expected_parts(question))


def count(engine: Engine, name: str) -> tuple[int, Counter[str]]:
    found: Counter[str] = Counter()
    for question in sample.questions():
        if question["search_type"] == "ABSTAIN":
            continue
        [turn] = engine.ask(Request(str(question["question"]), name))
        found[str(question["search_type"])] += answered(turn.found.context, question)
    return found.total(), found


@pytest.mark.parametrize("name", LEAST)
def test_so_many_of_the_71_answers_are_in_the_context(engine: Engine, name: str) -> None:
    total, by_kind = count(engine, name)
    assert total >= LEAST[name], dict(by_kind)


def test_the_two_questions_outside_the_memory_are_not_answered(engine: Engine) -> None:
    for question in sample.questions():
        if question["search_type"] == "ABSTAIN":
            [turn] = engine.ask(Request(str(question["question"])))
            assert "Nothing in this memory" in turn.read()


@pytest.mark.parametrize("question", sample.EXAMPLES)
def test_the_offered_questions_are_answered_from_the_graph(engine: Engine, question: str) -> None:
    known = {str(q["question"]): q for q in sample.questions()}
    [turn] = engine.ask(Request(question))
    answer = turn.read()
    assert re.search(r"\[\d+\]", answer)
    if question in known:
        assert all(part.replace(",", "") in answer.replace(",", "") for part in expected_parts(known[question]))


def test_bug_10_different_questions_read_different_contexts(engine: Engine) -> None:
    one, other = (
        engine.ask(Request(q))[0].found.context
        for q in ("Which countries border Estonia?", "mutable default argument shared between calls")
    )
    assert one.partition("Connections:")[2] != other.partition("Connections:")[2]


def test_everything_stays_the_same_when_asked_again(engine: Engine) -> None:
    """Bug 13."""
    contexts = {engine.ask(Request("Who is head of government of Latvia?"))[0].found.context for _ in range(3)}
    assert len(contexts) == 1


def test_payloads_are_json(engine: Engine) -> None:
    [turn] = engine.ask(Request("Which countries border Ukraine?"))
    turn.read()
    assert json.loads(json.dumps(turn.payload(), allow_nan=False))["completes"] is True


def test_the_sample_is_built_once(engine: Engine) -> None:
    assert list(engine.ensure_sample("local")) == []


def test_every_document_is_labelled_with_its_edition() -> None:
    for name, data, node_set in sample.documents():
        if node_set == sample.FACTBOOK:
            assert b"2015" in data.splitlines()[0], name
    assert (
        Path(sample.__file__).with_name("docs").joinpath("coding-rules.md").read_text(encoding="utf-8").count("\n## ")
        == 40
    )
