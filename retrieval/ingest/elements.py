"""A document's chunks and facts as contributions to the graph, and the fold that makes elements of them (reference 10)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from textwrap import shorten

from retrieval.calendar import Span, shown
from retrieval.identity import (
    edge_type_id,
    entity_id,
    entity_type_id,
    event_id,
    node_set_id,
    rule_id,
    summary_id,
    time_id,
)
from retrieval.ingest.events import Dated, is_range
from retrieval.ingest.rules import StatedRule, stated_rules
from retrieval.model import CODING_RULES_SET, Chunk, Contribution, Document, Edge, Facts, Json, Mention, Node

DOCUMENT, CHUNK, SUMMARY, ENTITY_TYPE, EDGE_TYPE, NODE_SET = (
    "TextDocument",
    "DocumentChunk",
    "TextSummary",
    "EntityType",
    "EdgeType",
    "NodeSet",
)
ENTITY, RULE = "Entity", "Rule"
EVENT, TIMESTAMP, INTERVAL = "Event", "Timestamp", "Interval"
LONGEST_MENTION, LONGEST_DESCRIPTION = 100, 1000
STRUCTURAL = frozenset({"is_part_of", "contains", "is_a", "made_from", "belongs_to_set"})
AT, DURING, INVOLVES = "at", "during", "involves"


def contributions(
    document: Document,
    title: str,
    chunks: Sequence[Chunk],
    facts: Sequence[Facts],
    summaries: Sequence[str],
    events: Sequence[Sequence[Dated]] = (),
) -> list[Contribution]:
    """Everything that a document says, in a fixed order; equal elements of one chunk once. `events` are those of each
    chunk, or none at all.
    """
    elements = [("", element) for element in _frame(document, title)]
    described = _first_descriptions(facts)
    for chunk, found, summary in zip(chunks, facts, summaries, strict=True):
        own = replace(found, mentions=tuple(replace(m, description=described[m.type, m.name]) for m in found.mentions))
        elements += [(chunk.id, element) for element in _of_chunk(document, chunk, own, summary)]
    if CODING_RULES_SET in document.node_sets:
        elements += [(rule.chunk.id, element) for rule in stated_rules(chunks) for element in of_rule(document, rule)]
    for chunk, found, dated in zip(chunks, facts, events, strict=False):
        elements += [(chunk.id, element) for element in _of_events(document, chunk, found.mentions, dated)]
    texts = [
        (chunk, Node(edge_type_id(e.text or e.relationship), EDGE_TYPE, e.text or e.relationship))
        for chunk, e in elements
        if isinstance(e, Edge)
    ]
    distinct = {(chunk, element.id): element for chunk, element in (*reversed(texts), *reversed(elements))}
    return [Contribution(document.id, element.id, element, chunk) for (chunk, _), element in reversed(distinct.items())]


def _first_descriptions(facts: Sequence[Facts]) -> dict[tuple[str, str], str]:
    """How each entity is first described in the document; a description per mention would be embedded as often."""
    described: dict[tuple[str, str], str] = {}
    for mention in (m for found in facts for m in found.mentions):
        described[mention.type, mention.name] = described.get((mention.type, mention.name)) or mention.description
    return described


def _frame(document: Document, title: str) -> Iterator[Node | Edge]:
    """The document's own node and the node sets that it belongs to."""
    sets = document.node_sets
    properties = {"class": DOCUMENT, "title": title, "media_type": document.media_type}
    yield Node(document.id, DOCUMENT, document.name, title, node_sets=sets, properties=properties)
    for name in sets:
        yield Node(node_set_id(name), NODE_SET, name, node_sets=(name,), properties={"class": NODE_SET})
        yield Edge(document.id, node_set_id(name), "belongs_to_set")


def _of_chunk(document: Document, chunk: Chunk, facts: Facts, summary: str) -> Iterator[Node | Edge]:
    sets = document.node_sets
    yield Node(
        chunk.id,
        CHUNK,
        text=chunk.text,
        node_sets=sets,
        properties={
            "class": CHUNK,
            "document_id": document.id,
            "document_name": document.name,
            "chunk_index": chunk.index,
            "chunk_size": chunk.size,
            "cut_type": chunk.cut_type,
            "page": chunk.page,
        },
    )
    yield Edge(chunk.id, document.id, "is_part_of")
    if summary:
        properties = {"class": SUMMARY, "source_chunk_id": chunk.id}
        yield Node(summary_id(chunk.id), SUMMARY, text=summary, node_sets=sets, properties=properties)
        yield Edge(summary_id(chunk.id), chunk.id, "made_from")
    yield from _of_facts(document, chunk, facts)


def of_rule(document: Document, rule: StatedRule) -> Iterator[Node | Edge]:
    """A rule and what it is part of."""
    properties = {
        "class": RULE,
        "document_id": document.id,
        "document_name": document.name,
        "source_chunk_id": rule.chunk.id,
        "page": rule.chunk.page,
    }
    own = rule_id(document.id, rule.text)
    yield Node(own, RULE, rule.name, text=rule.text, node_sets=document.node_sets, properties=properties)
    yield Edge(own, document.id, "is_part_of")


def _of_facts(document: Document, chunk: Chunk, facts: Facts) -> Iterator[Node | Edge]:
    ids = {mention.key: entity_id(mention.name, mention.type) for mention in facts.mentions}
    said = {relation.text for relation in facts.relations}
    for mention in facts.mentions:
        own, kind = ids[mention.key], entity_type_id(mention.type)
        properties = {"class": ENTITY}
        yield Node(own, mention.type, mention.name, mention.description, "", 0.5, document.node_sets, properties)
        yield Node(kind, ENTITY_TYPE, mention.type, node_sets=document.node_sets, properties={"class": ENTITY_TYPE})
        yield Edge(own, kind, "is_a")
        yield Edge(chunk.id, own, "contains", mentions(mention, said))
    for relation in facts.relations:
        if relation.source in ids and relation.target in ids:
            yield Edge(ids[relation.source], ids[relation.target], relation.relationship, relation.text)


def is_structural(edge: Edge) -> bool:
    """Whether an edge is the memory's own and states no fact; a fact may be named like an event's edge, but has a text."""
    return edge.relationship in STRUCTURAL or (edge.relationship in {AT, DURING, INVOLVES} and not edge.text)


def _of_events(
    document: Document, chunk: Chunk, mentioned: Sequence[Mention], events: Sequence[Dated]
) -> Iterator[Node | Edge]:
    """The dated statements of a chunk, their times, and the things that they name (reference 10.3). Their edges have no
    text of their own: each would be embedded.
    """
    sets = document.node_sets
    names = [(entity_id(m.name, m.type), re.compile(rf"(?<!\w){re.escape(m.name)}(?!\w)")) for m in mentioned]
    for position, event in enumerate(events):
        own = event_id(chunk.id, position)
        yield Node(own, EVENT, event.name, event.text, "", 0.5, sets, _event_properties(document, chunk, event))
        yield Edge(chunk.id, own, "contains")
        for span in event.times:
            yield _time(span)
            yield Edge(own, time_id(span.start, span.until), DURING if is_range(span) else AT)
        for entity, name in names:
            if name.search(event.text):
                yield Edge(own, entity, INVOLVES)


def _event_properties(document: Document, chunk: Chunk, event: Dated) -> dict[str, Json]:
    first = event.times[0]
    return {
        "class": EVENT,
        "document_id": document.id,
        "document_name": document.name,
        "chunk_index": chunk.index,
        "page": chunk.page,
        "source_chunk_id": chunk.id,
        "time_from": first.start,
        "time_until": first.until,
        "precision": first.precision,
        "stated": event.stated,
        "times": [[span.start, span.until] for span in event.times],
        "when": "; ".join(shown(span) for span in event.times),
    }


def _time(span: Span) -> Node:
    """The node of a time: a range is an Interval, a unit of the calendar a Timestamp."""
    own, name = time_id(span.start, span.until), shown(span)
    if is_range(span):
        return Node(own, INTERVAL, name, properties={"class": INTERVAL, "time_from": span.start, "time_to": span.until})
    kept: dict[str, Json] = {"time_at": span.start, "time_until": span.until, "precision": span.precision}
    return Node(own, TIMESTAMP, name, properties={"class": TIMESTAMP, "timestamp_str": name, **kept})


def mentions(mention: Mention, said: Collection[str] = ()) -> str:
    """The text of a `contains` edge (reference 10.4). Each is embedded: a long description is cut, and one that a
    relation says already is left out.
    """
    described = "" if mention.description in said else shorten(mention.description, LONGEST_MENTION, placeholder="…")
    return f"Document chunk mentions {mention.name}" + (f": {described}" if described else "")


def folded(said: Sequence[Contribution]) -> Node | Edge:
    """One element from everything that is said about it: the first naming, all descriptions, all node sets.

    An edge keeps the first text, since its vector belongs to that text; later ones are kept in `properties`. Of a node's
    descriptions so many are shown as LONGEST_DESCRIPTION holds: a country named in every document would fill a context
    by itself, and be written anew with each of them. The log keeps them all.
    """
    elements = [contribution.element for contribution in said]
    first = elements[0]
    if isinstance(first, Edge):
        texts = _distinct(e.text for e in elements if isinstance(e, Edge))
        weight = max(e.importance_weight for e in elements)
        properties = {**first.properties, "texts": texts[1:]} if len(texts) > 1 else first.properties
        return Edge(first.source, first.target, first.relationship, texts[0] if texts else "", weight, properties)
    nodes = [e for e in elements if isinstance(e, Node)]
    return Node(
        first.id,
        first.type,
        first.name,
        _joined(_distinct(n.description for n in nodes)),
        first.text,
        max(n.importance_weight for n in nodes),
        tuple(sorted({name for n in nodes for name in n.node_sets})),
        first.properties,
    )


def _joined(descriptions: Sequence[str]) -> str:
    """The first description, and those after it that still fit."""
    lengths = accumulate(len(text) + 1 for text in descriptions)
    return " ".join(
        t for i, (t, end) in enumerate(zip(descriptions, lengths, strict=True)) if not i or end <= LONGEST_DESCRIPTION
    )


def _distinct(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(t for t in texts if t))
