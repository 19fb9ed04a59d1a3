"""An AI memory: add documents, build a graph of them, and search it. All functions are async; `Engine` is their sync core."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from pydantic import BaseModel

from retrieval import datasets, errors, session
from retrieval.custom import BaseRetriever
from retrieval.model import Json
from retrieval.options import Request
from retrieval.process import caller
from retrieval.process import engine as shared_engine
from retrieval.recall import recalled
from retrieval.recipes import SearchType
from retrieval.shapes import Payload, shaped

if TYPE_CHECKING:
    from retrieval.engine import Engine
    from retrieval.turn import Turn

__all__ = [
    "BaseRetriever",
    "SearchType",
    "add",
    "cognify",
    "datasets",
    "errors",
    "memify",
    "prune",
    "recall",
    "search",
    "session",
    "use_retriever",
]

Addable = str | bytes | Path | IO[bytes]


async def add(
    data: Addable | Sequence[Addable],
    dataset_name: str = "main_dataset",
    node_set: Sequence[str] | None = None,
    user: str | None = None,
) -> list[str]:
    """Ids of the stored documents. `data` is text, a path, bytes, an open file, or a list of these; nothing is processed."""
    return await asyncio.to_thread(_add, data, dataset_name, tuple(node_set or ()), user)


def _add(
    data: Addable | Sequence[Addable], dataset_name: str, node_set: tuple[str, ...], user: str | None
) -> list[str]:
    own, who = shared_engine(), caller(user)
    single = isinstance(data, str | bytes | Path) or hasattr(data, "read")
    items: Sequence[Addable] = [data] if single else list(data)  # type: ignore[list-item, arg-type]
    known = {d.name: d for d in own.datasets(who)}
    dataset = known.get(dataset_name) or own.create_dataset(who, dataset_name)
    return [_add_one(own, who, dataset.id, item, node_set) for item in items]


def _add_one(own: Engine, who: str, dataset_id: str, item: Addable, node_set: tuple[str, ...]) -> str:
    if isinstance(item, bytes):
        return own.add(who, dataset_id, "data.txt", item, node_set, replace=False).id
    if isinstance(item, str) and not _is_file(item):
        return own.add_text(who, dataset_id, item, node_sets=node_set).id
    if isinstance(item, str | Path):
        path = Path(item)
        if not path.is_file():
            raise errors.IngestionError(f"{path} is not a file. Check the path.")
        return own.add(who, dataset_id, path.name, path.read_bytes(), node_set).id
    named = getattr(item, "name", None)
    name = Path(str(named)).name if named else "data.txt"
    return own.add(who, dataset_id, name, item.read(), node_set, replace=None if named else False).id


def _is_file(text: str) -> bool:
    return "\n" not in text and len(text) < 1000 and "\0" not in text and Path(text).is_file()


async def cognify(
    datasets: str | Sequence[str] | None = None, temporal: bool = True, user: str | None = None
) -> dict[str, list[Json]]:
    """A report per file of each dataset: stage, chunks, entities, events, relations, seconds, notes, problem. Without
    `temporal` no dated events are kept.
    """
    return await asyncio.to_thread(_cognify, datasets, temporal, user)


def _cognify(names: str | Sequence[str] | None, temporal: bool, user: str | None) -> dict[str, list[Json]]:
    own, who = shared_engine(), caller(user)
    reports: dict[str, list[Json]] = {}
    for dataset in own.access.resolve(who, names, None, "write"):
        for _ in own.cognify(who, dataset.id, temporal=temporal):
            pass
        reports[dataset.name] = [{"file": d.name, **d.report} for d in own.documents(who, dataset.id)]
    return reports


async def search(
    query_text: str = "",
    query_type: SearchType | str = SearchType.GRAPH_COMPLETION,
    user: str | None = None,
    datasets: str | Sequence[str] | None = None,
    dataset_ids: str | Sequence[str] | None = None,
    system_prompt: str | None = None,
    top_k: int | None = 15,
    node_name: Sequence[str] | None = None,
    node_name_filter_operator: str = "OR",
    only_context: bool = False,
    session_id: str | None = None,
    wide_search_top_k: int | None = 100,
    triplet_distance_penalty: float | None = 6.5,
    feedback_influence: float = 0.0,
    verbose: bool = False,
    retriever_specific_config: Mapping[str, Json] | None = None,
    neighborhood_depth: int | None = None,
    neighborhood_seed_top_k: int | None = None,
    include_references: bool = False,
    system_prompt_path: str | Path | None = None,
    response_model: type[BaseModel] | None = None,
    context_token_budget: int | None = None,
    query_batch: Sequence[str] | None = None,
) -> list[Json]:
    """Results in the shapes of reference 1.5: a list of answers or rows; labelled per dataset with access control on."""
    request = Request(
        query_text=query_text,
        query_type=query_type,
        user=caller(user),
        datasets=datasets,
        dataset_ids=dataset_ids,
        system_prompt=system_prompt,
        system_prompt_path=None if system_prompt_path is None else str(system_prompt_path),
        response_model=response_model,
        context_token_budget=context_token_budget,
        query_batch=query_batch,
        top_k=top_k,
        node_name=node_name,
        node_name_filter_operator=node_name_filter_operator,
        only_context=only_context,
        session_id=session_id,
        wide_search_top_k=wide_search_top_k,
        triplet_distance_penalty=triplet_distance_penalty,
        feedback_influence=feedback_influence,
        retriever_specific_config=retriever_specific_config,
        neighborhood_depth=neighborhood_depth,
        neighborhood_seed_top_k=neighborhood_seed_top_k,
        include_references=include_references,
    )
    return await asyncio.to_thread(partial(_search, request, verbose=verbose))


def _search(request: Request, *, verbose: bool) -> list[Json]:
    own = shared_engine()
    payloads = [_payload(turn, request) for turn in own.ask(request)]
    return shaped(payloads, access_control=own.settings.access_control, verbose=verbose)


def _payload(turn: Turn, request: Request) -> Payload:
    turn.read()
    view = turn.payload()
    return Payload(
        turn.dataset.id,
        turn.dataset.name,
        completion=None if request.only_context else turn.text_result(),
        context=turn.found.context,
        objects=turn.result()["objects_result"],
        only_context=request.only_context,
        trace=view["trace"],
        evidence=view["sources"],
        error=turn.error.message if turn.error else "",
    )


async def recall(
    query_text: str,
    query_type: SearchType | str | None = None,
    *,
    scope: str | Sequence[str] | None = None,
    auto_route: bool = True,
    user: str | None = None,
    datasets: str | Sequence[str] | None = None,
    dataset_ids: str | Sequence[str] | None = None,
    session_id: str | None = None,
    top_k: int | None = 15,
    **options: Any,
) -> list[dict[str, Any]]:
    """What the memory and the session hold, as a flat list of entries with their `source`, `search_type` and `text`.

    Without a type the ordered rules of `retrieval.router` choose one, and HYBRID_COMPLETION is the last resort. `scope` is
    auto, graph, session or all; in auto a session without datasets is asked first, and what it holds is enough.
    """
    request = partial(
        Request,
        query_text,
        user=caller(user),
        datasets=datasets,
        dataset_ids=dataset_ids,
        session_id=session_id,
        top_k=top_k,
        **options,
    )
    chosen = str(query_type) if query_type is not None else None
    return await asyncio.to_thread(recalled, shared_engine(), request, chosen, scope, auto_route=auto_route)


async def memify(
    pipeline: str, datasets: str | Sequence[str] | None = None, user: str | None = None
) -> dict[str, list[Json]]:
    """What a pipeline did in each dataset: triplet_embeddings, global_context_index or coding_rules."""
    return await asyncio.to_thread(_memify, pipeline, datasets, user)


def _memify(pipeline: str, names: str | Sequence[str] | None, user: str | None) -> dict[str, list[Json]]:
    own, who = shared_engine(), caller(user)
    return {
        dataset.name: [
            {"document": step.document, "stage": step.stage, "message": step.message}
            for step in own.memify(who, dataset.id, pipeline)
        ]
        for dataset in own.access.resolve(who, names, None, "write")
    }


def use_retriever(search_type: SearchType | str, retriever: type | None) -> None:
    """Let a class with the three steps of BaseRetriever answer for a search type; None brings the built-in one back."""
    shared_engine().use_retriever(search_type, retriever)


async def prune(*, confirm: str = "", user: str | None = None) -> int:
    """Number of datasets forgotten, with all their documents; needs confirm="forget everything"."""
    if confirm != "forget everything":
        raise errors.QueryValidationError(
            'prune() deletes all your datasets. Pass confirm="forget everything" to go on.'
        )
    return await asyncio.to_thread(_prune, user)


def _prune(user: str | None) -> int:
    own, who = shared_engine(), caller(user)
    owned = [d for d in own.datasets(who) if d.owner == who]
    for dataset in owned:
        own.delete_dataset(who, dataset.id)
    return len(owned)
