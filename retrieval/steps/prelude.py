"""What the whole memory is about, before a context: the global context index (reference 5)."""

from __future__ import annotations

from dataclasses import replace

from retrieval.model import GLOBAL_CONTEXT, Entry, Found, Query
from retrieval.ports import Deps


def global_context(query: Query, found: Found, deps: Deps) -> Found:
    """`found` with its prelude, where it is asked for and the index was built."""
    if not query.config.get("include_global_context_index"):
        return found
    if found.vector is None or not deps.vectors.counts().get(GLOBAL_CONTEXT):
        note = "There is no global context yet. Build it with memify('global_context_index')."
        return replace(found, notes=(*found.notes, note))
    wanted = int(query.config["global_context_index_top_k"])
    hits = deps.vectors.search(GLOBAL_CONTEXT, found.vector, None)
    rows = deps.vectors.fetch(GLOBAL_CONTEXT, hits.ids)
    root = next((row.text for row in rows if row.extra.get("is_root")), "")
    return replace(found, prelude=prelude(root, areas(rows, wanted)))


def areas(rows: list[Entry], top_k: int) -> list[str]:
    """The texts of the nearest areas: no root, none without text."""
    return [row.text for row in rows if not row.extra.get("is_root") and row.text][:top_k]


def prelude(root: str, told: list[str]) -> str:
    """The world summary and the relevant areas; a missing part is left out with its heading."""
    parts = [f"World summary:\n{root}" if root else "", "Relevant areas:\n" + "\n\n".join(told) if told else ""]
    return "\n\n".join(part for part in parts if part)
