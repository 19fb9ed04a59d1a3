"""Over a memory that is known to the last edge: the picture is exactly its fragment, and a second app is told to wait."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import ROOT, serving
from tests.e2e.test_journey import ask, drawn, open_panel

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("small")


@pytest.fixture(scope="module")
def known(home: Path) -> dict[str, Any]:
    """The nodes (id to name) and edges (source, relationship, target) that the stores hold."""
    command = [sys.executable, "-m", "tests.e2e.small_memory", str(home / "memory")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def server(home: Path, known: dict[str, Any]) -> Iterator[str]:
    with serving(home) as base:
        yield base


def edges_drawn(page: Page) -> Counter[tuple[str, str, str]]:
    """(source, relationship, target) of each edge of the picture."""
    edges = drawn(page, "edges")
    assert len({e["id"] for e in edges}) == len(edges)
    names = [e["title"].partition("\n")[0] for e in edges]
    plain = ((e["from"].removeprefix("n:"), e["to"].removeprefix("n:")) for e in edges)
    return Counter((source, name, target) for (source, target), name in zip(plain, names, strict=True))


def test_the_picture_is_exactly_the_fragment(page: Page, server: str, known: dict[str, Any]) -> None:
    page.goto(f"{server}/ask")
    ask(page, "Who founded Acme?")
    open_panel(page, "Graph")
    assert {n["id"].removeprefix("n:") for n in drawn(page, "nodes")} == set(known["nodes"])
    assert edges_drawn(page) == Counter(map(tuple, known["edges"]))
    ids = {name: node for node, name in known["nodes"].items()}
    alice, bob, acme = (ids[name] for name in ("Alice", "Bob", "Acme"))
    between = Counter((source, target) for source, _, target in edges_drawn(page))
    assert between[alice, acme] == 2
    assert between[alice, bob] == between[bob, alice] == between[acme, acme] == 1


def test_only_what_is_ranked_is_left_by_the_filter(page: Page, server: str) -> None:
    page.goto(f"{server}/ask?top_k=3&q=Who+founded+Acme%3F")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("button", name="Good").first).to_be_visible()
    open_panel(page, "Graph")
    assert len(drawn(page, "edges")) > 3
    page.get_by_text("Ranked only").click()
    page.wait_for_function("document.querySelector('iframe[srcdoc]').contentWindow.edges?.length === 3")
    assert all("rank" in edge["title"] for edge in drawn(page, "edges"))


def test_bug_50_a_second_app_over_the_same_memory_is_told(page: Page, server: str, home: Path) -> None:
    page.goto(server)
    expect(page.get_by_text("Questions to begin with")).to_be_visible()
    with serving(home) as second:
        own = page.context.browser.new_page() if page.context.browser else page
        for path in ("", "ask", "memory"):
            own.goto(f"{second}/{path}")
            expect(own.get_by_text("open in another running app")).to_be_visible()
            expect(own.get_by_test_id("stException")).to_have_count(0)
        own.close()
    page.reload()
    expect(page.get_by_text("Questions to begin with")).to_be_visible()
