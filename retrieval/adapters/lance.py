"""VectorStore on LanceDB: cosine always, explicit limits, one table per collection, handles kept open."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from retrieval.errors import EmbeddingMismatchError, StoreError
from retrieval.model import Entry, Floats, Hits, NodeSetFilter

if TYPE_CHECKING:
    import lancedb
    from lancedb.table import Table

INDEX_FROM = 50_000
REFINE = 10
BATCH = 500
# Every change adds a small file and a version; after this many they are merged. No query lasts as long as versions are kept.
MERGE_AFTER = 64
KEPT = timedelta(minutes=10)
# Rows asked for beyond a limit, so that those as near as the last one are among them.
SLACK = 16
COLUMNS = (
    "id",
    "text",
    "document_id",
    "document_name",
    "chunk_id",
    "chunk_index",
    "page",
    "importance_weight",
    "node_sets",
    "extra",
)


@dataclass(frozen=True, eq=False)
class Resident:
    """A small collection in memory: unit `vectors` (n, d) and the other columns as `rows`, one of each per id. An exact
    scan takes about a millisecond, where a query of the table takes fifteen.
    """

    ids: list[str]
    places: Mapping[str, int]
    vectors: Floats
    rows: pa.Table
    node_sets: list[tuple[str, ...]]


class LanceVectors:
    """The vectors of one dataset in a folder of Lance tables; below INDEX_FROM rows a collection is searched in memory."""

    def __init__(self, folder: Path, dimensions: int) -> None:
        os.environ.setdefault("LANCE_INCLUDE_VECTOR_CENTROIDS", "false")
        os.environ.setdefault("LANCE_LOG", "error")
        import lancedb

        self._dimensions = dimensions
        self._schema = _schema(dimensions)
        self._writing = RLock()
        self._resident: dict[str, Resident] = {}
        self._counts: dict[str, int] = {}
        self._changes: dict[str, int] = {}
        self._closed = False
        with _ours():
            self._database: lancedb.DBConnection = lancedb.connect(
                str(folder), read_consistency_interval=timedelta(seconds=0)
            )
            names = self._database.list_tables(limit=1000).tables
            self._tables: dict[str, Table] = {name: self._database.open_table(name) for name in names}

    def counts(self) -> Mapping[str, int]:
        """Rows of each collection; counted again after a change."""
        with self._writing, _ours():
            self._check_open()
            for name, table in self._tables.items():
                if name not in self._counts:
                    self._counts[name] = table.count_rows()
            return dict(self._counts)

    def upsert(self, collection: str, entries: Sequence[Entry], vectors: Floats) -> None:
        """Store rows, replacing equal ids; the collection is created with its whole schema."""
        if not entries:
            return
        usable = np.isfinite(vectors).all(axis=1) & (np.abs(vectors).sum(axis=1) > 0)
        if not usable.all():
            raise StoreError(
                f"{collection}: a vector of zeros or not-a-number can't be searched; embed the text again."
            )
        if vectors.shape[1] != self._dimensions:
            raise StoreError(f"{collection} holds vectors of {self._dimensions} dimensions, not {vectors.shape[1]}.")
        distinct = {entry.id: (entry, vector) for entry, vector in zip(entries, vectors, strict=True)}
        with self._writing, _ours():
            rows = pa.Table.from_pylist([_row(e, v) for e, v in distinct.values()], self._schema)
            table = self._table(collection)
            if table is None:
                table = self._database.create_table(collection, schema=self._schema)
                table.set_unenforced_primary_key("id")
                self._tables[collection] = table
            table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(rows)
            self._changed(collection, table)

    def delete(self, collection: str, ids: Iterable[str]) -> None:
        """Remove rows."""
        table = self._table(collection)
        listed = list(ids)
        if table is None or not listed:
            return
        with self._writing, _ours():
            for start in range(0, len(listed), BATCH):
                table.delete(_among(listed[start : start + BATCH]))
            self._changed(collection, table)

    def search(
        self, collection: str, vector: Floats, limit: int | None, node_sets: NodeSetFilter | None = None
    ) -> Hits:
        """Nearest rows, nearest first, ties by id."""
        self._check(vector)
        table = self._table(collection)
        if table is None:
            return _ordered(collection, [], [])
        resident = self._small(collection, table)
        if resident is not None:
            return _scanned(collection, resident, vector, limit, node_sets)
        with _ours():
            return _queried(collection, table, vector, limit, node_sets)

    def distances(self, collection: str, vector: Floats, ids: Sequence[str]) -> Hits:
        """Distances of exactly these rows, in the order given."""
        self._check(vector)
        table = self._table(collection)
        if table is None or not ids:
            return _ordered(collection, [], [])
        resident = self._small(collection, table)
        if resident is None:
            rows = [self._where(table, ids[i : i + BATCH], ["id", "vector"]) for i in range(0, len(ids), BATCH)]
            resident = _resident(pa.concat_tables(rows), self._dimensions)
        present = [i for i in ids if i in resident.places]
        stored = resident.vectors[[resident.places[i] for i in present]]
        return Hits(collection, tuple(present), _rounded(1.0 - stored @ _unit(vector)))

    def fetch(self, collection: str, ids: Sequence[str]) -> list[Entry]:
        """Rows in the order of the ids."""
        table = self._table(collection)
        if table is None or not ids:
            return []
        resident = self._resident.get(collection)
        if resident is not None:
            places = [resident.places[i] for i in ids if i in resident.places]
            return [_entry(row) for row in resident.rows.take(pa.array(places, pa.int64())).to_pylist()]
        found: dict[str, Entry] = {}
        for start in range(0, len(ids), BATCH):
            rows = self._where(table, ids[start : start + BATCH], list(COLUMNS)).to_pylist()
            found.update({row["id"]: _entry(row) for row in rows})
        return [found[i] for i in ids if i in found]

    def warm_up(self) -> None:
        """Read the small collections into memory."""
        for collection, table in list(self._tables.items()):
            self._small(collection, table)

    def optimize(self) -> None:
        """Merge small files; above 50,000 rows build or extend the vector index. Writing does so now and then by itself."""
        with self._writing, _ours():
            for table in self._tables.values():
                _merge(table)

    def close(self) -> None:
        """Let go of the tables."""
        with self._writing:
            self._closed = True
            self._tables, self._resident = {}, {}

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("This dataset was closed or deleted. Reload the page.")

    def _table(self, collection: str) -> Table | None:
        with self._writing:
            self._check_open()
            return self._tables.get(collection)

    def _changed(self, collection: str, table: Table) -> None:
        """Forget what was read of the collection; merge its files when there are many."""
        self._resident.pop(collection, None)
        self._counts.pop(collection, None)
        changes = self._changes.get(collection)
        if changes is None:
            changes = table.stats()["fragment_stats"]["num_small_fragments"]
        self._changes[collection] = changes + 1
        if changes >= MERGE_AFTER:
            _merge(table)
            self._changes[collection] = 0

    def _check(self, vector: Floats) -> None:
        if not np.isfinite(vector).all() or not np.abs(vector).sum():
            raise StoreError("The question's vector is empty; it can't be compared. Ask with words.")
        if len(vector) != self._dimensions:
            raise EmbeddingMismatchError(_mismatch(self._dimensions, len(vector)))

    def _small(self, collection: str, table: Table) -> Resident | None:
        """The collection in memory, read again after a change; None where it is too large."""
        with self._writing:
            resident = self._resident.get(collection)
            if resident is None:
                with _ours():
                    if table.count_rows() >= INDEX_FROM:
                        return None
                    rows = table.search().select([*COLUMNS, "vector"]).limit(INDEX_FROM).to_arrow()
                resident = self._resident[collection] = _resident(rows, self._dimensions)
            return resident

    def _where(self, table: Table, ids: Sequence[str], columns: Sequence[str]) -> pa.Table:
        with _ours():
            return table.search().where(_among(ids)).select(list(columns)).limit(len(ids)).to_arrow()


@contextmanager
def _ours() -> Iterator[None]:
    try:
        yield
    except (RuntimeError, OSError, ValueError, pa.ArrowException) as error:
        raise StoreError(f"The vector database failed: {error}") from error


def _schema(dimensions: int) -> pa.Schema:
    return pa.schema(
        [
            pa.field("id", pa.string(), nullable=False),
            ("text", pa.string()),
            ("document_id", pa.string()),
            ("document_name", pa.string()),
            ("chunk_id", pa.string()),
            ("chunk_index", pa.int32()),
            ("page", pa.int32()),
            ("importance_weight", pa.float64()),
            ("node_sets", pa.list_(pa.string())),
            ("extra", pa.string()),
            ("vector", pa.list_(pa.float32(), dimensions)),
        ]
    )


def _mismatch(stored: int, asked: int) -> str:
    return (
        f"The stored vectors have {stored} dimensions, but the embedding model gives {asked}. Configure the model that "
        "they were made with, or delete the dataset and add its documents anew."
    )


def _merge(table: Table) -> None:
    from lancedb.index import IvfSq

    if table.count_rows() >= INDEX_FROM and not _indexed(table):
        table.create_index("vector", config=IvfSq(distance_type="cosine"))
    table.optimize(cleanup_older_than=KEPT)


def _quoted(text: str) -> str:
    return "'" + _text(text).replace("'", "''") + "'"


def _among(ids: Sequence[str]) -> str:
    return f"id IN ({', '.join(map(_quoted, ids))})"


def _in_sets(node_sets: NodeSetFilter) -> str:
    if not node_sets.names:
        return "true" if node_sets.match_all else "false"
    function = "array_has_all" if node_sets.match_all else "array_has_any"
    return f"{function}(node_sets, [{', '.join(map(_quoted, node_sets.names))}])"


def _resident(rows: pa.Table, dimensions: int) -> Resident:
    ids = rows["id"].to_pylist()
    if rows["vector"].type.list_size != dimensions:
        raise EmbeddingMismatchError(_mismatch(rows["vector"].type.list_size, dimensions))
    vectors = rows["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(-1, dimensions)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True) if len(vectors) else vectors
    sets = rows["node_sets"].to_pylist() if "node_sets" in rows.column_names else []
    places = {i: at for at, i in enumerate(ids)}
    return Resident(ids, places, unit, rows.drop_columns("vector").combine_chunks(), [tuple(s or ()) for s in sets])


def _scanned(
    collection: str, resident: Resident, vector: Floats, limit: int | None, node_sets: NodeSetFilter | None
) -> Hits:
    """The nearest of all rows in memory, exact."""
    distances = 1.0 - resident.vectors @ _unit(vector)
    chosen = np.arange(len(distances))
    if node_sets is not None:
        chosen = np.array([i for i in chosen if node_sets.admits(resident.node_sets[i])], dtype=np.int64)
    if limit is not None and limit < len(chosen):
        bound = np.partition(distances[chosen], limit - 1)[limit - 1] + 1e-6
        chosen = chosen[distances[chosen] <= bound]
    hits = _ordered(collection, [resident.ids[i] for i in chosen], distances[chosen])
    return Hits(collection, hits.ids[:limit], hits.distances[:limit])


def _queried(collection: str, table: Table, vector: Floats, limit: int | None, node_sets: NodeSetFilter | None) -> Hits:
    """The nearest rows by the table's index; exact without a limit or with a filter, which the index would cut short."""
    approximate = limit is not None and node_sets is None and _indexed(table)
    rows = table.count_rows()
    wanted = rows if limit is None else limit + SLACK
    while True:
        asked = table.search(np.asarray(vector, dtype=np.float32), vector_column_name="vector")
        asked = asked.distance_type("cosine").limit(max(wanted, 1)).select(["id", "_distance"])
        asked = asked.refine_factor(REFINE) if approximate else asked.bypass_vector_index()
        if node_sets is not None:
            asked = asked.where(_in_sets(node_sets), prefilter=True)
        found = asked.to_arrow()
        hits = _ordered(collection, found["id"].to_pylist(), found["_distance"].to_numpy())
        whole = limit is None or len(hits.ids) < wanted or hits.distances[limit - 1] < hits.distances[-1]
        if whole or wanted >= rows:
            return Hits(collection, hits.ids[:limit], hits.distances[:limit])
        wanted *= 4


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def _indexed(table: Table) -> bool:
    return bool(table.list_indices())


def _rounded(distances: Any) -> Floats:
    """Distances that differ by rounding alone made equal, so that they are ties."""
    return np.round(np.maximum(distances, 0.0), 6).astype(np.float32)


def _ordered(collection: str, ids: Sequence[str], distances: Any) -> Hits:
    """Nearest first, ties by id."""
    pairs = sorted(zip(_rounded(distances).tolist(), ids, strict=True))
    return Hits(collection, tuple(i for _, i in pairs), np.array([d for d, _ in pairs], dtype=np.float32))


def _text(value: str) -> str:
    """The text without lone surrogates, which Arrow can't store."""
    return value.encode("utf-8", "replace").decode("utf-8")


def _row(entry: Entry, vector: Floats) -> dict[str, Any]:
    return {
        "id": entry.id,
        "text": _text(entry.text),
        "document_id": entry.document_id,
        "document_name": _text(entry.document_name),
        "chunk_id": entry.chunk_id,
        "chunk_index": entry.chunk_index,
        "page": entry.page,
        "importance_weight": entry.importance_weight,
        "node_sets": [_text(name) for name in entry.node_sets],
        "extra": json.dumps(dict(entry.extra), sort_keys=True, allow_nan=False),
        "vector": np.asarray(vector, dtype=np.float32),
    }


def _entry(row: Mapping[str, Any]) -> Entry:
    return Entry(
        row["id"],
        row["text"],
        row["document_id"],
        row["document_name"],
        row["chunk_id"],
        row["chunk_index"],
        row["page"],
        row["importance_weight"],
        tuple(row["node_sets"] or ()),
        json.loads(row["extra"] or "{}"),
    )
