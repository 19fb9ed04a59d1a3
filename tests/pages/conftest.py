"""Pages over an in-memory world: the engine is real, only its stores and models are small."""

from __future__ import annotations

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components import jobs
from tests.world import World, world

ROOT = Path(__file__).parents[2]
SECONDS = 30


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    small = world(tmp_path, sample_on_first_start=False)
    monkeypatch.setattr("components.resources.build_engine", lambda: small.engine)
    monkeypatch.setattr("components.resources._warm_up", lambda _: None)
    st.cache_resource.clear()
    return small


def page(name: str = "", **query: str) -> AppTest:
    """A page as a browser opens it at this address; `name` is empty for the home page."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    for key, value in query.items():
        app.query_params[key] = value
    return app.switch_page(f"pages/{name}.py").run() if name else app.run()


def shown(app: AppTest) -> str:
    """All text of a page."""
    kinds = (app.markdown, app.caption, app.warning, app.error, app.info, app.title, app.code)
    return "\n".join(str(element.value) for group in kinds for element in group)


def settled(app: AppTest) -> AppTest:
    """The page after the runs that it started have ended."""
    for job in list(jobs.known().values()):
        job.wait()
    return app.run()
