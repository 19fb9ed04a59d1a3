"""TEMPORAL: the events that overlap the time a question asks of, nearest in meaning first (D4; reference 3.11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf, log2

import numpy as np

from retrieval import dates
from retrieval.model import EVENTS, IN_TIME, Found, Hits, Passage, Query, Window
from retrieval.ports import Deps
from retrieval.recipe import Loop, Recipe, Run
from retrieval.steps.lanes import COVERAGE_WEIGHT

SEPARATOR = "#" * 21
ALL_TIME = Window(None, None)
# Measured on benchmarks/temporal.py. Each doubling of a span beyond the window costs VAGUE.
VAGUE, DATED = 0.03, 0.2


def interval(query: Query, found: Found, deps: Deps) -> Found:
    """`found` with the time that the question asks of: all time where it asks for a date and names none."""
    window = deps.reasoner.interval(query.text, deps.now)
    if window is not None:
        return replace(found, window=window)
    if dates.asked_of(query.text, deps.now) is dates.NoWindow.INVALID:
        return replace(
            found, notes=(*found.notes, "The question names a date that there is none of, or an end before its start.")
        )
    if dates.asks_when(query.text):
        return replace(found, window=ALL_TIME)
    return replace(found, notes=(*found.notes, "The question names no time."))


def in_time(query: Query, found: Found, deps: Deps) -> Found:
    """`found` with the events that overlap its window and belong to the node sets asked for, earliest first."""
    if found.window is None:
        return found
    within = deps.timeline().within(found.window)
    if query.node_sets is not None and within:
        graph, filtered = deps.graph(), query.node_sets
        members = graph.members(filtered.names, match_all=filtered.match_all)
        kept = np.isin(graph.find(list(within)), members)
        within = {event: length for (event, length), keep in zip(within.items(), kept, strict=True) if keep}
    notes = () if within else ("No event is known in the time that the question asks of.",)
    return replace(found, lanes={IN_TIME: within}, notes=(*found.notes, *notes))


def by_distance(query: Query, found: Found, deps: Deps) -> Found:
    """`found` with the top_k of its events as passages: nearest in meaning and words first."""
    if found.vector is None:
        raise ValueError("embed must run before events are ranked")
    lane = found.lanes.get(IN_TIME, {})
    hits = deps.vectors.distances(EVENTS, found.vector, list(lane))
    distances = dict(zip(hits.ids, hits.distances.tolist(), strict=True))
    parts = scored(query, found, distances, deps)
    order = ranked(lane, {event: -own["score"] for event, own in parts.items()}, query.top_k)
    items = tuple(
        Passage(
            rank, row, distances.get(row.id), parts[row.id]["score"] if row.id in parts else None, parts.get(row.id, {})
        )
        for rank, row in enumerate(deps.vectors.fetch(EVENTS, order), start=1)
    )
    nearest = np.argsort(hits.distances, kind="stable")
    seeds = Hits(EVENTS, tuple(hits.ids[i] for i in nearest), hits.distances[nearest])
    return replace(found, items=items, seeds=(seeds,))


def ranked(lane: Mapping[str, float], distances: Mapping[str, float], top_k: int | None) -> list[str]:
    """The top_k events of a lane (event: shortest span, in date order): nearest first, those without a distance last; ties
    by the tighter span, then by date.
    """
    return sorted(lane, key=lambda event: (distances.get(event, inf), lane[event]))[:top_k]


def scored(query: Query, found: Found, distances: Mapping[str, float], deps: Deps) -> dict[str, dict[str, float]]:
    """For each event its cosine, how much of the question its passage covers, by how many doublings its span is vaguer than
    the window, whether it states a date where one is asked for; and their sum. The cosine alone where that is chosen.
    """
    cosines = {event: 1.0 - distance for event, distance in distances.items()}
    if query.config.get("event_ranking") == "distance":
        return {event: {"cosine": cosine, "score": cosine} for event, cosine in cosines.items()}
    told = deps.timeline().told
    chunks = list(dict.fromkeys(told[event].chunk for event in cosines))
    coverage = dict(zip(chunks, deps.lexical.coverage(query.text, chunks), strict=True))
    width, lane, open_question = _width(found.window), found.lanes.get(IN_TIME, {}), found.window == ALL_TIME
    parts = {}
    for event, cosine in cosines.items():
        covered = coverage[told[event].chunk]
        vague = log2(lane[event] / width) if width else 0.0
        dated = float(open_question and told[event].stated)
        score = cosine + COVERAGE_WEIGHT * covered - VAGUE * vague + DATED * dated
        parts[event] = {"cosine": cosine, "coverage": covered, "vague": vague, "dated": dated, "score": score}
    return parts


def _width(window: Window | None) -> int:
    """Milliseconds of a window; 0 where a side is open, in which all events are exact enough."""
    if window is None or window.start is None or window.until is None:
        return 0
    return window.until - window.start


def descriptions(query: Query, found: Found, deps: Deps) -> str:
    """What the events say, stripped, without blank ones, a line of 21 # between them."""
    texts = [item.entry.text.strip() for item in found.items if isinstance(item, Passage)]
    return f"\n{SEPARATOR}\n".join(text for text in texts if text)


def or_else(other: Recipe) -> Loop:
    """A search in time that becomes another search where no time is asked of, or no event is in it; its note says so."""

    def loop(run: Run, query: Query) -> Found:
        found = Found()
        for name, step in run.find:
            if name == "embed" and not found.lanes.get(IN_TIME):
                break
            with run.observe.stage(name) as record:
                found = step(query, found, run.deps)
                record(found)
        else:
            return run.render(query, found)
        elsewhere = replace(run, find=other.find, layout=other.render).search(query)
        note = f"{found.notes[-1] if found.notes else ''} Searched as {other.name} instead.".strip()
        return replace(elsewhere, window=found.window, notes=(note, *elsewhere.notes))

    return loop
