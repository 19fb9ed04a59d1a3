"""Numbered citations in an answer: which are known, and which sentence each one supports."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from components.literal import literal
from retrieval.sentences import sentences
from retrieval.words import tokens

CITED = re.compile(
    r"(?<![\w\]\)])\s?\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\](?!\()|(?<=[\]\)])\s?\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\](?!\()"
)
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Citation:
    """A number in an answer, whether there is such a source, and the words before it that it supports."""

    number: int
    known: bool
    supports: str


def citations(answer: str, numbers: Collection[int]) -> list[Citation]:
    """The citations of an answer in order, each number once per place; code and years are none."""
    code = [(m.start(), m.end()) for m in CODE.finditer(answer)]
    found: list[Citation] = []
    start = 0
    for match in CITED.finditer(answer):
        if any(a <= match.start() < b for a, b in code):
            continue
        supports = answer[start : match.start()].strip() or (found[-1].supports if found else "")
        found += [Citation(n, n in numbers, supports) for n in _numbers(match)]
        start = match.end()
    return found


def _numbers(match: re.Match[str]) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", match.group())]


def shown(answer: str, numbers: Collection[int]) -> str:
    """The answer for st.markdown: literal text, known citations marked, unknown ones struck out."""
    code = [(m.start(), m.end()) for m in CODE.finditer(answer)]
    parts, start = [], 0
    for match in CITED.finditer(answer):
        if any(a <= match.start() < b for a, b in code):
            continue
        parts.append(literal(answer[start : match.start()].rstrip(" ")))
        parts += [f" :blue[\\[{n}\\]]" if n in numbers else f" ~~\\[{n}\\]~~" for n in _numbers(match)]
        start = match.end()
    return "".join(parts) + literal(answer[start:])


def supporting(text: str, claim: str) -> str:
    """The sentence of a passage that a claim rests on: the claim itself where it stands there, else the likest one."""
    plain = " ".join(claim.split())
    if plain and plain in text:
        return plain
    words = set(tokens(claim))
    told = sentences(text)
    if not words or not told:
        return ""
    best = max(told, key=lambda s: (len(words & set(tokens(s))) / (len(words | set(tokens(s))) or 1), -told.index(s)))
    return best if words & set(tokens(best)) else ""
