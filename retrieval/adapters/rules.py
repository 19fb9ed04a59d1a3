"""Reasoner without a language model: every thinking step by rule, the same for the same input."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np

from retrieval import dates
from retrieval.adapters.extractive import alike, fits, shares, stems
from retrieval.adapters.graph_questions import statements
from retrieval.graph import Graph
from retrieval.model import Act, Choice, Floats, Found, GraphSchema, Node, Triplet, Verdict, Window
from retrieval.ports import Embedder
from retrieval.words import query_tokens

# Whether a question asks of a time does not depend on the day.
ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC)
# An answer is complete when one statement has this share of the question's words, the rare ones counting more.
COMPLETE = 0.85
LONGEST_CONDENSED = 40
STRUCTURE = frozenset(
    {"DocumentChunk", "TextDocument", "TextSummary", "EntityType", "NodeSet", "Event", "Timestamp", "Interval"}
)
QUESTION = r"(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|list|name|compare)"  # noqa: E501
PART = r"[A-ZÀ-Þ0-9][\w'’.&\-]*"
NAME = rf"(?:the |The )?[\"“]?{PART}(?: (?:of |the |de |von |van |and the )?{PART})*[\"”]?"
CLAUSES = re.compile(
    rf"(?:\?|;|,)\s*(?:and|or|but)?\s*(?={QUESTION}\b)|,?\s+(?:and|but)\s+(?={QUESTION}\b)", re.IGNORECASE
)
EITHER = re.compile(rf"^(?P<ask>.+?)[,:]\s*(?:either )?(?P<one>{NAME}),? (?:or|and) (?P<other>{NAME})\??$")
BOTH = re.compile(
    rf"^(?P<verb>(?:Are|Were|Do|Did|Have|Is|Was|Does))\s+(?:both )?(?P<one>{NAME}),? and (?P<other>{NAME})\s+(?P<rest>.+?)\??$"
)
COMPARED = re.compile(
    r"^(?:Compare|(?:What (?:is|are) |Tell me )?(?:the )?(?:difference|similarity|similaritie|relation|relationship|connection)s? between|"  # noqa: E501
    rf"How (?:do|does|did|are|is)) (?P<one>{NAME}),? (?:and|with|to|or|from) (?P<other>{NAME})(?P<rest>.*?)\??$"
)
LISTED = re.compile(rf"^(?P<ask>.+\s)(?P<one>{NAME}),? (?:and|or) (?P<other>{NAME})\??$")
SHARED = re.compile(r"\b(?:both|together|in common|same|between)\b")
SINGULAR = {"Are": "Is", "Were": "Was", "Do": "Does", "Have": "Has"}


class Rules:
    """Decides by the words of questions and statements; needs the embedder to choose a search type."""

    generates = False

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._hints: dict[tuple[str, ...], Floats] = {}

    def condense(self, question: str, found: Found, system_prompt: str | None) -> str:
        """The distinct statements of the context in their order, each with its source."""
        told: list[str] = []
        words: list[frozenset[str]] = []
        for statement in found.statements:
            own = stems(statement.text)
            if own and not any(own <= other or alike(own, other) for other in words):
                told.append(f"{statement.text} [{statement.source}]")
                words.append(own)
        return "\n".join(_most_asked(question, told, words)) or found.context

    def validate(self, question: str, answer: str, found: Found) -> Verdict:
        """Complete where one statement has nearly all words of the question and holds the kind of thing asked for."""
        statements = [stems(s.text) for s in found.statements]
        if not statements:
            return Verdict(complete=False, reasoning="Nothing was found that could be quoted.")
        share = shares(question, statements)
        best = int(np.argmax(share))
        if share[best] >= COMPLETE and fits(question, found.statements[best].text):
            return Verdict(complete=True, reasoning=f"Source {found.statements[best].source} has what is asked for.")
        lacking = _lacking(question, statements[best])
        return Verdict(complete=False, reasoning=f"No statement speaks of {', '.join(lacking) or 'what is asked for'}.")

    def follow_up(self, question: str, answer: str, verdict: Verdict, found: Found, asked: Sequence[str]) -> str:
        """What is lacking, asked of the nearest entity that was not asked about yet."""
        known = frozenset().union(*(stems(text) for text in asked))
        for node in _entities(found):
            if not stems(node.name) <= known:
                lacking = _lacking(question, stems(f"{node.name} {node.description}"))
                return f"{node.name}: {' '.join(lacking) or question}"
        return ""

    def decompose(self, question: str) -> list[str]:
        """The question's clauses; a comparison or a list of two names as one question for each of them."""
        whole = " ".join(question.split())
        clauses = [part.strip(" ?,;") for part in CLAUSES.split(whole)]
        clauses = [part for part in clauses if len(part.split()) > 1]
        if len(clauses) > 1:
            return [f"{part[0].upper()}{part[1:]}?" for part in clauses]
        return list(_of_each(whole)) or [whole]

    def interval(self, question: str, now: datetime) -> Window | None:
        """The time that the words of the question name."""
        return dates.window(question, now)

    def choose(self, question: str, hints: Mapping[str, str]) -> Choice | None:
        """The type whose hint is nearest in meaning."""
        if not hints:
            return None
        told = tuple(hints.values())
        if told not in self._hints:
            self._hints[told] = self._embedder.embed(told)
        near = self._hints[told] @ self._embedder.embed([question])[0]
        best = int(np.argmax(np.round(near, 6)))
        name = list(hints)[best]
        return Choice(name, f"The question is nearest to what {name} is for: {hints[name]}.")

    def cypher(self, question: str, schema: GraphSchema, graph: Graph, attempts: Sequence[tuple[str, str]]) -> str:
        """A statement for the common shapes of questions, the next likely one after each attempt."""
        made = statements(question, schema, graph, self._embedder)
        return made[len(attempts)] if len(attempts) < len(made) else ""

    def act(self, question: str, context: str, tools: Mapping[str, str], used: Sequence[str]) -> Act:
        """Each tool that fits once, in their order; then the answer is composed from what they gave."""
        for tool in tools:
            if tool in used or (tool == "time_search" and self.interval(question, ANY_DAY) is None):
                continue
            if tool != "cypher_read":
                return Act(thought=f"{tool} was not asked yet.", tool=tool, arguments={"query": question})
        return Act(thought="All tools were asked.")


def _most_asked(question: str, told: Sequence[str], words: Sequence[frozenset[str]]) -> list[str]:
    """At most so many of the statements, those that share most with the question, in their order."""
    if len(told) <= LONGEST_CONDENSED:
        return list(told)
    share = shares(question, words)
    kept = sorted(np.argsort(-share, kind="stable")[:LONGEST_CONDENSED].tolist())
    return [told[i] for i in kept]


def _lacking(question: str, said: frozenset[str]) -> list[str]:
    """Words of the question that were not said, in their order and as they stand there."""
    return [word for word in dict.fromkeys(query_tokens(question)) if not stems(word) <= said]


def _entities(found: Found) -> Iterator[Node]:
    """The named things of the triplets, nearest first."""
    nodes: dict[str, Node] = {}
    for item in found.items:
        if isinstance(item, Triplet):
            ends = sorted(
                ((item.source_distance, item.source), (item.target_distance, item.target)), key=lambda e: e[0]
            )
            nodes.update((node.id, node) for _, node in ends if node.type not in STRUCTURE and node.id not in nodes)
    yield from (node for node in nodes.values() if node.name.strip())


def _of_each(question: str) -> Iterator[str]:
    """One question for each of two compared or listed names."""
    for pattern in (EITHER, BOTH, COMPARED, LISTED):
        found = pattern.match(question)
        if found is None:
            continue
        names = (found["one"], found["other"])
        if pattern is BOTH:
            verb = SINGULAR.get(found["verb"], found["verb"])
            rest = SHARED.sub("", found["rest"]).strip()
            yield from (f"{verb} {name} {rest}?" for name in names)
        elif pattern is COMPARED:
            yield from (f"What is known about {name}{found['rest']}?" for name in names)
        elif pattern is EITHER:
            yield from (f"{found['ask'].strip()}: {name}?" for name in names)
        else:
            yield from (f"{found['ask']}{name}?" for name in names)
        return
