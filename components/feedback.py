"""Rating an answer: in a fragment of its own, so that nothing else runs; what is stored is shown, and what it moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from components.literal import literal, one_line
from retrieval.model import StoredTurn

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
        if st.button(
            "Good",
            key=f"{key}:good",
            icon=":material/thumb_up:",
            type="primary" if given and given.score == GOOD else "tertiary",
        ):
            _rate(engine, user, turn, GOOD, given.text if given else "")
        if st.button(
            "Wrong",
            key=f"{key}:bad",
            icon=":material/thumb_down:",
            type="primary" if given and given.score == BAD else "tertiary",
        ):
            _rate(engine, user, turn, BAD, given.text if given else "")
        with st.popover("Score and comment", icon=":material/rate_review:"):
            stars = st.feedback("stars", key=f"{key}:stars", default=given.score - 1 if given and given.score else None)
            text = st.text_area(
                "Comment", value=given.text if given else "", key=f"{key}:text", max_chars=LONGEST_COMMENT
            )
            if st.button("Save", key=f"{key}:save", type="primary"):
                _rate(engine, user, turn, None if stars is None else stars + 1, text)
        if given and st.button("Withdraw", key=f"{key}:withdraw", type="tertiary", icon=":material/undo:"):
            st.session_state[f"moved:{turn.id}"] = engine.withdraw(user, turn.id)
            st.rerun(scope="fragment")
        st.caption(_told(engine, user, turn))
    moved = st.session_state.get(f"moved:{turn.id}", [])
    if moved:
        with st.expander(f"{len(moved)} weights moved", key=f"{key}:moved"):
            rows = [{"kind": c.kind, "name": one_line(c.name), "before": c.before, "after": c.after} for c in moved]
            st.dataframe(rows, hide_index=True, key=f"{key}:weights")
            st.caption("Searches use these weights when the influence of feedback is above 0.")


def _rate(engine: Engine, user: str, turn: StoredTurn, score: int | None, text: str) -> None:
    st.session_state[f"moved:{turn.id}"] = engine.rate(user, turn.id, score, text)
    st.rerun(scope="fragment")


def _told(engine: Engine, user: str, turn: StoredTurn) -> str:
    """What is stored now."""
    current = engine.conversations.turn(user, turn.id)
    given = current.feedback if current else None
    if given is None:
        return "Not rated"
    score = f"Rated {given.score} of 5" if given.score else "Commented"
    comment = f" · “{literal(one_line(given.text, 60))}”" if given.text else ""
    return f"{score}{comment}"
