"""The main job in a real browser: first start, ask, look at every panel, cite, rate, come back, add a PDF, ask about it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from fpdf import FPDF
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.e2e

QUESTION = "Which countries share a land border with Estonia, and how long is each border?"
BUILDING = 400_000
SMALL = """Alice Johnson founded Acme. Alice Johnson manages Acme. Acme employs Alice Johnson. Acme praises Acme.

Bob Miller visited Acme in 2019.
"""


def open_panel(page: Page, name: str) -> None:
    page.get_by_role("radiogroup", name="Evidence").first.get_by_role("radio", name=name, exact=True).click()


def drawn(page: Page, kind: str) -> list[dict[str, Any]]:
    """The nodes or edges that the picture's page holds, as vis-network has them."""
    frame = page.frame_locator("iframe[srcdoc]").first
    frame.locator("canvas").wait_for()
    found = frame.locator("body").evaluate(f"() => JSON.stringify({kind}.get())")
    return list(json.loads(found))


def ask(page: Page, question: str) -> None:
    page.get_by_role("textbox", name="Question").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_test_id("stChatMessage").first).to_contain_text(question)
    expect(page.get_by_role("button", name="Good").first).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)


def test_first_start_to_a_cited_answer(page: Page, server: str) -> None:
    page.goto(server)
    expect(page.get_by_text("Building the sample memory:")).to_be_visible()
    expect(page.get_by_text("Questions to begin with")).to_be_visible(timeout=BUILDING)
    page.get_by_role("button", name=QUESTION).click()
    answer = page.get_by_test_id("stChatMessage").nth(1)
    expect(answer).to_contain_text("Latvia 333 km")
    expect(answer).to_contain_text("Russia 324 km")
    expect(answer).to_contain_text("Extractive answer, no language model configured")

    expect(answer.get_by_test_id("stDataFrame")).to_be_visible()
    open_panel(page, "Context")
    expect(answer).to_contain_text("Estonia --[land_boundaries]--> Latvia")
    open_panel(page, "Graph")
    expect(answer).to_contain_text(re.compile(r"Showing the best \d+ nodes and \d+ connections of"))
    assert len(drawn(page, "nodes")) <= 300
    open_panel(page, "Sources")
    expect(answer.get_by_text("estonia.md").first).to_be_visible()
    open_panel(page, "Trace")
    expect(answer).to_contain_text("ms outside models")
    open_panel(page, "Payload")
    expect(answer).to_contain_text("text_result")

    answer.get_by_role("button", name=re.compile(r"\[\d+\] estonia")).first.click()
    passage = page.get_by_role("dialog")
    expect(passage.locator("mark").first).to_contain_text("Latvia 333 km")
    page.keyboard.press("Escape")
    expect(passage).to_have_count(0)

    answer.get_by_role("button", name="Good").click()
    expect(answer.get_by_text("Rated 5 of 5")).to_be_visible()
    expect(answer.get_by_text("weights moved")).to_be_visible()

    page.reload()
    expect(page.get_by_test_id("stChatMessage").first).to_contain_text(QUESTION)
    expect(page.get_by_text("Rated 5 of 5")).to_be_visible()
    page.get_by_test_id("stSidebar").get_by_role("button", name="New").click()
    expect(page.get_by_test_id("stChatMessage")).to_have_count(0)
    page.get_by_test_id("stSidebar").get_by_role("button", name="Which countries share").click()
    expect(page.get_by_test_id("stChatMessage").first).to_contain_text(QUESTION)


def test_the_picture_holds_exactly_the_fragment(page: Page, server: str) -> None:
    """Parallel, reverse and self edges included; the payload says what the fragment is."""
    page.goto(f"{server}/memory")
    page.get_by_role("button", name="New dataset").click()
    page.get_by_role("textbox", name="Name", exact=True).first.fill("Small world")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_text("This dataset is empty")).to_be_visible()
    page.get_by_role("tab", name="Text").click()
    page.get_by_role("textbox", name="Text", exact=True).fill(SMALL)
    page.get_by_role("textbox", name="Text", exact=True).press("Control+Enter")
    page.get_by_role("tabpanel").get_by_role("button", name="Add and process").locator("visible=true").click()
    expect(page.get_by_text("1 passage,")).to_be_visible()

    page.goto(f"{server}/ask?dataset=Small+world")
    ask(page, "Who founded Acme?")
    open_panel(page, "Graph")
    nodes, edges = drawn(page, "nodes"), drawn(page, "edges")
    shown = page.get_by_test_id("stChatMessage").nth(1)
    expect(shown).to_contain_text(f"{len(nodes)} nodes and {len(edges)} connections.")
    pairs = [(e["from"], e["to"]) for e in edges]
    named = {n["label"]: n["id"] for n in nodes}
    alice, acme = named["Alice Johnson"], named["Acme"]
    assert pairs.count((alice, acme)) >= 2
    assert (acme, alice) in pairs
    assert len({e["id"] for e in edges}) == len(edges)


def test_a_pdf_is_added_and_cited_by_page(page: Page, server: str) -> None:
    made = FPDF()
    made.set_font("helvetica", size=12)
    for text in (
        "The lighthouse of Kopu stands on Hiiumaa island.",
        "",
        "Its lamp was replaced by Maria Tamm in 1997.",
    ):
        made.add_page()
        if text:
            made.multi_cell(0, 8, text)
    page.goto(f"{server}/memory")
    page.locator("input[type=file]").set_input_files(
        {"name": "lighthouse.pdf", "mimeType": "application/pdf", "buffer": bytes(made.output())}
    )
    page.get_by_role("button", name="Add and process").locator("visible=true").first.click()
    expect(page.get_by_text("18 of 18 documents")).to_be_visible()
    row = page.get_by_text("lighthouse.pdf · 2 passages")
    page.get_by_role("textbox", name="Find a document").fill("lighthouse")
    page.get_by_role("textbox", name="Find a document").press("Enter")
    row.click()
    expect(page.get_by_text("no text on page 2 (scanned?)")).to_be_visible()

    page.goto(f"{server}/ask")
    ask(page, "Who replaced the lamp of the lighthouse, Maria Tamm?")
    expect(page.get_by_role("button", name="lighthouse.pdf, page 3").first).to_be_visible()


def test_phones_and_dark_screens_show_an_answer_too(page: Page, server: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    page.goto(f"{server}/ask?q=What+is+the+capital+of+Poland%3F")
    expect(page.get_by_test_id("stChatMessage")).to_have_count(0)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_test_id("stChatMessage").nth(1)).to_contain_text("Warsaw")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
