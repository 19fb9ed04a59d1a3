"""Files to take away: CSV that no spreadsheet runs, JSON that every parser reads, GraphML."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
BOM = "\ufeff"
XML_CONTROL = {chr(c): "" for c in range(32) if chr(c) not in "\t\n\r"}


def csv_bytes(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """UTF-8 CSV with a byte order mark; text that a spreadsheet would run as a formula gets a leading apostrophe."""
    out = io.StringIO()
    columns = list(rows[0]) if rows else []
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([_cell(column) for column in columns])
    for row in rows:
        writer.writerow([_cell(row.get(column)) for column in columns])
    return (BOM + out.getvalue()).encode("utf-8", "replace")


def _cell(value: object) -> object:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value


def json_bytes(value: object) -> bytes:
    """UTF-8 JSON with the original values; NaN and infinities are null."""
    return json.dumps(_finite(value), ensure_ascii=False, indent=2, allow_nan=False).encode("utf-8", "replace")


def _finite(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def graphml(picture: Mapping[str, Any]) -> bytes:
    """The picture's nodes and edges as GraphML."""
    nodes = "".join(
        f'<node id={_attribute(n["id"])}><data key="name">{_xml(n["name"])}</data>'
        f'<data key="type">{_xml(n["type"])}</data></node>'
        for n in picture["nodes"]
    )
    edges = "".join(
        f"<edge id={_attribute(e['id'])} source={_attribute(e['source'])} target={_attribute(e['target'])}>"
        f'<data key="relationship">{_xml(e["relationship"])}</data></edge>'
        for e in picture["edges"]
    )
    keys = "".join(
        f'<key id="{name}" for="{kind}" attr.name="{name}" attr.type="string"/>'
        for name, kind in (("name", "node"), ("type", "node"), ("relationship", "edge"))
    )
    head = '<?xml version="1.0" encoding="UTF-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    return f'{head}{keys}<graph edgedefault="directed">{nodes}{edges}</graph></graphml>'.encode("utf-8", "replace")


def _xml(text: str) -> str:
    return escape(text, XML_CONTROL)


def _attribute(text: str) -> str:
    return quoteattr(_xml(text).replace("&amp;", "&"))
