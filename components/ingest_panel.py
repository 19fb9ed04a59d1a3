"""Add files and text, and process what waits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import streamlit as st

from components import errors, jobs
from components.frame import Scope
from components.literal import literal, one_line
from retrieval.errors import DuplicateDocumentError, MemoryLensError, NameTakenError
from retrieval.library import text_name
from retrieval.model import Dataset, Progress

KINDS = ["txt", "md", "markdown", "pdf", "text", "log", "rst"]
TAKEN, TOLD = "names_taken", "ingest_told"


@dataclass(frozen=True, slots=True)
class Given:
    """A file as it was uploaded to a dataset."""

    dataset_id: str
    name: str
    data: bytes
    node_sets: tuple[str, ...]


def add(scope: Scope, dataset: Dataset) -> None:
    """Upload many files, or paste a text; nothing is processed before the button says so."""
    _told()
    _taken(scope, dataset)
    files, text = st.tabs(["Files", "Text"])
    with files:
        _files(scope, dataset)
    with text:
        _text(scope, dataset)


def _files(scope: Scope, dataset: Dataset) -> None:
    given = st.file_uploader("Text, Markdown or PDF", type=KINDS, accept_multiple_files=True, key=_key("upload"))
    sets = _node_sets("files")
    if st.button("Add and process", type="primary", icon=":material/upload:", disabled=not given, key="add_files"):
        _add(scope, dataset, [Given(dataset.id, file.name, file.getvalue(), sets) for file in given or ()], None)


def _text(scope: Scope, dataset: Dataset) -> None:
    name = st.text_input("Name", key=_key("text_name"), placeholder="Taken from the first words", max_chars=120)
    body = st.text_area("Text", key=_key("text_body"), height=160)
    sets = _node_sets("text")
    if st.button("Add and process", type="primary", icon=":material/notes:", disabled=not body.strip(), key="add_text"):
        data = body.encode("utf-8", "replace")
        _add(scope, dataset, [Given(dataset.id, name.strip() or text_name(body), data, sets)], None)


def _key(name: str) -> str:
    """A widget's key that changes after each addition, so that what was added does not stay in the form."""
    return f"{name}:{st.session_state.get('ingest_round', 0)}"


def _node_sets(place: str) -> tuple[str, ...]:
    given = st.text_input(
        "Node sets", key=_key(f"sets_{place}"), placeholder="optional, separated by commas", max_chars=400
    )
    return tuple(name.strip() for name in given.split(",") if name.strip())


def _add(scope: Scope, dataset: Dataset, files: list[Given], replace: bool | None) -> None:
    """Add, and begin to process; what could not be added is told, or asked about, when the page is drawn anew."""
    told: list[MemoryLensError] = []
    added = 0
    for file in files:
        try:
            scope.engine.add(scope.user, dataset.id, file.name, file.data, file.node_sets, replace)
            added += 1
        except NameTakenError:
            st.session_state.setdefault(TAKEN, []).append(file)
        except MemoryLensError as error:
            told.append(error)
    st.session_state[TOLD] = told
    if added:
        st.session_state.ingest_round = st.session_state.get("ingest_round", 0) + 1
        jobs.start(jobs.key_of(dataset), steps(scope, dataset))
    st.rerun()


def _told() -> None:
    """What became of the files that were not added, once."""
    for error in st.session_state.pop(TOLD, []):
        if isinstance(error, DuplicateDocumentError):
            st.info(literal(error.message), icon=":material/content_copy:")
        else:
            errors.show(error)


def _taken(scope: Scope, dataset: Dataset) -> None:
    """Ask about each file whose name is there already with other content."""
    waiting: list[Given] = st.session_state.get(TAKEN, [])
    for position, file in enumerate(f for f in waiting if f.dataset_id == dataset.id):
        with st.container(border=True, key=f"taken:{position}"):
            name = literal(one_line(file.name, 60))
            st.markdown(f":material/help: **{name}** is there already with other content. What shall become of it?")
            with st.container(horizontal=True):
                replace = st.button("Replace the earlier one", key=f"taken:{position}:replace")
                both = st.button("Keep both", key=f"taken:{position}:both")
                leave = st.button("Leave it out", key=f"taken:{position}:leave", type="tertiary")
        if replace or both or leave:
            waiting.remove(file)
            _add(scope, dataset, [] if leave else [file], replace)


def process(scope: Scope, dataset: Dataset) -> None:
    """The run that goes on, with Stop; else a way to go on with what waits."""
    key = jobs.key_of(dataset)
    if jobs.draw(key):
        return
    waiting = scope.engine.status(scope.user, dataset.id).pending
    if not waiting:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        what = "1 document waits" if waiting == 1 else f"{waiting} documents wait"
        st.markdown(f":material/pending: {what} to be processed.")
        if st.button("Process now", type="primary", key="resume"):
            jobs.start(key, steps(scope, dataset))
            st.rerun()


def steps(scope: Scope, dataset: Dataset) -> Iterator[Progress]:
    """Processing until nothing waits: what is added during a run is taken in too."""
    worked = True
    while worked:
        worked = False
        for step in scope.engine.cognify(scope.user, dataset.id):
            worked = True
            yield step
