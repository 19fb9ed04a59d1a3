"""Photograph a running app that holds the sample memory into docs/: `python scripts/screenshots.py http://127.0.0.1:8501`."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, expect, sync_playwright

DOCS = Path(__file__).parents[1] / "docs"
QUESTION = "Which countries share a land border with Estonia, and how long is each border?"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
]
WIDE, NARROW = (1280, 900), (390, 844)
PATIENCE = 60_000
Scheme = Literal["light", "dark"]


def opened(browser: Browser, base: str, size: tuple[int, int], scheme: Scheme) -> Page:
    """The Ask page with the question answered, as a screen of this size and colour scheme shows it."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{base}/ask")
    page.get_by_role("textbox", name="Question").fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("button", name="Good").first).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()
    return page


def take(page: Page, name: str) -> None:
    """Save what is on screen once fonts are there and nothing runs any more."""
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    page.evaluate("document.fonts.ready")
    page.screenshot(path=DOCS / f"{name}.png", animations="disabled")


def all_of(browser: Browser, base: str) -> None:
    """Ask in light, dark and on a phone; the picture; home and memory."""
    page = opened(browser, base, WIDE, "light")
    take(page, "ask-light")
    page.get_by_role("radiogroup", name="Evidence").first.get_by_role("radio", name="Graph").click()
    page.frame_locator("iframe[srcdoc]").first.locator("canvas").wait_for()
    page.get_by_text("The projected memory fragment:").scroll_into_view_if_needed()
    take(page, "graph-light")
    for name, path in (("home", ""), ("memory", "memory")):
        page.goto(f"{base}/{path}")
        page.get_by_text("Passages", exact=True).first.wait_for()
        take(page, name)
    take(opened(browser, base, WIDE, "dark"), "ask-dark")
    take(opened(browser, base, NARROW, "light"), "ask-390")


def main(base: str) -> None:
    """Every picture of the README."""
    DOCS.mkdir(exist_ok=True)
    expect.set_options(timeout=PATIENCE)
    browser = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        own = playwright.chromium.launch(executable_path=browser, args=FLAGS)
        all_of(own, base.rstrip("/"))
        own.close()


if __name__ == "__main__":
    main(sys.argv[1])
