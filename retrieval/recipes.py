"""Every search type, one row each: the list that the picker, the costs, the docs and the router come from."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from retrieval.errors import UnsupportedSearchTypeError
from retrieval.model import CHUNKS, SUMMARIES, TRIPLETS
from retrieval.recipe import Recipe
from retrieval.steps.complete import answer
from retrieval.steps.project import fragment
from retrieval.steps.rank import triplets
from retrieval.steps.render import nodes_and_connections, texts
from retrieval.steps.seed import embed, lexical, nearest, nearest_everywhere

COMMON = ("top_k", "node_name", "node_name_filter_operator", "only_context")
ANSWERING = (*COMMON, "include_references", "system_prompt", "context_token_budget")
RANKING = (
    "wide_search_top_k",
    "triplet_distance_penalty",
    "feedback_influence",
    "neighborhood_depth",
    "neighborhood_seed_top_k",
)

_graph = Recipe(
    name="GRAPH_COMPLETION",
    group="Answers",
    label="Graph",
    about="Finds the triplets of the knowledge graph nearest to the question and answers from them.",
    find=(("embed", embed), ("seeds", nearest_everywhere), ("project", fragment), ("rank", triplets)),
    render=nodes_and_connections,
    complete=answer,
    calls="1",
    options=(*ANSWERING, *RANKING),
    hint="relations between people, places and things; questions that join several facts",
)
_chunks = Recipe(
    name="CHUNKS",
    group="Passages",
    label="Passages",
    about="Lists the passages whose meaning is nearest to the question.",
    find=(("embed", embed), ("seeds", nearest(CHUNKS))),
    render=texts,
    needs=(CHUNKS,),
    options=COMMON,
    hint="raw passages to read",
)
_rag = replace(
    _chunks,
    name="RAG_COMPLETION",
    group="Answers",
    label="Passages (RAG)",
    about="Answers from the nearest passages alone, without the graph.",
    complete=answer,
    calls="1",
    options=ANSWERING,
    hint="a fact that stands in one passage",
)

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        _graph,
        _rag,
        replace(
            _rag,
            name="TRIPLET_COMPLETION",
            label="Triplets",
            about="Answers from triplets found by their text, without walking the graph.",
            find=(("embed", embed), ("seeds", nearest(TRIPLETS))),
            needs=(TRIPLETS,),
            hint="one relation between two named things",
        ),
        _chunks,
        replace(
            _chunks,
            name="CHUNKS_LEXICAL",
            label="Exact words",
            about="Lists the passages that share the rarest words with the question (BM25).",
            find=(("lexical", lexical),),
            hint="exact names, numbers, codes and quoted phrases",
        ),
        replace(
            _chunks,
            name="SUMMARIES",
            label="Summaries",
            about="Lists the summaries nearest to the question.",
            find=(("embed", embed), ("seeds", nearest(SUMMARIES))),
            needs=(SUMMARIES,),
            hint="what the documents say in short",
        ),
    )
}


class SearchType(StrEnum):
    """The names of the search types; a test holds it equal to RECIPES."""

    GRAPH_COMPLETION = "GRAPH_COMPLETION"
    RAG_COMPLETION = "RAG_COMPLETION"
    TRIPLET_COMPLETION = "TRIPLET_COMPLETION"
    CHUNKS = "CHUNKS"
    CHUNKS_LEXICAL = "CHUNKS_LEXICAL"
    SUMMARIES = "SUMMARIES"


def recipe(name: object) -> Recipe:
    """The row of this name; UnsupportedSearchTypeError lists the known ones."""
    found = RECIPES.get(str(name)) if isinstance(name, str) else None
    if found is None:
        raise UnsupportedSearchTypeError(f"Unknown search type {name!r}. Choose one of: {', '.join(RECIPES)}.")
    return found
