"""One question to one dataset: what was found at once, the answer piece by piece, and the record that is kept."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import asdict, replace
from time import perf_counter
from typing import Any

from retrieval.errors import MemoryLensError, ModelError
from retrieval.model import (
    Dataset,
    Fact,
    Found,
    Hits,
    Item,
    Node,
    Passage,
    Query,
    Rows,
    Statements,
    StoredTurn,
    Triplet,
)
from retrieval.picture import drawn, drawn_rows
from retrieval.ports import Deps
from retrieval.recipe import Recipe
from retrieval.trace import Trace


class Turn:
    """A search whose evidence is there; iterate it for the answer. Every turn is answered at most once.

    `keep` stores the record: when the answer is complete (state done), when the reader stops early (stopped, with the
    text so far), and when the model fails (failed; the evidence stays).
    """

    def __init__(
        self,
        started: StoredTurn,
        dataset: Dataset,
        recipe: Recipe,
        query: Query,
        found: Found,
        trace: Trace,
        deps: Deps | None,
        keep: Callable[[StoredTurn], None],
        error: MemoryLensError | None = None,
    ) -> None:
        self.dataset = dataset
        self.recipe = recipe
        self.query = query
        self.found = found
        self.trace = trace
        self.error = error
        self.text = ""
        self._deps = deps
        self._keep = keep
        self._started = replace(started, state="running", node_ids=node_ids(found), edge_ids=edge_ids(found))
        self._pieces: Generator[str, None, None] | None = None

    @property
    def id(self) -> str:
        """The turn's id, also in the store."""
        return self._started.id

    @property
    def answers(self) -> bool:
        """Whether iterating gives an answer: the type composes one, something was found, and it was asked for."""
        completes = self.recipe.complete is not None and not self.query.only_context
        return completes and self.error is None and bool(self.found.context)

    @property
    def stored(self) -> StoredTurn:
        """The record of the turn as it stands."""
        return replace(self._started, answer=self.text, milliseconds=self.trace.total, payload=self.payload())

    def __iter__(self) -> Iterator[str]:
        """Pieces of the answer; a second iteration goes on where the first one stopped and never asks a model again."""
        if self._pieces is None:
            self._pieces = self._answer()
        return self._pieces

    def _answer(self) -> Generator[str, None, None]:
        state, start = "stopped", perf_counter()
        try:
            if self.answers and self.recipe.complete is not None and self._deps is not None:
                for piece in self.recipe.complete(self.query, self.found, self._deps):
                    self.text += piece
                    yield piece
            state = "done" if self.error is None else "failed"
        except ModelError as error:
            self.error, state = error, "failed"
        finally:
            if self.answers or self.text:
                self.trace.add("answer", (perf_counter() - start) * 1000, {"characters": len(self.text)})
            self._started = replace(self._started, state=state)
            self._keep(self.stored)

    def stop(self) -> None:
        """End the answer where it is; what was read so far is kept. A complete answer stays as it is."""
        if self._pieces is not None:
            self._pieces.close()

    def read(self) -> str:
        """The whole answer."""
        for _ in self:
            pass
        return self.text

    # ---------------------------------------------------------------- the record's evidence, as JSON

    def result(self) -> dict[str, Any]:
        """`text_result`, `context_result` and `objects_result` (page; D11)."""
        rows: Any = rows_of(self.found)
        if self.found.objects is not None:
            rows = self.found.objects.objects
        return {
            "text_result": self.text_result(),
            "context_result": self.found.context,
            "objects_result": rows,
        }

    def text_result(self) -> Any:
        """The answer as a list of one text, the rows of a type that lists passages, or [] where nothing was found."""
        if not self.recipe.completes:
            return rows_of(self.found)
        if self.text and self.query.response_model is not None:
            return [self.query.response_model.model_validate_json(self.text)]
        return [self.text] if self.text else []

    def payload(self) -> dict[str, Any]:
        """Everything that a page draws beside the answer."""
        found, deps = self.found, self._deps
        return {
            "dataset_name": self.dataset.name,
            "answerer": deps.answerer.name if deps else "",
            "generates": deps.answerer.generates if deps else False,
            "completes": self.recipe.completes,
            "context": found.context,
            "context_tokens": deps.embedder.count_tokens([found.context])[0] if deps and found.context else 0,
            "triplets": [row(item) for item in found.items if isinstance(item, Triplet)],
            "passages": [row(item) for item in found.items if isinstance(item, Passage)],
            "entities": [row(item) for item in found.items if isinstance(item, Statements)],
            "facts": [row(item) for item in found.items if isinstance(item, Fact)],
            "rows": _rows(found.rows) if found.rows is not None else None,
            "drafts": [asdict(draft) for draft in found.drafts],
            "sources": [asdict(source) for source in found.sources],
            "picture": _picture(found),
            "trace": [asdict(stage) for stage in self.trace.stages],
            "seeds": [_seed(hits) for hits in found.seeds],
            "dropped": found.dropped,
            "notes": list(found.notes),
            "error": {"name": self.error.name, "message": self.error.message} if self.error else None,
            "result": self.result(),
        }


def rows_of(found: Found) -> list[dict[str, Any]]:
    """What was found as rows: of a graph query, or one for each item."""
    if found.rows is not None:
        return [dict(own) for own in found.rows.rows]
    return [row(item) for item in found.items]


def _picture(found: Found) -> dict[str, Any] | None:
    if found.rows is not None:
        return drawn_rows(found.rows) if found.rows.nodes else None
    return drawn(found.fragment, found.items) if found.fragment is not None and found.items else None


def _rows(rows: Rows) -> dict[str, Any]:
    return {
        "statement": rows.statement,
        "columns": list(rows.columns),
        "rows": [dict(row) for row in rows.rows],
        "truncated": rows.truncated,
    }


def node_ids(found: Found) -> tuple[str, ...]:
    """Ids of the nodes that the context uses, sorted: ends of triplets, or passages."""
    used: set[str] = {node.id for node in found.rows.nodes if node.id} if found.rows is not None else set()
    for item in found.items:
        if isinstance(item, Triplet):
            used |= {item.source.id, item.target.id}
        elif isinstance(item, Statements):
            used |= {item.id, *(end for edge, _ in item.edges for end in (edge.source, edge.target))}
        elif isinstance(item, Fact):
            continue
        elif "relationship" in item.entry.extra:
            used |= {str(item.entry.extra[end]) for end in ("source_id", "target_id")}
        else:
            used.add(item.entry.chunk_id or item.id)
    return tuple(sorted(used))


def edge_ids(found: Found) -> tuple[str, ...]:
    """Ids of the edges that the context uses, sorted."""
    edges: set[str] = {edge.id for edge in found.rows.edges} if found.rows is not None else set()
    for item in found.items:
        if isinstance(item, Statements):
            edges |= {edge.id for edge, _ in item.edges}
        elif isinstance(item, Triplet) or (isinstance(item, Passage) and "relationship" in item.entry.extra):
            edges.add(item.id)
    return tuple(sorted(edges))


def row(item: Item) -> dict[str, Any]:
    """One result as JSON: the fields of a chunk row (D7), a triplet with what its score is made of, an entity, a fact."""
    if isinstance(item, Passage):
        return _passage(item)
    if isinstance(item, Statements):
        return _statements(item)
    if isinstance(item, Fact):
        return {"rank": item.rank, "id": item.id, "text": item.text, "distance": item.distance}
    return _triplet(item)


def _passage(item: Passage) -> dict[str, Any]:
    entry = item.entry
    return {
        "rank": item.rank,
        "id": entry.id,
        "text": entry.text,
        "chunk_index": entry.chunk_index,
        "chunk_size": entry.extra.get("chunk_size"),
        "cut_type": entry.extra.get("cut_type"),
        "document_id": entry.document_id,
        "document_name": entry.document_name,
        "page": entry.page,
        "chunk_id": entry.chunk_id,
        "distance": item.distance,
        "score": item.score,
        **({"parts": dict(item.parts)} if item.parts else {}),
        **({"when": entry.extra["when"]} if "when" in entry.extra else {}),
    }


def _statements(item: Statements) -> dict[str, Any]:
    return {
        "rank": item.rank,
        "id": item.id,
        "name": item.node.name,
        "type": item.kind,
        "distance": item.distance,
        "statements": [text for _, text in item.edges],
    }


def _triplet(item: Triplet) -> dict[str, Any]:
    weights: Mapping[str, float] = {
        "source": item.source.importance_weight,
        "edge": item.edge.importance_weight,
        "target": item.target.importance_weight,
    }
    return {
        "rank": item.rank,
        "id": item.edge.id,
        "source": _node(item.source),
        "relationship": item.edge.relationship,
        "edge_text": item.edge.text,
        "target": _node(item.target),
        "score": item.score,
        "distances": {"source": item.source_distance, "edge": item.edge_distance, "target": item.target_distance},
        "matched": {"source": item.source_matched, "edge": item.edge_matched, "target": item.target_matched},
        "importance": dict(weights),
        "feedback": {"source": item.source_feedback, "edge": item.edge_feedback, "target": item.target_feedback},
    }


def _node(node: Node) -> dict[str, Any]:
    return {"id": node.id, "name": node.name, "type": node.type, "description": node.description, "text": node.text}


def _seed(hits: Hits) -> dict[str, Any]:
    nearest = float(hits.distances[0]) if len(hits.distances) else None
    return {"collection": hits.collection, "hits": len(hits.ids), "nearest": nearest}
