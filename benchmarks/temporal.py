"""Recall of gold passages for questions of time: `python -m benchmarks.temporal [set ...]`, TEMPORAL beside words and vectors.

The memories are those of benchmarks/sets.py, built keyless once. A question is dated where it names a time or asks for one.
Relative words are meant from the day after the last passage of a set.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from statistics import mean

from benchmarks.quality import asked, share
from benchmarks.sets import FOLDER, SETS, USER, Built, Question, built, lines, names
from retrieval import dates, sample
from retrieval.bootstrap import build
from retrieval.calendar import DAY
from retrieval.settings import load

TYPES = ("CHUNKS_LEXICAL", "CHUNKS", "HYBRID_COMPLETION", "TEMPORAL")
DATED_SETS = ("lihua_world", "locomo10")
DEPTH, WANTED = 5, 60
# What a date means does not change with the day of asking.
ANOTHER_DAY = timedelta(days=5000)


def main() -> None:
    """Print recall@5 per search type: the sample's dated questions, then each set by kind of question."""
    wanted = sys.argv[1:] or ["sample", *(name for name in DATED_SETS if name in names())]
    for name in wanted:
        made = of_sample() if name == "sample" else built(name)
        now = ended(name)
        made.engine.parts = replace(made.engine.parts, now=lambda now=now: now)  # type: ignore[misc]
        report(made, now)
        made.engine.parts.memories.close()


def report(made: Built, now: datetime) -> None:
    """Print one line for each kind of question with its recall per type."""
    kinds: dict[str, list[Question]] = defaultdict(list)
    for question in (q for q in made.questions if q.gold):
        for kind in kinds_of(question, now):
            kinds[kind].append(question)
    found = {
        (q.text, kind): share(q, asked(made, q, kind, top_k=WANTED)[0][:DEPTH])
        for q in made.questions
        if q.gold
        for kind in TYPES
    }
    sys.stdout.write(f"\n{made.name}: {len(made.passages)} passages, recall@{DEPTH}\n")
    sys.stdout.write(f"{'questions':<32}" + "".join(f"{kind:>20}" for kind in TYPES) + "\n")
    for name, questions in kinds.items():
        told = "".join(f"{100 * mean(found[q.text, kind] for q in questions):>20.1f}" for kind in TYPES)
        sys.stdout.write(f"{f'{name} ({len(questions)})':<32}{told}\n")
    sys.stdout.flush()


def kinds_of(question: Question, now: datetime) -> Iterator[str]:
    """What a question counts among: all, its own kind, and whether it names a date, or a time as of today, or asks for one."""
    yield "all"
    if question.kind:
        yield question.kind
    asked = dates.window(question.text, now)
    if asked is not None:
        yield "names a date" if asked == dates.window(question.text, now + ANOTHER_DAY) else "relative words only"
    elif dates.asks_when(question.text):
        yield "asks when"
    else:
        yield "without a time"


def ended(name: str) -> datetime:
    """The day after the last passage of a set, as far as its passages are dated."""
    known = lines(SETS / name / "corpus.jsonl") if (SETS / name / "corpus.jsonl").exists() else []
    said = [span for passage in known for span, _, _ in dates.spans(str(passage.get("date", "")))]
    last = max((span.until for span in said), default=None)
    return datetime.now(UTC) if last is None else datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=last + DAY)


def of_sample() -> Built:
    """The sample memory with its dated questions; a passage is a document."""
    engine = build(replace(load({"MEMORY_LENS_DATA": str(FOLDER / "sample")}), sample_on_first_start=True))
    for _ in engine.ensure_sample(USER):
        pass
    [dataset] = engine.datasets(USER)
    passages = {d.id: d.name.removesuffix(".md") for d in engine.documents(USER, dataset.id)}
    questions = [
        Question(str(q["question"]), tuple(str(d).lower().replace(" ", "-") for d in q.get("gold_docs", ())), "")  # type: ignore[attr-defined]
        for q in sample.questions()
        if q["search_type"] == "TEMPORAL"
    ]
    return Built("sample", engine, dataset, passages, questions)


if __name__ == "__main__":
    main()
