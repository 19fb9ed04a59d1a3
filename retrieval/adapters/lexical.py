"""LexicalIndex in one SQLite file: BM25 with postings in numpy, so that a search reads only the postings of its words."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import RLock

import numpy as np
import numpy.typing as npt

from retrieval.errors import StoreError
from retrieval.model import NodeSetFilter
from retrieval.words import NO_STOP_WORDS, STOP_WORDS, query_tokens, tokens

K1, B = 1.5, 0.75
# Scores equal up to this are ties, which keep the order in which chunks were added.
DECIMALS = 9
SCHEMA = """
CREATE TABLE IF NOT EXISTS passage(
    position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, document_id TEXT NOT NULL, length INTEGER NOT NULL,
    node_sets TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS passage_document ON passage(document_id);
CREATE TABLE IF NOT EXISTS posting(position INTEGER NOT NULL, term TEXT NOT NULL, frequency INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS posting_position ON posting(position);
"""
UNIT = "\x1f"


@dataclass(frozen=True, eq=False)
class Postings:
    """The index in memory: `offsets` (terms + 1,) into `chunks` and `frequencies`, chunks in the order of adding."""

    ids: list[str]
    node_sets: list[tuple[str, ...]]
    norms: npt.NDArray[np.float64]
    terms: dict[str, int]
    offsets: npt.NDArray[np.int64]
    chunks: npt.NDArray[np.int64]
    frequencies: npt.NDArray[np.float64]

    @cached_property
    def members(self) -> dict[str, npt.NDArray[np.bool_]]:
        """For each node set, which chunks belong to it."""
        names = {name for sets in self.node_sets for name in sets}
        return {n: np.fromiter((n in sets for sets in self.node_sets), bool, len(self.ids)) for n in names}


class SqliteLexical:
    """BM25 over the chunks of one dataset."""

    def __init__(self, path: Path, stop_words: Collection[str] = STOP_WORDS) -> None:
        self._stop_words = stop_words
        self._lock = RLock()
        self._postings: Postings | None = None
        try:
            self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.executescript(SCHEMA)
        except sqlite3.Error as error:
            raise StoreError(f"The lexical index at {path} can't be opened: {error}.") from error

    def count(self) -> int:
        """Number of chunks."""
        with self._using() as database:
            return int(database.execute("SELECT count(*) FROM passage").fetchone()[0])

    def replace(self, document_id: str, passages: Sequence[tuple[str, str]], node_sets: Sequence[str] = ()) -> None:
        """Make these the whole content of this document, in one transaction."""
        with self._changing() as database:
            _forget(database, document_id)
            for chunk, text in passages:
                counted = Counter(tokens(text, NO_STOP_WORDS))
                length = sum(n for term, n in counted.items() if term not in self._stop_words)
                row = (chunk, document_id, length, UNIT.join(node_sets))
                cursor = database.execute(
                    "INSERT INTO passage(id, document_id, length, node_sets) VALUES (?, ?, ?, ?)", row
                )
                database.executemany(
                    "INSERT INTO posting VALUES (?, ?, ?)", [(cursor.lastrowid, t, n) for t, n in counted.items()]
                )

    def remove(self, document_id: str) -> None:
        """Forget a document."""
        with self._changing() as database:
            _forget(database, document_id)

    def search(self, query: str, limit: int | None, node_sets: NodeSetFilter | None = None) -> list[tuple[str, float]]:
        """(chunk id, BM25 score > 0), best first."""
        index = self._loaded()
        found, scores = _scored(index, list(dict.fromkeys(query_tokens(query, self._stop_words))))
        if node_sets is not None and len(found):
            kept = _admitted(index, node_sets)[found]
            found, scores = found[kept], scores[kept]
        rounded = np.round(scores, DECIMALS)
        if limit is not None and limit < len(found):
            least = np.partition(rounded, -limit)[-limit]
            best = rounded >= least
            found, scores, rounded = found[best], scores[best], rounded[best]
        order = np.lexsort((found, -rounded))[:limit]
        return [(index.ids[c], float(s)) for c, s in zip(found[order], scores[order], strict=True)]

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._database.close()

    def _loaded(self) -> Postings:
        with self._using() as database:
            if self._postings is None:
                self._postings = _load(database)
            return self._postings

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._database
            except sqlite3.Error as error:
                raise StoreError(f"The lexical index failed: {error}") from error

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with self._using() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")
            self._postings = None


def _forget(database: sqlite3.Connection, document_id: str) -> None:
    own = "SELECT position FROM passage WHERE document_id = ?"
    database.execute(f"DELETE FROM posting WHERE position IN ({own})", (document_id,))  # noqa: S608
    database.execute("DELETE FROM passage WHERE document_id = ?", (document_id,))


def _load(database: sqlite3.Connection) -> Postings:
    passages = database.execute("SELECT position, id, length, node_sets FROM passage ORDER BY position").fetchall()
    rows = database.execute("SELECT term, position, frequency FROM posting").fetchall()
    places = {position: index for index, (position, *_) in enumerate(passages)}
    terms: dict[str, int] = {}
    codes = np.fromiter((terms.setdefault(term, len(terms)) for term, _, _ in rows), np.int64, len(rows))
    chunks = np.fromiter((places[position] for _, position, _ in rows), np.int64, len(rows))
    frequencies = np.fromiter((n for _, _, n in rows), np.float64, len(rows))
    order = np.lexsort((chunks, codes))
    offsets = np.zeros(len(terms) + 1, dtype=np.int64)
    np.cumsum(np.bincount(codes, minlength=len(terms)), out=offsets[1:])
    lengths = np.fromiter((length for _, _, length, _ in passages), np.float64, len(passages))
    average = lengths.mean() if len(lengths) and lengths.sum() else 1.0
    return Postings(
        ids=[chunk for _, chunk, _, _ in passages],
        node_sets=[tuple(sets.split(UNIT)) if sets else () for _, _, _, sets in passages],
        norms=K1 * (1 - B + B * lengths / average),
        terms=terms,
        offsets=offsets,
        chunks=chunks[order],
        frequencies=frequencies[order],
    )


def _scored(index: Postings, asked: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """(chunks that share a word, their scores): reference 3.4, each distinct word once."""
    parts = []
    for term in asked:
        code = index.terms.get(term)
        if code is None:
            continue
        span = slice(index.offsets[code], index.offsets[code + 1])
        chunks, frequency = index.chunks[span], index.frequencies[span]
        idf = np.log(1 + (len(index.ids) - len(chunks) + 0.5) / (len(chunks) + 0.5))
        parts.append((chunks, idf * frequency * (K1 + 1) / (frequency + index.norms[chunks])))
    if not parts:
        return np.empty(0, dtype=np.int64), np.empty(0)
    found, inverse = np.unique(np.concatenate([c for c, _ in parts]), return_inverse=True)
    scores = np.bincount(inverse, weights=np.concatenate([s for _, s in parts])).astype(np.float64)
    return found, scores


def _admitted(index: Postings, node_sets: NodeSetFilter) -> npt.NDArray[np.bool_]:
    """Which chunks the filter lets through."""
    none = np.zeros(len(index.ids), dtype=bool)
    sets = [index.members.get(name, none) for name in node_sets.names]
    return np.logical_and.reduce(sets) if node_sets.match_all else np.logical_or.reduce(sets)
