"""The process that runs statements on a read-only database: started as a file, it imports nothing of this project.

Reads one JSON line {statement, rows, characters, milliseconds, seconds} after another, and answers each with one line:
{columns, rows, truncated, nodes, edges} or {error}. Cells are JSON; nodes, edges and paths in them are objects.
"""

from __future__ import annotations

import datetime
import json
import math
import os
import resource
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HIDDEN = frozenset({"nid", "properties", "_id", "_label"})
EDGE_HIDDEN = frozenset({"eid", "properties", "_id", "_label", "_src", "_dst"})
RENAMED = {"relationship_name": "relationship", "edge_text": "text"}
Place = tuple[int, int]


class Cells:
    """Makes results JSON, and keeps the nodes and edges met on the way; `named` finds the ids of ends not among them."""

    def __init__(self) -> None:
        self.nodes: dict[Place, dict[str, Any]] = {}
        self.edges: dict[Place, dict[str, Any]] = {}

    def plain(self, value: Any) -> Any:
        """The value as JSON has it."""
        if isinstance(value, Mapping):
            return self._mapping(value)
        if isinstance(value, list | tuple | set):
            return [self.plain(item) for item in value]
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else str(value)
        return _special(value)

    def _mapping(self, value: Mapping[str, Any]) -> Any:
        if "_nodes" in value and "_rels" in value:
            nodes, edges = self.plain(value["_nodes"]), self.plain(value["_rels"])
            return {"nodes": nodes, "edges": edges}
        if "_src" in value and "_dst" in value and "_id" in value:
            own = {RENAMED.get(k, k): self.plain(v) for k, v in value.items() if k not in EDGE_HIDDEN and v is not None}
            edge = {"source": _place(value["_src"]), "target": _place(value["_dst"]), **own}
            return self.edges.setdefault(_place(value["_id"]), edge)
        if "_label" in value and "_id" in value:
            kept = {k: self.plain(v) for k, v in value.items() if k not in HIDDEN and v not in (None, "", [])}
            return self.nodes.setdefault(_place(value["_id"]), kept)
        return {str(k): self.plain(v) for k, v in value.items()}

    def finish(self, connection: Any) -> None:
        """Give every edge the ids of its ends, and keep the ends as nodes that a picture needs."""
        missing = {edge[end] for edge in self.edges.values() for end in ("source", "target")} - set(self.nodes)
        if missing:
            query = "MATCH (n:Node) WHERE offset(id(n)) IN $offsets RETURN n"
            result = connection.execute(query, {"offsets": sorted(offset for _, offset in missing)})
            while result.has_next():
                self.plain(result.get_next())
        for edge in self.edges.values():
            edge |= {end: self.nodes.get(edge[end], {}).get("id", "") for end in ("source", "target")}


def _place(value: Mapping[str, int]) -> Place:
    return value["table"], value["offset"]


def _special(value: Any) -> Any:
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if hasattr(value, "as_integer_ratio"):
        return int(value) if value == int(value) else float(value)
    return value.hex() if isinstance(value, bytes) else str(value)


def run(connection: Any, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The reply to one request."""
    connection.set_query_timeout(asked["milliseconds"])
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = math.ceil(used.ru_utime + used.ru_stime)
    resource.setrlimit(resource.RLIMIT_CPU, (spent + asked["seconds"], resource.RLIM_INFINITY))
    result = connection.execute(asked["statement"])
    cells, size = Cells(), 0
    rows: list[list[Any]] = []
    while result.has_next() and len(rows) < asked["rows"]:
        rows.append([cells.plain(value) for value in result.get_next()])
        size += len(json.dumps(rows[-1], default=str))
        if size > asked["characters"]:
            break
    truncated = result.get_num_tuples() > len(rows)
    columns = result.get_column_names()
    result.close()
    cells.finish(connection)
    return {
        "columns": columns,
        "rows": rows,
        "truncated": truncated,
        "nodes": list(cells.nodes.values()),
        "edges": list(cells.edges.values()),
    }


def confine(memory: int) -> None:
    """No more memory than this beyond what is held now, no file or socket opened from here on, nothing written."""
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    if pages:
        most = pages * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    opened = os.dup(0)
    os.close(opened)
    resource.setrlimit(resource.RLIMIT_NOFILE, (opened, opened))


def main(path: str, pool: str, size: str, memory: str) -> None:
    """Answer requests until there are no more."""
    # Kuzu looks for these when it gives such values, and then no file can be opened any more.
    import decimal  # noqa: F401
    import uuid  # noqa: F401

    import kuzu

    database = kuzu.Database(path, read_only=True, buffer_pool_size=int(pool), max_db_size=int(size), max_num_threads=2)
    connection = kuzu.Connection(database)
    connection.execute("MATCH (:Node)-[e:Edge]->(:Node) RETURN count(e)").close()
    replies = sys.stdout
    confine(int(memory))
    print(json.dumps({"ready": True}), file=replies, flush=True)
    for line in sys.stdin:
        try:
            reply = run(connection, json.loads(line))
        except (RuntimeError, ValueError) as error:
            reply = {"error": str(error)}
        except MemoryError:
            reply = {"error": "bad allocation"}
        print(json.dumps(reply, default=str), file=replies, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
