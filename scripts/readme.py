"""Write the README's table of search types anew from the rows in `retrieval/recipes.py`."""

from __future__ import annotations

import re
from pathlib import Path

from retrieval.recipes import RECIPES

README = Path(__file__).parents[1] / "README.md"
BLOCK = re.compile(r"(<!-- search types: begin[^>]*-->\n).*?(<!-- search types: end -->)", re.DOTALL)


def table() -> str:
    """The table as Markdown; costs are those with a language model, since without one nothing is called."""
    lines = ["| type | on the page | what it does | model calls | for |", "|---|---|---|--:|---|"]
    for recipe in RECIPES.values():
        cells = (f"`{recipe.name}`", f"{recipe.group}: {recipe.label}", recipe.about, recipe.calls, recipe.hint)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def rewritten(text: str) -> str:
    """The README's text with the table as it is now."""
    return BLOCK.sub(lambda found: found.group(1) + table() + found.group(2), text)


if __name__ == "__main__":
    README.write_text(rewritten(README.read_text(encoding="utf-8")), encoding="utf-8")
