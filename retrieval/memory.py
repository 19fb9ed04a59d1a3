"""One dataset's open stores, and its graph as of the newest data version."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock

import pyarrow as pa

from retrieval import graph as snapshots
from retrieval.graph import Graph
from retrieval.model import EVENTS, Edge
from retrieval.ports import FeedbackStore, GraphQueries, GraphStore, LexicalIndex, OperationLog, VectorStore
from retrieval.timeline import Timeline, Told, timeline, told_of
from retrieval.titles import Titles, titles


@dataclass(frozen=True, slots=True)
class Stores:
    """The three stores of one dataset, and how its graph is laid out for queries, given version, nodes and edges."""

    graph: GraphStore
    vectors: VectorStore
    lexical: LexicalIndex
    queries: Callable[[int, pa.Table, pa.Table], GraphQueries]

    def close(self) -> None:
        """Let go of all files."""
        self.graph.close()
        self.vectors.close()
        self.lexical.close()


class Memory:
    """Stores that stay open, and the snapshot that queries read; keeps one snapshot, rebuilt when the data changed."""

    def __init__(self, dataset_id: str, stores: Stores, operations: OperationLog, feedback: FeedbackStore) -> None:
        self.dataset_id = dataset_id
        self.stores = stores
        self.writing = Lock()
        self._operations = operations
        self._feedback = feedback
        self._lock = Lock()
        self._graph: Graph | None = None
        self._titled: dict[str, str] = {}
        self._titles: tuple[Graph, Titles] | None = None
        self._timed: dict[str, Told] = {}
        self._timeline: tuple[Graph, Timeline] | None = None
        self._querying = Lock()
        self._queries: tuple[Graph, GraphQueries] | None = None

    def graph(self, version: int) -> Graph:
        """The graph at this data version, with its feedback weights; built once per version."""
        with self._lock:
            if self._graph is None or self._graph.version != version:
                nodes, edges = self.stores.graph.columns()
                bare = snapshots.build(version, nodes, edges, self._operations.hidden(self.dataset_id))
                self._graph = self._weighted(bare)
            return self._graph

    def titles(self, version: int) -> Titles:
        """The titles of the documents at this data version; only those of new documents are read."""
        graph = self.graph(version)
        with self._lock:
            if self._titles is None or self._titles[0] is not graph:
                unread = [i for i in graph.documents if i not in self._titled]
                self._titled |= {node.id: node.description or node.name for node in self.stores.graph.nodes(unread)}
                present = {i: self._titled[i] for i in graph.documents if i in self._titled}
                self._titled, self._titles = present, (graph, titles(present))
            return self._titles[1]

    def timeline(self, version: int) -> Timeline:
        """When the events at this data version were; only the times of new events are read."""
        graph = self.graph(version)
        with self._lock:
            if self._timeline is None or self._timeline[0] is not graph:
                events = graph.of_type("Event")
                unread = [i for i in events if i not in self._timed]
                known = self._timed | told_of(self.stores.vectors.fetch(EVENTS, unread))
                self._timed = {i: known[i] for i in events if i in known}
                self._timeline = (graph, timeline(self._timed))
            return self._timeline[1]

    def queries(self, version: int) -> GraphQueries:
        """Cypher over the graph at this data version, laid out anew when the data changed."""
        graph = self.graph(version)
        with self._querying:
            if self._queries is None or not self._queries[0].same_elements(graph):
                if self._queries is not None:
                    self._queries[1].close()
                    self._queries = None
                told = graph.visible(*self.stores.graph.whole(), self._operations.hidden(self.dataset_id))
                self._queries = (graph, self.stores.queries(version, *told))
            return self._queries[1]

    def close(self) -> None:
        """Let go of all files and processes."""
        with self._querying:
            if self._queries is not None:
                self._queries[1].close()
                self._queries = None
        self.stores.close()

    def forget(self) -> None:
        """Build the snapshot anew for the next query: a document was hidden."""
        with self._lock:
            self._graph = None

    def reweigh(self) -> None:
        """Take up changed feedback weights without reading the graph again."""
        with self._lock:
            if self._graph is not None:
                self._graph = self._weighted(self._graph)

    def _weighted(self, graph: Graph) -> Graph:
        weights = self._feedback.weights(self.dataset_id)
        return graph.reweighted(weights, self.ends(weights)) if weights else graph.reweighted({}, {})

    def ends(self, ids: Mapping[str, float]) -> dict[str, tuple[str, str]]:
        """(source id, target id) of those ids that are edges."""
        said = self._operations.about(self.dataset_id, list(ids))
        edges = {i: said[i][0].element for i in ids if said.get(i)}
        return {i: (e.source, e.target) for i, e in edges.items() if isinstance(e, Edge)}


class Memories:
    """The open memories of this process, one per dataset."""

    def __init__(self, open_stores: Callable[[str], Stores], operations: OperationLog, feedback: FeedbackStore) -> None:
        self._open_stores = open_stores
        self._operations = operations
        self._feedback = feedback
        self._lock = Lock()
        self._open: dict[str, Memory] = {}

    def of(self, dataset_id: str) -> Memory:
        """The dataset's memory, opened on first use."""
        with self._lock:
            if dataset_id not in self._open:
                stores = self._open_stores(dataset_id)
                self._open[dataset_id] = Memory(dataset_id, stores, self._operations, self._feedback)
            return self._open[dataset_id]

    def close(self, dataset_id: str | None = None) -> None:
        """Close one memory, or all of them."""
        with self._lock:
            for own in [dataset_id] if dataset_id else list(self._open):
                memory = self._open.pop(own, None)
                if memory is not None:
                    memory.close()
