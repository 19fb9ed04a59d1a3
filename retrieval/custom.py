"""A class with the page's three steps as a search type: it replaces a built-in one, or adds a name."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from retrieval.errors import QueryValidationError
from retrieval.model import Found, Query
from retrieval.ports import Deps
from retrieval.recipe import Recipe

STEPS = ("get_retrieved_objects", "get_context_from_objects", "get_completion_from_context")


class BaseRetriever:
    """The three steps of a search type; each may be a coroutine. Built with the search's parameters as keywords."""

    def __init__(self, **parameters: Any) -> None:
        self.parameters = parameters

    def get_retrieved_objects(self, query: str) -> Any:
        """Whatever was found."""
        raise NotImplementedError

    def get_context_from_objects(self, query: str, retrieved_objects: Any) -> Any:
        """The context as text."""
        raise NotImplementedError

    def get_completion_from_context(self, query: str, retrieved_objects: Any, context: str) -> Any:
        """A list of results, usually one text."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved:
    """What a custom retriever found, and the retriever, which lives as long as its search."""

    retriever: Any
    objects: Any


def checked(name: str, cls: Any) -> type:
    """The class, if it has all three steps of its own."""
    missing = [
        step
        for step in STEPS
        if not callable(getattr(cls, step, None)) or getattr(cls, step) is getattr(BaseRetriever, step)
    ]
    if not isinstance(cls, type) or missing:
        raise QueryValidationError(
            f"A retriever for {name} must be a class with {', '.join(STEPS)}. Missing: {', '.join(missing) or 'a class'}."
        )
    return cls


def recipe_of(name: str, cls: type, builtin: Recipe | None) -> Recipe:
    """The row that runs the class; its options are those of the type that it replaces."""

    def find(query: Query, found: Found, deps: Deps) -> Found:
        retriever = cls(**_accepted(cls, _parameters(query)))
        return replace(found, objects=Retrieved(retriever, _done(retriever.get_retrieved_objects(query.text))))

    def render(query: Query, found: Found, deps: Deps) -> str:
        own = found.objects
        context = _done(own.retriever.get_context_from_objects(query.text, retrieved_objects=own.objects))
        return context if isinstance(context, str) else _text(context)

    def complete(query: Query, found: Found, deps: Deps) -> Iterator[str]:
        own = found.objects
        results = _done(
            own.retriever.get_completion_from_context(query.text, retrieved_objects=own.objects, context=found.context)
        )
        listed = results if isinstance(results, list | tuple) else [results]
        yield "\n".join(_text(result) for result in listed if result is not None)

    row = Recipe(
        name, "Answers", name, f"The registered retriever {cls.__name__}.", (("objects", find),), render, complete
    )
    if builtin is None:
        return replace(
            row, options=("top_k", "node_name", "node_name_filter_operator", "only_context", "system_prompt")
        )
    return replace(row, group=builtin.group, label=builtin.label, options=builtin.options, config=builtin.config)


def _parameters(query: Query) -> dict[str, Any]:
    return {
        "top_k": query.top_k,
        "system_prompt": query.system_prompt,
        "node_name": list(query.node_sets.names) if query.node_sets else None,
        "node_name_filter_operator": "AND" if query.node_sets and query.node_sets.match_all else "OR",
        "wide_search_top_k": query.wide_search_top_k,
        "triplet_distance_penalty": query.triplet_distance_penalty,
        "feedback_influence": query.feedback_influence,
        "neighborhood_depth": query.neighborhood_depth,
        "neighborhood_seed_top_k": query.neighborhood_seed_top_k,
        "include_references": query.include_references,
        "response_model": query.response_model,
        **query.config,
    }


def _accepted(cls: type, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Those parameters that the class takes."""
    known = inspect.signature(cls).parameters
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in known.values()):
        return dict(parameters)
    return {name: value for name, value in parameters.items() if name in known}


def _done(value: Any) -> Any:
    """The value, or what a coroutine gives; searches run in threads without an event loop."""
    return asyncio.run(_awaited(value)) if inspect.isawaitable(value) else value


async def _awaited(value: Any) -> Any:
    return await value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
