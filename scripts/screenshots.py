"""Pictures of the running app for docs/: `python scripts/screenshots.py http://127.0.0.1:8501` (light, dark, narrow)."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

DOCS = Path(__file__).parents[1] / "docs"
QUESTION = "Which countries share a land border with Estonia, and how long is each border?"
SEEN: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 1000}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 1000}, "color_scheme": "dark"},
    "390": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}
PANELS = ("Triplets", "Context", "Graph", "Sources", "Trace", "Payload")


def main(base: str) -> None:
    """Write ask-light.png, ask-dark.png, ask-390.png, and the other pages and panels to docs/."""
    DOCS.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for name, options in SEEN.items():
            _pictures(browser, base, name, options)
        browser.close()


def _pictures(browser: Browser, base: str, name: str, options: Mapping[str, Any]) -> None:
    page = browser.new_page(**options)
    page.goto(f"{base}/ask")
    page.get_by_role("textbox", name="Question").fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("button", name="Good").first.wait_for()
    _keep(page, f"ask-{name}")
    for panel in PANELS if name != "390" else ("Graph",):
        page.get_by_role("radiogroup", name="Evidence").first.get_by_role("radio", name=panel, exact=True).click()
        if panel == "Graph":
            page.frame_locator("iframe[srcdoc]").first.locator("canvas").wait_for()
        page.wait_for_timeout(1500)
        page.get_by_role("radiogroup", name="Evidence").first.scroll_into_view_if_needed()
        page.mouse.wheel(0, 500)
        _keep(page, f"{panel.lower()}-{name}")
    for path in ("", "memory"):
        page.goto(f"{base}/{path}")
        page.get_by_text("Connections").first.wait_for()
        _keep(page, f"{path or 'home'}-{name}")
    page.close()


def _keep(page: Page, name: str) -> None:
    page.wait_for_timeout(1500)
    page.screenshot(path=str(DOCS / f"{name}.png"))


if __name__ == "__main__":
    main(sys.argv[1])
