"""A failure as the analyst sees it: what happened, and what to do next."""

from __future__ import annotations

import streamlit as st

from components.literal import literal
from retrieval.errors import (
    EmbeddingMismatchError,
    MemoryLensError,
    NoDataError,
    QueryValidationError,
    StoreLockedError,
)

QUIET = (NoDataError, QueryValidationError, StoreLockedError, EmbeddingMismatchError)


def show(error: MemoryLensError) -> None:
    """The error's message as text; a state that the analyst can mend is a notice, anything else an error."""
    message = literal(error.message)
    if isinstance(error, QUIET):
        st.warning(message, icon=":material/info:")
    else:
        st.error(f"{message}  \n{literal(f'[{error.name}]')}", icon=":material/error:")
    if isinstance(error, NoDataError):
        st.page_link("pages/memory.py", label="Add documents on the Memory page", icon=":material/folder_open:")
