"""What the product needs from the outside, as protocols, and `Deps`, which carries them into every step.

All calls are synchronous, safe from several threads, and raise only errors of `retrieval.errors`.
"Nothing found" is an empty result; a failing store raises StoreError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

import pyarrow as pa
from pydantic import BaseModel

from retrieval.graph import Graph
from retrieval.model import (
    Act,
    Choice,
    Contribution,
    Dataset,
    Document,
    Edge,
    Entry,
    Facts,
    Feedback,
    Floats,
    Found,
    GraphSchema,
    Hits,
    Json,
    LoggedQuery,
    Node,
    NodeSetFilter,
    Operation,
    Prompt,
    Rows,
    Session,
    StoredTurn,
    Verdict,
    Window,
)
from retrieval.timeline import Timeline
from retrieval.titles import Titles

# ------------------------------------------------------------------ models


class Embedder(Protocol):
    """Texts to unit vectors."""

    @property
    def name(self) -> str:
        """Model name, stored with every dataset."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    @property
    def max_tokens(self) -> int:
        """Longest text that is embedded whole, in tokens."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """Vectors (n, dimensions) of length 1, in the order of the texts; empty in, (0, dimensions) out; never a zero row."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special tokens not counted, nothing truncated."""


class Extractor(Protocol):
    """Chunks to entities and relations."""

    @property
    def name(self) -> str:
        """Extractor name and version, kept with what it found."""

    def extract(self, title: str, texts: Sequence[str]) -> Iterator[Facts]:
        """One Facts per text, in order; `title` is the document's title, the subject of its labelled lines."""


class Answerer(Protocol):
    """A prompt to an answer, in pieces."""

    @property
    def name(self) -> str:
        """What is shown as the model, for example `extractive`."""

    @property
    def generates(self) -> bool:
        """Whether a language model writes the words."""

    def answer(self, prompt: Prompt) -> Iterator[str]:
        """Pieces of the answer, with citations `[n]` into `prompt.sources`."""


Shape = TypeVar("Shape", bound=BaseModel)


class LanguageModel(Protocol):
    """A chat model. Messages are (role, text); failures raise the LLM errors of `retrieval.errors`."""

    @property
    def name(self) -> str:
        """The model's name as configured."""

    def stream(self, messages: Sequence[tuple[str, str]]) -> Iterator[str]:
        """Pieces of the reply."""

    def structured(self, messages: Sequence[tuple[str, str]], shape: type[Shape]) -> Shape:
        """The reply as an instance of this shape."""


class Reasoner(Protocol):
    """The thinking between searches: by a language model, or by rule where there is none."""

    @property
    def generates(self) -> bool:
        """Whether a language model thinks, and calls cost something."""

    def condense(self, question: str, found: Found, system_prompt: str | None) -> str:
        """The context of `found` without repetition, all of its relations in sentences."""

    def validate(self, question: str, answer: str, found: Found) -> Verdict:
        """Whether the answer is complete and supported by the context."""

    def follow_up(self, question: str, answer: str, verdict: Verdict, found: Found, asked: Sequence[str]) -> str:
        """The next question on the way to the answer, other than those asked before; '' where there is none."""

    def decompose(self, question: str) -> list[str]:
        """Focused questions that together answer this one, broad to specific; itself where it is focused already."""

    def interval(self, question: str, now: datetime) -> Window | None:
        """The time that a question asks of; None where it asks of none."""

    def choose(self, question: str, hints: Mapping[str, str]) -> Choice | None:
        """The search type whose hint fits the question best; None where none can be told."""

    def cypher(self, question: str, schema: GraphSchema, graph: Graph, attempts: Sequence[tuple[str, str]]) -> str:
        """A read-only Cypher statement over this schema, with names that the graph has; `attempts` are (statement, what came
        of it); '' where none can be made.
        """

    def act(self, question: str, context: str, tools: Mapping[str, str], used: Sequence[str]) -> Act:
        """The next step of an agent that may use these tools (name: description); `used` names those called so far."""


# ------------------------------------------------------------------ stores of one dataset


class VectorStore(Protocol):
    """Vectors of one dataset in named collections; cosine distance always."""

    def counts(self) -> Mapping[str, int]:
        """Rows of each existing collection."""

    def upsert(self, collection: str, entries: Sequence[Entry], vectors: Floats) -> None:
        """Store rows, replacing equal ids; creates the collection; refuses zero vectors with StoreError."""

    def delete(self, collection: str, ids: Iterable[str]) -> None:
        """Remove rows; unknown ids and collections are no error."""

    def search(
        self, collection: str, vector: Floats, limit: int | None, node_sets: NodeSetFilter | None = None
    ) -> Hits:
        """Nearest rows, nearest first, ties by id; no limit with None; a missing collection gives no hits."""

    def distances(self, collection: str, vector: Floats, ids: Sequence[str]) -> Hits:
        """Distances of exactly these rows, in the order given; missing ids are left out."""

    def fetch(self, collection: str, ids: Sequence[str]) -> list[Entry]:
        """Rows in the order of the ids; missing ones are left out."""

    def warm_up(self) -> None:
        """Read ahead what the first search would wait for."""

    def close(self) -> None:
        """Let go of files."""


class GraphStore(Protocol):
    """The knowledge graph of one dataset. One writer at a time; a write is all or nothing as far as the engine can."""

    def counts(self) -> tuple[int, int]:
        """Numbers of nodes and edges."""

    def upsert(self, nodes: Sequence[Node], edges: Sequence[Edge]) -> None:
        """Store nodes, then edges, replacing equal ids; an edge with an unknown end raises StoreError."""

    def delete(self, nodes: Iterable[str], edges: Iterable[Edge]) -> None:
        """Remove edges, then nodes with whatever edges still touch them; unknown ids are no error."""

    def nodes(self, ids: Sequence[str]) -> list[Node]:
        """Nodes in the order of the ids; missing ones are left out."""

    def columns(self) -> tuple[pa.Table, pa.Table]:
        """All nodes (id, type, name, importance_weight, node_sets) and edges (source, target, relationship, text,
        importance_weight) as Arrow tables; a node without a name has its text's first 60 characters as name.
        """

    def whole(self) -> tuple[pa.Table, pa.Table]:
        """All that is stored: nodes (id, type, name, description, text, importance_weight, node_sets, properties) and edges
        (source, target, relationship, text, importance_weight, properties), properties as JSON text.
        """

    def close(self) -> None:
        """Let go of files."""


class GraphQueries(Protocol):
    """Read-only Cypher over one version of a dataset's graph, within limits of time, memory and rows."""

    def rows(self, statement: str) -> Rows:
        """What one statement gives, at most so many rows; CypherError where it is refused, wrong, or beyond a limit."""

    def schema(self) -> GraphSchema:
        """Types, relationships and properties of the graph."""

    def close(self) -> None:
        """Let go of files and processes."""


class LexicalIndex(Protocol):
    """BM25 over the chunks of one dataset (reference 3.4, with the changes of product 2.2)."""

    def count(self) -> int:
        """Number of indexed chunks."""

    def replace(self, document_id: str, passages: Sequence[tuple[str, str]], node_sets: Sequence[str] = ()) -> None:
        """Make (chunk id, text) pairs the whole content of this document."""

    def remove(self, document_id: str) -> None:
        """Forget a document; an unknown one is no error."""

    def search(self, query: str, limit: int | None, node_sets: NodeSetFilter | None = None) -> list[tuple[str, float]]:
        """(chunk id, score > 0), best first, ties by the order in which chunks were added; only chunks that share a term."""

    def coverage(self, query: str, ids: Sequence[str]) -> list[float]:
        """How much of the question each of these chunks covers, 0..1: BM25 without its factor k1 + 1, over the sum of the
        idf of the question's words; a word that no chunk has counts like the rarest. 0 for unknown ids (models.md A.3).
        """

    def close(self) -> None:
        """Let go of files."""


# ------------------------------------------------------------------ records of all datasets


class Catalog(Protocol):
    """Datasets, who may do what with them, and their documents."""

    def create_dataset(self, name: str, owner: str, description: str = "") -> Dataset:
        """A new dataset; a taken name of the same owner raises QueryValidationError."""

    def datasets(self) -> list[Dataset]:
        """All datasets, oldest first."""

    def update_dataset(self, dataset_id: str, **changes: str | int) -> Dataset:
        """The dataset with these fields changed (name, description, embedding_model, embedding_dimensions)."""

    def delete_dataset(self, dataset_id: str) -> None:
        """Forget the dataset and every record that belongs to it, turns that quote it too."""

    def grants(self, dataset_id: str) -> set[tuple[str, str]]:
        """(user, permission) pairs besides the owner's; permissions are read, write, delete, share."""

    def grant(self, dataset_id: str, user: str, permission: str, *, allowed: bool) -> None:
        """Give or take a permission."""

    def put_document(self, document: Document) -> None:
        """Store or replace a document's record; status `added` drops whatever was under way for it."""

    def documents(self, dataset_id: str) -> list[Document]:
        """The dataset's documents, oldest first."""


class OperationLog(Protocol):
    """What each document contributes, and which writes are under way: the truth the stores are rebuilt from."""

    def begin(self, dataset_id: str, document_id: str, kind: str) -> Operation:
        """The unfinished operation of this document and kind, or a new one. The document's status follows at once:
        kind add, `processing`; kind delete, `deleting`, which hides it and drops an unfinished add.
        """

    def advance(self, operation: Operation, stage: str) -> Operation:
        """The operation with this stage finished. Stage `done` ends it: the document becomes visible (kind add) or its
        records go (kind delete), and the dataset's version grows by one, all in one transaction. StoreError for an
        operation that was finished or dropped meanwhile.
        """

    def pending(self, dataset_id: str) -> list[Operation]:
        """Unfinished operations, oldest first."""

    def contribute(self, dataset_id: str, document_id: str, contributions: Sequence[Contribution]) -> None:
        """Make these the whole of what the document contributes."""

    def contributions(self, dataset_id: str, document_id: str) -> list[Contribution]:
        """What the document contributes, in the order given."""

    def about(self, dataset_id: str, element_ids: Sequence[str]) -> Mapping[str, list[Contribution]]:
        """Contributions per element of all documents that are not `deleting`, ordered by (document created_at,
        document id, given order).
        """

    def hidden(self, dataset_id: str) -> set[str]:
        """Ids of elements that only documents not `done` contribute: a reader must not see them."""


class Conversations(Protocol):
    """Sessions and their turns."""

    def append(self, turn: StoredTurn) -> None:
        """Store a turn; creates its session (titled by the first question) when it is new. Equal ids replace."""

    def turns(self, user: str, session_id: str, last: int | None = None, *, history: bool = False) -> list[StoredTurn]:
        """The turns of a session with their feedback, oldest first; the last n with `last`.

        With `history` only those that a later question is told of: remembered and done.
        """

    def turn(self, user: str, turn_id: str) -> StoredTurn | None:
        """One turn with its feedback."""

    def sessions(self, user: str, text: str = "") -> list[Session]:
        """The user's sessions, last used first; with `text` only those where a question, answer or title contains it."""

    def rename_session(self, user: str, session_id: str, title: str) -> bool:
        """Whether there was such a session."""

    def delete_session(self, user: str, session_id: str, *, deleted: bool = True) -> bool:
        """Hide a session, or bring it back with deleted=False; whether there was one. A turn appended to a hidden
        session begins it anew, without the hidden turns.
        """


class FeedbackStore(Protocol):
    """Ratings and the weights that follow from them; the query log."""

    def rate(self, user: str, turn_id: str, feedback: Feedback | None) -> bool:
        """Set, change or (None) withdraw the user's rating of a turn; False for an unknown turn."""

    def ratings(self, dataset_id: str) -> list[tuple[StoredTurn, Feedback]]:
        """All rated turns of a dataset, ordered by (first rated at, turn id): the log that weights are a fold of.
        Their `payload` is left out.
        """

    def weights(self, dataset_id: str) -> Mapping[str, float]:
        """Feedback weight of each node and edge id that has one."""

    def set_weights(self, dataset_id: str, weights: Mapping[str, float]) -> None:
        """Make these the dataset's weights."""

    def log(self, entry: LoggedQuery) -> None:
        """Append to the query log."""

    def logged(self, limit: int = 1000) -> list[LoggedQuery]:
        """Newest first."""


# ------------------------------------------------------------------ what a step may use


@dataclass(frozen=True, slots=True)
class Deps:
    """Everything a step may use, for one dataset and one question."""

    embedder: Embedder
    answerer: Answerer
    reasoner: Reasoner
    vectors: VectorStore
    lexical: LexicalIndex
    graph: Callable[[], Graph]
    cypher: Callable[[], GraphQueries]
    titles: Callable[[], Titles]
    timeline: Callable[[], Timeline]
    nodes: Callable[[Sequence[str]], list[Node]]
    provenance: Callable[[Sequence[str]], Mapping[str, list[str]]]
    now: datetime
    history: str = ""
    settings: Mapping[str, Json] | None = None
