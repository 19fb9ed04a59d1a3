"""Words of a text: the tokens of lexical search, generated titles, and what counts as blank (reference 2.5, 3.4, 3.13)."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator

STOP_WORDS = frozenset(
    "a an the and or but is are was were in on at to for with by about of from as that this these those it its them they "
    "their he she his her him we our you your not be been being have has had do does did can could will would shall should "
    "may might must when where which who whom whose why how".split()
)
NO_STOP_WORDS: frozenset[str] = frozenset()

# A run of letters, digits, marks and underscores; with what makes C++, .NET and node.js words of their own.
MARKS = "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a03\u0a3c-\u0a4d\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b4d\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3e-\u0c4d\u0c81-\u0c83\u0cbc-\u0ccd\u0d00-\u0d03\u0d3b-\u0d4d\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u0f18-\u0f39\u0f71-\u0f84\u1037-\u103e\u17b4-\u17d3\u200c\u200d"  # noqa: E501
WORD = re.compile(rf"[\w{MARKS}]+")
GLUED = re.compile(
    rf"(?<![\w{MARKS}])(?:\.?[^\W\d_][\w{MARKS}]*(?:[.][\w{MARKS}]+)+|\.[^\W\d_]\w*|[^\W\d_]\w*(?:\+\+|#))(?![\w+#])"
)
# Scripts written without spaces between words: runs of them become character bigrams.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
RUN = re.compile(rf"[{UNSPACED}]+|[^{UNSPACED}]+")
HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff\u180e\u00ad\u200e\u200f\u2063\u2062\u2061\u2064")


def is_blank(text: str) -> bool:
    """Whether nothing of the text can be seen: only spaces of any kind, control and zero-width characters."""
    return all(c.isspace() or c in INVISIBLE or unicodedata.category(c) in {"Cc", "Cf"} for c in text)


def tokens(text: str, stop: Collection[str] = STOP_WORDS) -> list[str]:
    """Searchable words in order, repeated as often as they occur, without stop words.

    Compared without regard to case and composition. Unspaced scripts give character bigrams; snake_case, CamelCase and
    words with a sign in them (C++, .NET, node.js) are kept whole, and their parts follow.
    """
    composed = unicodedata.normalize("NFC", text)
    return [word for word in _words(composed) if word not in stop]


def query_tokens(text: str, stop: Collection[str] = STOP_WORDS) -> list[str]:
    """The tokens of a question; where it is all stop words, those, so that `the who` can be found."""
    return tokens(text, stop) or tokens(text, NO_STOP_WORDS)


def _words(text: str) -> Iterator[str]:
    glued = {match.end(): match.group() for match in GLUED.finditer(text)}
    for match in WORD.finditer(text):
        for run in RUN.findall(match.group()):
            yield from _pieces(run)
        for end in range(match.end(), match.end() + 3):
            whole = glued.pop(end, None)
            if whole is not None:
                yield _folded(whole)
                break


def _pieces(run: str) -> Iterator[str]:
    if re.match(f"[{UNSPACED}]", run):
        yield from (run[i : i + 2] for i in range(max(len(run) - 1, 1)))
        return
    whole = _folded(run)
    yield whole
    parts = [_folded(hump) for part in run.split("_") for hump in HUMP.findall(part)]
    if "_" in run or (len(parts) > 1 and re.search(r"[a-z][A-Z]|[A-Z]{2}[a-z]", run)):
        yield from (part for part in parts if part != whole)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())


def title(text: str) -> str:
    """What a text without a name is called: its first seven words and its three most frequent ones (AC-C4)."""
    words = [word.lower().strip(string.punctuation) for word in text.split()]
    frequent = Counter(word for word in words if word and word not in STOP_WORDS).most_common(3)
    return f"{' '.join(text.split()[:7])}... [{', '.join(word for word, _ in frequent)}]"
