"""What is built over a finished memory: triplet vectors, coding rules, and summaries of summaries (page: memify)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from retrieval.identity import global_summary_id
from retrieval.ingest.elements import CHUNK, RULE, of_rule
from retrieval.ingest.pipeline import Workshop, embedded, folded_elements, names_of, store_rows
from retrieval.ingest.rules import stated_rules
from retrieval.ingest.summarise import summarise
from retrieval.model import (
    CODING_RULES_SET,
    GLOBAL_CONTEXT,
    SUMMARIES,
    Chunk,
    Contribution,
    Document,
    Edge,
    Entry,
    Floats,
    Node,
    Progress,
)
from retrieval.sentences import sentences

BUCKET = 20
NEAR = 0.5


def triplet_embeddings(dataset_id: str, shop: Workshop) -> Iterator[Progress]:
    """Write a vector for every triplet of the finished documents that has none."""
    documents = _finished(dataset_id, shop)
    for position, document in enumerate(documents, start=1):
        said = shop.operations.contributions(dataset_id, document.id)
        edges = [
            e for e in folded_elements(dataset_id, [c.element_id for c in said], shop).values() if isinstance(e, Edge)
        ]
        for _ in store_rows(edges, names_of(edges, shop), shop, {}, triplets=True):
            pass
        yield Progress(document.name, "triplets", position / len(documents))


def coding_rules(dataset_id: str, shop: Workshop) -> Iterator[Progress]:
    """Take the rules of the finished documents in the node set of coding rules into the memory, where they are not yet."""
    documents = [d for d in _finished(dataset_id, shop) if CODING_RULES_SET in d.node_sets]
    for position, document in enumerate(documents, start=1):
        said = shop.operations.contributions(dataset_id, document.id)
        if not any(isinstance(c.element, Node) and c.element.type == RULE for c in said):
            rules = stated_rules(
                [_chunk(c.element) for c in said if isinstance(c.element, Node) and c.element.type == CHUNK]
            )
            fresh = [
                Contribution(document.id, element.id, element, rule.chunk.id)
                for rule in rules
                for element in of_rule(document, rule)
            ]
            shop.operations.contribute(dataset_id, document.id, [*said, *fresh])
            elements = folded_elements(dataset_id, [c.element_id for c in fresh], shop).values()
            edges = [e for e in elements if isinstance(e, Edge)]
            shop.stores.graph.upsert([e for e in elements if isinstance(e, Node)], edges)
            for _ in store_rows(list(elements), names_of(edges, shop), shop, {}):
                pass
        yield Progress(document.name, "rules", position / len(documents))


def global_context_index(dataset_id: str, shop: Workshop) -> Iterator[Progress]:
    """Build the tree of summaries above the chunk summaries anew: buckets of near ones, up to one root (reference 5)."""
    vectors = shop.stores.vectors
    ids = [
        c.element_id
        for document in _finished(dataset_id, shop)
        for c in shop.operations.contributions(dataset_id, document.id)
        if isinstance(c.element, Node) and c.element.type == "TextSummary"
    ]
    level = [(row.id, row.text) for row in vectors.fetch(SUMMARIES, list(dict.fromkeys(ids)))]
    made: list[Entry] = []
    depth = 0
    while level and (len(level) > 1 or depth == 0):
        groups = buckets(embedded([text for _, text in level], shop, {}))
        if len(groups) == len(level) and len(level) > 1:
            groups = [list(range(start, min(start + BUCKET, len(level)))) for start in range(0, len(level), BUCKET)]
        grown = []
        for group in groups:
            children = [level[place] for place in group]
            grown.append((global_summary_id(dataset_id, depth, [i for i, _ in children]), _summary(children, shop)))
        made += [Entry(i, text, extra={"level": depth, "is_root": len(grown) == 1}) for i, text in grown]
        yield Progress(f"level {depth}", "global context", 0.5, f"{len(grown)} summaries")
        level, depth = grown, depth + 1
    _replace_all(made, shop)
    yield Progress("global context", "done", 1.0, f"{len(made)} summaries")


def buckets(vectors: Floats) -> list[list[int]]:
    """Positions grouped by nearness: each joins the nearest group within NEAR that has room, else begins one."""
    groups: list[list[int]] = []
    centres: list[np.ndarray] = []
    for place, vector in enumerate(vectors):
        distances = [1.0 - float(centre @ vector) / float(np.linalg.norm(centre)) for centre in centres]
        order: list[int] = np.argsort(distances, kind="stable").tolist()
        chosen = next((int(g) for g in order if distances[g] <= NEAR and len(groups[g]) < BUCKET), None)
        if chosen is None:
            groups.append([place])
            centres.append(vector.astype(np.float64))
        else:
            groups[chosen].append(place)
            centres[chosen] += vector
    return groups


def _summary(children: Sequence[tuple[str, str]], shop: Workshop) -> str:
    """The most central sentences of the summaries below."""
    told = [sentence for _, text in children for sentence in sentences(text)]
    return summarise(told, embedded(told, shop, {})) if told else ""


def _replace_all(made: Sequence[Entry], shop: Workshop) -> None:
    vectors = shop.stores.vectors
    texts = [entry for entry in made if entry.text]
    if vectors.counts().get(GLOBAL_CONTEXT):
        present = vectors.search(GLOBAL_CONTEXT, embedded(["all"], shop, {})[0], None).ids
        vectors.delete(GLOBAL_CONTEXT, [i for i in present if i not in {entry.id for entry in texts}])
    if texts:
        vectors.upsert(GLOBAL_CONTEXT, texts, embedded([entry.text for entry in texts], shop, {}))


def _finished(dataset_id: str, shop: Workshop) -> list[Document]:
    return [d for d in shop.catalog.documents(dataset_id) if d.status == "done"]


def _chunk(node: Node) -> Chunk:
    kept = node.properties
    page = kept.get("page")
    return Chunk(
        node.id,
        int(str(kept["chunk_index"])),
        node.text,
        int(str(kept["chunk_size"])),
        str(kept["cut_type"]),
        page if isinstance(page, int) else None,
    )


PIPELINES: dict[str, Callable[[str, Workshop], Iterator[Progress]]] = {
    "triplet_embeddings": triplet_embeddings,
    "coding_rules": coding_rules,
    "global_context_index": global_context_index,
}
