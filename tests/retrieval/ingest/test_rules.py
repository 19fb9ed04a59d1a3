"""Rules that documents state."""

from __future__ import annotations

from retrieval.ingest.rules import stated_rules
from retrieval.model import Chunk


def chunks(*texts: str) -> list[Chunk]:
    return [Chunk(f"c{i}", i, text, 1, "default") for i, text in enumerate(texts)]


def test_sections_are_rules_and_know_the_chunk_they_begin_in() -> None:
    found = stated_rules(chunks("# Rules\nIntro\n\n## One\nFirst.\n", "More of one.\n\n## Two\nSecond.\n"))
    assert [(rule.name, rule.text, rule.chunk.id) for rule in found] == [
        ("One", "One\nFirst.\nMore of one.", "c0"),
        ("Two", "Two\nSecond.", "c1"),
    ]


def test_without_sections_the_points_of_lists_are_rules() -> None:
    found = stated_rules(chunks("House rules:\n- Close the door.\n- Feed the cat\n  twice a day.\n1. Sleep.\n"))
    assert [rule.text for rule in found] == ["Close the door.", "Feed the cat\ntwice a day.", "Sleep."]


def test_numbered_rules_and_codes_are_points() -> None:
    assert [r.name for r in stated_rules(chunks("R-1: Name things.\nR-2: Test things.\n"))] == [
        "Name things.",
        "Test things.",
    ]


def test_prose_states_no_rules() -> None:
    assert stated_rules(chunks("One thing happened. Then another did.")) == []
    assert stated_rules([]) == []
