"""What a search type is: a row of small functions, and how one is run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from retrieval.model import Found, Query
from retrieval.ports import Deps

Step: TypeAlias = Callable[[Query, Found, Deps], Found]
Render: TypeAlias = Callable[[Query, Found, Deps], str]
Complete: TypeAlias = Callable[[Query, Found, Deps], Iterator[str]]
Search: TypeAlias = Callable[[Query], Found]
Loop: TypeAlias = Callable[[Search, Query, Deps], Found]


class Observe(Protocol):
    """Watches a run from outside: one context per stage, told what came of it."""

    def stage(self, name: str) -> AbstractContextManager[Callable[[Found], None]]:
        """A timed stage; call what it gives with the result to record counts."""


def once(search: Search, query: Query, deps: Deps) -> Found:
    """The result of a single search."""
    return search(query)


@dataclass(frozen=True, slots=True)
class Recipe:
    """One search type. `calls` is its cost in model calls as shown, `needs` the collections without which it cannot run."""

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
    config: tuple[str, ...] = ()
    default_top_k: int = 5
    hint: str = ""

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

    def search(asked: Query) -> Found:
        found = Found()
        for name, step in recipe.find:
            with observe.stage(name) as record:
                found = step(asked, found, deps)
                record(found)
        with observe.stage("render") as record:
            found = within_budget(recipe.render, asked, found, deps)
            record(found)
        return found

    return recipe.loop(search, query, deps)


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
