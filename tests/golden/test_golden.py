"""One reviewed file per search type: items, context and prompt for three fixed questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from retrieval.model import Fact, Passage, Statements
from retrieval.options import Request
from retrieval.recipes import RECIPES
from retrieval.turn import Turn
from tests.world import RULES, World, world

QUESTIONS = ("Who works at Acme?", "What did Acme buy in 2015?", "Which countries border Latvia?")
STATEMENTS = (
    "MATCH (p:Person)-[:WORKS_AT]->(c {name: 'Acme'}) RETURN p.name",
    "MATCH (a {name: 'Acme'})-[r:bought]->(b) RETURN a, r, b.name AS bought",
    "MATCH (a:Country)-[:borders]->(b:Country {name: 'Latvia'}) RETURN count(*)",
)
FOLDER = Path(__file__).parent


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> World:
    made = world(tmp_path_factory.mktemp("world"))
    made.dataset(rules=RULES)
    return made


@pytest.mark.parametrize("name", RECIPES)
def test_items_context_and_prompt_are_as_reviewed(small: World, name: str, pytestconfig: pytest.Config) -> None:
    told = "".join(_told(small, name, question) for question in (STATEMENTS if name == "CYPHER" else QUESTIONS))
    file = FOLDER / f"{name.lower()}.txt"
    if pytestconfig.getoption("--write-golden"):
        file.write_text(told, encoding="utf-8")
    assert told == file.read_text(encoding="utf-8")


def test_every_golden_file_belongs_to_a_search_type() -> None:
    assert {f.stem for f in FOLDER.glob("*.txt")} == {name.lower() for name in RECIPES}


def _told(small: World, name: str, question: str) -> str:
    small.forget_calls()
    [turn] = small.engine.ask(Request(question, name, top_k=4, session_id=f"{name} {question}"))
    answer = turn.read()
    prompt = small.answerer.prompts[0].system_prompt if small.answerer.prompts else "(none)"
    items = "\n".join(_item(turn))
    return f"# {question}\n\n## Items\n{items}\n\n## Context\n{turn.found.context}\n\n## System prompt\n{prompt}\n\n## Answer\n{answer}\n\n\n"  # noqa: E501


def _item(turn: Turn) -> list[str]:
    rows = turn.found.rows
    lines = [rows.statement, *(json.dumps(dict(row)) for row in rows.rows)] if rows is not None else []
    for item in turn.found.items:
        if isinstance(item, Statements):
            lines.append(
                f"{item.rank}. {item.distance:.4f} {item.node.name} ({item.kind}): {len(item.edges)} statements"
            )
        elif isinstance(item, Fact):
            lines.append(f"{item.rank}. {item.distance:.4f} {item.text!r}")
        elif isinstance(item, Passage):
            value = item.distance if item.distance is not None else item.score
            parts = " ".join(f"{name} {part:.4f}" for name, part in item.parts.items())
            lines.append(f"{item.rank}. {value:.4f} {item.entry.text!r}{f' = {parts}' if parts else ''}")
        else:
            parts = f"{item.source_distance:.3f} {item.edge_distance:.3f} {item.target_distance:.3f}"
            lines.append(
                f"{item.rank}. {item.score:.4f} = {parts}  {item.source.name} --[{item.edge.relationship}]--> {item.target.name}"
            )
    return lines
