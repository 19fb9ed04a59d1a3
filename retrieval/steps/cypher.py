"""Graph queries: a statement as it is, or one written for a question and written anew where it fails."""

from __future__ import annotations

import json
from dataclasses import replace

from retrieval.errors import CypherError
from retrieval.model import Found, Query
from retrieval.ports import Deps
from retrieval.recipe import Run

NOTHING = "it ran and gave no rows"
SHOWN_ROWS = 200


def statement(query: Query, found: Found, deps: Deps) -> Found:
    """The rows that the question gives as a statement of Cypher."""
    return replace(found, rows=deps.cypher().rows(query.text))


def written(run: Run, query: Query) -> Found:
    """The rows of a statement that the reasoner writes for the question; a failed or empty one is written anew a few times.

    CypherError with the last reason where none ran; the rows of an empty one where that is all that was found.
    """
    deps, attempts = run.deps, list[tuple[str, str]]()
    empty: Found | None = None
    failure = CypherError("")
    for _ in range(int(query.config["max_attempts"])):
        with run.observe.stage("write") as record:
            text = deps.reasoner.cypher(query.text, deps.cypher().schema(), deps.graph(), attempts).strip()
            record({"statement": text})
        if not text or any(text == other for other, _ in attempts):
            break
        try:
            found = run.search(query.asking(text))
        except CypherError as error:
            failure = error
            attempts.append((text, error.message))
            continue
        found = replace(found, notes=(*found.notes, f"Asked as: {text}"))
        if found.rows is not None and found.rows.rows:
            return found
        empty = empty or found
        attempts.append((text, NOTHING))
    if empty is not None:
        return empty
    if failure.message:
        raise CypherError(
            f"No statement that was written for the question ran. {failure.message} Ask it in other words."
        )
    return Found(
        notes=(NO_SHAPE if not deps.reasoner.generates else "No statement could be written for this question.",)
    )


NO_SHAPE = (
    "Without a language model, questions of these shapes are understood: what is connected to X; which things of a type have a "
    "relation or a property (with numbers, years, words); how many; most, oldest, longest and the like; the path between X and "
    "Y. This one is none of them, or names nothing that the memory knows."
)


def lines(query: Query, found: Found, deps: Deps) -> str:
    """The rows as lines of JSON, as many as a reader can use; what was left out is said."""
    if found.rows is None:
        return ""
    told = [json.dumps(dict(row), ensure_ascii=False) for row in found.rows.rows[:SHOWN_ROWS]]
    rest = len(found.rows.rows) - len(told)
    if rest or found.rows.truncated:
        told.append(f"… and {rest} more rows" if rest and not found.rows.truncated else "… and more rows")
    return "\n".join(told)
