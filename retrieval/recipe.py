"""What a search type is: a row of small functions, and how one is run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

from retrieval.model import Found, Json, Query
from retrieval.ports import Deps

Step: TypeAlias = Callable[[Query, Found, Deps], Found]
Render: TypeAlias = Callable[[Query, Found, Deps], str]
Complete: TypeAlias = Callable[[Query, Found, Deps], Iterator[str]]


class Observe(Protocol):
    """Watches a run from outside: one context per stage, told what came of it."""

    def stage(self, name: str) -> AbstractContextManager[Callable[[Found | Mapping[str, Json]], None]]:
        """A timed stage; call what it gives with the result, or with counts of one's own, to record them."""


@dataclass(frozen=True, slots=True)
class Run:
    """One search under way: what a loop may do, each part watched."""

    find: tuple[tuple[str, Step], ...]
    layout: Render
    deps: Deps
    observe: Observe

    def search_all(self, query: Query, questions: Sequence[str]) -> list[Found]:
        """What the steps find for each question; all are embedded in one call."""
        with self.observe.stage("embed") as record:
            vectors = self.deps.embedder.embed(questions)
            record({"embeddings": len(questions)})
        return [self.search(query.asking(text, vector)) for text, vector in zip(questions, vectors, strict=True)]

    def search(self, query: Query) -> Found:
        """What the steps find for a question, with its context."""
        found = Found()
        for name, step in self.find:
            with self.observe.stage(name) as record:
                found = step(query, found, self.deps)
                record(found)
        return self.render(query, found)

    def render(self, query: Query, found: Found) -> Found:
        """`found` with the context of its items, within the token budget."""
        with self.observe.stage("render") as record:
            found = within_budget(self.layout, query, found, self.deps)
            record(found)
        return found


Loop: TypeAlias = Callable[[Run, Query], Found]


def once(run: Run, query: Query) -> Found:
    """The result of a single search."""
    return run.search(query)


@dataclass(frozen=True, slots=True)
class Recipe:
    """One search type.

    `calls` is its cost in model calls as shown, `needs` the collections without which it cannot run, `config` the keys of
    retriever_specific_config that it takes with their defaults; one that `chooses` runs another type, by their hints; one
    that `queries` gives rows of a graph query, and can be switched off.
    """

    name: str
    group: str
    label: str
    about: str
    find: tuple[tuple[str, Step], ...]
    render: Render
    complete: Complete | None = None
    loop: Loop = once
    calls: str = "0"
    needs: tuple[str, ...] = ()
    options: tuple[str, ...] = ("top_k",)
    config: Mapping[str, Json] = field(default_factory=dict)
    default_top_k: int | None = 5
    hint: str = ""
    chooses: bool = False
    queries: bool = False
    one_dataset: bool = False
    batches: bool = False

    @property
    def completes(self) -> bool:
        """Whether an answer is composed, not only rows returned."""
        return self.complete is not None

    @property
    def remembers(self) -> bool:
        """Whether turns of this type are part of the conversation's history."""
        return self.completes


def retrieve(recipe: Recipe, query: Query, deps: Deps, observe: Observe) -> Found:
    """Everything up to the context: find, render, and the recipe's loop around them."""
    return recipe.loop(Run(recipe.find, recipe.render, deps, observe), query)


def within_budget(render: Render, query: Query, found: Found, deps: Deps) -> Found:
    """`found` with its context; where a token budget is set, only as many of the best items as fit."""
    budget = query.context_token_budget
    context = render(query, found, deps)
    if budget is None or _tokens(context, deps) <= budget:
        return replace(found, context=context)
    fits, too_many = 0, len(found.items)
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        text = render(query, replace(found, items=found.items[:middle]), deps)
        fits, too_many = (middle, too_many) if _tokens(text, deps) <= budget else (fits, middle)
    kept = replace(found, items=found.items[:fits])
    note = f"{len(found.items) - fits} lowest-ranked results left out to keep the context within {budget} tokens."
    return replace(
        kept,
        context=render(query, kept, deps),
        dropped=len(found.items) - fits,
        notes=(*found.notes, note),
    )


def _tokens(text: str, deps: Deps) -> int:
    return deps.embedder.count_tokens([text])[0] if text else 0
