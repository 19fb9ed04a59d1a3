"""Every store in memory: the executable definition of each port, and an embedder for tests and first steps."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from threading import RLock

import numpy as np
import pyarrow as pa

from retrieval.errors import StoreError
from retrieval.model import Edge, Entry, Floats, Hits, Node, NodeSetFilter
from retrieval.words import NO_STOP_WORDS, STOP_WORDS, findable, query_tokens, tokens

K1, B = 1.5, 0.75
NODE_COLUMNS = pa.schema(
    [
        ("id", pa.string()),
        ("type", pa.string()),
        ("name", pa.string()),
        ("importance_weight", pa.float64()),
        ("node_sets", pa.list_(pa.string())),
    ]
)
EDGE_COLUMNS = pa.schema(
    [
        ("source", pa.string()),
        ("target", pa.string()),
        ("relationship", pa.string()),
        ("text", pa.string()),
        ("importance_weight", pa.float64()),
    ]
)
WHOLE_NODES = pa.schema(
    [
        *list(NODE_COLUMNS)[:3],
        ("description", pa.string()),
        ("text", pa.string()),
        *list(NODE_COLUMNS)[3:],
        ("properties", pa.string()),
    ]
)
WHOLE_EDGES = pa.schema([*EDGE_COLUMNS, ("properties", pa.string())])
NAME_FROM_TEXT = 60


class HashEmbedder:
    """Bags of hashed words as unit vectors: texts that share words are near. Deterministic, and never a zero vector."""

    name = "hashed-words"
    max_tokens = 256

    def __init__(self, dimensions: int = 64) -> None:
        self.dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> Floats:
        """Unit vectors (n, dimensions)."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in tokens(text, NO_STOP_WORDS) or [text]:
                digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
                row[int.from_bytes(digest[:4]) % self.dimensions] += 0.2 if word in STOP_WORDS else 1.0
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Words of each text."""
        return [len(text.split()) for text in texts]


class MemoryVectors:
    """VectorStore in dictionaries."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, tuple[Entry, Floats]]] = {}
        self._lock = RLock()

    def counts(self) -> Mapping[str, int]:
        """Rows of each collection."""
        with self._lock:
            return {name: len(rows) for name, rows in self._rows.items()}

    def upsert(self, collection: str, entries: Sequence[Entry], vectors: Floats) -> None:
        """Store rows, replacing equal ids."""
        if not entries:
            return
        if not np.all(np.isfinite(vectors).all(axis=1) & (np.abs(vectors).sum(axis=1) > 0)):
            raise StoreError(
                f"{collection}: a vector of zeros or not-a-number can't be searched; embed the text again."
            )
        with self._lock:
            rows = self._rows.setdefault(collection, {})
            rows.update({e.id: (e, np.array(v, dtype=np.float32)) for e, v in zip(entries, vectors, strict=True)})

    def delete(self, collection: str, ids: Iterable[str]) -> None:
        """Remove rows."""
        with self._lock:
            for own in ids:
                self._rows.get(collection, {}).pop(own, None)

    def search(
        self, collection: str, vector: Floats, limit: int | None, node_sets: NodeSetFilter | None = None
    ) -> Hits:
        """Nearest rows, nearest first, ties by id."""
        _check(vector)
        with self._lock:
            rows = list(self._rows.get(collection, {}).values())
        kept = [(e, v) for e, v in rows if node_sets is None or node_sets.admits(e.node_sets)]
        measured = sorted((_cosine_distance(vector, v), e.id) for e, v in kept)[:limit]
        return Hits(collection, tuple(i for _, i in measured), np.array([d for d, _ in measured], dtype=np.float32))

    def distances(self, collection: str, vector: Floats, ids: Sequence[str]) -> Hits:
        """Distances of exactly these rows, in the order given."""
        _check(vector)
        with self._lock:
            rows = self._rows.get(collection, {})
            known = [(i, rows[i][1]) for i in ids if i in rows]
        values = [_cosine_distance(vector, v) for _, v in known]
        return Hits(collection, tuple(i for i, _ in known), np.array(values, dtype=np.float32))

    def fetch(self, collection: str, ids: Sequence[str]) -> list[Entry]:
        """Rows in the order of the ids."""
        with self._lock:
            rows = self._rows.get(collection, {})
            return [rows[i][0] for i in ids if i in rows]

    def warm_up(self) -> None:
        """Nothing to read ahead."""

    def close(self) -> None:
        """Nothing to let go of."""


def _check(vector: Floats) -> None:
    if not np.isfinite(vector).all() or not np.abs(vector).sum():
        raise StoreError("The question's vector is empty; it can't be compared. Ask with words.")


def _cosine_distance(one: Floats, other: Floats) -> float:
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return round(max(1.0 - float(np.dot(one, other)) / lengths, 0.0), 6)


class MemoryGraph:
    """GraphStore in dictionaries."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self._edges: dict[str, Edge] = {}
        self._lock = RLock()

    def counts(self) -> tuple[int, int]:
        """Numbers of nodes and edges."""
        with self._lock:
            return len(self._nodes), len(self._edges)

    def upsert(self, nodes: Sequence[Node], edges: Sequence[Edge]) -> None:
        """Store nodes, then edges."""
        with self._lock:
            known = set(self._nodes) | {n.id for n in nodes}
            for edge in edges:
                if not {edge.source, edge.target} <= known:
                    raise StoreError(
                        f"An edge {edge.relationship!r} names a node that is not stored; store its ends first."
                    )
            self._nodes.update({n.id: n for n in nodes})
            self._edges.update({e.id: e for e in edges})

    def delete(self, nodes: Iterable[str], edges: Iterable[Edge]) -> None:
        """Remove edges, then nodes with whatever edges still touch them."""
        with self._lock:
            for edge in edges:
                self._edges.pop(edge.id, None)
            gone = set(nodes)
            self._nodes = {i: n for i, n in self._nodes.items() if i not in gone}
            self._edges = {i: e for i, e in self._edges.items() if not {e.source, e.target} & gone}

    def nodes(self, ids: Sequence[str]) -> list[Node]:
        """Nodes in the order of the ids."""
        with self._lock:
            return [self._nodes[i] for i in ids if i in self._nodes]

    def columns(self) -> tuple[pa.Table, pa.Table]:
        """All nodes and edges as Arrow tables."""
        with self._lock:
            nodes = [
                {
                    "id": n.id,
                    "type": n.type,
                    "name": n.name or n.text[:NAME_FROM_TEXT],
                    "importance_weight": n.importance_weight,
                    "node_sets": list(n.node_sets),
                }
                for n in self._nodes.values()
            ]
            edges = [
                {
                    "source": e.source,
                    "target": e.target,
                    "relationship": e.relationship,
                    "text": e.text,
                    "importance_weight": e.importance_weight,
                }
                for e in self._edges.values()
            ]
        return pa.Table.from_pylist(nodes, NODE_COLUMNS), pa.Table.from_pylist(edges, EDGE_COLUMNS)

    def whole(self) -> tuple[pa.Table, pa.Table]:
        """All that is stored, as Arrow tables."""
        with self._lock:
            nodes = [
                asdict(n) | {"node_sets": list(n.node_sets), "properties": json.dumps(dict(n.properties))}
                for n in self._nodes.values()
            ]
            edges = [asdict(e) | {"properties": json.dumps(dict(e.properties))} for e in self._edges.values()]
        return pa.Table.from_pylist(nodes, WHOLE_NODES), pa.Table.from_pylist(edges, WHOLE_EDGES)

    def close(self) -> None:
        """Nothing to let go of."""


class MemoryLexical:
    """LexicalIndex that scores every chunk on every search: the formula as it is written."""

    def __init__(self, stop_words: Collection[str] = STOP_WORDS) -> None:
        self._stop_words = stop_words
        self._chunks: dict[str, tuple[str, Counter[str], int, tuple[str, ...]]] = {}
        self._lock = RLock()

    def count(self) -> int:
        """Number of chunks."""
        with self._lock:
            return len(self._chunks)

    def replace(self, document_id: str, passages: Sequence[tuple[str, str]], node_sets: Sequence[str] = ()) -> None:
        """Make these the whole content of this document."""
        with self._lock:
            self.remove(document_id)
            for chunk, text in passages:
                length = len(tokens(text, self._stop_words))
                self._chunks[chunk] = (document_id, findable(text), length, tuple(node_sets))

    def remove(self, document_id: str) -> None:
        """Forget a document."""
        with self._lock:
            self._chunks = {i: kept for i, kept in self._chunks.items() if kept[0] != document_id}

    def search(self, query: str, limit: int | None, node_sets: NodeSetFilter | None = None) -> list[tuple[str, float]]:
        """(chunk id, BM25 score), best first."""
        asked = dict.fromkeys(query_tokens(query, self._stop_words))
        with self._lock:
            chunks = dict(self._chunks)
        frequencies = {t: sum(t in words for _, words, _, _ in chunks.values()) for t in asked}
        average = sum(length for _, _, length, _ in chunks.values()) / max(len(chunks), 1)
        scored = []
        for chunk, (_, words, length, sets) in chunks.items():
            score = 0.0
            for term in asked:
                if words[term]:
                    df = frequencies[term]
                    idf = math.log(1 + (len(chunks) - df + 0.5) / (df + 0.5))
                    norm = 1 - B + B * (length / average if average else 0.0)
                    score += idf * words[term] * (K1 + 1) / (words[term] + K1 * norm)
            if score > 0 and (node_sets is None or node_sets.admits(sets)):
                scored.append((chunk, score))
        return sorted(scored, key=lambda pair: -round(pair[1], 9))[:limit]

    def coverage(self, query: str, ids: Sequence[str]) -> list[float]:
        """The share of the question's weight that each chunk covers."""
        with self._lock:
            words = [words for _, words, _, _ in self._chunks.values()]
        frequencies = [sum(t in own for own in words) for t in dict.fromkeys(query_tokens(query, self._stop_words))]
        weight = sum(math.log(1 + (len(words) - df + 0.5) / (df + 0.5)) for df in frequencies)
        scores = dict(self.search(query, None))
        return [scores.get(i, 0.0) / (weight * (K1 + 1)) if weight else 0.0 for i in ids]

    def close(self) -> None:
        """Nothing to let go of."""
