"""Literal text and files to take away (bugs 71, 72, 74, 104, 109, 111; F12)."""

from __future__ import annotations

import csv
import io
import json

import pytest

from components.export import csv_bytes, graphml, json_bytes
from components.literal import JOINER, html_text, isolated, literal, node_label, one_line


@pytest.mark.parametrize(
    "text",
    [
        "$119.6 billion and $300",
        "~$0.79/m³ … ~x~",
        "# Big",
        "**b** _i_ `c`",
        "[x](http://h.example)",
        "![y](z)",
        "a | b",
        ":smile: :red[x]",
        "<b>",
        "1. one",
        "- x",
    ],
)
def test_every_sign_with_a_meaning_is_escaped(text: str) -> None:
    escaped = literal(text)
    signs = "\\`*_{}[]()#+-.!|~$<>:"
    assert all(escaped[i - 1] == "\\" for i, c in enumerate(escaped) if c in signs and c != "\\")
    assert escaped.replace("\\", "").replace(JOINER, "") == text


@pytest.mark.parametrize(
    ("text", "split"),
    [
        (":material/home:", ":|material/home:"),
        (":streamlit:", ":|streamlit:"),
        ("http://h.example", "http:|//h.example"),
        ("www.h.example", "www|.h.example"),
        ("a@b.example", "a@|b.example"),
        ("a -> b <- c", "a -|> b <|- c"),
        ("a <-> b -- c", "a <|-> b -|- c"),
        ("a >= b <= c ~= d", "a >|= b <|= c ~|= d"),
        ("a->b --[r]--> c", "a->b --[r]--> c"),
        ("12:30 key:value a @ b", "12:30 key:value a @ b"),
    ],
)
def test_what_streamlit_finds_after_markdown_is_split_invisibly(text: str, split: str) -> None:
    """tests/e2e/test_answering.py looks at the same in a browser."""
    assert literal(text).replace("\\", "").replace(JOINER, "|") == split


def test_indented_text_is_no_code_block() -> None:
    assert literal("a\n\n    x_1\n\ty") == "a  \n  \n\u00a0\u00a0\u00a0\u00a0x\\_1  \n\u00a0\u00a0\u00a0\u00a0y"
    assert literal("   x") == "   x"


def test_line_breaks_and_invisible_characters() -> None:
    assert literal("a\nb\x00\x07c") == "a  \nbc"
    assert literal("x \ud83d") == "x ?"
    assert one_line("a\n b  c") == "a b c"
    assert one_line("x" * 100, 10) == "x" * 9 + "…"


def test_bug_72_right_to_left_names_are_isolated() -> None:
    assert isolated("ACME שלום 3") == "\u2068ACME שלום 3\u2069"
    assert isolated("Alice") == "Alice"


@pytest.mark.parametrize(
    ("name", "text", "kind", "label"),
    [
        ("Alice", "t", "Person", "Alice"),
        ("", "x" * 50, "Event", "x" * 39 + "…"),
        (" ", "", "Event", "(unnamed Event)"),
        ("", "", "", "(unnamed node)"),
    ],
)
def test_bug_74_labels_fall_back(name: str, text: str, kind: str, label: str) -> None:
    assert node_label(name, text, kind) == label


def test_html_is_text() -> None:
    assert html_text('<!-- <script>"x"') == "&lt;!-- &lt;script&gt;&quot;x&quot;"


def test_bug_109_no_cell_is_a_formula_and_numbers_stay_numbers() -> None:
    rows = [{"t": "=cmd|' /C calc'!A0", "n": -1.5, "q": 'say "hi", Zoë 🚀', "x": None, "f": float("nan")}]
    rows += [{"t": lead + "x", "n": 2, "q": "", "x": "", "f": 0.5} for lead in ("+", "-", "@", "\t", "\r")]
    data = csv_bytes(rows)
    assert data.startswith(b"\xef\xbb\xbf")
    read = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert all(row["t"].startswith("'") for row in read)
    assert [row["n"] for row in read][:2] == ["-1.5", "2"]
    assert read[0]["q"] == 'say "hi", Zoë 🚀'
    assert read[0]["f"] == ""
    assert csv_bytes([]) == b"\xef\xbb\xbf\r\n"


def test_f12_json_has_originals_and_nulls() -> None:
    assert json.loads(json_bytes({"a": "=1", "b": float("inf"), "c": [float("nan"), (1, "שלום")]})) == {
        "a": "=1",
        "b": None,
        "c": [None, [1, "שלום"]],
    }


def test_graphml_is_well_formed() -> None:
    import xml.etree.ElementTree as ET

    nasty = 'a <b> & "c" \x00'
    nodes = [{"id": '1"<&', "name": nasty, "type": "T"}, {"id": "2", "name": "", "type": "U"}]
    edges = [{"id": "e", "source": '1"<&', "target": "2", "relationship": nasty}]
    root = ET.fromstring(graphml({"nodes": nodes, "edges": edges}))  # noqa: S314
    names = [d.text for d in root.iter("{http://graphml.graphdrawing.org/xmlns}data")]
    assert 'a <b> & "c" ' in names
