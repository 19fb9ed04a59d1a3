"""The nouns of a memory and of a search: frozen records; columns of numpy where there may be many of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from retrieval.identity import edge_id, edge_type_id

if TYPE_CHECKING:
    from retrieval.graph import Graph

Json: TypeAlias = "str | int | float | bool | None | Sequence[Json] | Mapping[str, Json]"
Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]

NEUTRAL_WEIGHT = 0.5

# ------------------------------------------------------------------ what a memory holds


@dataclass(frozen=True, slots=True)
class Node:
    """One node of the knowledge graph; `id` is a UUID string, weights lie in [0, 1]."""

    id: str
    type: str
    name: str = ""
    description: str = ""
    text: str = ""
    importance_weight: float = NEUTRAL_WEIGHT
    node_sets: tuple[str, ...] = ()
    properties: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Edge:
    """One directed edge; equal edges have equal (source, relationship, target)."""

    source: str
    target: str
    relationship: str
    text: str = ""
    importance_weight: float = NEUTRAL_WEIGHT
    properties: Mapping[str, Json] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The edge's own id (`edge_object_id`)."""
        return edge_id(self.source, self.target, self.relationship)

    @property
    def kind_id(self) -> str:
        """Id of the row in `EdgeType_relationship_name` that gives this edge its distance."""
        return edge_type_id(self.text or self.relationship)


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a vector collection; `text` is what was embedded; `extra` holds what callers show (chunk_size, …)."""

    id: str
    text: str
    document_id: str = ""
    document_name: str = ""
    chunk_id: str = ""
    chunk_index: int | None = None
    page: int | None = None
    importance_weight: float = NEUTRAL_WEIGHT
    node_sets: tuple[str, ...] = ()
    extra: Mapping[str, Json] = field(default_factory=dict)


# Collections that hold vectors of this memory's own elements; SENTENCES serves the extractive answer, EVENTS the search in
# time: they are no seeds.
CHUNKS = "DocumentChunk_text"
SUMMARIES = "TextSummary_text"
ENTITIES = "Entity_name"
ENTITY_TYPES = "EntityType_name"
DOCUMENTS = "TextDocument_name"
EDGE_TYPES = "EdgeType_relationship_name"
TRIPLETS = "Triplet_text"
RULES = "Rule_text"
GLOBAL_CONTEXT = "GlobalContextSummary_text"
EVENTS = "Event_name"
SENTENCES = "Sentence_text"
# The lane of the events that a search in time found.
IN_TIME = "in_time"
NODE_COLLECTIONS = (ENTITIES, SUMMARIES, ENTITY_TYPES, CHUNKS, DOCUMENTS, RULES)


# The node set whose documents state rules for code.
CODING_RULES_SET = "coding_agent_rules"


@dataclass(frozen=True, slots=True)
class NodeSetFilter:
    """Keeps elements that belong to any (OR) or all (AND) of the named node sets."""

    names: tuple[str, ...]
    match_all: bool = False

    def admits(self, node_sets: Sequence[str]) -> bool:
        """Whether an element with these node sets passes."""
        wanted = set(self.names)
        return wanted <= set(node_sets) if self.match_all else bool(wanted & set(node_sets))


# ------------------------------------------------------------------ documents and their facts


@dataclass(frozen=True, slots=True)
class Dataset:
    """One memory; `version` grows by one with every document switched in or out."""

    id: str
    name: str
    description: str
    owner: str
    created_at: datetime
    version: int = 0
    embedding_model: str = ""
    embedding_dimensions: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """One stored file; `status` is added, processing, done, failed or deleting; `report` is JSON for the page."""

    id: str
    dataset_id: str
    name: str
    sha256: str
    media_type: str
    size: int
    status: str
    created_at: datetime
    node_sets: tuple[str, ...] = ()
    report: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of one page (1-based number), or of a whole file without pages (None)."""

    number: int | None
    text: str


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What reading a file gave: its title, its text by page, and notes a person should see."""

    title: str
    pages: tuple[PageText, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A lossless piece of a document: `size` in tokens of the embedder, `cut_type` as reference 10.5."""

    id: str
    index: int
    text: str
    size: int
    cut_type: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity named in a chunk; `key` is what relations of the same chunk refer to."""

    key: str
    name: str
    type: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """A statement between two mentions; `text` is one sentence that says it."""

    source: str
    target: str
    relationship: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What an extractor found in one chunk; `dropped` counts relations whose ends were unknown."""

    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one document says about one element; the element in the stores is the fold over all of them."""

    document_id: str
    element_id: str
    element: Node | Edge
    chunk_id: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """One line of a dataset's operation log; `stage` is the last one that was finished."""

    id: str
    dataset_id: str
    document_id: str
    kind: str
    stage: str
    started_at: datetime


@dataclass(frozen=True, slots=True)
class Progress:
    """One step of a long run: which document, which stage, how far (0..1), and a line for the report."""

    document: str
    stage: str
    done: float
    message: str = ""


# ------------------------------------------------------------------ what a search handles


@dataclass(frozen=True, slots=True)
class Query:
    """A validated question with its options; the names are those of the page."""

    text: str
    top_k: int | None = 15
    wide_search_top_k: int = 100
    triplet_distance_penalty: float = 6.5
    feedback_influence: float = 0.0
    node_sets: NodeSetFilter | None = None
    neighborhood_depth: int | None = None
    neighborhood_seed_top_k: int | None = None
    only_context: bool = False
    include_references: bool = False
    system_prompt: str | None = None
    context_token_budget: int | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    response_model: type[BaseModel] | None = None
    vector: Floats | None = field(default=None, compare=False)

    def asking(self, text: str, vector: Floats | None = None) -> Query:
        """The same search for another question, with its vector where that is known."""
        return replace(self, text=text, vector=vector)


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Nearest rows of one collection, nearest first; `distances` are cosine distances (0 equal, 2 opposite)."""

    collection: str
    ids: tuple[str, ...]
    distances: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Fragment:
    """A projected memory fragment: indices into `graph`, and one distance per node and edge (the penalty if unmatched)."""

    graph: Graph
    nodes: Indices
    edges: Indices
    node_distances: Floats
    edge_distances: Floats
    node_matched: npt.NDArray[np.bool_]
    edge_matched: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Triplet:
    """One ranked triplet with what its score is made of; `score` is a sum of scaled distances, lower is closer."""

    rank: int
    source: Node
    edge: Edge
    target: Node
    score: float
    source_distance: float
    edge_distance: float
    target_distance: float
    source_matched: bool = True
    edge_matched: bool = True
    target_matched: bool = True
    source_feedback: float = NEUTRAL_WEIGHT
    edge_feedback: float = NEUTRAL_WEIGHT
    target_feedback: float = NEUTRAL_WEIGHT

    @property
    def id(self) -> str:
        """The edge's id: a triplet is its edge."""
        return self.edge.id


@dataclass(frozen=True, slots=True)
class Passage:
    """One retrieved text; `distance` (lower is closer) or `score` (higher is better), whichever its search gives.

    `parts` says what each lane of a fused search gave to the score.
    """

    rank: int
    entry: Entry
    distance: float | None = None
    score: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The row's id."""
        return self.entry.id


@dataclass(frozen=True, slots=True)
class Statements:
    """An entity with what is said about it: `kind` is its type as shown, `edges` are (edge, its text), most relevant first."""

    rank: int
    node: Node
    kind: str
    edges: tuple[tuple[Edge, str], ...] = ()
    distance: float | None = None

    @property
    def id(self) -> str:
        """The entity's id."""
        return self.node.id


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement near the question, by its text alone; `edge` is the first that says it."""

    rank: int
    id: str
    text: str
    edge: Edge
    distance: float


Item: TypeAlias = Triplet | Passage | Statements | Fact


@dataclass(frozen=True, slots=True)
class GraphSchema:
    """What a graph is made of: nodes by type, edges by relationship with the (source, target) types that they join, most
    frequent first, and the properties of each type and each relationship with the kinds of their values.
    """

    types: Mapping[str, int] = field(default_factory=dict)
    relationships: Mapping[str, int] = field(default_factory=dict)
    joins: Mapping[str, Mapping[tuple[str, str], int]] = field(default_factory=dict)
    node_properties: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    edge_properties: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rows:
    """What a graph query gave, with the nodes and edges in its cells; `truncated` where more rows were left out."""

    statement: str
    columns: tuple[str, ...] = ()
    rows: tuple[Mapping[str, Json], ...] = ()
    truncated: bool = False
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A chunk behind the context, numbered from 1 as citations number it."""

    number: int
    chunk_id: str
    document_id: str
    document_name: str
    chunk_index: int
    page: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of the context that an extractive answer may quote, with the number of its source."""

    text: str
    source: int
    distance: float | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """A half-open span of time [start, until) that a question asks of, in ms since 1970; None leaves a side open."""

    start: int | None
    until: int | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an answer is complete, and what it lacks where it is not."""

    complete: bool
    reasoning: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The search type picked for a question, and why."""

    search_type: str
    reason: str


@dataclass(frozen=True, slots=True)
class Act:
    """One step of an agent: a tool call, or the final answer; neither ends the loop."""

    thought: str = ""
    tool: str = ""
    arguments: Mapping[str, Json] = field(default_factory=dict)
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A question asked on the way to the answer, and what was said to it."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a search has so far; each step returns a new one. `lanes` holds, by lane, each candidate's value, best
    first; `objects` what a registered retriever found.
    """

    vector: Floats | None = None
    seeds: tuple[Hits, ...] = ()
    fragment: Fragment | None = None
    window: Window | None = None
    lanes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    items: tuple[Item, ...] = ()
    rows: Rows | None = None
    prelude: str = ""
    context: str = ""
    sources: tuple[Source, ...] = ()
    statements: tuple[Statement, ...] = ()
    drafts: tuple[Draft, ...] = ()
    answer: str = ""
    objects: Any = None
    dropped: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prompt:
    """What an answerer gets: the question word for word, the context, its quotable statements, the conversation so far."""

    question: str
    context: str
    system_prompt: str
    history: str = ""
    sources: tuple[Source, ...] = ()
    statements: tuple[Statement, ...] = ()
    drafts: tuple[Draft, ...] = ()
    response_model: type[BaseModel] | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """One line of a trace: what was done, for how long, and counts that explain it."""

    name: str
    milliseconds: float
    counts: Mapping[str, Json] = field(default_factory=dict)
    model: bool = False


# ------------------------------------------------------------------ what is kept of a conversation


@dataclass(frozen=True, slots=True)
class Feedback:
    """A rating of one turn by one user: `score` 1..5 or None, `text` free."""

    score: int | None
    text: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """One question and what came of it; `state` is done, stopped or failed; `payload` is the evidence shown, as JSON."""

    id: str
    session_id: str
    user: str
    dataset_id: str
    search_type: str
    question: str
    answer: str
    created_at: datetime
    state: str = "done"
    remembered: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)
    node_ids: tuple[str, ...] = ()
    edge_ids: tuple[str, ...] = ()
    milliseconds: float = 0.0
    payload: Mapping[str, Any] = field(default_factory=dict)
    feedback: Feedback | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation of one user."""

    id: str
    user: str
    title: str
    created_at: datetime
    updated_at: datetime
    turns: int
    last_question: str = ""


@dataclass(frozen=True, slots=True)
class LoggedQuery:
    """One line of the query log."""

    user: str
    dataset_id: str
    search_type: str
    question: str
    milliseconds: float
    error: str
    created_at: datetime
