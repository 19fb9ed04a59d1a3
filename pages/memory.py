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
    datasets.counts(status)
    ingest_panel.process(scope, dataset)
    with st.container(border=True):
        ingest_panel.add(scope, dataset)
    documents.table(scope, dataset)
