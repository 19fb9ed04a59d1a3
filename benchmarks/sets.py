"""Evaluation sets of `../shared/data/sets` as keyless memories, built once into a folder and read again."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from retrieval.bootstrap import build
from retrieval.engine import Engine
from retrieval.model import Dataset
from retrieval.settings import load

SETS = Path(__file__).resolve().parents[2] / "shared" / "data" / "sets"
FOLDER = Path(os.environ.get("MEMORY_LENS_BENCHMARKS", "~/.cache/memory-lens-benchmarks")).expanduser()
USER = "benchmark"


@dataclass(frozen=True, slots=True)
class Question:
    """One question with the ids of the passages that answer it; none where nothing in the set does."""

    text: str
    gold: tuple[str, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class Built:
    """A set as a memory; `passages` gives the passage id of each document id."""

    name: str
    engine: Engine
    dataset: Dataset
    passages: dict[str, str]
    questions: list[Question]


def names() -> list[str]:
    """The sets that are there."""
    return sorted(p.name for p in SETS.iterdir() if (p / "queries.jsonl").exists()) if SETS.is_dir() else []


def lines(path: Path) -> list[dict[str, object]]:
    """The records of a JSON lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def built(name: str) -> Built:
    """The memory of a set; the first call takes minutes and says how far it is, later ones open it."""
    folder = FOLDER / name
    engine = build(replace(load({"MEMORY_LENS_DATA": str(folder)}), sample_on_first_start=False))
    known = {d.name: d for d in engine.datasets(USER)}
    dataset = known.get(name) or engine.create_dataset(USER, name)
    present = {d.sha256: d for d in engine.documents(USER, dataset.id)}
    if not present:
        for passage in lines(SETS / name / "corpus.jsonl"):
            engine.add(USER, dataset.id, f"{passage['id']}.md", _text(passage).encode())
    start, last = perf_counter(), 0.0
    for step in engine.cognify(USER, dataset.id):
        if step.done - last > 0.1:
            last = step.done
            sys.stderr.write(f"{name}: {step.done:.0%} after {perf_counter() - start:.0f} s\n")
    documents = engine.documents(USER, dataset.id)
    passages = {d.id: d.name.removesuffix(".md") for d in documents}
    dataset = engine.dataset(USER, dataset.id)
    return Built(name, engine, dataset, passages, questions(name))


def questions(name: str) -> list[Question]:
    """The questions of a set."""
    return [
        Question(str(q["question"]), tuple(map(str, q.get("gold") or ())), str(q.get("type", "")))  # type: ignore[call-overload]
        for q in lines(SETS / name / "queries.jsonl")
    ]


def _text(passage: dict[str, object]) -> str:
    title, text = str(passage.get("title") or ""), str(passage["text"])
    return f"# {title}\n{text}" if title and not text.startswith(title) else text
