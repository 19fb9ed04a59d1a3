"""A request as callers make it, the options that search types take, and the check that turns one into a Query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import BaseModel

from retrieval.errors import InvalidFeedbackInfluenceError, QueryValidationError
from retrieval.model import Json, NodeSetFilter, Query
from retrieval.recipe import Recipe
from retrieval.words import is_blank

DEFAULT_PROMPT_FILE = "answer_simple_question.txt"


@dataclass(frozen=True, slots=True)
class Request:
    """The parameters of `search()`, unchecked."""

    query_text: str = ""
    query_type: str = "GRAPH_COMPLETION"
    user: str = "local"
    datasets: str | Sequence[str] | None = None
    dataset_ids: str | Sequence[str] | None = None
    system_prompt: str | None = None
    top_k: int | None = 15
    node_name: Sequence[str] | None = None
    node_name_filter_operator: str = "OR"
    only_context: bool = False
    session_id: str | None = None
    wide_search_top_k: int | None = 100
    triplet_distance_penalty: float | None = 6.5
    feedback_influence: float = 0.0
    retriever_specific_config: Mapping[str, Json] | None = None
    neighborhood_depth: int | None = None
    neighborhood_seed_top_k: int | None = None
    include_references: bool = False
    context_token_budget: int | None = None
    system_prompt_path: str | None = None
    response_model: type[BaseModel] | None = None
    query_batch: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """One knob as a form shows it; `kind` is int, float, flag, names, choice or text."""

    name: str
    label: str
    kind: str
    default: Json
    about: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = field(default=())


OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        Option("top_k", "Results (top_k)", "int", 15, "How many triplets or passages are kept.", 1, 200),
        Option(
            "wide_search_top_k",
            "Candidates per collection",
            "int",
            100,
            "How many vector hits each collection may seed the graph with.",
            1,
            2000,
        ),
        Option(
            "triplet_distance_penalty",
            "Distance of unmatched elements",
            "float",
            6.5,
            "Distance given to nodes and edges without a vector hit.",
            0.0,
            20.0,
        ),
        Option(
            "feedback_influence",
            "Influence of feedback",
            "float",
            0.0,
            "0 ranks by distance alone, 1 by ratings alone.",
            0.0,
            1.0,
        ),
        Option(
            "neighborhood_depth",
            "Neighbourhood depth",
            "int",
            None,
            "Hops around the seeds; empty means the one-hop fragment.",
            1,
            5,
        ),
        Option(
            "neighborhood_seed_top_k",
            "Neighbourhood seeds",
            "int",
            None,
            "How many of the nearest seeds the neighbourhood grows from; empty means all.",
            1,
            500,
        ),
        Option("node_name", "Node sets", "names", None, "Search only within these node sets."),
        Option(
            "node_name_filter_operator",
            "Node sets must match",
            "choice",
            "OR",
            "OR: member of any set. AND: member of all.",
            choices=("OR", "AND"),
        ),
        Option("include_references", "Evidence block", "flag", False, "Append the used chunks to the answer."),
        Option("only_context", "Context only", "flag", False, "Stop before the answer and show the context."),
        Option("system_prompt", "System prompt", "text", None, "Replaces the instructions to the language model."),
        Option(
            "context_token_budget",
            "Context budget (tokens)",
            "int",
            None,
            "Lowest-ranked results are left out above this size; empty means no limit.",
            16,
            100_000,
        ),
        Option(
            "max_iter", "Rounds of follow-up", "int", None, "At most so many rounds of validating and asking on.", 1, 20
        ),
        Option(
            "context_extension_rounds",
            "Rounds of extension",
            "int",
            4,
            "At most so many rounds of searching on.",
            1,
            20,
        ),
        Option(
            "decomposition_mode",
            "Parts of the question",
            "choice",
            "answer_per_subquery",
            "Answer each part and then the whole, or put all their triplets into one context.",
            choices=("answer_per_subquery", "combined_triplets_context"),
        ),
        Option(
            "chunks_top_k",
            "Passages",
            "int",
            None,
            "How many passages are kept; empty: as many as results, up to 10.",
            1,
            100,
        ),
        Option(
            "entities_top_k", "Entities", "int", None, "How many entities are described; empty: like passages.", 0, 100
        ),
        Option(
            "facts_top_k", "Facts", "int", None, "How many facts are listed; empty: like passages, 0: none.", 0, 100
        ),
        Option(
            "max_edges_per_entity", "Edges per entity", "int", 10, "How many relations of an entity are listed.", 1, 100
        ),
        Option(
            "text_summaries_top_k",
            "Summaries",
            "int",
            None,
            "How many summaries vote for their passages; 0: none.",
            0,
            100,
        ),
        Option(
            "fusion",
            "Fusion of the lanes",
            "choice",
            "coverage",
            "coverage adds up cosine and share of rare words; rrf adds up reciprocal ranks.",
            choices=("coverage", "rrf"),
        ),
        Option(
            "event_ranking",
            "Ranking of events",
            "choice",
            "fused",
            "fused adds the share of rare words and how exactly a date is said; distance is the distance in meaning alone.",
            choices=("fused", "distance"),
        ),
        Option("walk", "Walk over the graph", "flag", True, "Passages that the best ones lead to rise, too."),
        Option("use_importance_weight", "Importance weights", "flag", True, "Important passages rise."),
        Option(
            "ranker",
            "Ranking of triplets",
            "choice",
            "distance",
            "distance: the documented score. walk: triplets of the passages that a walk over the graph reaches.",
            choices=("distance", "walk"),
        ),
        Option(
            "include_global_context_index", "Global context", "flag", False, "Put what the whole memory is about first."
        ),
        Option(
            "global_context_index_top_k",
            "Global summaries",
            "int",
            3,
            "How many areas the global context tells of.",
            0,
            50,
        ),
        Option("max_attempts", "Attempts", "int", 3, "How often a failing Cypher statement is written anew.", 1, 10),
    )
}


def batch(request: Request, recipe: Recipe) -> list[Query]:
    """The queries of a request: one, or one for each text of its batch, in their order."""
    if request.query_batch is None:
        return [validated(request, recipe)]
    texts = request.query_batch
    if request.query_text:
        raise QueryValidationError("Cannot provide both query_text and query_batch. Give one of them.")
    if not recipe.batches:
        raise QueryValidationError(f"{recipe.name} takes one question at a time, no query_batch.")
    if request.session_id is not None:
        raise QueryValidationError("query_batch is searched without a session. Leave session_id out.")
    if isinstance(texts, str) or not isinstance(texts, Sequence) or not texts:
        raise QueryValidationError("query_batch must be a non-empty list of strings.")
    if not all(isinstance(text, str) and not is_blank(text) for text in texts):
        raise QueryValidationError("All items in query_batch must be non-empty strings.")
    return [validated(replace(request, query_text=text, query_batch=None), recipe) for text in texts]


def validated(request: Request, recipe: Recipe) -> Query:
    """The Query of a request; QueryValidationError names the first unusable parameter. Touches no store and no model."""
    if not isinstance(request.query_text, str) or is_blank(request.query_text):
        raise QueryValidationError("The query must be a non-empty string. Type a question and search again.")
    top_k = _positive("top_k", request.top_k)
    wide = _positive("wide_search_top_k", request.wide_search_top_k)
    given = dict(request.retriever_specific_config or {})
    shape = _response_model(request.response_model, given.pop("response_model", None), recipe)
    return Query(
        text=request.query_text.strip(),
        top_k=recipe.default_top_k if top_k is None else top_k,
        wide_search_top_k=100 if wide is None else wide,
        triplet_distance_penalty=_penalty(request.triplet_distance_penalty),
        feedback_influence=_influence(request.feedback_influence),
        node_sets=_node_sets(request.node_name, request.node_name_filter_operator),
        neighborhood_depth=_positive("neighborhood_depth", request.neighborhood_depth),
        neighborhood_seed_top_k=_positive("neighborhood_seed_top_k", request.neighborhood_seed_top_k),
        only_context=_flag("only_context", request.only_context),
        include_references=_flag("include_references", request.include_references),
        system_prompt=_prompt(request.system_prompt) or _prompt_file(request.system_prompt_path),
        context_token_budget=_positive("context_token_budget", request.context_token_budget),
        config=_config(given, recipe),
        response_model=shape,
    )


def _config(given: Mapping[str, object], recipe: Recipe) -> dict[str, Json]:
    """The recipe's keys with their defaults or the values given; unknown keys are refused by name."""
    unknown = sorted(set(given) - set(recipe.config))
    if unknown:
        known = ", ".join(recipe.config) or "none"
        raise QueryValidationError(
            f"{recipe.name} does not take {', '.join(unknown)} in retriever_specific_config. It takes: {known}."
        )
    return dict(recipe.config) | {name: _checked(OPTIONS[name], value, recipe) for name, value in given.items()}


def _checked(option: Option, value: object, recipe: Recipe) -> Json:
    """A value that the option allows; None stands for its default."""
    if value is None:
        return recipe.config[option.name]
    if option.kind == "flag":
        return _flag(option.name, value)
    if option.kind == "choice":
        if value not in option.choices:
            raise QueryValidationError(f"{option.name} must be one of {', '.join(option.choices)}, not {value!r}.")
        return str(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < (option.minimum or 0):
        least = int(option.minimum or 0)
        raise QueryValidationError(f"{option.name} must be a whole number of at least {least} or None, not {value!r}.")
    return value


def _response_model(parameter: object, in_config: object, recipe: Recipe) -> type[BaseModel] | None:
    """The Pydantic class that an answer shall be an instance of; given twice it must be the same."""
    if parameter is not None and in_config is not None and parameter is not in_config:
        raise QueryValidationError("response_model is given twice, with different classes. Give it once.")
    shape = in_config if parameter is None else parameter
    if shape is None or shape is str:
        return None
    if not isinstance(shape, type) or not issubclass(shape, BaseModel):
        raise QueryValidationError(f"response_model must be a Pydantic model class, not {shape!r}.")
    if not recipe.completes and not recipe.chooses:
        raise QueryValidationError(f"{recipe.name} composes no answer, so it takes no response_model.")
    return shape


def _prompt_file(path: object) -> str | None:
    """The text of a system prompt file; the page's own default name stands for the built-in prompt."""
    if path is None or path == DEFAULT_PROMPT_FILE:
        return None
    if not isinstance(path, str):
        raise QueryValidationError(f"system_prompt_path must be the path of a text file, not {path!r}.")
    try:
        return Path(path).expanduser().read_text(encoding="utf-8").strip() or None
    except (OSError, UnicodeDecodeError) as error:
        raise QueryValidationError(
            f"system_prompt_path {path!r} can't be read: {error}. Give a UTF-8 text file."
        ) from error


def _positive(name: str, value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise QueryValidationError(f"{name} must be a positive integer or None, not {value!r}.")
    return value


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise QueryValidationError(f"{name} must be a number, not {value!r}.")
    return float(value)


def _penalty(value: object) -> float:
    if value is None:
        return 6.5
    number = _number("triplet_distance_penalty", value)
    if not 0 <= number < float("inf"):
        raise QueryValidationError(f"triplet_distance_penalty must be 0 or more and finite, not {value!r}.")
    return number


def _influence(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidFeedbackInfluenceError(f"feedback_influence must be a number between 0 and 1, not {value!r}.")
    return float(value)


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise QueryValidationError(f"{name} must be True or False, not {value!r}.")
    return value


def _prompt(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value or None
    raise QueryValidationError(f"system_prompt must be text, not {value!r}.")


def _node_sets(names: object, operator: object) -> NodeSetFilter | None:
    matching = operator.strip().upper() if isinstance(operator, str) else operator
    if matching not in {"OR", "AND"}:
        raise QueryValidationError(f"node_name_filter_operator must be one of ['AND', 'OR'], not {operator!r}.")
    if names is None:
        return None
    listed = [names] if isinstance(names, str) else names
    if not isinstance(listed, Sequence) or not all(isinstance(n, str) and not is_blank(n) for n in listed):
        raise QueryValidationError("node_name must be a list of node set names.")
    distinct = tuple(dict.fromkeys(listed))
    return NodeSetFilter(distinct, match_all=matching == "AND") if distinct else None
