"""Sentences of a text, by rule: fast, the same everywhere, and each a verbatim piece of it."""

from __future__ import annotations

import re

ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st sr jr vs etc e.g i.e cf al fig figs no nos vol pp p ed eds gen sen rep gov capt col sgt lt rev hon "
    "inc ltd co corp dept univ approx est ca c jan feb mar apr jun jul aug sep sept oct nov dec u.s u.k u.n".split()
)
END = re.compile(
    r"[.!?…]+[\"'”’)\]]*(?=\s)|[。！？]+[」』”’）]*|\n\s*\n|\n(?=\s*(?:[#>*\-•|]|\d+[.)]\s))|(?<=[:;.])\n|\n(?=[A-Z][^.\n]{0,40}:\s)"
)
LAST_WORD = re.compile(r"([^\s(\[\"'“‘]+)$")
HEADING = re.compile(r"^\s*#{1,6}\s.*$", re.MULTILINE)
LONGEST_HEADING = 200


def sentences(text: str) -> list[str]:
    """The sentences in order, without the space around them; headings and list lines are sentences of their own."""
    found: list[str] = []
    for block in _blocks(text):
        start = 0
        for match in END.finditer(block):
            if _ends(block, start, match):
                found.append(block[start : match.end()].strip())
                start = match.end()
        found.append(block[start:].strip())
    return [sentence for sentence in found if any(c.isalnum() for c in sentence)]


def _blocks(text: str) -> list[str]:
    """The text cut at its heading lines."""
    blocks, start = [], 0
    for match in HEADING.finditer(text):
        blocks += [text[start : match.start()], match.group()]
        start = match.end()
    return [*blocks, text[start:]]


def _ends(block: str, start: int, match: re.Match[str]) -> bool:
    """Whether a stop ends the sentence: not after an abbreviation, an initial or before a small letter."""
    if match.group()[0] != ".":
        return True
    before = LAST_WORD.search(block, start, match.start())
    word = before.group(1).lower() if before else ""
    following = block[match.end() :].lstrip()[:1]
    if word in ABBREVIATIONS or (len(word) == 1 and word.isalpha()):
        return not following
    return not following.islower()
