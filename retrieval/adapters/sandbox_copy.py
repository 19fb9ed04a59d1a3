"""A copy of a graph for queries: two tables, with a column for every property."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa

from retrieval.errors import StoreError
from retrieval.model import GraphSchema

POOL, MOST_SIZE = 512 << 20, 1 << 34
MOST_PROPERTIES = 200
BASE_NODE = ("nid", "id", "type", "name", "description", "text", "importance_weight", "node_sets", "properties")
BASE_EDGE = ("from", "to", "eid", "relationship_name", "edge_text", "importance_weight", "properties")
KINDS = {"number": pa.int64(), "decimal": pa.float64(), "flag": pa.bool_(), "text": pa.string()}
SQL = {"number": "INT64", "decimal": "DOUBLE", "flag": "BOOL", "text": "STRING"}


def copied(path: Path, nodes: pa.Table, edges: pa.Table) -> GraphSchema:
    """The schema of these nodes and edges (as `GraphStore.whole` gives them), which are written to a database at this path."""
    wide_nodes, node_kinds = _widened(_numbered(nodes), BASE_NODE)
    wide_edges, edge_kinds = _widened(_linked(edges, wide_nodes), BASE_EDGE)
    _store(path, wide_nodes, wide_edges, node_kinds, edge_kinds)
    return _schema(wide_nodes, wide_edges, node_kinds, edge_kinds)


def unlink(path: Path) -> None:
    """Remove a database with its log, where there is one."""
    for file in (path, Path(f"{path}.wal")):
        with suppress(FileNotFoundError):
            file.unlink()


def left_over(folder: Path) -> list[Path]:
    """Copies that a process left behind when it was killed."""
    return sorted(folder.glob("queries-*.kuzu"))


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

    unlink(path)
    try:
        database = kuzu.Database(str(path), buffer_pool_size=POOL, max_db_size=MOST_SIZE)
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
