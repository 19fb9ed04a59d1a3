"""When the events of a memory were, as columns at one data version: read by every search in time and never changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from retrieval.model import Entry, Window

Ints = npt.NDArray[np.int64]
Times = tuple[tuple[int, int], ...]
EARLIEST, LATEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Told:
    """What a search needs of an event before it reads it: its passage, whether it states a date itself, its spans."""

    chunk: str
    stated: bool
    spans: Times


@dataclass(frozen=True, eq=False)
class Timeline:
    """Events with their spans [start, until) in ms since 1970, by start: `owners` (n,) indexes `events`, of which one may
    have several spans.
    """

    told: Mapping[str, Told]
    events: tuple[str, ...]
    owners: Ints
    starts: Ints
    untils: Ints

    def within(self, window: Window) -> dict[str, int]:
        """The events that overlap a window, earliest first, each with the length of the shortest of its spans that do: as
        the window itself where it is shorter, so that all that is said finer ties.
        """
        start = EARLIEST if window.start is None else window.start
        until = LATEST if window.until is None else window.until
        last = int(np.searchsorted(self.starts, until, "left"))
        chosen = np.flatnonzero(self.untils[:last] > start)
        width = LATEST if window.start is None or window.until is None else window.until - window.start
        lengths = np.maximum(self.untils[chosen] - self.starts[chosen], width)
        shortest: dict[str, int] = {}
        for owner, length in zip(self.owners[chosen].tolist(), lengths.tolist(), strict=True):
            event = self.events[owner]
            shortest[event] = min(length, shortest.get(event, length))
        return shortest


def timeline(told: Mapping[str, Told]) -> Timeline:
    """The columns of these events, ties by id."""
    rows = sorted((start, until, event) for event, own in told.items() for start, until in own.spans)
    events = tuple(dict.fromkeys(event for _, _, event in rows))
    places = {event: place for place, event in enumerate(events)}
    columns = np.array([(places[e], s, u) for s, u, e in rows], dtype=np.int64).reshape(-1, 3)
    return Timeline(told, events, columns[:, 0], columns[:, 1], columns[:, 2])


def told_of(rows: Iterable[Entry]) -> dict[str, Told]:
    """What the rows of events tell of them."""
    return {
        row.id: Told(
            row.chunk_id,
            row.extra.get("stated") is True,
            tuple((int(start), int(until)) for start, until in _spans(row)),
        )
        for row in rows
    }


def _spans(row: Entry) -> list[tuple[int, int]]:
    return cast("list[tuple[int, int]]", row.extra.get("times") or [])
