"""The README's table of search types is the table of recipes; `--write-golden` rewrites it."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.recipes import RECIPES

README = Path(__file__).parents[1] / "README.md"
START, END = "<!-- search types: made by tests/test_readme.py -->\n", "<!-- end -->"


def table() -> str:
    rows = [
        f"| `{r.name}` | {r.group} | {r.about} | {r.calls} | {', '.join(r.needs) or 'a graph'} |"
        for r in RECIPES.values()
    ]
    head = "| Type | Gives | What it does | Model calls (with a key) | Needs |\n|---|---|---|---|---|\n"
    return head + "\n".join(rows) + "\n"


def test_the_readme_lists_the_search_types(pytestconfig: pytest.Config) -> None:
    before, _, rest = README.read_text(encoding="utf-8").partition(START)
    listed, _, after = rest.partition(END)
    if pytestconfig.getoption("--write-golden"):
        README.write_text(f"{before}{START}{table()}{END}{after}", encoding="utf-8")
        listed = table()
    assert listed == table()
