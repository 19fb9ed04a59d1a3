"""Elements as rows of the vector collections (reference 10.3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from retrieval.identity import sentence_id
from retrieval.ingest.elements import (
    CHUNK,
    DOCUMENT,
    EDGE_TYPE,
    ENTITY,
    ENTITY_TYPE,
    EVENT,
    RULE,
    SUMMARY,
    is_structural,
)
from retrieval.model import (
    CHUNKS,
    DOCUMENTS,
    EDGE_TYPES,
    ENTITIES,
    ENTITY_TYPES,
    EVENTS,
    RULES,
    SENTENCES,
    SUMMARIES,
    TRIPLETS,
    Edge,
    Entry,
    Node,
)
from retrieval.sentences import sentences

COLLECTIONS = {
    CHUNK: CHUNKS,
    SUMMARY: SUMMARIES,
    ENTITY: ENTITIES,
    ENTITY_TYPE: ENTITY_TYPES,
    DOCUMENT: DOCUMENTS,
    EDGE_TYPE: EDGE_TYPES,
    RULE: RULES,
    EVENT: EVENTS,
}
KEPT = ("chunk_size", "cut_type", "time_from", "time_until", "precision", "stated", "times", "when")
ARROW = "-›"


def rows(elements: Iterable[Node | Edge], names: Mapping[str, str], *, triplets: bool) -> dict[str, list[Entry]]:
    """Rows of each collection; `names` gives the name of every node that an edge of these elements touches."""
    found: dict[str, list[Entry]] = defaultdict(list)
    for element in elements:
        if isinstance(element, Edge):
            if triplets and not is_structural(element):
                found[TRIPLETS].append(_triplet(element, names))
            continue
        collection = COLLECTIONS.get(node_class(element))
        if collection is not None and (element.text or element.name).strip():
            found[collection].append(_row(element))
        if node_class(element) == CHUNK:
            found[SENTENCES] += _sentences(element)
    return dict(found)


def row_ids(element: Node | Edge) -> dict[str, list[str]]:
    """Ids of every row that an element can have, by collection."""
    if isinstance(element, Edge):
        return {TRIPLETS: [element.id]}
    collection = COLLECTIONS.get(node_class(element))
    ids = {collection: [element.id]} if collection else {}
    if node_class(element) == CHUNK:
        ids[SENTENCES] = [entry.id for entry in _sentences(element)]
    return ids


def node_class(node: Node) -> str:
    """Which kind of element a node is, whatever type it shows."""
    return str(node.properties.get("class", node.type))


def _row(node: Node) -> Entry:
    kept = node.properties
    page, index = kept.get("page"), kept.get("chunk_index")
    return Entry(
        node.id,
        node.description if node_class(node) == EVENT else node.text or node.name,
        document_id=str(kept.get("document_id", "")),
        document_name=str(kept.get("document_name", "")),
        chunk_id=str(kept.get("source_chunk_id", node.id if node_class(node) == CHUNK else "")),
        chunk_index=index if isinstance(index, int) else None,
        page=page if isinstance(page, int) else None,
        importance_weight=node.importance_weight,
        node_sets=node.node_sets,
        extra={key: kept[key] for key in KEPT if key in kept},
    )


def _triplet(edge: Edge, names: Mapping[str, str]) -> Entry:
    text = f"{names.get(edge.source, '')} {ARROW} {edge.text or edge.relationship} {ARROW} {names.get(edge.target, '')}"
    ends = {"source_id": edge.source, "target_id": edge.target, "relationship": edge.relationship, "said": edge.text}
    return Entry(edge.id, text, importance_weight=edge.importance_weight, extra=ends)


def _sentences(chunk: Node) -> Sequence[Entry]:
    return [
        Entry(sentence_id(chunk.id, position), text, chunk_id=chunk.id)
        for position, text in enumerate(sentences(chunk.text))
    ]
