"""The address of a question: what fills the form of another browser with it."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode, urlsplit

import streamlit as st

from retrieval.model import StoredTurn
from retrieval.options import OPTIONS
from retrieval.recipes import RECIPES


def query(turn: StoredTurn) -> str:
    """The question of a turn as the query of an address: type, dataset, and every option that is not its default."""
    pairs: list[tuple[str, object]] = [
        ("type", turn.search_type),
        ("q", turn.question),
        ("dataset", turn.dataset_id),
    ]
    taken = RECIPES[turn.search_type].options if turn.search_type in RECIPES else ()
    for name in taken:
        option, value = OPTIONS[name], turn.options.get(name)
        if option.kind == "text" or value is None or value == option.default:
            continue
        if isinstance(value, Sequence) and not isinstance(value, str):
            pairs += [(name, item) for item in value]
        else:
            pairs.append((name, value))
    return urlencode(pairs)


def draw(turn: StoredTurn, place: str) -> None:
    """The address, to copy."""
    page = urlsplit(st.context.url or "")
    base = f"{page.scheme}://{page.netloc}{page.path}" if page.netloc else "/ask"
    with st.popover("Link", icon=":material/link:", key=f"{place}:{turn.id}:link"):
        st.caption("Fills the form with this question; nothing runs by itself.")
        st.code(f"{base}?{query(turn)}", language=None, wrap_lines=True)
