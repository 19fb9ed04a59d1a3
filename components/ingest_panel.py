"""Add files and text, process them with progress, stop and go on."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from components import errors
from components.frame import Scope
from components.literal import literal, one_line
from retrieval.errors import DuplicateDocumentError, MemoryLensError
from retrieval.model import Dataset, Progress

KINDS = ["txt", "md", "markdown", "pdf", "text", "log", "rst"]


def add(scope: Scope, dataset: Dataset) -> None:
    """Upload many files, or paste a text; nothing is processed before the button says so."""
    files, text = st.tabs(["Files", "Text"])
    with files:
        given = st.file_uploader("Text, Markdown or PDF", type=KINDS, accept_multiple_files=True, key=_key("upload"))
        sets = _node_sets("files")
        same = st.radio(
            "A file whose name is there already, with other content",
            ("Ask me", "Replace the earlier one", "Keep both"),
            horizontal=True,
            key="same_name",
        )
        if st.button("Add and process", type="primary", icon=":material/upload:", disabled=not given, key="add_files"):
            replace = {"Replace the earlier one": True, "Keep both": False}.get(same)
            added = [_add(scope, dataset, file.name, file.getvalue(), sets, replace) for file in given or ()]
            _process_if(scope, dataset, added)
    with text:
        name = st.text_input("Name", key=_key("text_name"), placeholder="Taken from the first words", max_chars=120)
        body = st.text_area("Text", key=_key("text_body"), height=160)
        chosen = _node_sets("text")
        if st.button(
            "Add and process", type="primary", icon=":material/notes:", disabled=not body.strip(), key="add_text"
        ):
            try:
                scope.engine.add_text(scope.user, dataset.id, body, name, chosen)
            except MemoryLensError as error:
                errors.show(error)
                return
            _process_if(scope, dataset, [True])


def _key(name: str) -> str:
    """A widget's key that changes after each run, so that what was added does not stay in the form."""
    return f"{name}:{st.session_state.get('ingest_round', 0)}"


def _node_sets(place: str) -> tuple[str, ...]:
    given = st.text_input(
        "Node sets", key=_key(f"sets_{place}"), placeholder="optional, separated by commas", max_chars=400
    )
    return tuple(name.strip() for name in given.split(",") if name.strip())


def _add(scope: Scope, dataset: Dataset, name: str, data: bytes, sets: tuple[str, ...], replace: bool | None) -> bool:
    try:
        scope.engine.add(scope.user, dataset.id, name, data, sets, replace)
    except DuplicateDocumentError as error:
        st.info(literal(error.message), icon=":material/content_copy:")
        return False
    except MemoryLensError as error:
        errors.show(error)
        return False
    return True


def _process_if(scope: Scope, dataset: Dataset, added: list[bool]) -> None:
    """Process where something was added; the page is drawn anew only where no message would be lost."""
    if any(added):
        st.session_state.ingest_round = st.session_state.get("ingest_round", 0) + 1
        run(scope.engine.cognify(scope.user, dataset.id))
        if all(added):
            st.rerun()


def resume(scope: Scope, dataset: Dataset, waiting: int) -> None:
    """Go on with documents that were added or stopped before."""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        what = "1 document waits" if waiting == 1 else f"{waiting} documents wait"
        st.markdown(f":material/pending: {what} to be processed.")
        go = st.button("Process now", type="primary", key="resume")
    if go:
        run(scope.engine.cognify(scope.user, dataset.id))
        st.rerun()


def run(steps: Iterator[Progress]) -> bool:
    """Draw a run while it goes on; Stop ends it between two steps, and it can be resumed. Whether it ran to its end."""
    bar = st.progress(0.0, text="Starting…")
    stop = st.empty()
    stop.button("Stop", key="ingest_stop", icon=":material/stop_circle:", help="What is done is kept; go on later.")
    try:
        for step in steps:
            told = f" · {literal(step.message)}" if step.message else ""
            bar.progress(min(step.done, 1.0), text=f"{literal(one_line(step.document, 60))}: {step.stage}{told}")
    except MemoryLensError as error:
        errors.show(error)
        return False
    finally:
        close = getattr(steps, "close", None)
        if close is not None:
            close()
    bar.empty()
    stop.empty()
    return True
