"""From the form to turns: what is sent, shown while it runs, and kept."""

from __future__ import annotations

from threading import Event

import streamlit as st

from components import answer, errors
from components.frame import Scope
from components.literal import literal
from components.search_form import Asked, Held
from retrieval.errors import MemoryLensError, QueryValidationError
from retrieval.options import Request
from retrieval.recipes import RECIPES

ANSWERING = "answering"
# A model may take its time over the next word, at which a stopped answer ends.
PATIENCE = 20.0


def settle() -> None:
    """Return when the answer that this run has interrupted is stored.

    Streamlit starts the next run of a page while the last one still ends, in a thread of its own.
    """
    ended = st.session_state.pop(ANSWERING, None)
    if ended is not None:
        ended.wait(PATIENCE)


def held(scope: Scope) -> Held:
    """What the chosen datasets hold, and what those with documents lack."""
    status = {d: scope.engine.status(scope.user, d.id) for d in scope.chosen}
    names = {name for own in status.values() for name in own.node_sets}
    needed = {name for recipe in RECIPES.values() for name in recipe.needs}
    lacks = {d.name: {n for n in needed if not own.collections.get(n)} for d, own in status.items() if own.documents}
    return Held(tuple(sorted(names)), lacks)


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
    ended = st.session_state[ANSWERING] = Event()
    try:
        for turn in turns:
            answer.stream(turn, "ask")
    finally:
        ended.set()
    st.rerun()


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
