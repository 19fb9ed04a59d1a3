"""Runs in the background: they outlive what is clicked, stop between two steps, are resumed, and tell what failed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from threading import Event

import pytest

from components import jobs
from components.ingest_panel import steps
from components.jobs import Job
from retrieval import sample
from retrieval.errors import StoreLockedError
from retrieval.model import Progress
from tests.pages.conftest import page, settled, shown
from tests.world import World


class Gated:
    """Steps that each wait until the test lets them go; notes that it was closed."""

    def __init__(self, count: int) -> None:
        self.gate, self.reached, self.closed = Event(), Event(), Event()
        self.left = count

    def __iter__(self) -> Iterator[Progress]:
        return self

    def __next__(self) -> Progress:
        if not self.left:
            raise StopIteration
        self.left -= 1
        self.reached.set()
        assert self.gate.wait(20)
        return Progress("a.txt", "extracting", 0.5, "3 chunks")

    def close(self) -> None:
        self.closed.set()


def failing(*before: Progress) -> Iterator[Progress]:
    yield from before
    raise StoreLockedError("This dataset is being processed already.")


def test_a_run_goes_on_until_it_ends() -> None:
    steps_ = Gated(3)
    job = Job(steps_)
    assert job.running
    steps_.gate.set()
    job.wait()
    assert (job.running, steps_.left, job.last.stage) == (False, 0, "extracting")
    assert steps_.closed.is_set()


def test_a_stopped_run_ends_after_its_step_and_is_closed() -> None:
    steps_ = Gated(3)
    job = Job(steps_)
    assert steps_.reached.wait(20)
    job.stopped.set()
    steps_.gate.set()
    job.wait()
    assert (steps_.left, steps_.closed.is_set()) == (2, True)


def test_what_fails_is_kept() -> None:
    job = Job(failing(Progress("a", "graph", 0.1)))
    job.wait()
    assert isinstance(job.error, StoreLockedError)


def test_the_page_shows_a_run_of_someone_else_and_its_end(made: World) -> None:
    dataset = made.engine.create_dataset("local", "notes")
    gated = Gated(1)
    jobs.known()[dataset.id] = job = Job(gated)
    app = page("memory")
    assert not app.exception
    assert app.button(key=f"stop:{dataset.id}")
    app.text_input(key="sets_files:0").set_value("a").run()
    assert job.running
    gated.gate.set()
    app = settled(app)
    assert not [b for b in app.button if b.key == f"stop:{dataset.id}"]
    assert jobs.known() == {}


def test_a_failed_run_is_told_once(made: World) -> None:
    dataset = made.engine.create_dataset("local", "notes")
    jobs.known()[dataset.id] = Job(failing())
    app = settled(page("memory")) if jobs.running(dataset.id) else page("memory")
    assert "being processed already" in shown(app)
    assert "being processed already" not in shown(app.run())


def test_what_is_added_during_a_run_is_taken_in(made: World) -> None:
    dataset = made.engine.create_dataset("local", "notes")
    made.engine.add("local", dataset.id, "a.txt", b"Alice knows Bob.")
    late = False
    scope = type("Scope", (), {"engine": made.engine, "user": "local"})()
    for _ in steps(scope, dataset):
        if not late:
            made.engine.add("local", dataset.id, "late.txt", b"Zoe knows Alice.")
            late = True
    assert [d.status for d in made.engine.documents("local", dataset.id)] == ["done", "done"]


@pytest.mark.parametrize("stopped", [False, True])
def test_the_sample_goes_on_by_itself_unless_it_was_stopped(
    made: World, monkeypatch: pytest.MonkeyPatch, stopped: bool
) -> None:
    dataset = made.engine.create_dataset("local", sample.NAME)
    made.engine.add("local", dataset.id, "a.txt", b"Alice knows Bob.")
    monkeypatch.setattr(made.engine, "settings", replace(made.engine.settings, sample_on_first_start=True))
    app = page("memory")
    if stopped:
        app.session_state[f"stopped:{jobs.SAMPLE}"] = True
    app = app.switch_page("app.py").run()
    assert not app.exception
    assert (jobs.SAMPLE in jobs.known()) is not stopped
    if stopped:
        app.button(key="sample_go_on").click().run()
    app = settled(app)
    assert [d.status for d in made.engine.documents("local", dataset.id)] == ["done"]
    assert "Building the sample memory" not in shown(app)
