"""The sample memory that comes with the app: World Factbook, 2015 edition (public domain), and forty coding rules (MIT)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files

NAME = "World Factbook, 2015 edition"
DESCRIPTION = "Sixteen Baltic, Nordic and Central European countries, and forty Python coding rules."
FACTBOOK, RULES = "factbook", "coding_agent_rules"

# One question per kind of join: a list of related things, a bridge over two documents, and a date.
EXAMPLES = (
    "Which countries share a land border with Estonia, and how long is each border?",
    "Who is head of government of Latvia, and since when?",
    "Which countries share a land border with Slovakia, and how long is each border?",
)


def documents() -> Iterator[tuple[str, bytes, str]]:
    """(file name, bytes, node set) of each document, in alphabetical order."""
    folder = files("retrieval.sample").joinpath("docs")
    for file in sorted(folder.iterdir(), key=lambda f: f.name):
        if file.name.endswith(".md"):
            yield file.name, file.read_bytes(), RULES if file.name == "coding-rules.md" else FACTBOOK


def questions() -> list[dict[str, object]]:
    """The sample's questions with their computed answers."""
    text = files("retrieval.sample").joinpath("questions.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line]


def examples() -> list[str]:
    """Three of the questions to start with."""
    return list(EXAMPLES)
