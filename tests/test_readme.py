"""What the README says, where code can tell whether it is still so."""

from __future__ import annotations

import re

import pytest

from retrieval.recipes import RECIPES
from retrieval.settings import load
from scripts.readme import README, rewritten, table

TEXT = README.read_text(encoding="utf-8")
ROOT = README.parent
LINKED = re.compile(r"\]\(([^)#:]+)\)")
NAMED = re.compile(r"`((?:retrieval|components|pages|tests|scripts)/[\w./-]*)`")
VARIABLE = re.compile(r"`((?:MEMORY_LENS|SESSION|ENABLE)_\w+)`")


def test_the_table_of_search_types_is_the_one_of_the_code() -> None:
    assert rewritten(TEXT) == TEXT
    assert table() in TEXT
    assert all(f"`{name}`" in table() for name in RECIPES)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "DECISIONS.md"])
def test_files_that_are_named_or_linked_exist(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(LINKED.findall(text)) | set(NAMED.findall(text))
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


class Environment(dict[str, str]):
    """Variables that note which of them were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def get(self, name: str, default: str | None = None) -> str | None:  # type: ignore[override]
        self.asked.add(name)
        return default


def test_the_settings_it_lists_are_read() -> None:
    environment = Environment()
    load(environment)  # type: ignore[arg-type]
    named = set(VARIABLE.findall(TEXT))
    assert len(named) >= 5
    assert named - environment.asked == set()
