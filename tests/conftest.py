"""What every test has: a data folder of its own, no settings from outside, and the switch that rewrites golden files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("repeatable")

SETTINGS = ("MEMORY_LENS_USER", "MEMORY_LENS_DATABASE_URL", "ENABLE_BACKEND_ACCESS_CONTROL", "ALLOW_CYPHER_QUERY")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--write-golden` rewrites the golden files; review the difference like code."""
    parser.addoption("--write-golden", action="store_true", help="rewrite the golden files")


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test touches the user's memory or sees the machine's settings."""
    monkeypatch.setenv("MEMORY_LENS_DATA", str(tmp_path / "memory"))
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
