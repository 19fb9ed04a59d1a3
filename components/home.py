"""What the home page shows: the sample memory being built, what each dataset holds, and questions to begin with."""

from __future__ import annotations

import streamlit as st

from components import datasets, jobs
from components.frame import Scope
from components.literal import literal, one_line
from retrieval import sample


def build_sample(scope: Scope) -> None:
    """On the first start build the sample memory with progress, or go on where that was stopped."""
    if not scope.engine.settings.sample_on_first_start:
        return
    waits = _sample_waits(scope)
    if waits and jobs.SAMPLE not in jobs.known() and not jobs.was_stopped(jobs.SAMPLE):
        jobs.start(jobs.SAMPLE, scope.engine.ensure_sample(scope.user))
    if jobs.running(jobs.SAMPLE):
        with st.container(border=True):
            st.markdown(f"**Building the sample memory:** {literal(sample.NAME)}")
            st.caption("Once, in about a minute. It comes with the app and needs no network.")
            jobs.draw(jobs.SAMPLE)
    elif not jobs.draw(jobs.SAMPLE) and waits and st.button("Go on building the sample memory", key="sample_go_on"):
        jobs.start(jobs.SAMPLE, scope.engine.ensure_sample(scope.user))
        st.rerun()


def _sample_waits(scope: Scope) -> bool:
    known = [d for d in scope.datasets if d.name == sample.NAME]
    if not scope.datasets:
        return True
    return any(
        scope.engine.status(scope.user, d.id).pending or not scope.engine.documents(scope.user, d.id) for d in known
    )


def overview(scope: Scope) -> None:
    """A card for each dataset."""
    for dataset in scope.datasets:
        status = scope.engine.status(scope.user, dataset.id)
        with st.container(border=True, key=f"dataset:{dataset.id}"):
            ready = (
                ":material/check_circle: Ready"
                if status.processed and not status.pending
                else ":material/pending: Not ready yet"
            )
            st.markdown(f"**{literal(one_line(dataset.name))}** · {ready}")
            if dataset.description:
                st.caption(literal(one_line(dataset.description, 200)))
            datasets.counts(status)
            if status.failed:
                st.caption(f":material/error: {status.failed} documents could not be read; the Memory page says why.")


def examples(scope: Scope) -> None:
    """Three questions; one click asks."""
    ready = [d for d in scope.datasets if scope.engine.status(scope.user, d.id).processed]
    if not ready:
        st.page_link("pages/memory.py", label="Add documents", icon=":material/folder_open:")
        return
    st.markdown("#### Questions to begin with")
    for position, question in enumerate(scope.engine.examples(scope.user, ready[0].id)):
        if st.button(literal(question), key=f"example:{position}", icon=":material/arrow_forward:"):
            st.session_state.example = question
            st.switch_page("pages/ask.py")
