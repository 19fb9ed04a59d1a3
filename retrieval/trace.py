"""What a search did and how long each stage took."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter

from retrieval.calendar import SECOND, Span, shown
from retrieval.model import IN_TIME, Found, Json, Stage

MODEL_STAGES = frozenset(
    {"embed", "answer", "draft", "condense", "judge", "follow_up", "decompose", "interval", "choose", "cypher", "act"}
)


class Trace:
    """Collects the stages of one turn, in order."""

    def __init__(self) -> None:
        self.stages: list[Stage] = []

    @contextmanager
    def stage(self, name: str) -> Iterator[Callable[[Found | Mapping[str, Json]], None]]:
        """A timed stage; what is recorded of its result becomes its counts. Failed stages are kept too."""
        counts: dict[str, Json] = {}

        def record(found: Found | Mapping[str, Json]) -> None:
            counts.update(_counts(name, found) if isinstance(found, Found) else found)

        start = perf_counter()
        try:
            yield record
        finally:
            self.add(name, (perf_counter() - start) * 1000, counts)

    def add(self, name: str, milliseconds: float, counts: Mapping[str, Json] | None = None) -> None:
        """Append a stage that was timed elsewhere."""
        self.stages.append(Stage(name, round(milliseconds, 3), dict(counts or {}), model=name in MODEL_STAGES))

    @property
    def total(self) -> float:
        """Milliseconds of all stages."""
        return round(sum(stage.milliseconds for stage in self.stages), 3)


def _counts(name: str, found: Found) -> dict[str, Json]:
    if name == "embed":
        return {"embeddings": 1}
    if name == "seeds":
        return {hits.collection: len(hits.ids) for hits in found.seeds}
    if name == "project" and found.fragment is not None:
        return {"nodes": len(found.fragment.nodes), "edges": len(found.fragment.edges)}
    if name == "render":
        return {"characters": len(found.context), "left_out": found.dropped}
    if name == "evidence":
        return {"sources": len(found.sources), "statements": len(found.statements)}
    return _in_time(name, found) or {"items": len(found.items)}


def _in_time(name: str, found: Found) -> dict[str, Json]:
    """Counts of the stages of a search in time; none for others."""
    if name == "events":
        return {"in_time": len(found.lanes.get(IN_TIME, {}))}
    if name != "interval":
        return {}
    limits = (None, None) if found.window is None else (found.window.start, found.window.until)
    return {"asked": found.window is not None, "from": _date(limits[0]), "until": _date(limits[1])}


def _date(moment: int | None) -> str | None:
    """A limit of a window as a date."""
    return None if moment is None else shown(Span(moment, moment + SECOND, "second"))
