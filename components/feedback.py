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
                on_click=_thumb,
                args=(engine, user, turn, score, comment, key),
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
    """A score from 1 to 5 and a comment; they show what is stored until they are touched."""
    fields = (f"{key}:stars", f"{key}:text")
    score, text = (given.score, given.text) if given else (None, "")
    for field, value in zip(fields, (score - 1 if score else None, text), strict=True):
        st.session_state.setdefault(field, value)
    st.feedback("stars", key=fields[0])
    st.text_area("Comment", key=fields[1], max_chars=LONGEST_COMMENT)
    st.button("Save", key=f"{key}:save", type="primary", on_click=_save, args=(engine, user, turn, fields))


def _save(engine: Engine, user: str, turn: StoredTurn, fields: tuple[str, str]) -> None:
    """Store what the form holds; an empty form is no rating."""
    stars, text = (st.session_state.get(field) for field in fields)
    if stars is not None or text:
        _rate(engine, user, turn, None if stars is None else stars + 1, text or "")


def _rate(engine: Engine, user: str, turn: StoredTurn, score: int | None, text: str) -> None:
    st.session_state[f"moved:{turn.id}"] = engine.rate(user, turn.id, score, text)


def _thumb(engine: Engine, user: str, turn: StoredTurn, score: int, text: str, key: str) -> None:
    """A thumb sets the score and keeps the comment; the form follows."""
    _rate(engine, user, turn, score, text)
    st.session_state[f"{key}:stars"] = score - 1


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
