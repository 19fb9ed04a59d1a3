"""The one engine of this server; opened on first use, since its stores and models are heavy to import."""

from __future__ import annotations

from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

import streamlit as st

from retrieval.errors import MemoryLensError

if TYPE_CHECKING:
    from retrieval.engine import Engine


def build_engine() -> Engine:
    """A new engine over the configured data folder."""
    from retrieval.bootstrap import build
    from retrieval.settings import load

    return build(load())


@st.cache_resource(show_spinner=False)
def _shared() -> Engine:
    own = build_engine()
    Thread(target=_warm_up, args=(own,), name="warm-up", daemon=True).start()
    return own


def _warm_up(own: Engine) -> None:
    # A memory that can't be read says so on the page that needs it.
    with suppress(MemoryLensError):
        own.warm_up()


def engine() -> Engine:
    """The engine that all pages and users of this server share; it keeps no state of theirs."""
    with st.spinner("Opening the memory…"):
        return _shared()
