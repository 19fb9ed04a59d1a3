"""Small graphs for tests, from short edge lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from retrieval.graph import Graph, build
from retrieval.model import Edge, Fragment, Node

NODES = pa.schema(
    [
        ("id", pa.string()),
        ("type", pa.string()),
        ("name", pa.string()),
        ("importance_weight", pa.float64()),
        ("node_sets", pa.list_(pa.string())),
    ]
)
EDGES = pa.schema(
    [
        ("source", pa.string()),
        ("target", pa.string()),
        ("relationship", pa.string()),
        ("text", pa.string()),
        ("importance_weight", pa.float64()),
    ]
)


def uid(number: int) -> str:
    """A UUID whose order is that of the number."""
    return f"{number:08x}-0000-4000-8000-000000000000"


def graph_of(nodes: Sequence[Node], edges: Sequence[Edge], hidden: Sequence[str] = ()) -> Graph:
    """The snapshot of these nodes and edges."""
    node_rows = [
        {"id": n.id, "type": n.type, "name": n.name or n.text[:60], "importance_weight": n.importance_weight,
         "node_sets": list(n.node_sets)}
        for n in nodes
    ]  # fmt: skip
    edge_rows = [
        {"source": e.source, "target": e.target, "relationship": e.relationship, "text": e.text,
         "importance_weight": e.importance_weight}
        for e in edges
    ]  # fmt: skip
    return build(1, pa.Table.from_pylist(node_rows, NODES), pa.Table.from_pylist(edge_rows, EDGES), hidden)


def whole(
    graph: Graph,
    node_distances: Mapping[str, float],
    edge_distances: Sequence[float],
    penalty: float = 6.5,
) -> Fragment:
    """The whole graph as a fragment with these distances; a distance equal to the penalty is no hit."""
    nodes = np.array([node_distances[i] for i in graph.node_ids.to_pylist()], dtype=np.float32)
    edges = np.array(edge_distances, dtype=np.float32)
    return Fragment(
        graph, np.arange(len(graph)), np.arange(graph.edge_count), nodes, edges, nodes != penalty, edges != penalty
    )
