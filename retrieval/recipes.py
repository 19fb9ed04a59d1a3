"""Every search type, one row each: the list that the picker, the costs, the docs and the router come from."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from retrieval.errors import UnsupportedSearchTypeError
from retrieval.model import CHUNKS, RULES, SUMMARIES, TRIPLETS
from retrieval.recipe import Recipe
from retrieval.steps.complete import answer
from retrieval.steps.cypher import lines, statement, written
from retrieval.steps.entities import entities_and_facts
from retrieval.steps.lanes import cut, fuse, lanes
from retrieval.steps.loop import agent, condense, decompose, extend, follow_up
from retrieval.steps.prelude import global_context
from retrieval.steps.project import fragment
from retrieval.steps.rank import triplets
from retrieval.steps.render import nodes_and_connections, sections, texts
from retrieval.steps.rules import coding_rules
from retrieval.steps.seed import embed, lexical, nearest, nearest_everywhere
from retrieval.steps.temporal import by_distance, descriptions, in_time, interval, or_else
from retrieval.steps.walk import walk

COMMON = ("top_k", "node_name", "node_name_filter_operator", "only_context")
ANSWERING = (*COMMON, "include_references", "system_prompt", "context_token_budget")
RANKING = (
    "wide_search_top_k",
    "triplet_distance_penalty",
    "feedback_influence",
    "neighborhood_depth",
    "neighborhood_seed_top_k",
)

GLOBAL = {"include_global_context_index": False, "global_context_index_top_k": 3}

_graph = Recipe(
    name="GRAPH_COMPLETION",
    group="Answers",
    label="Graph",
    about="Finds the triplets of the knowledge graph nearest to the question and answers from them.",
    find=(
        ("embed", embed),
        ("seeds", nearest_everywhere),
        ("project", fragment),
        ("rank", triplets),
        ("global", global_context),
    ),
    render=nodes_and_connections,
    complete=answer,
    calls="1",
    options=(*ANSWERING, *RANKING),
    config=GLOBAL,
    batches=True,
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
_extended = replace(
    _graph,
    name="GRAPH_COMPLETION_CONTEXT_EXTENSION",
    label="Graph, extended",
    about="Searches on with each answer as the next question, until nothing new is found.",
    loop=extend,
    calls="up to 5",
    config={"context_extension_rounds": 4},
    hint="open questions that want a broad picture of a topic: tell me everything about something",
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

_cypher = Recipe(
    name="CYPHER",
    group="Graph queries",
    label="Cypher",
    about="Runs a read-only Cypher statement over the graph and gives its rows.",
    find=(("cypher", statement),),
    render=lines,
    options=("only_context",),
    queries=True,
)

_temporal = replace(
    _graph,
    name="TEMPORAL",
    label="Events in time",
    about="Finds the events in the time that the question asks of; without one it searches the graph.",
    find=(("interval", interval), ("events", in_time), ("embed", embed), ("rank", by_distance)),
    render=descriptions,
    loop=or_else(_graph),
    calls="2",
    config={"event_ranking": "fused"},
    batches=False,
    hint="what happened in a year, before or after a date, last week, between two dates; when something was",
)

TOOLS = {"memory_search": _graph, "chunks_search": _chunks, "time_search": _temporal, "cypher_read": _cypher}

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        _graph,
        Recipe(
            name="HYBRID_COMPLETION",
            group="Answers",
            label="Hybrid",
            about="Puts together exact words, meaning, summaries and a walk over the graph, with entities and facts.",
            find=(
                ("embed", embed),
                ("lanes", lanes),
                ("fuse", fuse),
                ("walk", walk),
                ("cut", cut),
                ("entities", entities_and_facts),
                ("global", global_context),
            ),
            render=sections,
            complete=answer,
            calls="1",
            needs=(CHUNKS,),
            options=ANSWERING,
            batches=True,
            config={
                "chunks_top_k": None,
                "entities_top_k": None,
                "facts_top_k": None,
                "max_edges_per_entity": 10,
                "text_summaries_top_k": None,
                "fusion": "coverage",
                "walk": True,
                "use_importance_weight": True,
                **GLOBAL,
            },
            hint="any question; names and topics together, also where several passages must be joined",
        ),
        _rag,
        replace(
            _graph,
            name="GRAPH_SUMMARY_COMPLETION",
            label="Graph, condensed",
            about="Condenses the graph's context to its distinct statements before it answers.",
            loop=condense,
            calls="2",
            config={},
            batches=False,
            hint="a short overview of how things are related",
        ),
        replace(
            _graph,
            name="GRAPH_COMPLETION_COT",
            label="Graph, step by step",
            about="Checks its answer, asks what is lacking, and searches on, until the answer is complete.",
            loop=follow_up,
            calls="up to 13",
            config={"max_iter": 4},
            hint="questions in several steps, where one fact leads to the next: the head of the country that borders another",
        ),
        _extended,
        replace(
            _graph,
            name="GRAPH_COMPLETION_DECOMPOSITION",
            label="Graph, in parts",
            about="Splits the question into parts, searches for each, and answers from all of them.",
            loop=decompose,
            batches=False,
            calls="2 to 7",
            config={"decomposition_mode": "answer_per_subquery"},
            hint="comparisons of two things and questions that ask several things at once",
        ),
        replace(
            _rag,
            name="TRIPLET_COMPLETION",
            label="Triplets",
            about="Answers from triplets found by their text, without walking the graph.",
            find=(("embed", embed), ("seeds", nearest(TRIPLETS))),
            needs=(TRIPLETS,),
            hint="one relation between two named things",
        ),
        _temporal,
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
        replace(
            _chunks,
            name="CODING_RULES",
            label="Coding rules",
            about="Lists the coding rules nearest to the question.",
            find=(("embed", embed), ("rules", coding_rules)),
            needs=(RULES,),
            default_top_k=None,
            hint="rules and guidelines for writing code",
        ),
        replace(
            _cypher,
            name="NATURAL_LANGUAGE",
            label="Question to Cypher",
            about="Writes a Cypher statement for the question, shows it, and gives its rows.",
            loop=written,
            calls="1 to 3",
            config={"max_attempts": 3},
            hint="how many, which things of a kind, most and least, filters by number or year: complete lists and counts",
        ),
        _cypher,
        replace(
            _graph,
            name="AGENTIC_COMPLETION",
            group="Automatic",
            label="Agent",
            about="Searches with several tools, one after the other, and answers from what they gave. One dataset only.",
            loop=agent(TOOLS),
            batches=False,
            calls="up to 7",
            config={"max_iter": 6},
            one_dataset=True,
            hint="questions that need several kinds of search",
        ),
        replace(
            _rag,
            name="FEELING_LUCKY",
            group="Automatic",
            label="Feeling lucky",
            about="Picks the search type that fits the question and says why.",
            calls="1 and those of the type picked",
            chooses=True,
            hint="",
        ),
    )
}


# What FEELING_LUCKY runs where no type can be told.
FALLBACK = "RAG_COMPLETION"


class SearchType(StrEnum):
    """The names of the search types; a test holds it equal to RECIPES."""

    GRAPH_COMPLETION = "GRAPH_COMPLETION"
    HYBRID_COMPLETION = "HYBRID_COMPLETION"
    RAG_COMPLETION = "RAG_COMPLETION"
    GRAPH_SUMMARY_COMPLETION = "GRAPH_SUMMARY_COMPLETION"
    GRAPH_COMPLETION_COT = "GRAPH_COMPLETION_COT"
    GRAPH_COMPLETION_CONTEXT_EXTENSION = "GRAPH_COMPLETION_CONTEXT_EXTENSION"
    GRAPH_COMPLETION_DECOMPOSITION = "GRAPH_COMPLETION_DECOMPOSITION"
    TRIPLET_COMPLETION = "TRIPLET_COMPLETION"
    TEMPORAL = "TEMPORAL"
    CHUNKS = "CHUNKS"
    CHUNKS_LEXICAL = "CHUNKS_LEXICAL"
    SUMMARIES = "SUMMARIES"
    CODING_RULES = "CODING_RULES"
    NATURAL_LANGUAGE = "NATURAL_LANGUAGE"
    CYPHER = "CYPHER"
    AGENTIC_COMPLETION = "AGENTIC_COMPLETION"
    FEELING_LUCKY = "FEELING_LUCKY"


def recipe(name: object) -> Recipe:
    """The row of this name; UnsupportedSearchTypeError lists the known ones."""
    found = RECIPES.get(str(name)) if isinstance(name, str) else None
    if found is None:
        raise UnsupportedSearchTypeError(f"Unknown search type {name!r}. Choose one of: {', '.join(RECIPES)}.")
    return found
