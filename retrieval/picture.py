"""A fragment as something that can be drawn: its best part, with the totals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from retrieval.model import Fragment, Item, Rows, Triplet
from retrieval.steps.rank import ends, triplet_scores

MOST_NODES = 300
MOST_EDGES = 900


def drawn(
    fragment: Fragment, items: Sequence[Item], most_nodes: int = MOST_NODES, most_edges: int = MOST_EDGES
) -> dict[str, Any]:
    """Nodes and edges of the fragment for a picture: all of them, or beyond the caps those of the best-scored triplets."""
    graph = fragment.graph
    ranks = {item.id: item.rank for item in items if isinstance(item, Triplet)}
    ranked_nodes = {node.id for item in items if isinstance(item, Triplet) for node in (item.source, item.target)}
    nodes, edges = _chosen(fragment, most_nodes, most_edges)
    own = fragment.nodes[nodes]
    ids = dict(zip(own.tolist(), graph.ids(own), strict=True))
    types = graph.node_types.take(pa.array(own)).to_pylist()
    names = graph.node_names.take(pa.array(own)).to_pylist()
    indices = fragment.edges[edges]
    relationships = graph.relationships.take(pa.array(indices)).to_pylist()
    return {
        "nodes": [
            {"id": i, "name": name, "type": kind, "ranked": i in ranked_nodes}
            for i, name, kind in zip(ids.values(), names, types, strict=True)
        ],
        "edges": [
            {
                "id": edge,
                "source": ids[int(graph.sources[index])],
                "target": ids[int(graph.targets[index])],
                "relationship": relationship,
                "rank": ranks.get(edge),
            }
            for edge, index, relationship in zip(graph.edge_ids(indices), indices, relationships, strict=True)
        ],
        "total_nodes": len(fragment.nodes),
        "total_edges": len(fragment.edges),
    }


def drawn_rows(rows: Rows, most_nodes: int = MOST_NODES, most_edges: int = MOST_EDGES) -> dict[str, Any]:
    """The nodes and edges in the cells of a graph query, the first ones beyond the caps."""
    ends = {end for edge in rows.edges for end in (edge.source, edge.target)}
    nodes = [node for node in rows.nodes if node.id][:most_nodes]
    kept = {node.id for node in nodes}
    edges = [edge for edge in rows.edges if edge.source in kept and edge.target in kept][:most_edges]
    return {
        "nodes": [{"id": n.id, "name": n.name, "type": n.type, "ranked": n.id in ends or not ends} for n in nodes],
        "edges": [
            {"id": e.id, "source": e.source, "target": e.target, "relationship": e.relationship, "rank": rank}
            for rank, e in enumerate(edges, start=1)
        ],
        "total_nodes": len(rows.nodes),
        "total_edges": len(rows.edges),
    }


def _chosen(fragment: Fragment, most_nodes: int, most_edges: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the nodes and edges to draw, ascending."""
    if len(fragment.nodes) <= most_nodes and len(fragment.edges) <= most_edges:
        return np.arange(len(fragment.nodes)), np.arange(len(fragment.edges))
    sources, targets = ends(fragment)
    nodes: set[int] = set()
    edges: list[int] = []
    for edge in np.argsort(triplet_scores(fragment, 0.0), kind="stable"):
        joined = nodes | {int(sources[edge]), int(targets[edge])}
        if len(joined) > most_nodes or len(edges) == most_edges:
            break
        nodes = joined
        edges.append(int(edge))
    return np.array(sorted(nodes), dtype=np.int64), np.array(sorted(edges), dtype=np.int64)
