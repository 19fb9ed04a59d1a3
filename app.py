"""Home: what the memory holds, whether it is ready, and three questions to begin with."""

from __future__ import annotations

import streamlit as st

from components import frame, home


def main() -> None:
    """Draw the page; importing this file opens no memory and loads no model."""
    scope = frame.begin("Home")
    st.title("Memory Lens")
    st.markdown("Ask your documents, and see why each answer is what it is.")
    home.build_sample(scope)
    home.overview(scope)
    home.examples(scope)


if __name__ == "__main__":
    main()
