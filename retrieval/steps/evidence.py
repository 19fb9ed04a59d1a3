"""Where a context comes from: its numbered sources, the sentences that may be quoted, and the Evidence block."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from retrieval.identity import sentence_id
from retrieval.model import (
    CHUNKS,
    SENTENCES,
    Entry,
    Fact,
    Found,
    Item,
    Passage,
    Query,
    Source,
    Statement,
    Statements,
    Triplet,
)
from retrieval.ports import Deps
from retrieval.sentences import sentences
from retrieval.words import STOP_WORDS, tokens

CHUNK, CONTAINS = "DocumentChunk", "contains"
MOST_SOURCES = 40
SNIPPET = 160
FEWEST_LINES, MOST_LINES = 3, 5
FUNCTION_WORDS = STOP_WORDS | set(
    "what who whom if no so than then there while i me my mine ours yours hers theirs this that such too very can just "
    "into over under again further once here all any both each few more most other some only own same because until "
    "during before after above below up down out off between through also".split()
)


def with_sources(query: Query, found: Found, deps: Deps) -> Found:
    """`found` with the chunks behind its context, in rank order, and the statements that an answer may quote."""
    ids = dict.fromkeys(chunk for item in found.items for chunk in _own_chunks(item))
    edges = [edge for item in found.items for edge in _own_edges(item)]
    said_in = deps.provenance(edges) if edges else {}
    ids.update(dict.fromkeys(chunk for edge in edges for chunk in said_in.get(edge, ())[:3]))
    rows = deps.vectors.fetch(CHUNKS, list(ids)[:MOST_SOURCES])
    sources = tuple(_source(number, row) for number, row in enumerate(rows, start=1))
    numbers = {source.chunk_id: source.number for source in sources}
    statements = (*_sentences(found, rows, numbers, deps), *_edge_statements(found.items, said_in, numbers))
    return replace(found, sources=sources, statements=statements)


def numbered_as(sources: Sequence[Source], found: Found) -> Found:
    """`found` with its sources and statements numbered as in `sources`; those that are not among them are left out."""
    numbers = {source.chunk_id: source.number for source in sources}
    known = {s.number: numbers[s.chunk_id] for s in found.sources if s.chunk_id in numbers}
    return replace(
        found,
        sources=tuple(replace(s, number=known[s.number]) for s in found.sources if s.number in known),
        statements=tuple(replace(s, source=known[s.source]) for s in found.statements if s.source in known),
    )


def _own_edges(item: Item) -> list[str]:
    """Ids of the edges that an item shows: a triplet, a row of the triplet collection, an entity's statements, a fact."""
    if isinstance(item, Statements):
        return [edge.id for edge, _ in item.edges]
    if isinstance(item, Fact):
        return [item.edge.id]
    return [item.id] if isinstance(item, Triplet) or "relationship" in item.entry.extra else []


def _own_chunks(item: Item) -> list[str]:
    """The chunks that an item shows: itself, what it summarises, or a triplet's chunk nodes."""
    if isinstance(item, Passage):
        return [item.entry.chunk_id] if item.entry.chunk_id else []
    return [node.id for node in (item.source, item.target) if node.type == CHUNK] if isinstance(item, Triplet) else []


def _source(number: int, row: Entry) -> Source:
    return Source(number, row.id, row.document_id, row.document_name, row.chunk_index or 0, row.page, row.text)


def _sentences(found: Found, rows: Sequence[Entry], numbers: Mapping[str, int], deps: Deps) -> list[Statement]:
    """The sentences of the chunks that the context shows, with their distances where the question has a vector."""
    shown = {chunk for item in found.items for chunk in _own_chunks(item)}
    texts = {
        sentence_id(row.id, position): (text, numbers[row.id])
        for row in rows
        if row.id in shown
        for position, text in enumerate(sentences(row.text))
    }
    distances: dict[str, float] = {}
    if found.vector is not None and texts:
        hits = deps.vectors.distances(SENTENCES, found.vector, list(texts))
        distances = dict(zip(hits.ids, hits.distances.tolist(), strict=True))
    return [Statement(text, source, distances.get(i)) for i, (text, source) in texts.items()]


def _edge_statements(
    items: Sequence[Item], said_in: Mapping[str, Sequence[str]], numbers: Mapping[str, int]
) -> list[Statement]:
    """The texts of the edges, each with the first source that says it."""
    statements = []
    for item in items:
        for edge, text, distance in _said(item):
            numbered = [numbers[c] for c in said_in.get(edge, ()) if c in numbers]
            if text and numbered:
                statements.append(Statement(text, numbered[0], distance))
    return statements


def _said(item: Item) -> list[tuple[str, str, float | None]]:
    """(edge id, text, distance) of what edges say; chunks and their mentions say nothing of their own."""
    if isinstance(item, Passage):
        return [(item.id, str(item.entry.extra.get("said", "")), item.distance)]
    if isinstance(item, Statements):
        return [(edge.id, edge.text, None) for edge, _ in item.edges]
    if isinstance(item, Fact):
        return [] if item.edge.relationship == CONTAINS else [(item.edge.id, item.text, item.distance)]
    if item.source.type == CHUNK:
        return []
    return [(item.id, item.edge.text, item.edge_distance if item.edge_matched else None)]


def evidence_block(answer: str, sources: Sequence[Source], limit: int = MOST_LINES) -> str:
    """The `Evidence:` lines of an answer (reference 4.1), or '': of the used chunks, those that share most words with it."""
    terms = _significant(answer)
    distinct = {s.chunk_id or f"{s.document_name}#{s.chunk_index}": s for s in reversed(sources)}
    usable = [
        s for s in reversed(distinct.values()) if s.document_name.strip() and s.text.strip() and s.chunk_index >= 0
    ]
    shared = [(len(terms & set(tokens(source.text))), source) for source in usable]
    ranked = sorted((pair for pair in shared if pair[0]), key=lambda pair: -pair[0])
    lines = [_line(source) for _, source in ranked[: min(max(limit, FEWEST_LINES), MOST_LINES)]]
    return "Evidence:\n" + "\n".join(lines) if lines else ""


def _significant(text: str) -> set[str]:
    """Words that carry meaning: three letters or more, or any length in scripts without spaces."""
    plain = re.sub(r"\[\d+(?:,\s*\d+)*\]", " ", text)
    return {t for t in tokens(plain, stop=FUNCTION_WORDS) if len(t) >= 3 or not t.isascii()}


def _line(source: Source) -> str:
    known = (("data_id", source.document_id), ("chunk_id", source.chunk_id))
    ids = ", ".join(f"{name}: {value}" for name, value in known if value)
    snippet = " ".join(source.text.split())
    if len(snippet) > SNIPPET:
        snippet = snippet[: SNIPPET - 1].rstrip() + "…"
    return (
        f'- chunk {source.chunk_index + 1} of document {source.document_name}{f" ({ids})" if ids else ""}: "{snippet}"'
    )
