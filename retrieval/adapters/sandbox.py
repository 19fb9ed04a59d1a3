"""GraphQueries in a process of its own: a read-only copy of the graph, with limits on memory, time and rows."""

from __future__ import annotations

import json
import os
import re
import selectors
import subprocess
import sys
import weakref
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

import pyarrow as pa

from retrieval.adapters.sandbox_copy import BASE_EDGE, BASE_NODE, MOST_SIZE, copied, unlink
from retrieval.cypher import checked, columns, joined, limited
from retrieval.errors import CypherError, StoreError
from retrieval.labels import translated
from retrieval.model import Edge, GraphSchema, Json, Node, Rows

CHILD = Path(__file__).with_name("sandbox_child.py")
POOL = 256 << 20
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


class Child:
    """The process over one copy: started when it is first asked, and again after it was ended by a limit."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path = path
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()

    def ask(self, statement: str) -> dict[str, Any]:
        """Its reply; CypherError where the statement was ended by a limit."""
        with self._lock:
            return self._ask(statement)

    def remove(self) -> None:
        """End the process and remove the copy."""
        with self._lock:
            self._end()
        unlink(self._path)

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
            arguments = [str(self._path), str(POOL), str(MOST_SIZE), str(self._limits.memory)]
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


class Sandbox:
    """One version of a graph, copied to a file of its own, and the process that reads it; started with the first statement.

    The store itself has to stay open for writing here, and Kuzu lets no other process read it meanwhile.
    """

    def __init__(self, path: Path, nodes: pa.Table, edges: pa.Table, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._schema = copied(path, nodes, edges)
        self._child = Child(path, self._limits)
        self._remove = weakref.finalize(self, self._child.remove)

    def schema(self) -> GraphSchema:
        """Types, relationships and properties of the graph."""
        return self._schema

    def rows(self, statement: str) -> Rows:
        """What the statement gives; CypherError where it is refused, wrong, or beyond a limit."""
        found = checked(statement)
        ready = joined(limited(translated(found, self._schema), self._limits.rows + 1))
        reply = self._child.ask(ready)
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
        """End the process and remove the copy; this happens by itself when the sandbox or the program ends."""
        self._remove()

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
            own = ", ".join(dict.fromkeys((*BASE_NODE[1:8], *_all(self._schema.node_properties))))
            on_edges = ", ".join(dict.fromkeys((*BASE_EDGE[3:6], *_all(self._schema.edge_properties))))
            return f"{text} Nodes have: {own}. Relationships have: {on_edges}."
        where = re.search(r"\(line: (\d+), offset: (\d+)\)", error)
        if where is not None:
            near = re.search(r"<(.*)>", text)
            return f"The statement can't be read{f', near {near[1][-40:]!r}' if near else ''}. {text.split(' <')[0]}."
        return text if text.endswith(".") else f"{text}."


def _all(held: Mapping[str, Mapping[str, str]]) -> list[str]:
    return [name for own in held.values() for name in own]


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
