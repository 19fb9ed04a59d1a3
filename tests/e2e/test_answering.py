"""While an answer comes: what may be clicked, what stops it, and how text from data looks in a browser (bugs 99, 104)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as NotSeenError

from tests.e2e.conftest import ROOT, free_port, healthy

pytestmark = pytest.mark.e2e

MOST_LINES = 200
NASTY = (
    ":material/home: :streamlit: :smile: :red[x] a -> b <- c <-> d -- e >= f <= g ~= h $5 and $6 $$x^2$$ ~~x~~ ~y~ "
    "http://h.example/q?a=1 www.h.example a@b.com [x](http://h.example) ![y](http://h.example) <b>x</b> &lt; # Big "
    "**b** _i_ `c` | d | \\ back\\slash 1. one [1] :blue-badge[hi]"
)


@dataclass
class Slow:
    """A served app whose answers the test gives line by line."""

    base: str
    folder: Path
    pipe: int

    def say(self, word: str) -> None:
        os.write(self.pipe, f"{word}\n".encode())

    def asked(self) -> int:
        return len((self.folder / "asked").read_text())


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slow]:
    folder = tmp_path_factory.mktemp("slow")
    os.mkfifo(folder / "pipe")
    # Open for both, so that no line waits for its reader.
    pipe = os.open(folder / "pipe", os.O_RDWR)
    (folder / "asked").touch()
    port = str(free_port())
    base = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (folder / "server.log").open("w") as log:
        command = [sys.executable, "-m", "tests.e2e.slow_app", str(folder), port]
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        try:
            for _ in range(600):
                if healthy(base):
                    break
                try:
                    process.wait(0.1)
                    break
                except subprocess.TimeoutExpired:
                    continue
            assert healthy(base), (folder / "server.log").read_text()
            yield Slow(base, folder, pipe)
        finally:
            process.terminate()
            process.wait(30)
            os.close(pipe)


@pytest.fixture
def server(slow: Slow) -> str:
    """The page's watch is over this server."""
    return slow.base


def ask(page: Page, question: str) -> None:
    page.get_by_role("textbox", name="Question").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()


def panel(page: Page, name: str) -> None:
    page.get_by_role("radiogroup", name="Evidence").first.get_by_role("radio", name=name, exact=True).click()


def test_the_evidence_is_there_before_the_first_word_and_may_be_looked_at(page: Page, slow: Slow) -> None:
    page.goto(f"{slow.base}/ask")
    ask(page, "Who works at Acme?")
    answer = page.get_by_test_id("stChatMessage").nth(1)
    expect(answer.get_by_test_id("stDataFrame")).to_be_visible()
    slow.say("first")
    expect(answer).to_contain_text("first")
    panel(page, "Context")
    slow.say("second")
    expect(answer).to_contain_text("first second")
    slow.say("end")
    expect(page.get_by_role("button", name="Good")).to_be_visible()
    expect(page.get_by_text("Stopped: the answer is incomplete.")).to_have_count(0)
    expect(answer).to_contain_text("first second")
    chosen = page.get_by_role("radiogroup", name="Evidence").first.get_by_role("radio", name="Context", exact=True)
    expect(chosen).to_have_attribute("aria-checked", "true")
    assert slow.asked() == 1

    ask(page, "Who knows Bob?")
    slow.say("third")
    page.get_by_role("button", name="Good").click()
    slow.say("fourth")
    slow.say("end")
    expect(page.get_by_text("Rated 5 of 5")).to_be_visible()
    expect(page.get_by_test_id("stChatMessage").nth(1)).to_contain_text("third fourth")
    expect(page.get_by_text("Stopped: the answer is incomplete.")).to_have_count(0)
    assert slow.asked() == 2


def test_stop_keeps_the_words_so_far_and_says_so(page: Page, slow: Slow) -> None:
    before = slow.asked()
    page.goto(f"{slow.base}/ask")
    ask(page, "Who founded Acme?")
    slow.say("begun")
    expect(page.get_by_test_id("stChatMessage").nth(1)).to_contain_text("begun")
    page.get_by_role("button", name="Stop").click()
    stopped = page.get_by_text("Stopped: the answer is incomplete.")
    # The answer ends at its next word.
    for _ in range(MOST_LINES):
        slow.say("more")
        try:
            stopped.wait_for(timeout=300)
            break
        except NotSeenError:
            continue
    expect(stopped).to_be_visible()
    expect(page.get_by_test_id("stChatMessage").nth(1)).to_contain_text("begun")
    page.reload()
    expect(stopped).to_be_visible()
    assert slow.asked() == before + 1


def test_a_question_looks_as_it_was_typed(page: Page, slow: Slow) -> None:
    page.goto(f"{slow.base}/ask")
    ask(page, NASTY)
    slow.say("end")
    asked = page.get_by_test_id("stChatMessage").first
    expect(page.get_by_role("button", name="Good")).to_be_visible()
    assert asked.inner_text().replace("\u2060", "").strip().endswith(NASTY)
    content = asked.get_by_test_id("stChatMessageContent")
    assert content.locator("a, img, code, strong, em, del, .katex, [data-testid=stIconMaterial]").count() == 0
