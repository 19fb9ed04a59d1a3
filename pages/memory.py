"""Memory: datasets and their documents; add, process, look at, delete."""

from __future__ import annotations

import streamlit as st

from components import datasets, documents, frame, ingest_panel
from components.literal import literal

scope = frame.begin("Memory")
st.title("Memory")
dataset = datasets.choose(scope)
if dataset is None:
    st.info("Create a dataset first. It holds documents that belong together.", icon=":material/create_new_folder:")
else:
    status = scope.engine.status(scope.user, dataset.id)
    if dataset.description:
        st.caption(literal(dataset.description))
    counts = st.columns(4)
    counts[0].metric("Documents", f"{status.processed:,}")
    counts[1].metric("Passages", f"{status.chunks:,}")
    counts[2].metric("Entities", f"{status.entities:,}")
    counts[3].metric("Connections", f"{status.edges:,}")
    if status.pending:
        ingest_panel.resume(scope, dataset, status.pending)
    with st.container(border=True):
        ingest_panel.add(scope, dataset)
    documents.table(scope, dataset)
