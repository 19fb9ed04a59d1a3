"""The command line (bug 71: also where the terminal knows only ASCII)."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from retrieval import __main__ as command_line
from tests.world import World, world


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    small = world(tmp_path / "memory")
    monkeypatch.setattr(command_line, "build", lambda _: small.engine)
    return small


def test_files_are_added_processed_and_asked_about(
    made: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "Zoë.md"
    file.write_text("Alice works at Acme. Alice knows Bob.", encoding="utf-8")
    assert command_line.main(["add", str(file)]) == 0
    assert command_line.main(["cognify"]) == 0
    assert command_line.main(["search", "Who works at Acme?", "--type", "RAG_COMPLETION"]) == 0
    told = capsys.readouterr().out
    assert "added Zoë.md" in told
    assert '"stage": "done"' in told
    assert "[1] Zoë.md, chunk 1" in told


def test_only_the_context(made: World, capsys: pytest.CaptureFixture[str]) -> None:
    made.dataset()
    assert command_line.main(["search", "Who works at Acme?", "--context"]) == 0
    assert capsys.readouterr().out.startswith("Nodes:\n")
    assert made.answerer.prompts == []


@pytest.mark.parametrize(
    ("arguments", "error"),
    [(["search", "  "], "QueryValidationError"), (["search", "x", "--dataset", "typo"], "DatasetNotFoundError")],
)
def test_errors_are_told_with_an_exit_code(
    made: World, capsys: pytest.CaptureFixture[str], arguments: list[str], error: str
) -> None:
    made.dataset()
    assert command_line.main(arguments) == 1
    assert capsys.readouterr().err.startswith(f"{error}: ")


def test_bug_71_a_terminal_that_knows_only_ascii(made: World, monkeypatch: pytest.MonkeyPatch) -> None:
    made.dataset("names", {"🚀 שלום.md": "Alice works at Acme."})
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    assert command_line.main(["search", "Who works at Acme?", "--type", "RAG_COMPLETION"]) == 0
    out.flush()
    assert b"[1] \\U0001f680" in out.buffer.getvalue()  # type: ignore[attr-defined]
