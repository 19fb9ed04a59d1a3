"""Doubles that do a small part of a real thing honestly: they are held to the same contracts, or count what is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from retrieval.model import Facts, Floats, Mention, Prompt, Relation
from retrieval.ports import Embedder, Shape

STATED = re.compile(r"([A-Z]\w+) (works at|founded|knows|bought|borders|refers to) ([A-Z]\w+)")
PLACES = {"Acme": "Company", "Initech": "Company", "Latvia": "Country", "Estonia": "Country"}


class StatedFacts:
    """Extracts sentences of the form `Alice works at Acme` and nothing else."""

    name = "stated-1"

    def extract(self, title: str, texts: Sequence[str]) -> Iterator[Facts]:
        """The stated relations of each text."""
        for text in texts:
            found = STATED.findall(text)
            names = dict.fromkeys(name for source, _, target in found for name in (source, target))
            mentions = tuple(Mention(n, n, PLACES.get(n, "Person"), f"{n} is named in {title}.") for n in names)
            relations = tuple(Relation(s, t, r.replace(" ", "_"), f"{s} {r} {t}.") for s, r, t in found)
            yield Facts(mentions, relations)


class CountingAnswerer:
    """Answers with the first statement, cites it, and keeps every prompt."""

    name = "counting"
    generates = False

    def __init__(self) -> None:
        self.prompts: list[Prompt] = []

    def answer(self, prompt: Prompt) -> Iterator[str]:
        """Two pieces."""
        self.prompts.append(prompt)
        first = prompt.statements[0]
        yield first.text
        yield f" [{first.source}]"


class CountingEmbedder:
    """Another embedder, counting its calls and texts."""

    def __init__(self, inner: Embedder) -> None:
        self.inner = inner
        self.calls: list[tuple[str, ...]] = []

    @property
    def name(self) -> str:
        """The inner model's name."""
        return self.inner.name

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self.inner.dimensions

    @property
    def max_tokens(self) -> int:
        """The inner model's limit."""
        return self.inner.max_tokens

    def embed(self, texts: Sequence[str]) -> Floats:
        """The inner model's vectors."""
        self.calls.append(tuple(texts))
        return self.inner.embed(texts)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """The inner model's counts."""
        return self.inner.count_tokens(texts)


class ScriptedModel:
    """A language model that replies by a script and keeps what it was asked; `kinds` are the names of the schemas, or text."""

    name = "scripted"

    def __init__(self, replies: Mapping[str, Callable[[str], object]] | None = None) -> None:
        self._replies = dict(replies or {})
        self.calls: list[tuple[str, list[tuple[str, str]]]] = []

    @property
    def kinds(self) -> list[str]:
        """What was asked for, in order."""
        return [kind for kind, _ in self.calls]

    def stream(self, messages: Sequence[tuple[str, str]]) -> Iterator[str]:
        """The scripted text in two pieces; by default a new one for each call."""
        self.calls.append(("text", list(messages)))
        text = str(self._replies.get("text", lambda _: f"reply {len(self.calls)}")(messages[-1][1]))
        yield text[:3]
        yield text[3:]

    def structured(self, messages: Sequence[tuple[str, str]], shape: type[Shape]) -> Shape:
        """The scripted instance; by default one of the shape's defaults."""
        self.calls.append((shape.__name__, list(messages)))
        made = self._replies.get(shape.__name__, lambda _: {})(messages[-1][1])
        if isinstance(made, Exception):
            raise made
        return shape.model_validate(made)
