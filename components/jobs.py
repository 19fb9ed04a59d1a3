"""Runs that build a memory, in the background: they go on whatever is clicked, and whoever opens the page sees them."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event, Lock, Thread

import streamlit as st

from components import errors
from components.literal import literal, one_line
from retrieval import sample
from retrieval.errors import MemoryLensError
from retrieval.model import Dataset, Progress

SAMPLE = "sample"
SECONDS = 1.0
STARTING = Lock()


class Job:
    """One run in a thread of its own; keeps its last step, and what ended it."""

    def __init__(self, steps: Iterator[Progress]) -> None:
        self.last = Progress("", "starting", 0.0)
        self.error: MemoryLensError | None = None
        self.stopped = Event()
        self._steps = steps
        self._thread = Thread(target=self._run, name="build-memory", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether it still works."""
        return self._thread.is_alive()

    def wait(self) -> None:
        """Return when it has ended."""
        self._thread.join()

    def _run(self) -> None:
        try:
            for step in self._steps:
                self.last = step
                if self.stopped.is_set():
                    break
        except MemoryLensError as error:
            self.error = error
        finally:
            # A generator that is closed lets go of the dataset here, in the thread that took it.
            close = getattr(self._steps, "close", None)
            if close is not None:
                close()


@st.cache_resource(show_spinner=False)
def known() -> dict[str, Job]:
    """The runs of this server by key; one that has ended stays until a page has told so."""
    return {}


def key_of(dataset: Dataset) -> str:
    """The key of a dataset's run; the sample's is known before the sample is."""
    return SAMPLE if dataset.name == sample.NAME else dataset.id


def start(key: str, steps: Iterator[Progress]) -> None:
    """Begin a run where none goes on."""
    st.session_state.pop(f"stopped:{key}", None)
    with STARTING:
        if not running(key):
            known()[key] = Job(steps)


def running(key: str) -> bool:
    """Whether such a run goes on."""
    job = known().get(key)
    return job is not None and job.running


def was_stopped(key: str) -> bool:
    """Whether the run was stopped on this page, so that it does not begin again by itself."""
    return f"stopped:{key}" in st.session_state


def draw(key: str) -> bool:
    """Whether a run goes on; draws it, with Stop. One that has ended is forgotten, its failure shown."""
    job = known().get(key)
    if job is None:
        return False
    if job.running:
        _watch(job, key)
        return True
    known().pop(key, None)
    if job.error is not None:
        errors.show(job.error)
    return False


@st.fragment(run_every=SECONDS)
def _watch(job: Job, key: str) -> None:
    if not job.running:
        st.rerun()
    step = job.last
    told = f" · {literal(step.message)}" if step.message else ""
    name = f"{literal(one_line(step.document, 60))}: " if step.document else ""
    st.progress(min(step.done, 1.0), text=f"{name}{step.stage}{told}")
    if st.button("Stop", key=f"stop:{key}", icon=":material/stop_circle:", help="What is done is kept; go on later."):
        st.session_state[f"stopped:{key}"] = True
        job.stopped.set()
        job.wait()
        st.rerun()
