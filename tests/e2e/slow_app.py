"""The app over the small world in memory; each word of an answer waits for a line in the pipe that the test writes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from streamlit.web import cli

from components import resources
from retrieval.engine import Engine
from retrieval.model import Prompt
from tests.fakes import CountingAnswerer
from tests.world import world

LAST = "end"


class ToldAnswerer(CountingAnswerer):
    """Answers with the lines of a pipe, until the last one."""

    def __init__(self, pipe: Path, asked: Path) -> None:
        super().__init__()
        self.pipe, self.asked = pipe, asked

    def answer(self, prompt: Prompt) -> Iterator[str]:
        """A piece per line; every call leaves a mark in a file."""
        with self.asked.open("a") as marks:
            marks.write("x")
        # Open for both, so that the pipe never ends between two lines.
        with os.fdopen(os.open(self.pipe, os.O_RDWR), "r", buffering=1) as lines:
            for line in lines:
                if line.strip() == LAST:
                    return
                yield line.strip() + " "


def main(folder: Path, port: str) -> None:
    """Serve it until the process is ended."""
    small = world(folder, sample_on_first_start=False)
    small.dataset()
    small.engine.parts = replace(small.engine.parts, answerer=ToldAnswerer(folder / "pipe", folder / "asked"))

    def built() -> Engine:
        return small.engine

    resources.build_engine = built
    sys.argv = ["streamlit", "run", "app.py", "--server.port", port]
    cli.main()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
