"""HYBRID's entity and fact lanes: what is said about the nearest entities, and the statements nearest to the question
(page; reference 3.9).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from retrieval.graph import Graph
from retrieval.model import EDGE_TYPES, ENTITIES, Edge, Fact, Found, Hits, Indices, Node, Query, Statements
from retrieval.ports import Deps
from retrieval.steps.lanes import limits
from retrieval.steps.seed import nearest_hits

IS_A = "is_a"
IS_A_SPELLINGS = ("is_a", "isa", "is a", "is-a", "IS_A", "ISA", "isA", "IsA")
# Edges that say how the memory is built, not what it is about.
STRUCTURE = ("contains", "is_part_of", "made_from", "belongs_to_set", "at", "during", "involves")
ROW_CLASSES = frozenset({"IndexSchema", "Entity", ""})
FEWEST_WORDS = 3
MENTIONS = "Document chunk mentions "


def entities_and_facts(query: Query, found: Found, deps: Deps) -> Found:
    """`found` with the nearest entities and their statements, and the facts that these do not say already."""
    _, most_entities, most_facts, _ = limits(query)
    per_entity = int(query.config["max_edges_per_entity"])
    graph = deps.graph()
    hits = _entity_hits(query, found, deps, most_entities)
    near = nearest_hits(
        EDGE_TYPES, replace(query, node_sets=None), found, deps, most_entities * per_entity + most_facts
    )
    kinds = graph.find_kinds(near.ids)
    entities = list(_described(query, hits, kinds, graph, deps, per_entity))
    said = {text for entity in entities for _, text in entity.edges}
    wanted = most_facts if entities or query.node_sets is not None or not most_facts else most_entities * per_entity
    scope = _incident(graph, hits) if query.node_sets is not None else None
    facts = islice(_facts(near, kinds, graph, said, scope), wanted if most_entities else 0)
    ranked = [replace(fact, rank=rank) for rank, fact in enumerate(facts, start=1)]
    return replace(found, seeds=(*found.seeds, hits, near), items=(*found.items, *entities, *ranked))


def _entity_hits(query: Query, found: Found, deps: Deps, limit: int) -> Hits:
    if not limit:
        return Hits(ENTITIES, (), np.empty(0, np.float32))
    return nearest_hits(ENTITIES, query, found, deps, limit)


def _incident(graph: Graph, hits: Hits) -> Indices:
    places = graph.find(hits.ids)
    return graph.incident(places[places >= 0]) if len(places) else np.empty(0, np.int64)


def _described(query: Query, hits: Hits, kinds: Indices, graph: Graph, deps: Deps, most: int) -> Iterator[Statements]:
    """Each entity with its statements: what it is first, then those near to the question, then the others by id."""
    nodes = {node.id: node for node in deps.nodes(hits.ids)}
    rank_of_kind = {int(kind): rank for rank, kind in enumerate(kinds) if kind >= 0}
    inside = None
    if query.node_sets is not None:
        inside = graph.members(query.node_sets.names, match_all=query.node_sets.match_all)
    for rank, (entity, distance) in enumerate(zip(hits.ids, hits.distances.tolist(), strict=True), start=1):
        node = nodes.get(entity) or Node(entity, "")
        [place] = graph.find([entity])
        edges = graph.incident(np.array([place])) if place >= 0 else np.empty(0, np.int64)
        edges = edges[~graph.related_by(edges, STRUCTURE)]
        kinds_of = _is_kind(graph, edges)
        if inside is not None:
            others = np.where(graph.sources[edges] == place, graph.targets[edges], graph.sources[edges])
            kept = kinds_of | np.isin(others, inside)
            edges, kinds_of = edges[kept], kinds_of[kept]
        near = np.array([rank_of_kind.get(int(kind), len(rank_of_kind)) for kind in graph.edge_kinds[edges]], np.int64)
        # Repeats of an edge fall away below: some more than wanted are looked at.
        order = np.lexsort((near, ~kinds_of))[: 2 * most]
        chosen = [int(e) for e in edges[order]]
        bullets = _distinct([(edge_at(graph, e), edge_text(graph, e)) for e in chosen])[:most]
        yield Statements(rank, node, _kind(graph, node, chosen), tuple(bullets), distance)


def _is_kind(graph: Graph, edges: Indices) -> npt.NDArray[np.bool_]:
    """Which of the edges say what something is: `is_a` in any spelling, or a text with the words "is a"."""
    texts = pc.match_substring_regex(graph.edge_texts.take(pa.array(edges)), r"\bis a\b")
    said = np.asarray(pc.fill_null(texts, fill_value=False).to_numpy(zero_copy_only=False), dtype=bool)
    return graph.related_by(edges, IS_A_SPELLINGS) | said


def _kind(graph: Graph, node: Node, edges: Sequence[int]) -> str:
    """The type as shown: the name of what the entity is, else its own type, unless that is a technical one."""
    for edge in edges:
        if graph.relationships[edge].as_py() == IS_A:
            return str(graph.node_names[int(graph.targets[edge])].as_py() or "")
    return "" if node.type in ROW_CLASSES else node.type


def edge_at(graph: Graph, edge: int) -> Edge:
    """The edge at this index, with its ends and text."""
    ends = graph.ids(np.array([graph.sources[edge], graph.targets[edge]]))
    return Edge(ends[0], ends[1], graph.relationships[edge].as_py(), graph.edge_texts[edge].as_py() or "")


def edge_text(graph: Graph, edge: int) -> str:
    """What an edge says: its text, else `source -- relationship -- target`."""
    said = graph.edge_texts[edge].as_py()
    if said:
        return str(said)
    names = graph.node_names.take(pa.array([graph.sources[edge], graph.targets[edge]])).to_pylist()
    return f"{names[0]} -- {graph.relationships[edge].as_py()} -- {names[1]}"


def _distinct(bullets: Sequence[tuple[Edge, str]]) -> list[tuple[Edge, str]]:
    """Each (source, relationship, target) once; edges without a relationship are told apart by their text."""
    seen: dict[object, tuple[Edge, str]] = {}
    for edge, text in bullets:
        known = edge.source and edge.relationship and edge.target
        seen.setdefault((edge.source, edge.relationship, edge.target) if known else text, (edge, text))
    return list(seen.values())


def _facts(near: Hits, kinds: Indices, graph: Graph, said: set[str], scope: Indices | None) -> Iterator[Fact]:
    """The nearest statements that are no bullet, have at least three words, and in a node set touch one of its entities."""
    told = set(said)
    for kind, identifier, distance in zip(kinds.tolist(), near.ids, near.distances.tolist(), strict=True):
        edges = graph.of_kinds(np.array([kind])) if kind >= 0 else np.empty(0, np.int64)
        if scope is not None:
            edges = np.intersect1d(edges, scope)
        if not len(edges):
            continue
        text = str(graph.edge_texts[int(edges[0])].as_py() or graph.relationships[int(edges[0])].as_py() or "")
        if len(text.split()) >= FEWEST_WORDS and text not in told:
            told.add(text)
            yield Fact(0, identifier, glossary(text), edge_at(graph, int(edges[0])), distance)


def glossary(text: str) -> str:
    """The text of a chunk's mention as `Name: description`; any other text as it is."""
    if not text.startswith(MENTIONS):
        return text
    rest = text.removeprefix(MENTIONS)
    return rest[:1].upper() + rest[1:]
