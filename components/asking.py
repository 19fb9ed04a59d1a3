"""From the form to turns: what is sent, shown while it runs, and kept."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from components import answer, errors
from components.frame import Scope
from components.literal import literal
from components.search_form import Asked
from retrieval.errors import MemoryLensError, QueryValidationError
from retrieval.model import StoredTurn
from retrieval.options import OPTIONS, Request

LINKED = ("top_k", "wide_search_top_k", "triplet_distance_penalty", "feedback_influence", "neighborhood_depth")


def node_sets(scope: Scope) -> tuple[str, ...]:
    """The node sets of the chosen datasets."""
    names = {name for d in scope.chosen for name in scope.engine.status(scope.user, d.id).node_sets}
    return tuple(sorted(names))


def run(scope: Scope, session: str, asked: Asked) -> None:
    """Ask what was sent just now, or the example that was clicked; draws it while it runs, then draws the page anew."""
    example = st.session_state.pop("example", None)
    if not asked.sent and example is None:
        return
    if not scope.everything and not scope.chosen:
        errors.show(QueryValidationError("No dataset is selected. Choose at least one in the sidebar, or all of them."))
        return
    question = example or asked.question
    request = Request(
        query_text=question,
        query_type=asked.search_type,
        user=scope.user,
        dataset_ids=None if scope.everything else [d.id for d in scope.chosen],
        session_id=session,
        **asked.options,  # type: ignore[arg-type]
    )
    try:
        with st.spinner("Searching…"):
            turns = scope.engine.ask(request)
    except MemoryLensError as error:
        errors.show(error)
        return
    for turn in turns:
        answer.stream(turn, "ask")
    st.rerun()


def link(turn: StoredTurn) -> None:
    """The address that fills this question, its type, dataset and options into the form of another browser."""
    options = {
        name: turn.options[name] for name in LINKED if turn.options.get(name) not in {None, OPTIONS[name].default}
    }
    query = {"type": turn.search_type, "q": turn.question, "dataset": turn.dataset_id, **options}
    with st.popover("Link to this question", icon=":material/link:"):
        st.caption("Opens the form with this question; nothing runs by itself.")
        st.code(f"/ask?{urlencode(query)}", language=None, wrap_lines=True)


def offer_examples(scope: Scope) -> None:
    """Questions to begin with, from the first dataset that has any."""
    ready = [d for d in scope.chosen if scope.engine.status(scope.user, d.id).processed]
    if not ready:
        st.info("There is nothing to search yet. Add documents first.", icon=":material/folder_open:")
        st.page_link("pages/memory.py", label="Add documents", icon=":material/folder_open:")
        return
    st.caption("Try one of these")
    for position, question in enumerate(scope.engine.examples(scope.user, ready[0].id)):
        if st.button(literal(question), key=f"example:{position}", icon=":material/arrow_forward:"):
            st.session_state.example = question
            st.rerun()
