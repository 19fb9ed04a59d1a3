"""Several searches as one result: each item once, in the order in which the searches found it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from retrieval.graph import positions
from retrieval.model import Floats, Found, Fragment, Indices, Item


def merged(founds: Sequence[Found]) -> Found:
    """The first result with the items of all, ranked anew, and a fragment that holds all of their fragments.

    Items are equal by id: a triplet by (source, relationship, target), a passage by its row.
    """
    items: dict[str, Item] = {}
    for found in founds:
        for item in found.items:
            items.setdefault(item.id, item)
    ranked = tuple(replace(item, rank=rank) for rank, item in enumerate(items.values(), start=1))
    fragments = [found.fragment for found in founds if found.fragment is not None]
    notes = tuple(dict.fromkeys(note for found in founds for note in found.notes))
    return replace(founds[0], items=ranked, fragment=joined(fragments), notes=notes)


def joined(fragments: Sequence[Fragment]) -> Fragment | None:
    """One fragment of the same graph with all nodes and edges, each with its smallest distance."""
    if len(fragments) < 2:
        return fragments[0] if fragments else None
    nodes, node_distances, node_matched = _together([(f.nodes, f.node_distances, f.node_matched) for f in fragments])
    edges, edge_distances, edge_matched = _together([(f.edges, f.edge_distances, f.edge_matched) for f in fragments])
    return Fragment(fragments[0].graph, nodes, edges, node_distances, edge_distances, node_matched, edge_matched)


def _together(parts: Sequence[tuple[Indices, Floats, np.ndarray]]) -> tuple[Indices, Floats, np.ndarray]:
    """(sorted indices, smallest distance of each, whether any part matched it)."""
    indices = np.unique(np.concatenate([own for own, _, _ in parts]))
    distances = np.full(len(indices), np.inf, dtype=np.float32)
    matched = np.zeros(len(indices), dtype=bool)
    for own, measured, hit in parts:
        at = positions(indices, own)
        distances[at] = np.minimum(distances[at], measured)
        matched[at] |= hit
    return indices, distances, matched
