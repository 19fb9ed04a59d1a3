"""A dataset's graph at one data version: columns and a compressed sparse adjacency, read by every query and never changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from retrieval.identity import edge_id, edge_type_id, integer_key, lookup_key

Ints = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes sorted by integer key, edges sorted by (source, target, relationship) so that ties break by id.

    `node_keys` (n,), `sources`/`targets` (m,) are indices into nodes; `edge_kinds` (m,) indexes `kind_keys`,
    the integer keys of the EdgeType rows. Weights lie in [0, 1].
    """

    version: int
    node_keys: Ints
    node_ids: pa.Array
    node_types: pa.Array
    node_names: pa.Array
    node_importance: Weights
    node_feedback: Weights
    node_sets: pa.Array
    sources: Ints
    targets: Ints
    relationships: pa.Array
    edge_texts: pa.Array
    edge_importance: Weights
    edge_feedback: Weights
    edge_kinds: Ints
    kind_keys: Ints

    def __len__(self) -> int:
        """Number of nodes."""
        return len(self.node_keys)

    @property
    def edge_count(self) -> int:
        """Number of edges."""
        return len(self.sources)

    def find(self, ids: Sequence[str]) -> Ints:
        """Index of each node id, -1 for ids that the graph does not have."""
        return positions(self.node_keys, np.fromiter((lookup_key(i) for i in ids), np.int64, len(ids)))

    def find_kinds(self, ids: Sequence[str]) -> Ints:
        """Index into `kind_keys` of each EdgeType id, -1 for unknown ones."""
        return positions(self.kind_keys, np.fromiter((lookup_key(i) for i in ids), np.int64, len(ids)))

    def members(self, names: Sequence[str], *, match_all: bool) -> Ints:
        """Indices of the nodes that belong to any (or all) of the node sets, ascending."""
        groups = [self._sets.get(name, np.empty(0, dtype=np.int64)) for name in names]
        if not groups:
            return np.empty(0, dtype=np.int64)
        joined = groups[0]
        for group in groups[1:]:
            joined = np.intersect1d(joined, group) if match_all else np.union1d(joined, group)
        return joined

    @property
    def set_names(self) -> tuple[str, ...]:
        """All node sets, in alphabetical order."""
        return tuple(sorted(self._sets))

    @cached_property
    def _sets(self) -> dict[str, Ints]:
        flat = pc.list_flatten(self.node_sets).dictionary_encode()
        owners = pc.list_parent_indices(self.node_sets).to_numpy()
        codes = flat.indices.to_numpy(zero_copy_only=False)
        return {
            name: np.unique(owners[codes == code]).astype(np.int64)
            for code, name in enumerate(flat.dictionary.to_pylist())
        }

    @cached_property
    def _adjacency(self) -> tuple[Ints, Ints]:
        """(offsets, edge indices): edges at node i, either end, are edges[offsets[i]:offsets[i + 1]]; a self-edge once."""
        edges = np.arange(self.edge_count, dtype=np.int64)
        proper = self.sources != self.targets
        ends = np.concatenate([self.sources, self.targets[proper]])
        owners = np.concatenate([edges, edges[proper]])
        order = np.argsort(ends, kind="stable")
        offsets = np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(np.bincount(ends, minlength=len(self)), out=offsets[1:])
        return offsets, owners[order]

    def best_connected(self, count: int, without: Collection[str]) -> list[str]:
        """Names of the nodes with most edges, of all types but these; ties by id."""
        offsets, _ = self._adjacency
        degrees = np.diff(offsets)
        names: list[str] = []
        for node in np.argsort(-degrees, kind="stable"):
            name = self.node_names[int(node)].as_py()
            if name and self.node_types[int(node)].as_py() not in without:
                names.append(name)
            if len(names) == count:
                break
        return names

    def incident(self, nodes: Ints) -> Ints:
        """Indices of all edges with at least one end among the nodes, ascending, each once."""
        offsets, edges = self._adjacency
        starts, ends = offsets[nodes], offsets[nodes + 1]
        lengths = ends - starts
        if not lengths.sum():
            return np.empty(0, dtype=np.int64)
        spans = np.repeat(starts - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths) + np.arange(lengths.sum())
        return np.unique(edges[spans])

    def ids(self, nodes: Ints) -> list[str]:
        """The id of each node index."""
        return list(self.node_ids.take(pa.array(nodes)).to_pylist())

    def related_by(self, edges: Ints, relationships: Collection[str]) -> npt.NDArray[np.bool_]:
        """Which of the edges have one of these relationships."""
        codes, known = self._relationship_codes
        return np.isin(codes[edges], [known[name] for name in relationships if name in known])

    @cached_property
    def _relationship_codes(self) -> tuple[Ints, dict[str, int]]:
        """(code of each edge's relationship, the codes by relationship)."""
        encoded = self.relationships.dictionary_encode()
        known = {name: code for code, name in enumerate(encoded.dictionary.to_pylist())}
        return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64), known

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """Ids of the nodes of documents."""
        return self.of_type("TextDocument")

    def of_type(self, name: str) -> tuple[str, ...]:
        """Ids of the nodes of a type."""
        return tuple(self.node_ids.filter(pc.equal(self.node_types, name)).to_pylist())

    @cached_property
    def _by_kind(self) -> tuple[Ints, Ints]:
        """(offsets, edge indices) of each edge kind."""
        offsets = np.zeros(len(self.kind_keys) + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.edge_kinds, minlength=len(self.kind_keys)), out=offsets[1:])
        return offsets, np.argsort(self.edge_kinds, kind="stable")

    def of_kinds(self, kinds: Ints) -> Ints:
        """Indices of all edges of these kinds, ascending."""
        offsets, edges = self._by_kind
        parts = [edges[offsets[k] : offsets[k + 1]] for k in kinds]
        return np.sort(np.concatenate(parts)) if parts else np.empty(0, dtype=np.int64)

    def edge_ids(self, edges: Ints) -> list[str]:
        """`edge_object_id` of each edge index."""
        sources = self.node_ids.take(pa.array(self.sources[edges])).to_pylist()
        targets = self.node_ids.take(pa.array(self.targets[edges])).to_pylist()
        names = self.relationships.take(pa.array(edges)).to_pylist()
        return [edge_id(s, t, r) for s, t, r in zip(sources, targets, names, strict=True)]

    def between(self, source: int, target: int) -> Ints:
        """Indices of the edges from one node index to another, in this direction."""
        start, stop = np.searchsorted(self.sources, [source, source + 1])
        return np.asarray(start + np.flatnonzero(self.targets[start:stop] == target), dtype=np.int64)

    def has_edges(self, edges: Sequence[tuple[str, str, str]]) -> npt.NDArray[np.bool_]:
        """Whether each (source id, target id, relationship) is an edge here; ids that are no UUID count as absent."""
        known = np.zeros(len(edges), dtype=bool)
        for position, (source, target, relationship) in enumerate(edges):
            source_at, target_at = self.find([source, target])
            if source_at >= 0 and target_at >= 0:
                names = self.relationships.take(pa.array(self.between(source_at, target_at))).to_pylist()
                known[position] = relationship in names
        return known

    def visible(self, nodes: pa.Table, edges: pa.Table, hidden: Collection[str]) -> tuple[pa.Table, pa.Table]:
        """Rows of `GraphStore.whole` that this graph has, nodes in its order, edges by source, target and relationship."""
        at = self.find(nodes["id"].to_pylist())
        order = np.argsort(at, kind="stable")
        nodes = nodes.take(pa.array(order[at[order] >= 0]))
        sources, targets = (positions(self.node_keys, _keys_of(edges[end])) for end in ("source", "target"))
        ends = edges.select(["source", "target", "relationship"]).to_pydict().values() if hidden else ()
        seen = (
            np.array([edge_id(*own) not in hidden for own in zip(*ends, strict=True)], dtype=bool) if hidden else True
        )
        kept = np.flatnonzero((sources >= 0) & (targets >= 0) & seen)
        names = pc.rank(edges["relationship"], tiebreaker="dense").to_numpy() if len(edges) else np.empty(0, np.int64)
        return nodes, edges.take(pa.array(kept[np.lexsort((names[kept], targets[kept], sources[kept]))]))

    def same_elements(self, other: Graph) -> bool:
        """Whether both are one snapshot, at most with other feedback weights."""
        return self.node_keys is other.node_keys

    def reweighted(self, weights: Mapping[str, float], edges: Mapping[str, tuple[str, str]]) -> Graph:
        """The same graph with these feedback weights by id; `edges` gives (source id, target id) of each edge id."""
        node_feedback = np.full(len(self), 0.5, dtype=np.float32)
        edge_feedback = np.full(self.edge_count, 0.5, dtype=np.float32)
        node_ids = [i for i in weights if i not in edges]
        where = self.find(node_ids)
        known = where >= 0
        node_feedback[where[known]] = np.array([weights[i] for i in node_ids], dtype=np.float32)[known]
        for identifier, (source, target) in edges.items():
            source_at, target_at = self.find([source, target])
            if source_at < 0 or target_at < 0:
                continue
            between = self.between(source_at, target_at)
            for index, own in zip(between, self.edge_ids(between), strict=True):
                if own == identifier:
                    edge_feedback[index] = weights[identifier]
        return replace(self, node_feedback=node_feedback, edge_feedback=edge_feedback)


def positions(keys: Ints, wanted: Ints) -> Ints:
    """Index of each wanted key in the sorted keys, -1 where it is missing."""
    if not len(keys):
        return np.full(len(wanted), -1, dtype=np.int64)
    at = np.searchsorted(keys, wanted)
    at[at == len(keys)] = 0
    return np.where(keys[at] == wanted, at, -1)


def build(version: int, nodes: pa.Table, edges: pa.Table, hidden: Collection[str] = ()) -> Graph:
    """The graph of these columns (as `GraphStore.columns` gives them) without the hidden element ids."""
    ids = nodes["id"].to_pylist()
    keys = np.fromiter((integer_key(i) for i in ids), np.int64, len(ids))
    if hidden:
        kept = np.flatnonzero([i not in hidden for i in ids])
        nodes, keys = nodes.take(pa.array(kept)), keys[kept]
    keys, order = np.unique(keys, return_index=True)
    nodes = nodes.take(pa.array(order)).combine_chunks()
    sources = positions(keys, _keys_of(edges["source"]))
    targets = positions(keys, _keys_of(edges["target"]))
    present = (sources >= 0) & (targets >= 0)
    if hidden:
        present &= np.array(
            [
                edge_id(s, t, r) not in hidden
                for s, t, r in zip(
                    edges["source"].to_pylist(),
                    edges["target"].to_pylist(),
                    edges["relationship"].to_pylist(),
                    strict=True,
                )
            ],
            dtype=bool,
        )
    names = pc.rank(edges["relationship"], tiebreaker="dense").to_numpy() if len(edges) else np.empty(0, np.int64)
    chosen = np.flatnonzero(present)
    chosen = chosen[np.lexsort((names[chosen], targets[chosen], sources[chosen]))]
    edges = edges.take(pa.array(chosen)).combine_chunks()
    kinds, kind_keys = _kinds(edges)
    return Graph(
        version=version,
        node_keys=keys,
        node_ids=_plain(nodes["id"]),
        node_types=_plain(nodes["type"]),
        node_names=_plain(nodes["name"]),
        node_importance=_weights(nodes["importance_weight"]),
        node_feedback=np.full(len(keys), 0.5, dtype=np.float32),
        node_sets=_plain(nodes["node_sets"]),
        sources=sources[chosen],
        targets=targets[chosen],
        relationships=_plain(edges["relationship"]),
        edge_texts=_plain(edges["text"]),
        edge_importance=_weights(edges["importance_weight"]),
        edge_feedback=np.full(len(chosen), 0.5, dtype=np.float32),
        edge_kinds=kinds,
        kind_keys=kind_keys,
    )


def _plain(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _keys_of(column: pa.ChunkedArray) -> Ints:
    """Integer keys of an id column; each distinct id is parsed once."""
    encoded = _plain(column).dictionary_encode()
    distinct = np.fromiter((lookup_key(i) for i in encoded.dictionary.to_pylist()), np.int64, len(encoded.dictionary))
    return distinct[encoded.indices.to_numpy(zero_copy_only=False)] if len(encoded) else np.empty(0, np.int64)


def _weights(column: pa.ChunkedArray) -> Weights:
    """Importance weights in [0, 1]; missing ones are neutral, others are clamped so that a distance never changes sign."""
    values = pc.fill_null(column, 0.5).to_numpy().astype(np.float32)
    return np.clip(np.nan_to_num(values, nan=0.5), 0.0, 1.0)


def _kinds(edges: pa.Table) -> tuple[Ints, Ints]:
    """(kind index of each edge, sorted kind keys): edges of one text, or without text of one relationship, share a kind."""
    label = pc.if_else(pc.equal(pc.fill_null(edges["text"], ""), ""), edges["relationship"], edges["text"])
    encoded = _plain(label).dictionary_encode()
    if not len(encoded):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    keys = np.fromiter((integer_key(edge_type_id(t)) for t in encoded.dictionary.to_pylist()), np.int64)
    distinct, inverse = np.unique(keys, return_inverse=True)
    return inverse[encoded.indices.to_numpy(zero_copy_only=False)].astype(np.int64), distinct
