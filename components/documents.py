"""The documents of a dataset with their reports: preview, download, delete."""

from __future__ import annotations

import streamlit as st

from components import errors
from components.frame import Scope
from components.literal import html_text, literal, one_line
from retrieval.errors import MemoryLensError
from retrieval.model import Dataset, Document

ICONS = {
    "done": ":material/check_circle:",
    "failed": ":material/error:",
    "added": ":material/pending:",
    "processing": ":material/pending:",
    "deleting": ":material/delete:",
}
PAGE = 25
PREVIEWED = 20


def table(scope: Scope, dataset: Dataset) -> None:
    """One row per document, newest last, with every problem by name."""
    documents = scope.engine.documents(scope.user, dataset.id)
    if not documents:
        st.info("This dataset is empty. Add files or text above; then ask about them.", icon=":material/folder_open:")
        return
    text = st.text_input("Find a document", key="document_find", placeholder="Part of its name").strip().casefold()
    found = [d for d in documents if text in d.name.casefold()]
    st.caption(f"{len(found)} of {len(documents)} documents")
    pages = max(1, -(-len(found) // PAGE))
    at = st.number_input("Page", 1, pages, key="document_page") if pages > 1 else 1
    for document in found[(at - 1) * PAGE : at * PAGE]:
        _row(scope, dataset, document)


def _row(scope: Scope, dataset: Dataset, document: Document) -> None:
    key = f"document:{document.id}"
    with st.expander(f"{ICONS[document.status]} {literal(one_line(document.name, 70))} · {_told(document)}", key=key):
        for problem in _problems(document):
            st.warning(literal(problem), icon=":material/info:")
        sets = f" · node sets: {literal(', '.join(document.node_sets))}" if document.node_sets else ""
        st.caption(f"{document.size:,} bytes · added {document.created_at:%Y-%m-%d %H:%M} UTC{sets}")
        with st.container(horizontal=True):
            preview = st.toggle("Show passages", key=f"{key}:preview") if document.status == "done" else False
            st.download_button(
                "Download",
                lambda: scope.engine.file(scope.user, dataset.id, document.id),
                document.name,
                key=f"{key}:download",
                icon=":material/download:",
            )
            with st.popover("Delete", icon=":material/delete:"):
                st.caption("It leaves graph, vectors and word index. What other documents also say stays.")
                if st.button("Delete this document", key=f"{key}:delete", type="primary"):
                    _delete(scope, dataset, document)
        if preview:
            _preview(scope, dataset, document)


def _told(document: Document) -> str:
    report = document.report
    if document.status == "done":
        parts = (
            ("chunks", "passage", "passages"),
            ("entities", "entity", "entities"),
            ("relations", "relation", "relations"),
        )
        counts = ", ".join(_counted(report.get(key, 0), one, many) for key, one, many in parts)
        notes = len(_problems(document))
        noted = f" · :orange[{_counted(notes, 'note', 'notes')}]" if notes else ""
        return f"{counts} · {report.get('seconds', 0)} s{noted}"
    return {"failed": "not added", "deleting": "being deleted"}.get(document.status, "waiting")


def _counted(count: object, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _problems(document: Document) -> list[str]:
    notes = document.report.get("notes", [])
    problem = document.report.get("problem", "")
    return [str(p) for p in ([problem] if problem else []) + (list(notes) if isinstance(notes, list | tuple) else [])]


def _preview(scope: Scope, dataset: Dataset, document: Document) -> None:
    chunks = scope.engine.document_chunks(scope.user, dataset.id, document.id)
    for chunk in chunks[:PREVIEWED]:
        page = f" · page {chunk.page}" if chunk.page else ""
        st.caption(f"Passage {chunk.index + 1}{page} · {chunk.size} tokens · {chunk.cut_type}")
        st.html(f'<div class="lens-passage">{html_text(chunk.text)}</div>')
    if len(chunks) > PREVIEWED:
        st.caption(f"{len(chunks) - PREVIEWED} more passages")


def _delete(scope: Scope, dataset: Dataset, document: Document) -> None:
    try:
        scope.engine.delete_document(scope.user, dataset.id, document.id)
    except MemoryLensError as error:
        errors.show(error)
        return
    st.rerun()
