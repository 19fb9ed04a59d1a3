"""From stored files to a searchable memory: one document after the other, resumable after any step.

A document's facts are written to the operation log first. What the stores hold of an element is always the fold over
what all live documents say about it, so that repeating a step changes nothing and removing a document leaves the others whole.
Order of the writes: graph, vectors, lexical, done; only `done` makes the document visible.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from retrieval.errors import IngestionError
from retrieval.ingest.chunk import chunk
from retrieval.ingest.elements import CHUNK, EDGE_TYPE, ENTITY, EVENT, contributions, folded, is_structural
from retrieval.ingest.events import dated
from retrieval.ingest.read import Limits, read
from retrieval.ingest.rows import node_class, row_ids, rows
from retrieval.ingest.summarise import summarise
from retrieval.memory import Stores
from retrieval.model import Chunk, Contribution, Document, Edge, Facts, Floats, Json, Node, Operation, Progress
from retrieval.ports import Catalog, Embedder, Extractor, OperationLog
from retrieval.sentences import sentences

Vectors = dict[str, Floats]
STAGES = ("extracted", "graph", "vectors", "lexical", "done")
BATCH = 256
# Documents that are written together, and the share of their progress that extraction has.
GROUP, GROUP_BYTES = 32, 64 * 1024
EXTRACTED = 0.5


@dataclass(frozen=True, slots=True)
class Workshop:
    """What building one dataset's memory needs."""

    catalog: Catalog
    operations: OperationLog
    stores: Stores
    embedder: Embedder
    extractor: Extractor
    stored: Callable[[Document], bytes]
    limits: Limits
    chunk_tokens: int
    triplets: bool = True
    temporal: bool = True


def build(dataset_id: str, shop: Workshop) -> Iterator[Progress]:
    """Finish what is under way, then process every document that waits; each step is one Progress."""
    documents = {d.id: d for d in shop.catalog.documents(dataset_id)}
    for operation in shop.operations.pending(dataset_id):
        if operation.kind == "delete" and operation.document_id in documents:
            yield from remove(documents.pop(operation.document_id), shop)
    waiting = [d for d in documents.values() if d.status in {"added", "processing"}]
    before = 0
    for group in _groups(waiting):
        for step in add(group, shop):
            yield replace(step, done=(before + step.done * len(group)) / len(waiting))
        before += len(group)


def _groups(documents: Sequence[Document]) -> Iterator[list[Document]]:
    """The documents in order, small ones together: a write to the stores costs nearly the same for one as for many."""
    group: list[Document] = []
    for document in documents:
        if group and (len(group) == GROUP or sum(d.size for d in group) + document.size > GROUP_BYTES):
            yield group
            group = []
        group.append(document)
    if group:
        yield group


def add(documents: Sequence[Document], shop: Workshop) -> Iterator[Progress]:
    """Process documents together; a file that can't be read ends as `failed` with its reason, and the others go on.

    `done` goes from 0 to 1 over all of them.
    """
    vectors: Vectors = {}
    ready: list[tuple[Document, Operation]] = []
    for position, document in enumerate(documents):
        for step in _prepare(document, shop, vectors, ready):
            yield replace(step, done=EXTRACTED * (position + step.done) / len(documents))
    if ready:
        yield from _store(ready, shop, vectors)


def _prepare(
    document: Document, shop: Workshop, vectors: Vectors, ready: list[tuple[Document, Operation]]
) -> Iterator[Progress]:
    """Read, chunk and extract a document into the log, and append it to `ready`; a failed one is reported instead."""
    start = perf_counter()
    try:
        file = read(document.name, shop.stored(document), shop.limits)
    except IngestionError as error:
        report: dict[str, Json] = {
            "stage": "failed",
            "problem": error.message,
            "seconds": round(perf_counter() - start, 2),
        }
        shop.catalog.put_document(replace(document, status="failed", report=report))
        yield Progress(document.name, "failed", 1.0, error.message)
        return
    operation = shop.operations.begin(document.dataset_id, document.id, "add")
    document = replace(document, status="processing")
    if operation.stage not in STAGES:
        chunks = chunk(document.id, file.pages, shop.embedder.count_tokens, shop.chunk_tokens)
        yield Progress(document.name, "chunked", 0.1, f"{len(chunks)} chunks")
        found = yield from _extract(document, file.title, chunks, shop, vectors)
        events = dated(file.title, [own.text for own in chunks]) if shop.temporal else []
        said = contributions(document, file.title, chunks, [f for f, _ in found], [s for _, s in found], events)
        shop.operations.contribute(document.dataset_id, document.id, said)
        report = _report(said, sum(f.dropped for f, _ in found), file.notes, perf_counter() - start)
        shop.catalog.put_document(replace(document, report=report))
        operation = shop.operations.advance(operation, "extracted")
        yield Progress(
            document.name, "extracted", 1.0, f"{report['entities']} entities, {report['relations']} relations"
        )
    ready.append((document, operation))


def _extract(
    document: Document, title: str, chunks: Sequence[Chunk], shop: Workshop, vectors: Vectors
) -> Generator[Progress, None, list[tuple[Facts, str]]]:
    """Facts and summary of each chunk, as the generator's return value.

    The sentences are embedded beside the extraction: the one keeps a core busy in Python, the other does not.
    """
    facts: list[Facts] = []
    told = [sentences(own.text) for own in chunks]
    with ThreadPoolExecutor(max_workers=1) as pool:
        under_way = pool.submit(embedded, [s for own in told for s in own], shop, vectors)
        for found in shop.extractor.extract(title, [c.text for c in chunks]):
            facts.append(found)
            yield Progress(document.name, "extracting", 0.1 + 0.8 * len(facts) / len(chunks))
        under_way.result()
    summaries = [summarise(own, np.stack([vectors[s] for s in own])) if own else "" for own in told]
    return list(zip(facts, summaries, strict=True))


def _store(ready: Sequence[tuple[Document, Operation]], shop: Workshop, vectors: Vectors) -> Iterator[Progress]:
    """Write what the log says of these documents into graph, vectors and lexical index; then switch each of them in."""
    documents = [document for document, _ in ready]
    dataset_id = documents[0].dataset_id
    title = documents[0].name if len(documents) == 1 else f"{documents[0].name} and {len(documents) - 1} more"
    said = [c for d in documents for c in shop.operations.contributions(dataset_id, d.id)]
    elements = folded_elements(dataset_id, [c.element_id for c in said], shop)
    nodes, edges = _for_graph(elements.values())
    shop.stores.graph.upsert(nodes, edges)
    operations = [shop.operations.advance(operation, "graph") for _, operation in ready]
    yield Progress(title, "graph", 0.6, f"{len(nodes)} nodes, {len(edges)} edges")
    for collection, done, total in store_rows(elements.values(), names_of(edges, shop, elements), shop, vectors):
        yield Progress(title, "vectors", 0.6 + 0.3 * done / max(total, 1), collection)
    operations = [shop.operations.advance(operation, "vectors") for operation in operations]
    yield Progress(title, "vectors", 0.9)
    for position, (document, operation) in enumerate(zip(documents, operations, strict=True)):
        passages = [(n.id, n.text) for n in nodes if n.type == CHUNK and n.properties.get("document_id") == document.id]
        shop.stores.lexical.replace(document.id, passages, document.node_sets)
        share = 0.9 + 0.1 * position / len(documents)
        operation = shop.operations.advance(operation, "lexical")
        yield Progress(document.name, "lexical", share)
        shop.operations.advance(operation, "done")
        yield Progress(document.name, "done", share)


def remove(document: Document, shop: Workshop) -> Iterator[Progress]:
    """Take a document out of graph, vectors and lexical index; what others also say stays as they say it."""
    operation = shop.operations.begin(document.dataset_id, document.id, "delete")
    yield Progress(document.name, "hidden", 0.1)
    said = shop.operations.contributions(document.dataset_id, document.id)
    left = folded_elements(document.dataset_id, [c.element_id for c in said], shop)
    gone = list({c.element_id: c.element for c in said if c.element_id not in left}.values())
    nodes, edges = _for_graph(left.values())
    shop.stores.graph.upsert(nodes, edges)
    lost_nodes, lost_edges = _for_graph(gone)
    shop.stores.graph.delete([n.id for n in lost_nodes], lost_edges)
    operation = shop.operations.advance(operation, "graph")
    yield Progress(document.name, "graph", 0.4)
    for element in gone:
        for collection, ids in row_ids(element).items():
            shop.stores.vectors.delete(collection, ids)
    for collection, _, _ in store_rows(left.values(), names_of(edges, shop, left), shop, {}):
        yield Progress(document.name, "vectors", 0.7, collection)
    operation = shop.operations.advance(operation, "vectors")
    shop.stores.lexical.remove(document.id)
    operation = shop.operations.advance(operation, "lexical")
    yield Progress(document.name, "lexical", 0.9)
    shop.operations.advance(operation, "done")
    yield Progress(document.name, "deleted", 1.0)


def folded_elements(dataset_id: str, ids: Sequence[str], shop: Workshop) -> dict[str, Node | Edge]:
    """The elements of these ids as all live documents have them, in the order of the ids."""
    said = shop.operations.about(dataset_id, list(dict.fromkeys(ids)))
    return {i: folded(said[i]) for i in dict.fromkeys(ids) if said.get(i)}


def _for_graph(elements: Iterable[Node | Edge]) -> tuple[list[Node], list[Edge]]:
    """Those elements that live in the graph: EdgeType rows are vectors only."""
    nodes: list[Node] = []
    edges: list[Edge] = []
    for element in elements:
        if isinstance(element, Edge):
            edges.append(element)
        elif element.type != EDGE_TYPE:
            nodes.append(element)
    return nodes, edges


def names_of(
    edges: Sequence[Edge], shop: Workshop, elements: Mapping[str, Node | Edge] | None = None
) -> dict[str, str]:
    """Name of every node that an edge touches, read from the graph where it is not among the elements."""
    names = {i: e.name for i, e in (elements or {}).items() if isinstance(e, Node)}
    missing = sorted({end for e in edges for end in (e.source, e.target)} - set(names))
    return names | {node.id: node.name for node in shop.stores.graph.nodes(missing)}


def store_rows(
    elements: Collection[Node | Edge],
    names: Mapping[str, str],
    shop: Workshop,
    vectors: Vectors,
    *,
    triplets: bool | None = None,
) -> Iterator[tuple[str, int, int]]:
    """Write the rows that are new or changed, in batches; gives (collection, rows done, rows in all)."""
    fresh = {}
    for collection, entries in rows(elements, names, triplets=shop.triplets if triplets is None else triplets).items():
        known = {row.id: row for row in shop.stores.vectors.fetch(collection, [e.id for e in entries])}
        fresh[collection] = [e for e in {e.id: e for e in entries}.values() if known.get(e.id) != e]
    total, done = sum(map(len, fresh.values())), 0
    for collection, entries in fresh.items():
        for start in range(0, len(entries), BATCH):
            batch = entries[start : start + BATCH]
            shop.stores.vectors.upsert(collection, batch, embedded([e.text for e in batch], shop, vectors))
            done += len(batch)
            yield collection, done, total


def embedded(texts: Sequence[str], shop: Workshop, vectors: Vectors) -> Floats:
    """Vectors of the texts; one that was embedded for the same document before is not embedded again."""
    fresh = [text for text in dict.fromkeys(texts) if text not in vectors]
    vectors.update(zip(fresh, shop.embedder.embed(fresh), strict=True))
    return np.stack([vectors[text] for text in texts]) if texts else shop.embedder.embed([])


def _report(said: Sequence[Contribution], dropped: int, notes: Sequence[str], seconds: float) -> dict[str, Json]:
    elements = {c.element_id: c.element for c in said}.values()
    lost = [f"{dropped} relations left out: an end of theirs is unknown or ambiguous"] if dropped else []
    return {
        "stage": "done",
        "chunks": sum(isinstance(e, Node) and e.type == CHUNK for e in elements),
        "entities": sum(isinstance(e, Node) and node_class(e) == ENTITY for e in elements),
        "events": sum(isinstance(e, Node) and node_class(e) == EVENT for e in elements),
        "relations": sum(isinstance(e, Edge) and not is_structural(e) for e in elements),
        "seconds": round(seconds, 2),
        "notes": [*notes, *lost],
    }
