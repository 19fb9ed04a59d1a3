"""Milliseconds of a search over the sample memory, by stage and outside models: `python -m benchmarks.search`."""

from __future__ import annotations

import sys
from collections import defaultdict
from statistics import median

from retrieval import sample
from retrieval.bootstrap import build
from retrieval.options import Request
from retrieval.recipes import RECIPES
from retrieval.settings import load


def main() -> None:
    """Ask every sample question in every search type; print medians."""
    engine = build(load())
    for _ in engine.ensure_sample("local"):
        pass
    engine.warm_up()
    dataset = next(d for d in engine.datasets("local") if d.name == sample.NAME)
    questions = [str(q["question"]) for q in sample.questions()]
    sys.stdout.write(f"{'type':<20}{'in all':>9}{'outside models':>16}   stages\n")
    for name in RECIPES:
        totals, own = [], []
        stages: dict[str, list[float]] = defaultdict(list)
        for question in questions:
            [turn] = engine.ask(Request(question, name, dataset_ids=[dataset.id], session_id="benchmark"))
            turn.read()
            totals.append(turn.trace.total)
            own.append(sum(s.milliseconds for s in turn.trace.stages if not s.model))
            for stage in turn.trace.stages:
                stages[stage.name].append(stage.milliseconds)
        told = " ".join(f"{stage} {median(values):.1f}" for stage, values in stages.items())
        sys.stdout.write(f"{name:<20}{median(totals):>9.1f}{median(own):>16.1f}   {told}\n")


if __name__ == "__main__":
    main()
