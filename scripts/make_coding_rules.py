"""Write forty of ruff's lint rules as one Markdown document of the sample memory: `make_coding_rules.py RULES QUERIES OUT`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

FORTY = 40
HEAD = """# Python coding rules

Forty lint rules of ruff, abridged. Copyright (c) 2022 Charles Marsh, MIT License.
"""


def main(rules_path: str, queries_path: str, out: str) -> None:
    """Take every rule that a query expects, then common ones in the order of the source, until there are forty."""
    rules = {rule["code"]: rule for rule in json.loads(Path(rules_path).read_text(encoding="utf-8"))}
    wanted = [code for query in json.loads(Path(queries_path).read_text(encoding="utf-8")) for code in query["gold"]]
    common = [
        c for c, r in rules.items() if r["linter"] in {"flake8-bugbear", "Pyflakes", "pycodestyle"} and not r["preview"]
    ]
    codes = list(dict.fromkeys(c for c in (*wanted, *common) if c in rules))[:FORTY]
    Path(out).write_text(HEAD + "".join(_section(rules[code]) for code in codes), encoding="utf-8")


def _section(rule: dict[str, str]) -> str:
    parts = re.split(r"^## (.+)$", rule["explanation"], flags=re.MULTILINE)
    told = dict(zip(parts[1::2], (" ".join(p.split()) for p in parts[2::2]), strict=True))
    what, why = told.get("What it does", ""), told.get("Why is this bad?", "")
    return f"\n## {rule['code']} {rule['name']}\n\n{what}\n\nWhy: {why}\n"


if __name__ == "__main__":
    main(*sys.argv[1:4])
