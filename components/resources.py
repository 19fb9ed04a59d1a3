"""The one engine of this server; opened on first use, since its stores and models are heavy to import."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from retrieval.engine import Engine


def build_engine() -> Engine:
    """A new engine over the configured data folder."""
    from retrieval.bootstrap import build
    from retrieval.settings import load

    return build(load())


@st.cache_resource(show_spinner=False)
def _shared() -> Engine:
    return build_engine()


def engine() -> Engine:
    """The engine that all pages and users of this server share; it keeps no state of theirs."""
    with st.spinner("Opening the memory…"):
        return _shared()
