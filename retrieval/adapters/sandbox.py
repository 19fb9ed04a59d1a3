"""GraphQueries in a process of its own: a read-only copy of the graph, with limits on memory, time and rows."""

from __future__ import annotations

import json
import os
import re
import selectors
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

import pyarrow as pa

from retrieval.cypher import checked, columns, joined, limited
from retrieval.errors import CypherError, StoreError
from retrieval.labels import translated
from retrieval.model import Edge, GraphSchema, Json, Node, Rows

CHILD = Path(__file__).with_name("sandbox_child.py")
POOL, MOST_SIZE = 256 << 20, 1 << 34
MOST_PROPERTIES = 200
BASE_NODE = ("nid", "id", "type", "name", "description", "text", "importance_weight", "node_sets", "properties")
BASE_EDGE = ("from", "to", "eid", "relationship_name", "edge_text", "importance_weight", "properties")
KINDS = {"number": pa.int64(), "decimal": pa.float64(), "flag": pa.bool_(), "text": pa.string()}
SQL = {"number": "INT64", "decimal": "DOUBLE", "flag": "BOOL", "text": "STRING"}
START_SECONDS = 20.0
LONGEST_REPLY = 32 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What one statement may use: rows and characters given back, seconds on the clock and of computing, bytes of memory."""

    rows: int = 1000
    characters: int = 4_000_000
    seconds: float = 10.0
    computing: int = 20
    memory: int = 1 << 30


class Sandbox:
    """One version of a graph, copied to a file of its own, and the process that reads it; started with the first statement.

    The store itself has to stay open for writing here, and Kuzu lets no other process read it meanwhile.
    """

    def __init__(self, path: Path, nodes: pa.Table, edges: pa.Table, limits: Limits | None = None) -> None:
        self._path = path
        self._limits = limits or Limits()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()
        wide_nodes, node_kinds = _widened(_numbered(nodes), BASE_NODE)
        wide_edges, edge_kinds = _widened(_linked(edges, wide_nodes), BASE_EDGE)
        self._schema = _schema(wide_nodes, wide_edges, node_kinds, edge_kinds)
        self._columns = (tuple(node_kinds), tuple(edge_kinds))
        _store(path, wide_nodes, wide_edges, node_kinds, edge_kinds)

    def schema(self) -> GraphSchema:
        """Types, relationships and properties of the graph."""
        return self._schema

    def rows(self, statement: str) -> Rows:
        """What the statement gives; CypherError where it is refused, wrong, or beyond a limit."""
        found = checked(statement)
        ready = joined(limited(translated(found, self._schema), self._limits.rows + 1))
        with self._lock:
            reply = self._ask(ready)
        if "error" in reply:
            raise CypherError(self._explained(str(reply["error"])))
        own = columns(found)
        titles = _distinct(own if own and len(own) == len(reply["columns"]) else reply["columns"])
        return Rows(
            statement=statement.strip(),
            columns=titles,
            rows=tuple(dict(zip(titles, row, strict=True)) for row in reply["rows"]),
            truncated=bool(reply["truncated"]),
            nodes=tuple(_node(node) for node in reply["nodes"]),
            edges=tuple(_edge(edge) for edge in reply["edges"]),
        )

    def close(self) -> None:
        """End the process and remove the copy."""
        with self._lock:
            self._end()
        for file in (self._path, Path(f"{self._path}.wal")):
            with suppress(FileNotFoundError):
                file.unlink()

    # ---------------------------------------------------------------- the process

    def _ask(self, statement: str) -> dict[str, Any]:
        limits = self._limits
        asked = {
            "statement": statement,
            "rows": limits.rows,
            "characters": limits.characters,
            "milliseconds": int(limits.seconds * 1000),
            "seconds": limits.computing,
        }
        process = self._running()
        try:
            _send(process, asked)
            return _reply(process, limits.seconds + 1.0)
        except TimeoutError:
            self._end()
            raise CypherError(
                f"The statement ran longer than {limits.seconds:g} seconds and was ended. Ask for less: add a WHERE, shorten "
                "paths, or leave out a MATCH that is not linked to the others."
            ) from None
        except (EOFError, BrokenPipeError):
            self._end()
            raise CypherError(
                f"The statement needed more memory or computing than allowed ({limits.memory >> 20} MB, {limits.computing} s) "
                "and was ended. Ask for less: add a WHERE, shorten paths, or count instead of listing."
            ) from None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            if not self._path.exists():
                raise StoreError("This version of the graph was closed. Ask again.")
            size = MOST_SIZE
            arguments = [str(self._path), str(POOL), str(size), str(self._limits.memory)]
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-I", str(CHILD), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self._path.parent,
                env={},
            )
            try:
                _reply(self._process, START_SECONDS)
            except (EOFError, TimeoutError) as error:
                self._end()
                raise StoreError(
                    "The process for graph queries did not start. Try again, or restart the app."
                ) from error
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()

    def _explained(self, error: str) -> str:
        """The engine's message in the words of the statement's writer."""
        text = re.sub(r"\s+", " ", error.split(" (line:")[0]).strip()
        text = re.sub(r"^(Binder|Parser|Runtime|Catalog|Conversion|Buffer manager|Overflow) exception: ", "", text)
        limits = self._limits
        if text.startswith("Interrupted"):
            return (
                f"The statement ran longer than {limits.seconds:g} seconds and was ended. Ask for less: add a WHERE or shorten "
                "paths."
            )
        if "bad alloc" in text or "bad_alloc" in text or "buffer pool is full" in text.lower():
            return (
                f"The statement needed more than {limits.memory >> 20} MB of memory and was ended. Ask for less: add a WHERE, or "
                "count instead of listing."
            )
        if "Cannot find property" in text:
            nodes, edges = self._columns
            own = ", ".join((*BASE_NODE[1:8], *nodes))
            on_edges = ", ".join((*BASE_EDGE[3:6], *edges))
            return f"{text} Nodes have: {own}. Relationships have: {on_edges}."
        where = re.search(r"\(line: (\d+), offset: (\d+)\)", error)
        if where is not None:
            near = re.search(r"<(.*)>", text)
            return f"The statement can't be read{f', near {near[1][-40:]!r}' if near else ''}. {text.split(' <')[0]}."
        return text if text.endswith(".") else f"{text}."


def _send(process: subprocess.Popen[bytes], asked: Mapping[str, object]) -> None:
    if process.stdin is None:
        raise BrokenPipeError
    process.stdin.write(json.dumps(asked).encode() + b"\n")
    process.stdin.flush()


def _reply(process: subprocess.Popen[bytes], seconds: float) -> dict[str, Any]:
    """The next line of the process; TimeoutError where it takes longer, EOFError where it ended."""
    if process.stdout is None:
        raise EOFError
    descriptor, end, size = process.stdout.fileno(), monotonic() + seconds, 0
    parts: list[bytes] = []
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        while not parts or not parts[-1].endswith(b"\n"):
            if size > LONGEST_REPLY or not selector.select(max(0.0, end - monotonic())):
                raise TimeoutError
            parts.append(os.read(descriptor, 1 << 16))
            size += len(parts[-1])
            if not parts[-1]:
                raise EOFError
    reply: dict[str, Any] = json.loads(b"".join(parts))
    return reply


def _distinct(titles: Sequence[str]) -> tuple[str, ...]:
    """The titles, repeated ones numbered: rows are dictionaries."""
    seen: Counter[str] = Counter()
    own = []
    for title in titles:
        seen[title] += 1
        own.append(title if seen[title] == 1 else f"{title} ({seen[title]})")
    return tuple(own)


def _node(cell: Mapping[str, Json]) -> Node:
    return Node(
        id=str(cell.get("id", "")),
        type=str(cell.get("type", "")),
        name=str(cell.get("name") or str(cell.get("text", ""))[:60]),
        description=str(cell.get("description", "")),
    )


def _edge(cell: Mapping[str, Json]) -> Edge:
    return Edge(
        source=str(cell["source"]),
        target=str(cell["target"]),
        relationship=str(cell.get("relationship", "")),
        text=str(cell.get("text", "")),
    )


# -------------------------------------------------------------------- the copy


def _numbered(nodes: pa.Table) -> pa.Table:
    """The nodes with a whole number as key."""
    return nodes.select(BASE_NODE[1:]).add_column(0, "nid", pa.array(range(len(nodes)), pa.int64()))


def _linked(edges: pa.Table, nodes: pa.Table) -> pa.Table:
    """The edges as the table Edge has them: keys of both ends, a number of their own, and what they say."""
    keys = dict(zip(nodes["id"].to_pylist(), range(len(nodes)), strict=True))
    columns = {
        "from": pa.array([keys[i] for i in edges["source"].to_pylist()], pa.int64()),
        "to": pa.array([keys[i] for i in edges["target"].to_pylist()], pa.int64()),
        "eid": pa.array(range(len(edges)), pa.int64()),
        "relationship_name": edges["relationship"],
        "edge_text": edges["text"],
        "importance_weight": edges["importance_weight"],
        "properties": edges["properties"],
    }
    return pa.table(columns)


def _widened(table: pa.Table, base: Sequence[str]) -> tuple[pa.Table, dict[str, str]]:
    """The table with a column for each property of its JSON column, and the kind of each; frequent ones where there are many."""
    parsed: list[dict[str, Any]] = [json.loads(text or "{}") for text in table["properties"].to_pylist()]
    counts = Counter(key for own in parsed for key in own)
    taken = {name.casefold() for name in base} | {"source", "target", "relationship"}
    kinds: dict[str, str] = {}
    for key, _ in counts.most_common():
        if len(kinds) == MOST_PROPERTIES:
            break
        if key and key.casefold() not in taken and "`" not in key:
            taken.add(key.casefold())
            values = [own[key] for own in parsed if own.get(key) is not None]
            kinds[key] = _kind(values)
            column = [_fitted(own.get(key), kinds[key]) for own in parsed]
            table = table.append_column(key, pa.array(column, _arrow(kinds[key])))
    return table, kinds


def _kind(values: Sequence[Any]) -> str:
    """number, decimal, flag or text, with [] for lists of them; text for mixtures."""
    if values and all(isinstance(value, list) for value in values):
        inner = _kind([item for value in values for item in value if item is not None])
        return f"{inner}[]" if not inner.endswith("[]") else "text"
    if all(isinstance(value, bool) for value in values) and values:
        return "flag"
    numbers = bool(values) and not any(isinstance(value, bool) for value in values)
    if numbers and all(isinstance(value, int) and -(2**63) <= value < 2**63 for value in values):
        return "number"
    if numbers and all(isinstance(value, int | float) for value in values):
        return "decimal"
    return "text"


def _fitted(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind.endswith("[]"):
        return [_fitted(item, kind[:-2]) for item in value]
    if kind == "text":
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return text.encode("utf-8", "replace").decode()
    return float(value) if kind == "decimal" else value


def _arrow(kind: str) -> pa.DataType:
    return pa.list_(KINDS[kind[:-2]]) if kind.endswith("[]") else KINDS[kind]


def _declared(kinds: Mapping[str, str]) -> str:
    return "".join(
        f", `{name}` {SQL[kind.removesuffix('[]')]}{'[]' if kind.endswith('[]') else ''}"
        for name, kind in kinds.items()
    )


def _store(
    path: Path, nodes: pa.Table, edges: pa.Table, node_kinds: Mapping[str, str], edge_kinds: Mapping[str, str]
) -> None:
    """Write both tables to a new database, replacing what is there."""
    import kuzu

    for file in (path, Path(f"{path}.wal")):
        with suppress(FileNotFoundError):
            file.unlink()
    try:
        database = kuzu.Database(str(path), buffer_pool_size=POOL * 2, max_db_size=MOST_SIZE)
        try:
            with kuzu.Connection(database) as connection:
                connection.execute(
                    "CREATE NODE TABLE Node(nid INT64 PRIMARY KEY, id STRING, type STRING, name STRING, description STRING, "
                    f"text STRING, importance_weight DOUBLE, node_sets STRING[], properties STRING{_declared(node_kinds)})"
                )
                connection.execute(
                    "CREATE REL TABLE Edge(FROM Node TO Node, eid INT64, relationship_name STRING, edge_text STRING, "
                    f"importance_weight DOUBLE, properties STRING{_declared(edge_kinds)})"
                )
                for name, table in (("Node", nodes), ("Edge", edges)):
                    if len(table):
                        connection.execute(f"COPY {name} FROM $rows", {"rows": table.combine_chunks()})
        finally:
            database.close()
    except RuntimeError as error:
        raise StoreError(
            f"The graph can't be copied for queries: {error}. Free some disk space and try again."
        ) from error


def _schema(
    nodes: pa.Table, edges: pa.Table, node_kinds: Mapping[str, str], edge_kinds: Mapping[str, str]
) -> GraphSchema:
    types = nodes["type"].to_pylist()
    type_of = dict(zip(nodes["nid"].to_pylist(), types, strict=True))
    names = edges["relationship_name"].to_pylist()
    sources, targets = edges["from"].to_pylist(), edges["to"].to_pylist()
    joins: dict[str, Counter[tuple[str, str]]] = {}
    for name, source, target in zip(names, sources, targets, strict=True):
        joins.setdefault(name, Counter())[type_of.get(source, ""), type_of.get(target, "")] += 1
    return GraphSchema(
        types=dict(Counter(types).most_common()),
        relationships=dict(Counter(names).most_common()),
        joins={name: dict(own.most_common()) for name, own in joins.items()},
        node_properties=_properties(types, nodes, node_kinds),
        edge_properties=_properties(names, edges, edge_kinds),
    )


def _properties(owners: Sequence[str], table: pa.Table, kinds: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """By type or relationship the properties that at least one of its elements has."""
    own: dict[str, dict[str, str]] = {}
    for name, kind in kinds.items():
        for owner, value in zip(owners, table[name].to_pylist(), strict=True):
            if value is not None:
                own.setdefault(owner, {})[name] = kind
    return own
