"""Create, describe, rename and delete datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from components import errors
from components.frame import Scope
from components.literal import literal, one_line
from retrieval.errors import MemoryLensError
from retrieval.model import Dataset

if TYPE_CHECKING:
    from retrieval.library import Status

CHOSEN = "memory_dataset"


def choose(scope: Scope) -> Dataset | None:
    """The dataset that the page works on; None until there is one."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = None
        if scope.datasets:
            ids = [d.id for d in scope.datasets]
            if st.session_state.get(CHOSEN) not in ids:
                st.session_state[CHOSEN] = ids[-1] if st.session_state.pop("dataset_made", False) else ids[0]
            own = st.selectbox(
                "Dataset",
                ids,
                key=CHOSEN,
                width=420,
                format_func=lambda i: one_line(next(d.name for d in scope.datasets if d.id == i)),
            )
            chosen = next(d for d in scope.datasets if d.id == own)
        with st.popover("New dataset", icon=":material/add:"):
            _create(scope)
        if chosen is not None:
            with st.popover("Edit", icon=":material/edit:"):
                _edit(scope, chosen)
    return chosen


def counts(status: Status) -> None:
    """What a dataset holds, side by side also on a narrow screen."""
    held = {
        "Documents": status.processed,
        "Passages": status.chunks,
        "Entities": status.entities,
        "Connections": status.edges,
    }
    with st.container(horizontal=True, gap="medium"):
        for name, count in held.items():
            st.metric(name, f"{count:,}", width="content")


def _create(scope: Scope) -> None:
    with st.form("dataset_new", border=False):
        name = st.text_input("Name", max_chars=120, key="dataset_new_name")
        description = st.text_input("Description", max_chars=400, key="dataset_new_description")
        if st.form_submit_button("Create", type="primary"):
            try:
                scope.engine.create_dataset(scope.user, name, description)
            except MemoryLensError as error:
                errors.show(error)
                return
            st.session_state.pop(CHOSEN, None)
            st.session_state.dataset_made = True
            st.rerun()


def _edit(scope: Scope, dataset: Dataset) -> None:
    with st.form("dataset_edit", border=False):
        name = st.text_input("Name", value=dataset.name, max_chars=120)
        description = st.text_input("Description", value=dataset.description, max_chars=400)
        if st.form_submit_button("Save"):
            try:
                scope.engine.update_dataset(scope.user, dataset.id, name.strip() or dataset.name, description)
            except MemoryLensError as error:
                errors.show(error)
                return
            st.rerun()
    st.divider()
    st.caption(
        f"Deleting takes every document and answer of **{literal(dataset.name)}** with it. Type its name to confirm."
    )
    typed = st.text_input("Name of the dataset", key="dataset_delete_name")
    if st.button("Delete dataset", icon=":material/delete:", disabled=typed != dataset.name, key="dataset_delete"):
        try:
            scope.engine.delete_dataset(scope.user, dataset.id)
        except MemoryLensError as error:
            errors.show(error)
            return
        st.rerun()
