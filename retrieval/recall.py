"""`recall()`: the search type by rule, the conversation beside the graph, one flat list (reference 1.6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from retrieval.errors import NoDataError, QueryValidationError, UnsupportedSearchTypeError
from retrieval.model import StoredTurn
from retrieval.options import Request
from retrieval.router import FALLBACK, Route, route
from retrieval.words import tokens

if TYPE_CHECKING:
    from retrieval.engine import Engine
    from retrieval.turn import Turn

SCOPES = ("auto", "graph", "session", "all")
SHORTEST_WORD = 2
NAMES = ("text", "completion", "summary", "name", "content", "answer")


def recalled(
    engine: Engine,
    request: Callable[..., Request],
    query_type: str | None,
    scope: str | Sequence[str] | None,
    *,
    auto_route: bool,
) -> list[dict[str, Any]]:
    """Entries of the session and of the graph, as the scope says."""
    wanted = _scopes(scope)
    asked = request()
    if "auto" in wanted:
        wanted = ["graph"]
        if asked.session_id is not None and query_type is None:
            entries = of_session(engine, asked)
            if asked.datasets is None and asked.dataset_ids is None and entries:
                return entries
            return [*entries, *_of_graph(engine, request, query_type, auto_route=auto_route)]
    entries = of_session(engine, asked) if {"session", "all"} & set(wanted) else []
    if {"graph", "all"} & set(wanted):
        entries = [*entries, *_of_graph(engine, request, query_type, auto_route=auto_route)]
    return entries


def _scopes(scope: str | Sequence[str] | None) -> list[str]:
    listed = [scope] if isinstance(scope, str) else list(scope or ["auto"])
    unknown = [name for name in listed if name not in SCOPES]
    if unknown:
        raise QueryValidationError(f"Unknown scope {', '.join(map(repr, unknown))}. Choose among: {', '.join(SCOPES)}.")
    return listed


def of_session(engine: Engine, asked: Request) -> list[dict[str, Any]]:
    """Turns of the session that share words with the question, most shared words first."""
    if asked.session_id is None:
        return []
    words = _words(asked.query_text)
    turns = engine.conversations.turns(asked.user, asked.session_id, history=True)
    scored = [(len(words & _words(f"{turn.question} {turn.answer}")), turn) for turn in turns]
    best = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])[: asked.top_k]
    return [_session_entry(score, turn) for score, turn in best]


def _words(text: str) -> set[str]:
    return {word for word in tokens(text, stop=()) if len(word) >= SHORTEST_WORD}


def _session_entry(score: int, turn: StoredTurn) -> dict[str, Any]:
    return {
        "source": "session",
        "kind": "qa",
        "search_type": turn.search_type,
        "text": turn.answer,
        "score": score,
        "dataset_id": turn.dataset_id,
        "metadata": {"question": turn.question, "qa_id": turn.id, "time": turn.created_at.isoformat()},
    }


def _of_graph(
    engine: Engine, request: Callable[..., Request], query_type: str | None, *, auto_route: bool
) -> list[dict[str, Any]]:
    """Entries of a search; one that a rule chose and that finds nothing is made again with the fallback."""
    if query_type is not None:
        chosen = Route(query_type, "The caller chose it.")
    else:
        chosen = route(request().query_text) if auto_route else Route(FALLBACK, "Routing is off.")
    try:
        entries = _searched(engine, request, chosen)
    except (NoDataError, UnsupportedSearchTypeError):
        if query_type is not None or chosen.search_type == FALLBACK:
            raise
        entries = []
    if not entries and query_type is None and chosen.search_type != FALLBACK:
        again = Route(FALLBACK, f"{chosen.search_type} found nothing.")
        entries = _searched(engine, request, again)
    return entries


def _searched(engine: Engine, request: Callable[..., Request], chosen: Route) -> list[dict[str, Any]]:
    turns = engine.ask(request(query_type=chosen.search_type))
    return [entry for turn in turns for entry in _graph_entries(turn, chosen)]


def _graph_entries(turn: Turn, chosen: Route) -> list[dict[str, Any]]:
    turn.read()
    results = turn.found.context if turn.query.only_context else turn.text_result()
    listed = results if isinstance(results, list) else [results] if results else []
    return [
        {
            "source": "graph",
            "kind": "completion" if turn.recipe.completes else "result",
            "search_type": turn.recipe.name,
            "reason": chosen.reason,
            "text": _text_of(result),
            "score": result.get("score") or result.get("distance") if isinstance(result, dict) else None,
            "dataset_id": turn.dataset.id,
            "dataset_name": turn.dataset.name,
            "metadata": {"sources": [source.chunk_id for source in turn.found.sources]},
            "structured": None if isinstance(result, str | dict) else result,
            "raw": result,
        }
        for result in listed
    ]


def _text_of(result: Any) -> str:
    """The text of a result: itself, or the first of its usual fields that holds some."""
    if isinstance(result, dict):
        return next((str(result[name]) for name in NAMES if result.get(name)), str(result))
    return str(result)
