"""The sidebar's session history: new, search, open, rename, delete with undo; the open one is in the address."""

from __future__ import annotations

import uuid
from typing import Literal

import streamlit as st

from components.frame import Scope
from components.literal import literal, one_line
from retrieval.model import Session

SHOWN = 25


def current() -> str:
    """The id of the open session; the address names it, so that a reload finds it again."""
    named = st.query_params.get("session", "")[:100].strip()
    if not named:
        named = st.session_state.get("session") or str(uuid.uuid4())
        st.query_params["session"] = named
    st.session_state.session = named
    return str(named)


def draw(scope: Scope, session: str) -> None:
    """The user's sessions, last used first."""
    with st.sidebar:
        st.divider()
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption("SESSIONS")
            if st.button("New", icon=":material/add:", key="session_new", type="tertiary"):
                _open(str(uuid.uuid4()))
        _undo(scope)
        text = st.text_input(
            "Search sessions", key="session_search", placeholder="Search", label_visibility="collapsed"
        )
        found = scope.engine.conversations.sessions(scope.user, text.strip())
        for own in found[:SHOWN]:
            _row(scope, own, opened=own.id == session)
        if not found:
            st.caption("Nothing found." if text else "Questions you ask are kept here.")
        elif len(found) > SHOWN:
            st.caption(f"{len(found) - SHOWN} more: search for them.")


def _row(scope: Scope, own: Session, *, opened: bool) -> None:
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="xsmall", key=f"session:{own.id}"):
        label = literal(one_line(own.title, 34)) or "Untitled"
        turns = f"{own.turns} question" + ("" if own.turns == 1 else "s")
        kind: Literal["primary", "secondary"] = "primary" if opened else "secondary"
        told = f"{turns} · last: {literal(one_line(own.last_question, 200))} · {own.updated_at:%Y-%m-%d %H:%M} UTC"
        if st.button(label, key=f"session:{own.id}:open", help=told, type=kind, width="stretch"):
            _open(own.id)
        with st.popover("", icon=":material/more_vert:", help="Rename or delete", key=f"session:{own.id}:more"):
            name = st.text_input("Name", value=own.title, key=f"session:{own.id}:name", max_chars=120)
            if st.button("Rename", key=f"session:{own.id}:rename"):
                scope.engine.conversations.rename_session(scope.user, own.id, name.strip() or own.title)
                st.rerun()
            if st.button("Delete", key=f"session:{own.id}:delete", icon=":material/delete:"):
                scope.engine.conversations.delete_session(scope.user, own.id)
                st.session_state.deleted_session = (own.id, own.title)
                if opened:
                    _open(str(uuid.uuid4()))
                st.rerun()
    # Shown too, not only on hover: sessions that began with the same words are told apart by how they ended, and when.
    last = f"{literal(one_line(own.last_question, 40))} · " if own.last_question != own.title else ""
    st.caption(f"{last}{own.updated_at:%Y-%m-%d %H:%M}")


def _undo(scope: Scope) -> None:
    deleted = st.session_state.get("deleted_session")
    if not deleted:
        return
    own, title = deleted
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"Deleted {literal(one_line(title, 30))}")
        if st.button("Undo", key="session_undo", icon=":material/undo:"):
            scope.engine.conversations.delete_session(scope.user, own, deleted=False)
            st.session_state.pop("deleted_session")
            _open(own)


def _open(session: str) -> None:
    st.query_params["session"] = session
    st.session_state.session = session
    st.rerun()
