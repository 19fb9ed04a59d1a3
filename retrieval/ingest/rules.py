"""The rules that a document states: its sections, or where it has none, the points of its lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from retrieval.model import Chunk

HEADING = re.compile(r"^#{2,6}[ \t]+(\S.*?)[ \t#]*$", re.MULTILINE)
POINT = re.compile(r"^[ \t]*(?:[-*•]|\d+[.)]|[A-Z]{1,6}-?\d+[:.)]?)[ \t]+(?=\S)", re.MULTILINE)
FEWEST = 2


@dataclass(frozen=True, slots=True)
class StatedRule:
    """One rule: its heading or first words, its whole text, and the chunk in which it begins."""

    name: str
    text: str
    chunk: Chunk


def stated_rules(chunks: Sequence[Chunk]) -> list[StatedRule]:
    """The rules of a document in order; a document without sections and lists states none."""
    whole = "".join(chunk.text for chunk in chunks)
    starts = [match.start() for match in HEADING.finditer(whole)]
    if len(starts) < FEWEST:
        starts = [match.start() for match in POINT.finditer(whole)]
    return list(_cut(whole, starts, chunks)) if len(starts) >= FEWEST else []


def _cut(whole: str, starts: Sequence[int], chunks: Sequence[Chunk]) -> Iterator[StatedRule]:
    ends = [*starts[1:], len(whole)]
    chunk, passed = iter(chunks), 0
    current = next(chunk)
    for start, end in zip(starts, ends, strict=True):
        while start >= passed + len(current.text):
            passed += len(current.text)
            current = next(chunk)
        first, _, rest = whole[start:end].strip().partition("\n")
        name = POINT.sub("", first.lstrip("#"), count=1).strip()
        if name or rest.strip():
            yield StatedRule(name[:120], "\n".join(part for part in (name, rest.strip()) if part), current)
