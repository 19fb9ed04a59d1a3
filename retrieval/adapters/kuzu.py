"""GraphStore on Kuzu: one handle per file and process, bounded sizes, one writer at a time, values as parameters only."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Condition, Lock, RLock
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from retrieval.errors import StoreError, StoreLockedError
from retrieval.identity import integer_key, lookup_key
from retrieval.model import Edge, Node

if TYPE_CHECKING:
    import kuzu

BUFFER_POOL = 512 << 20
MAX_DB_SIZE = 1 << 34
BATCH = 500
# A file is written anew when it has grown by this, and to this many times its size.
GROWN_BYTES, GROWN_TIMES = 48 << 20, 3
ARROW_ROWS = 100_000
NAME_FROM_TEXT = 60
SCHEMA = (
    "CREATE NODE TABLE IF NOT EXISTS Node(nid INT64 PRIMARY KEY, id STRING, type STRING, name STRING, description STRING, "
    "text STRING, importance_weight DOUBLE, node_sets STRING[], properties STRING)",
    "CREATE REL TABLE IF NOT EXISTS Edge(FROM Node TO Node, eid INT64, relationship_name STRING, edge_text STRING, "
    "importance_weight DOUBLE, properties STRING)",
)
NODE_COLUMNS = pa.schema(
    [
        ("nid", pa.int64()),
        ("id", pa.string()),
        ("type", pa.string()),
        ("name", pa.string()),
        ("description", pa.string()),
        ("text", pa.string()),
        ("importance_weight", pa.float64()),
        ("node_sets", pa.list_(pa.string())),
        ("properties", pa.string()),
    ]
)
EDGE_COLUMNS = pa.schema(
    [
        ("from", pa.int64()),
        ("to", pa.int64()),
        ("eid", pa.int64()),
        ("relationship_name", pa.string()),
        ("edge_text", pa.string()),
        ("importance_weight", pa.float64()),
        ("properties", pa.string()),
    ]
)
ALL_NODES = (
    "MATCH (n:Node) RETURN n.id AS id, n.type AS type, CASE WHEN n.name = '' THEN left(n.text, $length) ELSE n.name END AS name, "
    "n.importance_weight AS importance_weight, n.node_sets AS node_sets"
)
ALL_EDGES = (
    "MATCH (a:Node)-[e:Edge]->(b:Node) RETURN a.id AS source, b.id AS target, e.relationship_name AS relationship, "
    "e.edge_text AS text, e.importance_weight AS importance_weight"
)
WHOLE_NODES = f"MATCH (n:Node) RETURN {', '.join(f'n.{field.name} AS {field.name}' for field in NODE_COLUMNS)}"
WHOLE_EDGES = "MATCH (a:Node)-[e:Edge]->(b:Node) RETURN a.nid AS `from`, b.nid AS `to`, " + ", ".join(
    f"e.{field.name} AS {field.name}" for field in list(EDGE_COLUMNS)[2:]
)
TOLD_NODES = f"MATCH (n:Node) RETURN {', '.join(f'n.{field.name} AS {field.name}' for field in list(NODE_COLUMNS)[1:])}"
TOLD_EDGES = ALL_EDGES + ", e.properties AS properties"
SET_NODE = (
    "MATCH (n:Node) WHERE n.nid = $nid SET n.type = $type, n.name = $name, n.description = $description, n.text = $text, "
    "n.importance_weight = $importance_weight, n.node_sets = $node_sets, n.properties = $properties"
)
SET_EDGE = (
    "MATCH (a:Node)-[e:Edge]->(b:Node) WHERE a.nid = $from AND b.nid = $to AND e.eid = $eid "
    "SET e.relationship_name = $relationship_name, e.edge_text = $edge_text, e.importance_weight = $importance_weight, "
    "e.properties = $properties"
)
DELETE_EDGE = "MATCH (a:Node)-[e:Edge]->(b:Node) WHERE a.nid = $from AND b.nid = $to AND e.eid = $eid DELETE e"


class Handle:
    """One open database of this process, shared by all who open the same file.

    `users` counts the open stores and the calls under way: closing under a running query would end the process. `calls`
    counts the latter alone, so that the database can be swapped for a compact one while stores stay open.
    """

    def __init__(self, path: str, database: kuzu.Database) -> None:
        self.path = path
        self.database = database
        self.users = 0
        self.writing = RLock()
        self.calls = 0
        self.swapping = False
        # Unknown until it was written anew: a large file is, at its first change.
        self.compacted = 0
        self.idle = Condition()

    @contextmanager
    def calling(self) -> Iterator[kuzu.Database]:
        """The database, which is not swapped while the call lasts."""
        with self.idle:
            self.idle.wait_for(lambda: not self.swapping)
            database = self.database
            self.calls += 1
        try:
            yield database
        finally:
            with self.idle:
                self.calls -= 1
                self.idle.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No call is under way inside, and new ones wait; only for a thread that is in no call itself."""
        with self.idle:
            self.swapping = True
            try:
                self.idle.wait_for(lambda: self.calls == 0)
                yield
            finally:
                self.swapping = False
                self.idle.notify_all()


_open: dict[str, Handle] = {}
_opening = Lock()


def _acquire(path: Path) -> Handle:
    """The process's one handle of this file, whatever spelling the path has."""
    real = os.path.realpath(path)
    with _opening:
        handle = _open.get(real)
        if handle is None:
            handle = _open[real] = Handle(real, _database(real))
        handle.users += 1
        return handle


def _database(path: str) -> kuzu.Database:
    import kuzu

    try:
        return kuzu.Database(path, buffer_pool_size=BUFFER_POOL, max_db_size=MAX_DB_SIZE)
    except RuntimeError as error:
        if "could not set lock" in str(error).lower():
            raise StoreLockedError(
                f"The data is open in another running app ({path}). Close that app, or use another data folder "
                "(MEMORY_LENS_DATA)."
            ) from error
        raise StoreError(f"The graph at {path} can't be opened: {error}. Restore it from a backup.") from error


def compact(handle: Handle) -> None:
    """Write the database anew and put it in the old one's place. Kuzu rewrites whole columns with every COPY and keeps the
    old ones: a file that grew by thousands of small writes becomes too large for its buffer pool.
    """
    import kuzu

    fresh = f"{handle.path}.new"
    _remove(fresh)
    with handle.writing:
        with handle.calling() as database, kuzu.Connection(database) as connection:
            nodes = connection.execute(WHOLE_NODES).get_as_arrow(ARROW_ROWS).cast(NODE_COLUMNS)
            edges = connection.execute(WHOLE_EDGES).get_as_arrow(ARROW_ROWS).cast(EDGE_COLUMNS)
        made = kuzu.Database(fresh, buffer_pool_size=BUFFER_POOL, max_db_size=MAX_DB_SIZE)
        try:
            with kuzu.Connection(made) as connection:
                for statement in SCHEMA:
                    connection.execute(statement)
                for table, rows in (("Node", nodes), ("Edge", edges)):
                    if len(rows):
                        connection.execute(f"COPY {table} FROM $rows", {"rows": rows})
        finally:
            made.close()
        with handle.alone():
            handle.database.close()
            _remove(f"{handle.path}.wal")
            Path(fresh).replace(handle.path)
            handle.database = _database(handle.path)
            handle.compacted = Path(handle.path).stat().st_size


def _remove(path: str) -> None:
    for file in (path, f"{path}.wal"):
        with suppress(FileNotFoundError):
            Path(file).unlink()


def _release(handle: Handle) -> None:
    with _opening:
        handle.users -= 1
        if handle.users == 0:
            _open.pop(handle.path, None)
            handle.database.close()


class KuzuGraph:
    """The knowledge graph of one dataset in one Kuzu file."""

    def __init__(self, path: Path) -> None:
        self._handle = _acquire(path)
        self._closed = False
        try:
            with self._writer() as connection:
                for statement in SCHEMA:
                    connection.execute(statement)
        except StoreError:
            self.close()
            raise

    # ---------------------------------------------------------------- reading

    def counts(self) -> tuple[int, int]:
        """Numbers of nodes and edges."""
        with self._reader() as connection:
            nodes = connection.execute("MATCH (n:Node) RETURN count(n)").get_next()[0]
            edges = connection.execute("MATCH (:Node)-[e:Edge]->(:Node) RETURN count(e)").get_next()[0]
        return int(nodes), int(edges)

    def nodes(self, ids: Sequence[str]) -> list[Node]:
        """Nodes in the order of the ids."""
        with self._reader() as connection:
            rows = self._node_rows(connection, [lookup_key(i) for i in ids])
        found = {row["id"]: _node(row) for row in rows}
        return [found[i] for i in ids if i in found]

    def columns(self) -> tuple[pa.Table, pa.Table]:
        """All nodes and edges as Arrow tables."""
        with self._reader() as connection:
            nodes = connection.execute(ALL_NODES, {"length": NAME_FROM_TEXT}).get_as_arrow(ARROW_ROWS)
            edges = connection.execute(ALL_EDGES).get_as_arrow(ARROW_ROWS)
        return nodes, edges

    def whole(self) -> tuple[pa.Table, pa.Table]:
        """All that is stored, as Arrow tables."""
        with self._reader() as connection:
            nodes = connection.execute(TOLD_NODES).get_as_arrow(ARROW_ROWS)
            edges = connection.execute(TOLD_EDGES).get_as_arrow(ARROW_ROWS)
        return nodes, edges

    # ---------------------------------------------------------------- writing

    def upsert(self, nodes: Sequence[Node], edges: Sequence[Edge]) -> None:
        """Store nodes, then edges: new ones by bulk copy, changed ones one by one in one transaction."""
        with self._writer() as connection:
            rows = {row["nid"]: row for row in map(_node_row, nodes)}
            links = {row["eid"]: row for row in map(_edge_row, edges)}
            present = {n["nid"]: n for n in self._node_rows(connection, list(rows))}
            new = [row for key, row in rows.items() if key not in present]
            ends = {key for link in links.values() for key in (link["from"], link["to"])} - set(rows)
            known = {n["nid"] for n in self._node_rows(connection, sorted(ends))}
            if ends - known:
                raise StoreError(f"{len(ends - known)} edge end(s) are not stored; store the nodes first.")
            kept = self._edge_rows(connection, links)
            _copy(connection, "Node", new, NODE_COLUMNS)
            _copy(connection, "Edge", [link for key, link in links.items() if key not in kept], EDGE_COLUMNS)
            changed = [row for key, row in rows.items() if key in present and present[key] != row]
            altered = [link for key, link in links.items() if key in kept and kept[key] != link]
            if changed or altered:
                with _transaction(connection):
                    for row in changed:
                        connection.execute(SET_NODE, {k: v for k, v in row.items() if k != "id"})
                    for link in altered:
                        connection.execute(SET_EDGE, link)
        self._compact_if_grown()

    def delete(self, nodes: Iterable[str], edges: Iterable[Edge]) -> None:
        """Remove edges, then nodes; edges go both ways first, since Kuzu leaves phantoms of them otherwise."""
        keys = [lookup_key(i) for i in nodes]
        with self._writer() as connection, _transaction(connection):
            for edge in edges:
                ends = {"from": lookup_key(edge.source), "to": lookup_key(edge.target), "eid": integer_key(edge.id)}
                connection.execute(DELETE_EDGE, ends)
            for start in range(0, len(keys), BATCH):
                batch = {"keys": keys[start : start + BATCH]}
                connection.execute("MATCH (n:Node)-[e:Edge]->() WHERE n.nid IN $keys DELETE e", batch)
                connection.execute("MATCH ()-[e:Edge]->(n:Node) WHERE n.nid IN $keys DELETE e", batch)
                connection.execute("MATCH (n:Node) WHERE n.nid IN $keys DELETE n", batch)

    def close(self) -> None:
        """Let go of the file; it is closed when its last user and the calls under way are done."""
        with _opening:
            was_open, self._closed = not self._closed, True
        if was_open:
            _release(self._handle)

    # ---------------------------------------------------------------- inside

    def _compact_if_grown(self) -> None:
        handle = self._handle
        size = Path(handle.path).stat().st_size
        if size - handle.compacted < GROWN_BYTES or size < GROWN_TIMES * handle.compacted:
            return
        self._begin()
        try:
            compact(handle)
        except RuntimeError as error:
            raise StoreError(f"The graph database can't be written anew: {error}") from error
        finally:
            _release(handle)

    def _node_rows(self, connection: kuzu.Connection, keys: Sequence[int]) -> list[dict[str, Any]]:
        names = [field.name for field in NODE_COLUMNS]
        listed = ", ".join(f"n.{name} AS {name}" for name in names)
        rows: list[dict[str, Any]] = []
        for start in range(0, len(keys), BATCH):
            query = f"MATCH (n:Node) WHERE n.nid IN $keys RETURN {listed}"
            rows += _rows(connection.execute(query, {"keys": list(keys[start : start + BATCH])}), names)
        return rows

    def _edge_rows(self, connection: kuzu.Connection, links: dict[int, dict[str, Any]]) -> dict[int, dict[str, Any]]:
        """Those of the edges that are stored, found from their sources."""
        names = [field.name for field in EDGE_COLUMNS]
        fields = ", ".join(f"e.{name} AS {name}" for name in names[2:])
        sources = sorted({link["from"] for link in links.values()})
        found: dict[int, dict[str, Any]] = {}
        for start in range(0, len(sources), BATCH):
            query = f"MATCH (a:Node)-[e:Edge]->(b:Node) WHERE a.nid IN $keys RETURN a.nid, b.nid, {fields}"
            rows = _rows(connection.execute(query, {"keys": sources[start : start + BATCH]}), names)
            found.update({row["eid"]: row for row in rows if row["eid"] in links})
        return found

    @contextmanager
    def _reader(self) -> Iterator[kuzu.Connection]:
        import kuzu

        self._begin()
        try:
            with self._handle.calling() as database, kuzu.Connection(database) as connection:
                yield connection
        except (RuntimeError, ValueError) as error:
            raise StoreError(f"The graph database failed: {error}") from error
        finally:
            _release(self._handle)

    def _begin(self) -> None:
        with _opening:
            if self._closed:
                raise StoreError("This dataset was closed or deleted. Reload the page.")
            self._handle.users += 1

    @contextmanager
    def _writer(self) -> Iterator[kuzu.Connection]:
        with self._handle.writing, self._reader() as connection:
            yield connection


@contextmanager
def _transaction(connection: kuzu.Connection) -> Iterator[None]:
    connection.execute("BEGIN TRANSACTION")
    try:
        yield
    except BaseException:
        with suppress(RuntimeError):  # Kuzu has rolled back what failed by itself
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _copy(connection: kuzu.Connection, table: str, rows: Sequence[dict[str, Any]], schema: pa.Schema) -> None:
    if rows:
        connection.execute(f"COPY {table} FROM $rows", {"rows": pa.Table.from_pylist(list(rows), schema)})


def _rows(result: Any, names: Sequence[str]) -> list[dict[str, Any]]:
    rows = []
    while result.has_next():
        rows.append(dict(zip(names, result.get_next(), strict=True)))
    return rows


def _text(value: str) -> str:
    """The text without lone surrogates, which Kuzu can't store."""
    return value.encode("utf-8", "replace").decode("utf-8")


def _node_row(node: Node) -> dict[str, Any]:
    return {
        "nid": integer_key(node.id),
        "id": node.id,
        "type": _text(node.type),
        "name": _text(node.name),
        "description": _text(node.description),
        "text": _text(node.text),
        "importance_weight": float(node.importance_weight),
        "node_sets": [_text(name) for name in node.node_sets],
        "properties": json.dumps(dict(node.properties), sort_keys=True, allow_nan=False),
    }


def _edge_row(edge: Edge) -> dict[str, Any]:
    return {
        "from": integer_key(edge.source),
        "to": integer_key(edge.target),
        "eid": integer_key(edge.id),
        "relationship_name": _text(edge.relationship),
        "edge_text": _text(edge.text),
        "importance_weight": float(edge.importance_weight),
        "properties": json.dumps(dict(edge.properties), sort_keys=True, allow_nan=False),
    }


def _node(row: dict[str, Any]) -> Node:
    return Node(
        row["id"],
        row["type"],
        row["name"],
        row["description"],
        row["text"],
        row["importance_weight"],
        tuple(row["node_sets"] or ()),
        json.loads(row["properties"] or "{}"),
    )
