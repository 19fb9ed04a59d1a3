"""Rating an answer: in a fragment of its own, so that nothing else runs; what is stored is shown, and what it moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import streamlit as st

from components.literal import literal, one_line
from retrieval.model import Feedback, StoredTurn

if TYPE_CHECKING:
    from retrieval.engine import Engine

GOOD, BAD = 5, 1
LONGEST_COMMENT = 5000


@st.fragment
def draw(engine: Engine, user: str, turn: StoredTurn, place: str) -> None:
    """Thumbs, a score from 1 to 5 and a comment; stored at once, changed and withdrawn at will."""
    key = f"{place}:{turn.id}:feedback"
    current = engine.conversations.turn(user, turn.id)
    given = current.feedback if current else None
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}:row"):
        for label, score, icon in (("Good", GOOD, ":material/thumb_up:"), ("Wrong", BAD, ":material/thumb_down:")):
            kind: Literal["primary", "tertiary"] = "primary" if given and given.score == score else "tertiary"
            comment = given.text if given else ""
            st.button(
                label,
                key=f"{key}:{score}",
                icon=icon,
                type=kind,
                on_click=_rate,
                args=(engine, user, turn, score, comment),
            )
        with st.popover("Score and comment", icon=":material/rate_review:"):
            _form(engine, user, turn, given, key)
        if given:
            st.button(
                "Withdraw",
                key=f"{key}:withdraw",
                type="tertiary",
                icon=":material/undo:",
                on_click=_withdraw,
                args=(engine, user, turn, key),
            )
        st.caption(_told(given))
    moved = st.session_state.get(f"moved:{turn.id}", [])
    if moved:
        with st.expander(f"{len(moved)} weights moved", key=f"{key}:moved"):
            rows = [{"kind": c.kind, "name": one_line(c.name), "before": c.before, "after": c.after} for c in moved]
            st.dataframe(rows, hide_index=True, key=f"{key}:weights")
            st.caption("Searches use these weights when the influence of feedback is above 0.")


def _form(engine: Engine, user: str, turn: StoredTurn, given: Feedback | None, key: str) -> None:
    """A score from 1 to 5 and a comment."""
    score = st.feedback("stars", key=f"{key}:stars", default=given.score - 1 if given and given.score else None)
    text = st.text_area("Comment", value=given.text if given else "", key=f"{key}:text", max_chars=LONGEST_COMMENT)
    chosen = None if score is None else score + 1
    st.button("Save", key=f"{key}:save", type="primary", on_click=_rate, args=(engine, user, turn, chosen, text))


def _rate(engine: Engine, user: str, turn: StoredTurn, score: int | None, text: str) -> None:
    st.session_state[f"moved:{turn.id}"] = engine.rate(user, turn.id, score, text)


def _withdraw(engine: Engine, user: str, turn: StoredTurn, key: str) -> None:
    st.session_state[f"moved:{turn.id}"] = engine.withdraw(user, turn.id)
    for field in ("stars", "text"):
        st.session_state.pop(f"{key}:{field}", None)


def _told(given: Feedback | None) -> str:
    """What is stored now."""
    if given is None:
        return "Not rated"
    score = f"Rated {given.score} of 5" if given.score else "Commented"
    comment = f" · “{literal(one_line(given.text, 60))}”" if given.text else ""
    return f"{score}{comment}"
