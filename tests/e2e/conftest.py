"""A real server on a free loopback port, and a real Chromium that may talk to nothing else."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

ROOT = Path(__file__).parents[2]
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Loading models on a busy machine takes its time; waiting ends as soon as the page is there.
PATIENCE = 60_000
# Opened at a page of its own, Streamlit looks for its server below that page first, and is told 404.
PROBED = re.compile(r"/(?:ask|memory)/_stcore/")
ALLOWED = ("data:", "blob:", "about:")


@dataclass
class Watched:
    """What a page did that it must not do."""

    base: str
    faults: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        """Record requests that leave the server, console errors and uncaught exceptions."""
        page.on("request", lambda r: self._request(r.url))
        page.on("console", self._console)
        page.on("pageerror", lambda e: self.faults.append(f"exception: {e}"))

    def _console(self, message: ConsoleMessage) -> None:
        where = str(message.location.get("url", ""))
        if message.type == "error" and not PROBED.search(where):
            self.faults.append(f"console: {message.text} {where}")

    def _request(self, url: str) -> None:
        if not url.startswith((self.base, self.base.replace("http", "ws"), *ALLOWED)):
            self.faults.append(f"left the machine: {url}")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def healthy(base: str) -> bool:
    try:
        with urlopen(f"{base}/_stcore/health", timeout=1) as answer:  # noqa: S310
            return bool(answer.status == 200)
    except (URLError, ConnectionError, TimeoutError):
        return False


@contextmanager
def serving(home: Path) -> Iterator[str]:
    """The address of the app over `home`/memory, with `home` as its home folder."""
    base = f"http://127.0.0.1:{free_port()}"
    environment = {**os.environ, "HOME": str(home), "MEMORY_LENS_DATA": str(home / "memory")}
    port = base.rpartition(":")[2]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", port]
    with (home / f"server-{port}.log").open("w") as log:
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
            assert healthy(base), Path(log.name).read_text()
            yield base
        finally:
            process.terminate()
            process.wait(30)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app over an empty data folder and an empty home."""
    with serving(tmp_path_factory.mktemp("home")) as base:
        yield base


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; missing, it is a failure where CI says so, else a skip with its reason."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not path:
        message = "no Chromium found: `make e2e` installs one, or set CHROMIUM to its path"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        own = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield own
        own.close()


@pytest.fixture
def watched(server: str) -> Watched:
    return Watched(server)


@pytest.fixture
def page(browser: Browser, watched: Watched) -> Iterator[Page]:
    """A page of 1280 by 800 that must stay on this machine, log no error and show no exception."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    own = context.new_page()
    own.set_default_timeout(PATIENCE)
    watched.watch(own)
    yield own
    expect(own.get_by_test_id("stException")).to_have_count(0)
    context.close()
    assert watched.faults == []
