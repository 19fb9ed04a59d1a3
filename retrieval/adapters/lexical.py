"""LexicalIndex in one SQLite file: BM25 with postings in numpy, so that a search reads only the postings of its words."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import log
from pathlib import Path
from threading import RLock

import numpy as np
import numpy.typing as npt

from retrieval.errors import StoreError
from retrieval.model import NodeSetFilter
from retrieval.words import STOP_WORDS, findable, query_tokens, tokens

K1, B = 1.5, 0.75
# Scores equal up to this are ties, which keep the order in which chunks were added.
DECIMALS = 9
TIE = 10.0**-DECIMALS
# A chunk's postings are one row: a row for each of its words would take ten times as long to read.
SCHEMA = """
CREATE TABLE IF NOT EXISTS chunk(
    position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, document_id TEXT NOT NULL, length INTEGER NOT NULL,
    node_sets TEXT NOT NULL, terms BLOB NOT NULL, frequencies BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS chunk_document ON chunk(document_id);
CREATE TABLE IF NOT EXISTS term(id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE);
"""
INSERT = "INSERT INTO chunk(id, document_id, length, node_sets, terms, frequencies) VALUES (?, ?, ?, ?, ?, ?)"
# What an index held before postings were kept by chunk.
FORMER = "SELECT position, term, frequency FROM posting ORDER BY position"
FORMER_CHUNKS = "SELECT position, id, document_id, length, node_sets FROM passage ORDER BY position"
FORMER_SEPARATOR = "\x1f"


@dataclass(frozen=True, eq=False)
class Postings:
    """The index in memory: `offsets` (terms + 1,) into `chunks` and `weights`, chunks in the order of adding.

    A weight is all of a BM25 score but the idf.
    """

    ids: list[str]
    node_sets: list[tuple[str, ...]]
    terms: dict[str, int]
    offsets: npt.NDArray[np.int64]
    chunks: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float64]

    @cached_property
    def places(self) -> dict[str, int]:
        """Position of each chunk id."""
        return {chunk: place for place, chunk in enumerate(self.ids)}

    def having(self, term: str) -> int:
        """In how many chunks a word occurs."""
        code = self.terms.get(term)
        return 0 if code is None else int(self.offsets[code + 1] - self.offsets[code])

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
            if self._database.execute("SELECT 1 FROM sqlite_master WHERE name = 'posting'").fetchone():
                with self._changing() as database:
                    _modernise(database)
        except sqlite3.Error as error:
            raise StoreError(f"The lexical index at {path} can't be opened: {error}.") from error

    def count(self) -> int:
        """Number of chunks."""
        with self._using() as database:
            return int(database.execute("SELECT count(*) FROM chunk").fetchone()[0])

    def replace(self, document_id: str, passages: Sequence[tuple[str, str]], node_sets: Sequence[str] = ()) -> None:
        """Make these the whole content of this document, in one transaction."""
        counted = [(chunk, findable(text), len(tokens(text, self._stop_words))) for chunk, text in passages]
        with self._changing() as database:
            database.execute("DELETE FROM chunk WHERE document_id = ?", (document_id,))
            numbers = _numbers(database, {word for _, words, _ in counted for word in words})
            rows = (
                (chunk, document_id, length, json.dumps(list(node_sets)), *_packed(words, numbers))
                for chunk, words, length in counted
            )
            database.executemany(INSERT, rows)

    def remove(self, document_id: str) -> None:
        """Forget a document."""
        with self._changing() as database:
            database.execute("DELETE FROM chunk WHERE document_id = ?", (document_id,))

    def search(self, query: str, limit: int | None, node_sets: NodeSetFilter | None = None) -> list[tuple[str, float]]:
        """(chunk id, BM25 score > 0), best first."""
        index = self._loaded()
        scores = _scores(index, dict.fromkeys(query_tokens(query, self._stop_words)))
        if node_sets is not None:
            scores *= _admitted(index, node_sets)
        found = np.flatnonzero(scores)
        if limit is not None and limit < len(found):
            least = np.partition(scores[found], -limit)[-limit]
            found = found[scores[found] >= least - TIE]
        best = found[np.lexsort((found, -np.round(scores[found], DECIMALS)))][:limit]
        return [(index.ids[chunk], float(scores[chunk])) for chunk in best]

    def coverage(self, query: str, ids: Sequence[str]) -> list[float]:
        """The share of the question's weight that each chunk covers."""
        index = self._loaded()
        asked = dict.fromkeys(query_tokens(query, self._stop_words))
        weight = sum(_idf(len(index.ids), index.having(term)) for term in asked)
        if not weight:
            return [0.0] * len(ids)
        scores = _scores(index, asked) / (weight * (K1 + 1))
        return [float(scores[index.places[i]]) if i in index.places else 0.0 for i in ids]

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
                database.execute("COMMIT")
            finally:
                if database.in_transaction:
                    database.execute("ROLLBACK")
            self._postings = None


def _numbers(database: sqlite3.Connection, words: Collection[str]) -> dict[str, int]:
    """The number of each word; new words get one."""
    database.executemany("INSERT OR IGNORE INTO term(word) VALUES (?)", ((word,) for word in words))
    found = (database.execute("SELECT id FROM term WHERE word = ?", (word,)).fetchone()[0] for word in words)
    return dict(zip(words, found, strict=True))


def _packed(words: Mapping[str, int], numbers: Mapping[str, int]) -> tuple[bytes, bytes]:
    """(term numbers, frequencies) of one chunk."""
    terms = np.fromiter((numbers[word] for word in words), np.int32, len(words))
    return terms.tobytes(), np.fromiter(words.values(), np.uint32, len(words)).tobytes()


def _modernise(database: sqlite3.Connection) -> None:
    """Turn the former tables, a row for each word of each chunk, into the present ones."""
    said: dict[int, dict[str, int]] = defaultdict(dict)
    for position, word, frequency in database.execute(FORMER):
        said[position][word] = frequency
    numbers = _numbers(database, {word for words in said.values() for word in words})
    for position, chunk, document_id, length, sets in database.execute(FORMER_CHUNKS).fetchall():
        names = json.dumps(sets.split(FORMER_SEPARATOR) if sets else [])
        database.execute(INSERT, (chunk, document_id, length, names, *_packed(said[position], numbers)))
    database.execute("DROP TABLE posting")
    database.execute("DROP TABLE passage")


def _load(database: sqlite3.Connection) -> Postings:
    columns = "id, length, node_sets, terms, frequencies"
    rows = database.execute(f"SELECT {columns} FROM chunk ORDER BY position").fetchall()  # noqa: S608
    terms = {word: number for number, word in database.execute("SELECT id, word FROM term")}
    codes = np.frombuffer(b"".join(row[3] for row in rows), np.int32)
    frequencies = np.frombuffer(b"".join(row[4] for row in rows), np.uint32)
    chunks = np.repeat(np.arange(len(rows), dtype=np.int32), [len(row[3]) // 4 for row in rows])
    order = np.argsort(codes, kind="stable")
    offsets = np.zeros(max(terms.values(), default=0) + 2, dtype=np.int64)
    np.cumsum(np.bincount(codes, minlength=len(offsets) - 1), out=offsets[1:])
    lengths = np.fromiter((row[1] for row in rows), np.float64, len(rows))
    average = lengths.mean() if len(lengths) and lengths.sum() else 1.0
    norms = K1 * (1 - B + B * lengths / average)
    weights = frequencies * (K1 + 1) / (frequencies + norms[chunks])
    return Postings(
        ids=[row[0] for row in rows],
        node_sets=[tuple(json.loads(row[2])) for row in rows],
        terms=terms,
        offsets=offsets,
        chunks=chunks[order],
        weights=weights[order],
    )


def _scores(index: Postings, asked: Iterable[str]) -> npt.NDArray[np.float64]:
    """The score of each chunk: reference 3.4."""
    scores = np.zeros(len(index.ids))
    for term in asked:
        code = index.terms.get(term)
        if code is not None:
            span = slice(index.offsets[code], index.offsets[code + 1])
            scores[index.chunks[span]] += _idf(len(index.ids), index.having(term)) * index.weights[span]
    return scores


def _idf(chunks: int, having: int) -> float:
    """The weight of a word that so many of the chunks have."""
    return log(1 + (chunks - having + 0.5) / (having + 0.5))


def _admitted(index: Postings, node_sets: NodeSetFilter) -> npt.NDArray[np.bool_]:
    """Which chunks the filter lets through."""
    none = np.zeros(len(index.ids), dtype=bool)
    sets = [index.members.get(name, none) for name in node_sets.names]
    if node_sets.match_all:
        return np.logical_and.reduce([~none, *sets])
    return np.logical_or.reduce([none, *sets])
