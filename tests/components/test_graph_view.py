"""The picture (bugs 65, 66, 68, 69, 72, 76, 85; F9, F10)."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from components.graph_view import (
    PALETTE,
    Look,
    colours,
    filtered,
    layout,
    picture_html,
    self_contained,
    spread,
    type_counts,
)

NODES = [
    {"id": "01", "name": "Alice", "type": "Person", "ranked": True},
    {"id": "2014", "name": "<!-- <script> שלום 🚀 \u2028", "type": "Company", "ranked": True},
    {"id": "lone", "name": "", "type": "Event", "ranked": False},
]
EDGES = [
    {"id": "a", "source": "01", "target": "2014", "relationship": "works_at", "rank": 1},
    {"id": "b", "source": "01", "target": "2014", "relationship": "owns", "rank": None},
    {"id": "c", "source": "2014", "target": "01", "relationship": "pays", "rank": 2},
    {"id": "d", "source": "01", "target": "01", "relationship": "refers_to", "rank": None},
]
PICTURE: dict[str, Any] = {"nodes": NODES, "edges": EDGES, "total_nodes": 3, "total_edges": 4}


def drawn(page: str, kind: str) -> list[dict[str, Any]]:
    found = re.search(rf"{kind} = new vis\.DataSet\((\[.*?\])\);", page, re.DOTALL)
    assert found
    return list(json.loads(found.group(1)))


def test_all_nodes_and_edges_are_drawn_parallel_reverse_and_self_edges_too() -> None:
    page = picture_html(PICTURE, Look())
    assert {n["id"] for n in drawn(page, "nodes")} == {"n:01", "n:2014", "n:lone"}
    edges = drawn(page, "edges")
    assert [(e["from"], e["to"]) for e in edges] == [
        ("n:01", "n:2014"),
        ("n:01", "n:2014"),
        ("n:2014", "n:01"),
        ("n:01", "n:01"),
    ]
    curves = [e["smooth"]["roundness"] if e["smooth"] else 0 for e in edges]
    assert curves[0] != curves[1]
    assert all(e["smooth"] for e in edges[:3])


@pytest.mark.parametrize("dark", [True, False])
def test_f9_nothing_is_loaded_from_elsewhere(dark: bool) -> None:
    page = picture_html(PICTURE, Look(dark=dark))
    outside = re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)\s*=\s*[\"']?(?:https?:)?//", page)
    assert outside == []


def test_what_would_load_from_elsewhere_is_refused() -> None:
    with pytest.raises(ValueError, match="network"):
        self_contained('<html><head></head><img src="https://h.example/x.png"></html>')


def test_bug_68_data_cannot_end_the_script() -> None:
    page = picture_html(PICTURE, Look())
    data = page[page.index("new vis.DataSet(") :]
    assert "<!-- <script>" not in data.split("</script>")[0].replace("\\u003c", "")[:50]
    assert [n["label"] for n in drawn(page, "nodes")][1].startswith("<!-- <script> שלום 🚀")


def test_bug_66_nodes_without_edges_are_drawn() -> None:
    page = picture_html({"nodes": NODES, "edges": []}, Look())
    assert len(drawn(page, "nodes")) == 3
    assert drawn(picture_html({"nodes": [], "edges": []}, Look()), "nodes") == []


def test_filters_leave_edges_with_both_ends() -> None:
    nodes, edges = filtered(PICTURE, Look(types=("Person", "Event")))
    assert ([n["id"] for n in nodes], [e["id"] for e in edges]) == (["01", "lone"], ["d"])
    nodes, edges = filtered(PICTURE, Look(most_rank=2))
    assert ([n["id"] for n in nodes], [e["id"] for e in edges]) == (["01", "2014"], ["a", "c"])
    assert [e["id"] for e in filtered(PICTURE, Look(relationships=("owns",)))[1]] == ["b"]


def test_the_layout_is_the_same_each_time_and_physics_is_off() -> None:
    page = picture_html(PICTURE, Look())
    assert page == picture_html(PICTURE, Look())
    assert '"physics": {"enabled": false}' in page
    assert all("x" in n and "y" in n for n in drawn(page, "nodes"))


def test_the_marked_triplet_and_a_found_node_stand_out() -> None:
    page = picture_html(PICTURE, replace(Look(), marked="b", find="alice"))
    assert [e["width"] for e in drawn(page, "edges")] == [2, 4, 2, 1]
    assert [n["borderWidth"] for n in drawn(page, "nodes")] == [4, 1, 1]


def test_types_are_counted_and_coloured_in_the_same_order() -> None:
    assert type_counts(PICTURE) == [("Company", 1), ("Event", 1), ("Person", 1)]
    assert list(colours(PICTURE).values()) == list(PALETTE[:3])


def edge(name: str, source: str, target: str) -> dict[str, Any]:
    return {"id": name, "source": source, "target": target, "relationship": name, "rank": 1}


def test_bug_65_several_edges_from_a_node_to_itself_do_not_cover_each_other() -> None:
    edges = [edge(str(n), "01", "01") for n in range(10)]
    loops = [e["selfReference"] for e in drawn(picture_html({"nodes": NODES, "edges": edges}, Look()), "edges")]
    assert len({(loop["size"], loop["angle"]) for loop in loops}) == 10


def test_many_parallel_edges_stay_apart_and_within_the_picture() -> None:
    edges = [edge(str(n), "01", "2014") for n in range(30)]
    found = drawn(picture_html({"nodes": NODES, "edges": edges}, Look()), "edges")
    curves = [e["smooth"]["roundness"] for e in found]
    assert len(set(curves)) == 30
    assert max(curves) <= 1


def test_names_have_their_size_and_a_colour_that_can_be_read() -> None:
    for dark, ink in ((True, "#e6ebf0"), (False, "#1b2733")):
        fonts = [n["font"] for n in drawn(picture_html(PICTURE, Look(dark=dark)), "nodes")]
        assert [font["size"] for font in fonts] == [13, 13, 10]
        assert {font["color"] for font in fonts} == {ink}


def test_ranked_nodes_have_the_middle_and_none_drifts_away() -> None:
    ring = [f"n{i}" for i in range(100)]
    edges = [(a, b) for a, b in pairwise(ring)] + [("n0", "lone")]
    places = layout([*ring, "far", "lone"], edges, {"n0", "n50", "n99"})
    wide = spread(102)
    middle = [places[n] for n in ("n0", "n50", "n99")]
    assert all(max(abs(x), abs(y / 0.62)) <= wide * 0.601 for x, y in middle)
    assert all(math.hypot(x, y / 0.62) <= wide * 1.001 for x, y in places.values())


def test_the_layout_does_not_depend_on_the_process() -> None:
    code = (
        "from tests.components.test_graph_view import PICTURE, Look, picture_html; print(picture_html(PICTURE, Look()))"
    )
    pages = [
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert pages[0] == pages[1]
