"""Cells of a graph query as a table shows them."""

from __future__ import annotations

from typing import Any

import pytest

from components.panels import cell

NODE = {"id": "1", "type": "Ship", "name": "Aurora"}
EDGE = {"source": "1", "target": "2", "relationship": "calls_at", "text": ""}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, None),
        (3, 3),
        (2.5, 2.5),
        (True, True),
        ("text", "text"),
        ("שלום", "\u2068שלום\u2069"),
        ([1, "a"], "1, a"),
        (NODE, "Aurora"),
        (EDGE, "calls_at"),
        ({"nodes": [NODE, NODE | {"name": "Riga"}], "edges": [EDGE]}, "Aurora → Riga"),
        ({"a": 1, "b": None}, "a: 1, b: None"),
        ({}, ""),
    ],
)
def test_a_cell_is_one_line(value: Any, told: Any) -> None:
    assert cell(value) == told
