"""What is stored: datasets, their documents, and the runs that build a memory from them. Every call names its user."""

from __future__ import annotations

import hashlib
import json
import shutil
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from retrieval import sample
from retrieval.access import Access
from retrieval.errors import (
    DocumentNotFoundError,
    DuplicateDocumentError,
    EmbeddingMismatchError,
    IngestionError,
    NameTakenError,
    QueryValidationError,
    StoreLockedError,
)
from retrieval.identity import document_id
from retrieval.ingest.elements import CHUNK, ENTITY_TYPE, EVENT, INTERVAL, NODE_SET, TIMESTAMP
from retrieval.ingest.enrich import PIPELINES
from retrieval.ingest.pipeline import Workshop, build, remove
from retrieval.ingest.read import Limits, media_type
from retrieval.memory import Memories, Memory
from retrieval.model import CHUNKS, ENTITIES, Chunk, Contribution, Dataset, Document, Node, Progress
from retrieval.ports import Answerer, Catalog, Conversations, Embedder, Extractor, FeedbackStore, OperationLog, Reasoner
from retrieval.settings import Settings
from retrieval.words import is_blank


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything an engine is made of."""

    settings: Settings
    catalog: Catalog
    operations: OperationLog
    conversations: Conversations
    feedback: FeedbackStore
    memories: Memories
    embedder: Embedder
    extractor: Extractor
    answerer: Answerer
    reasoner: Reasoner
    now: Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Status:
    """What a dataset holds and what waits to be processed."""

    documents: int
    processed: int
    pending: int
    failed: int
    chunks: int
    entities: int
    nodes: int
    edges: int
    collections: Mapping[str, int]
    node_sets: tuple[str, ...]


class Library:
    """Datasets and documents of a data folder."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.settings = parts.settings
        self.access = Access(parts.catalog, enabled=parts.settings.access_control)

    # ---------------------------------------------------------------- datasets

    def datasets(self, user: str) -> list[Dataset]:
        """The datasets that the user can read, oldest first."""
        return self.access.readable(user)

    def create_dataset(self, user: str, name: str, description: str = "") -> Dataset:
        """A new dataset of this user."""
        if is_blank(name):
            raise IngestionError("A dataset needs a name.")
        return self.parts.catalog.create_dataset(name.strip(), user, description)

    def update_dataset(
        self, user: str, dataset_id: str, name: str | None = None, description: str | None = None
    ) -> Dataset:
        """The dataset under its new name or description."""
        self.dataset(user, dataset_id, "write")
        changes = {"name": name, "description": description}
        return self.parts.catalog.update_dataset(dataset_id, **{k: v for k, v in changes.items() if v is not None})

    def delete_dataset(self, user: str, dataset_id: str) -> None:
        """Forget the dataset: records, stores and files."""
        self.dataset(user, dataset_id, "delete")
        with self._writing(dataset_id):
            self.parts.memories.close(dataset_id)
            self.parts.catalog.delete_dataset(dataset_id)
            shutil.rmtree(self.folder(dataset_id), ignore_errors=True)

    def dataset(self, user: str, dataset_id: str, permission: str = "read") -> Dataset:
        """The dataset, if the user has this permission on it."""
        return self.access.resolve(user, None, [dataset_id], permission)[0]

    def status(self, user: str, dataset_id: str) -> Status:
        """Counts of what the dataset holds."""
        self.dataset(user, dataset_id)
        documents = self.parts.catalog.documents(dataset_id)
        states = [d.status for d in documents]
        stores = self.memory(dataset_id).stores
        collections = stores.vectors.counts()
        nodes, edges = stores.graph.counts()
        return Status(
            documents=len(documents),
            processed=states.count("done"),
            pending=sum(s in {"added", "processing", "deleting"} for s in states),
            failed=states.count("failed"),
            chunks=collections.get(CHUNKS, 0),
            entities=collections.get(ENTITIES, 0),
            nodes=nodes,
            edges=edges,
            collections=collections,
            node_sets=tuple(sorted({name for d in documents for name in d.node_sets})),
        )

    # ---------------------------------------------------------------- documents

    def documents(self, user: str, dataset_id: str) -> list[Document]:
        """The dataset's documents, oldest first."""
        self.dataset(user, dataset_id)
        return self.parts.catalog.documents(dataset_id)

    def add(
        self,
        user: str,
        dataset_id: str,
        name: str,
        data: bytes,
        node_sets: tuple[str, ...] = (),
        replace: bool | None = None,
    ) -> Document:
        """Store a file; nothing is processed yet.

        The same content is refused. The same name with other content is refused unless `replace` says whether the
        earlier document goes (True) or both are kept (False).
        """
        self.dataset(user, dataset_id, "write")
        shown = clean_name(name)
        if len(data) > self.settings.max_upload_bytes:
            limit = self.settings.max_upload_bytes // (1024 * 1024)
            raise IngestionError(
                f"{shown} is larger than {limit} MiB. Split it, or raise MEMORY_LENS_MAX_UPLOAD_BYTES."
            )
        digest = hashlib.sha256(data).hexdigest()
        own = document_id(dataset_id, digest)
        present = [d for d in self.parts.catalog.documents(dataset_id) if d.status != "deleting"]
        for other in present:
            if other.id == own and other.status != "failed":
                same = "is already there" if other.name == shown else f"has the same content as {other.name}"
                raise DuplicateDocumentError(f"{shown} {same}. Nothing was added.")
        earlier = [d for d in present if d.name == shown and d.id != own]
        if earlier and replace is None:
            raise NameTakenError(
                f"There is already a document named {shown} with other content. Choose to replace it or to keep both."
            )
        self._write_file(dataset_id, digest, data)
        document = Document(
            own,
            dataset_id,
            shown,
            digest,
            media_type(shown),
            len(data),
            "added",
            self.parts.now(),
            tuple(dict.fromkeys(node_sets)),
        )
        self.parts.catalog.put_document(document)
        for old in earlier if replace else []:
            self.parts.operations.begin(dataset_id, old.id, "delete")
            self.memory(dataset_id).forget()
        return document

    def add_text(
        self, user: str, dataset_id: str, text: str, name: str = "", node_sets: tuple[str, ...] = ()
    ) -> Document:
        """Store pasted text; without a name it is called by its first words."""
        if is_blank(text):
            raise IngestionError("The text is empty. Paste or type something first.")
        data = text.encode("utf-8", "replace")
        return self.add(user, dataset_id, name.strip() or text_name(text), data, node_sets)

    def cognify(self, user: str, dataset_id: str, *, temporal: bool = True) -> Iterator[Progress]:
        """Process everything that waits, step by step; dated events too, unless `temporal` is False. Closing the iterator
        stops it; another call goes on from there.
        """
        dataset = self.dataset(user, dataset_id, "write")
        with self._writing(dataset_id):
            self._same_model(dataset)
            yield from build(dataset_id, self._workshop(dataset_id, temporal=temporal))

    def memify(self, user: str, dataset_id: str, pipeline: str) -> Iterator[Progress]:
        """Build something over the finished memory: triplet_embeddings, coding_rules or global_context_index."""
        work = PIPELINES.get(pipeline) if isinstance(pipeline, str) else None
        if work is None:
            raise QueryValidationError(f"There is no pipeline {pipeline!r}. Choose one of: {', '.join(PIPELINES)}.")
        dataset = self.dataset(user, dataset_id, "write")
        with self._writing(dataset_id):
            self._same_model(dataset)
            yield from work(dataset_id, self._workshop(dataset_id))
            self.memory(dataset_id).forget()

    def delete_document(self, user: str, dataset_id: str, document: str) -> None:
        """Take a document out of everything; entities that other documents share stay."""
        self.dataset(user, dataset_id, "delete")
        own = self._document(dataset_id, document)
        with self._writing(dataset_id):
            for _ in remove(own, self._workshop(dataset_id)):
                self.memory(dataset_id).forget()
        self._file(dataset_id, own.sha256).unlink(missing_ok=True)

    def document_chunks(self, user: str, dataset_id: str, document: str) -> list[Chunk]:
        """The chunks of a processed document, in order."""
        self.dataset(user, dataset_id)
        said = self.parts.operations.contributions(dataset_id, document)
        return [_chunk(c.element) for c in said if isinstance(c.element, Node) and c.element.type == CHUNK]

    def chunk(self, user: str, dataset_id: str, chunk: str) -> tuple[Document, Chunk]:
        """A chunk and its document."""
        self.dataset(user, dataset_id)
        said: list[Contribution] = self.parts.operations.about(dataset_id, [chunk]).get(chunk, [])
        if not said or not isinstance(said[0].element, Node):
            raise DocumentNotFoundError(
                "This passage is no longer in the memory: its document was deleted or replaced."
            )
        return self._document(dataset_id, said[0].document_id), _chunk(said[0].element)

    def file(self, user: str, dataset_id: str, document: str) -> bytes:
        """The document's original bytes."""
        self.dataset(user, dataset_id)
        return self._file(dataset_id, self._document(dataset_id, document).sha256).read_bytes()

    # ---------------------------------------------------------------- the sample memory

    def ensure_sample(self, user: str) -> Iterator[Progress]:
        """Build the sample memory where there is no dataset yet, or finish building it."""
        known = [d for d in self.datasets(user) if d.name == sample.NAME]
        if not known and self.datasets(user):
            return
        dataset = known[0] if known else self.create_dataset(user, sample.NAME, sample.DESCRIPTION)
        if not known or not self.parts.catalog.documents(dataset.id):
            for name, data, node_set in sample.documents():
                self.add(user, dataset.id, name, data, (node_set,))
        if any(d.status in {"added", "processing", "deleting"} for d in self.parts.catalog.documents(dataset.id)):
            yield from self.cognify(user, dataset.id)

    def examples(self, user: str, dataset_id: str) -> list[str]:
        """Up to three questions that this memory can answer."""
        dataset = self.dataset(user, dataset_id)
        if dataset.name == sample.NAME:
            return sample.examples()
        graph = self.memory(dataset_id).graph(dataset.version)
        unnamed = {CHUNK, ENTITY_TYPE, NODE_SET, EVENT, TIMESTAMP, INTERVAL}
        return [f"What is known about {name}?" for name in graph.best_connected(3, without=unnamed)]

    # ---------------------------------------------------------------- inside

    def memory(self, dataset_id: str) -> Memory:
        """The dataset's open stores."""
        return self.parts.memories.of(dataset_id)

    def folder(self, dataset_id: str) -> Path:
        """Where the dataset's files are."""
        return self.settings.data_folder / "datasets" / dataset_id

    def _document(self, dataset_id: str, document: str) -> Document:
        for known in self.parts.catalog.documents(dataset_id):
            if known.id == document:
                return known
        raise DocumentNotFoundError("There is no such document in this dataset; it may have been deleted.")

    def _file(self, dataset_id: str, digest: str) -> Path:
        return self.folder(dataset_id) / "files" / digest

    def _write_file(self, dataset_id: str, digest: str, data: bytes) -> None:
        path = self._file(dataset_id, digest)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".part")
        partial.write_bytes(data)
        partial.replace(path)

    def _workshop(self, dataset_id: str, *, temporal: bool = True) -> Workshop:
        parts, settings = self.parts, self.settings
        return Workshop(
            catalog=parts.catalog,
            operations=parts.operations,
            stores=self.memory(dataset_id).stores,
            embedder=parts.embedder,
            extractor=parts.extractor,
            stored=lambda document: self._file(dataset_id, document.sha256).read_bytes(),
            limits=Limits(max_pages=settings.max_pdf_pages),
            chunk_tokens=settings.chunk_tokens,
            temporal=temporal,
        )

    def _same_model(self, dataset: Dataset) -> None:
        """Note the embedding model of a new dataset; refuse one whose vectors another model made."""
        embedder = self.parts.embedder
        if not dataset.embedding_model:
            self.parts.catalog.update_dataset(
                dataset.id, embedding_model=embedder.name, embedding_dimensions=embedder.dimensions
            )
        elif (dataset.embedding_model, dataset.embedding_dimensions) != (embedder.name, embedder.dimensions):
            raise EmbeddingMismatchError(
                f"The vectors of {dataset.name} were made by {dataset.embedding_model} "
                f"({dataset.embedding_dimensions} dimensions), but {embedder.name} ({embedder.dimensions} dimensions) "
                "is configured. Configure the first model again, or delete the dataset and add its documents anew."
            )

    @contextmanager
    def _writing(self, dataset_id: str) -> Iterator[None]:
        lock = self.memory(dataset_id).writing
        if not lock.acquire(blocking=False):
            raise StoreLockedError(
                "This dataset is being processed already. Wait until that run ends, or stop it first."
            )
        try:
            yield
        finally:
            lock.release()


def clean_name(name: str) -> str:
    """The name as shown: no folders, no control characters, at most 200 characters. It never becomes a path."""
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    visible = "".join(" " if unicodedata.category(c) in {"Cc", "Cs"} else c for c in last)
    return " ".join(visible.split())[:200] or "unnamed"


def text_name(text: str) -> str:
    """What a pasted text without a name is called: its first words."""
    return f"{' '.join(text.split()[:6])[:60]}.txt"


def _chunk(node: Node) -> Chunk:
    kept = json.loads(json.dumps(dict(node.properties)))
    return Chunk(node.id, kept["chunk_index"], node.text, kept["chunk_size"], kept["cut_type"], kept["page"])
