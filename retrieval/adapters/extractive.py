"""Answerer without a language model: the sentences of the context that answer best, word for word, each with its source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import log

import numpy as np

from retrieval.model import Prompt, Statement
from retrieval.ports import Embedder
from retrieval.sentences import sentences
from retrieval.words import query_tokens, tokens

NOTHING = "Nothing in this memory answers that closely enough."
# models.md B: cosine + 0.5 x share of the question's rare words + 0.08 for an entity of the asked type.
WORDS, TYPE = 0.5, 0.08
FLOOR, LEAST_WORDS = 0.5, 0.25
# A statement about what the question names: by its own words, by its source, and most of all as its subject.
NAMES, LEAD = 0.25, 0.1
# What is asked of one year is seldom answered by a statement that does not name it.
OTHER_YEAR = 0.25
MOST, MOST_LISTED = 3, 10
MARGIN, MARGIN_LISTED = 0.2, 0.3
LONG, LONGEST_LABEL, LONGEST_LINE = 320, 80, 1200
ALIKE = 0.8
LIST = re.compile(
    r"^\s*(?:which|list|name all|what are|who are|what were)\b|\b(?:countries|all|each|partners|members)\b",
    re.IGNORECASE,
)
ASKED = (
    (
        re.compile(r"\b(?:when|since when|what year|which year|date)\b", re.IGNORECASE),
        re.compile(r"\b(?:1\d|20)\d{2}\b"),
    ),
    (re.compile(r"\bhow (?:many|much|long|far|large|old|big|high)\b", re.IGNORECASE), re.compile(r"\d")),
    (re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE), re.compile(r"(?<!^)\b[A-ZÀ-Þ][\w'’\-]+ [A-ZÀ-Þ][\w'’\-]+")),
)
YEAR = re.compile(r"\b(?:1\d|20)\d{2}\b")
SPAN = re.compile(r"\b(?:before|after|since|until|till|between|from|by)\b", re.IGNORECASE)
STEM = re.compile(r"(?<=\w{3})(?:ies|es|s|ing|ed|ly)$")
HEADING = re.compile(r"^\s*#{1,6}\s")


class Extractive:
    """Chooses among the prompt's statements; needs the embedder only where they carry no distances."""

    name = "extractive"
    generates = False

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def answer(self, prompt: Prompt) -> Iterator[str]:
        """The best statements, best first, each followed by its `[source]`."""
        usable = [s for s in prompt.statements if not HEADING.match(s.text)]
        around = {s.number: stems(f"{s.document_name} {s.text}") for s in prompt.sources}
        chosen = self._chosen(prompt.question, usable, [around.get(s.source, frozenset()) for s in usable])
        if not chosen:
            yield NOTHING
            return
        if LIST.search(prompt.question) and chosen[0].text.casefold().startswith(tuple(asked_names(prompt.question))):
            chosen = _completed(chosen, {s.number: s.text for s in prompt.sources})
        for position, statement in enumerate(chosen):
            yield f"{' ' if position else ''}{_whole(statement.text)} [{statement.source}]"

    def _chosen(
        self, question: str, statements: Sequence[Statement], around: Sequence[frozenset[str]]
    ) -> list[Statement]:
        """The best statements; none where nothing names what the question names, or nothing is near enough.

        `around` holds the words of each statement's source: `Its capital is Riga` says by its document whose capital.
        """
        names = asked_names(question)
        words = [stems(s.text) for s in statements]
        if not statements or (names and not any(names & (own | a) for own, a in zip(words, around, strict=True))):
            return []
        share = shares(question, words)
        similarity = self._similarities(question, statements)
        fitting = np.array([fits(question, s.text) for s in statements])
        named = np.array([_share_of(names, own | a) for own, a in zip(words, around, strict=True)])
        leads = np.array([s.text.casefold().startswith(tuple(names)) if names else False for s in statements])
        scores = similarity + WORDS * share + TYPE * fitting + NAMES * (named - 1.0) + LEAD * leads
        years = _years(question)
        scores -= OTHER_YEAR * np.array([bool(years) and not years & own for own in words])
        best = int(np.argmax(scores))
        if scores[best] < FLOOR or (share[best] < LEAST_WORDS and similarity[best] < FLOOR):
            return []
        listing = bool(LIST.search(question))
        label = _label(statements[best].text) if listing else ""
        margin, most = (MARGIN_LISTED, MOST_LISTED) if listing else (MARGIN, MOST)
        chosen: list[int] = []
        for index in np.argsort(-np.round(scores, 6), kind="stable"):
            if len(chosen) == most or scores[index] < scores[best] - margin:
                break
            own = _label(statements[index].text)
            member = own == label or (not leads[best] and named[index] == 1 and own.split()[-1:] == label.split()[-1:])
            if chosen and ((label and not member) or len(statements[index].text) > LONG):
                continue
            if not any(alike(words[index], words[other]) for other in chosen):
                chosen.append(int(index))
        return [statements[i] for i in chosen]

    def _similarities(self, question: str, statements: Sequence[Statement]) -> np.ndarray:
        """Cosine of the question and each statement."""
        if all(s.distance is not None for s in statements):
            return np.array([1.0 - (s.distance or 0.0) for s in statements])
        vectors = self._embedder.embed([question, *(s.text for s in statements)])
        return np.asarray(vectors[1:] @ vectors[0], dtype=np.float64)


def asked_names(question: str) -> frozenset[str]:
    """Stems of the names in a question: capitalised words after the first, and words with digits."""
    words = question.split()
    marked = [w for i, w in enumerate(words) if (i and w[:1].isupper()) or any(c.isdigit() for c in w)]
    return stems(" ".join(marked))


def _years(question: str) -> frozenset[str]:
    """The years that a question asks of; none where it gives them as the ends of a span."""
    return frozenset() if SPAN.search(question) else frozenset(YEAR.findall(question))


def _share_of(names: frozenset[str], words: frozenset[str]) -> float:
    return len(names & words) / len(names) if names else 1.0


def stems(text: str) -> frozenset[str]:
    """The words of a text without endings."""
    return frozenset(STEM.sub("", word) for word in tokens(text))


def shares(question: str, statements: Sequence[frozenset[str]]) -> np.ndarray:
    """For each statement the share of the question's words that it has, rare words counting more."""
    asked = {STEM.sub("", word) for word in query_tokens(question)} - {"what", "tell", "me", "give"}
    if not asked:
        return np.zeros(len(statements))
    weights = {word: _rarity(word, statements) for word in asked}
    total = sum(weights.values())
    return np.array([sum(weights[w] for w in asked & own) / total for own in statements])


def _rarity(word: str, statements: Sequence[frozenset[str]]) -> float:
    having = sum(word in own for own in statements)
    return log(1 + (len(statements) - having + 0.5) / (having + 0.5))


def _label(text: str) -> str:
    """What stands before the colon of a labelled statement; a list is made of statements of one label."""
    label, colon, _ = text.partition(":")
    return label if colon and len(label) < LONGEST_LABEL else ""


def _completed(chosen: Sequence[Statement], sources: Mapping[int, str]) -> list[Statement]:
    """The best member of a list, then the source's own line with all of them, then what that line does not say."""
    first, label = chosen[0], _label(chosen[0].text).casefold()
    lines = (s for s in sentences(sources.get(first.source, "")) if len(s) <= LONGEST_LINE and _label(s))
    line = next((s for s in lines if label.endswith(f" {_label(s).casefold()}")), None)
    if line is None:
        return list(chosen)
    others = (s for s in chosen[1:] if s.text.partition(": ")[2].rstrip(".") not in line)
    return [first, Statement(line, first.source), *others]


def fits(question: str, text: str) -> bool:
    """Whether the statement holds the kind of thing that is asked for."""
    return any(asked.search(question) and held.search(text) for asked, held in ASKED)


def alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two statements say nearly the same."""
    return len(one & other) >= ALIKE * max(len(one | other), 1)


def _whole(text: str) -> str:
    return text if text.rstrip().endswith((".", "!", "?", "…", "。", "！", "？", '"', "”")) else f"{text.rstrip()}."
