"""Execution match on a graph of films: the gold Cypher through CYPHER, and the questions through NATURAL_LANGUAGE without a
model; and the sample's questions of that kind: `python -m benchmarks.graphqa FOLDER [--show]`, where FOLDER holds
movies_graph.json and movies_questions.jsonl.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from retrieval import sample
from retrieval.bootstrap import build
from retrieval.engine import Engine
from retrieval.errors import CypherError
from retrieval.model import Dataset, Edge, Node
from retrieval.options import Request
from retrieval.settings import Settings

SPACE = uuid.UUID("6f1f3b0e-3c5e-5ad1-9d0a-0a4f2a6b7c11")
NAMES = ("name", "title")
MOST_GOLD = 200


def load(engine: Engine, graph: Mapping[str, Any]) -> Dataset:
    """A dataset whose graph store holds these nodes and edges, and one document that they come from."""
    dataset = engine.create_dataset("local", "films")
    ids = {key: str(uuid.uuid5(SPACE, key)) for key in graph["nodes"]}
    nodes = [
        Node(ids[key], own["label"], name=next(own[n] for n in NAMES if n in own), properties=_without(own, "label"))
        for key, own in graph["nodes"].items()
    ]
    edges = [
        Edge(ids[e["src"]], ids[e["dst"]], e["type"], properties=_without(e, "src", "dst", "type"))
        for e in graph["edges"]
    ]
    document = Node(str(uuid.uuid5(SPACE, "document")), "TextDocument", name="films.json")
    engine.memory(dataset.id).stores.graph.upsert([*nodes, document], edges)
    return dataset


def _without(own: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in own.items() if key not in keys}


def same(gold: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the rows hold what the gold rows hold, whatever the columns are called and in whatever order they stand.

    Of nodes and edges their names are compared. A list in order is compared in order; where the gold query leaves open
    which rows it gives (LIMIT without a full order), as many rows of the same columns are enough.
    """
    wanted = [[_cell(value) for value in row] for row in gold["rows"]]
    given = [[_cell(value) for value in row.values()] for row in rows]
    if len(wanted) == MOST_GOLD and len(given) > MOST_GOLD:
        return len(given[0]) >= len(wanted[0])
    if len(wanted) != len(given):
        return False
    if not gold["deterministic"]:
        return _among(gold.get("all", []), given, len(wanted[0]) if wanted else 0)
    for order in _orders(wanted, given):
        own = [tuple(row[i] for i in order) for row in given]
        expected = [tuple(row) for row in wanted]
        if own == expected or Counter(own) == Counter(expected):
            return True
    return not wanted


def _among(every: Sequence[Sequence[Any]], given: Sequence[Sequence[str]], width: int) -> bool:
    """Whether the given rows are some of all rows that the gold query would give without its LIMIT."""
    if not given:
        return not every
    pool = Counter(tuple(_cell(value) for value in row) for row in every)
    columns = [{row[c] for row in pool} for c in range(width)]
    fits = [[i for i in range(len(given[0])) if {r[i] for r in given} <= columns[c]] for c in range(width)]
    orders: list[tuple[int, ...]] = [()]
    for choices in fits:
        orders = [(*order, i) for order in orders for i in choices if i not in order][:100]
    return any(not Counter(tuple(row[i] for i in order) for row in given) - pool for order in orders)


def _orders(wanted: Sequence[Sequence[str]], given: Sequence[Sequence[str]]) -> list[tuple[int, ...]]:
    """Ways to put the given columns in the place of the wanted ones: columns with the same values."""
    if not wanted or len(given[0]) < len(wanted[0]):
        return []
    fits = [
        [i for i in range(len(given[0])) if Counter(r[i] for r in given) == Counter(r[c] for r in wanted)]
        for c in range(len(wanted[0]))
    ]
    orders: list[tuple[int, ...]] = [()]
    for choices in fits:
        orders = [(*order, i) for order in orders for i in choices if i not in order][:100]
    return orders


def _cell(value: Any) -> str:
    if isinstance(value, Mapping):
        if "_src" in value or "relationship" in value:
            return f"-{value.get('_label') or value.get('relationship')}-"
        return str(value.get("title") or value.get("name"))
    if isinstance(value, list):
        return json.dumps(sorted(_cell(item) for item in value))
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return str(value)
    return f"{value:.6g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def main(folder: str, *flags: str) -> None:
    """Print the share of questions whose rows match, by kind of question."""
    graph = json.loads((Path(folder) / "movies_graph.json").read_text(encoding="utf-8"))
    lines = (Path(folder) / "movies_questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    with tempfile.TemporaryDirectory() as data:
        engine = build(replace(Settings(), data_folder=Path(data)))
        dataset = load(engine, graph)
        for question in questions:
            if not question["deterministic"]:
                unlimited = re.sub(r"\s+LIMIT \d+\s*$", "", question["cypher"])
                question["all"] = _run(engine, dataset, unlimited)
        _report(engine, dataset, "CYPHER", "cypher", questions, {}, show="--show" in flags)
        golds = {q["id"]: q | {"rows": _run(engine, dataset, q["cypher"])} for q in questions}
        _report(engine, dataset, "NATURAL_LANGUAGE", "question", questions, golds, show="--show" in flags)
        engine.parts.memories.close()
    with tempfile.TemporaryDirectory() as data:
        _report_sample(build(replace(Settings(), data_folder=Path(data))), show="--show" in flags)


def _run(engine: Engine, dataset: Dataset, statement: str) -> list[list[Any]]:
    [turn] = engine.ask(Request(statement, "CYPHER", dataset_ids=[dataset.id]))
    return [list(row.values()) for row in turn.found.rows.rows] if turn.found.rows else []


def _report(
    engine: Engine,
    dataset: Dataset,
    search_type: str,
    field: str,
    questions: Sequence[dict[str, Any]],
    here: Mapping[str, Mapping[str, Any]],
    *,
    show: bool,
) -> None:
    """Print how many match the gold rows as published, or as the gold statement gives them `here`: ties may differ."""
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    told: Counter[str] = Counter()
    fixed, fixed_right = 0, 0
    for question in questions:
        try:
            [turn] = engine.ask(Request(question[field], search_type, dataset_ids=[dataset.id]))
            rows, failure = turn.found.rows, ""
        except CypherError as error:
            rows, failure = None, error.message
        matches = rows is not None and any(
            same(gold, [dict(row) for row in rows.rows]) for gold in (question, here.get(question["id"], question))
        )
        kind = question["type"]
        asked[kind] += 1
        right[kind] += matches
        told[kind] += rows is not None
        fixed += question["deterministic"]
        fixed_right += matches and question["deterministic"]
        if show and not matches:
            made = rows.statement.replace("\n", " ") if rows else failure or "(none)"
            gold = question["cypher"].replace("\n", " ")
            print(f"{search_type} {question['question']}\n   gold {gold}\n   made {made}")
    print(f"{search_type}: {sum(right.values())} of {len(questions)} match ({sum(told.values())} gave rows)")
    print(f"  with one right answer only: {fixed_right} of {fixed}")
    for kind in asked:
        print(f"  {kind}: {right[kind]} of {asked[kind]} (statements {told[kind]})")


def _report_sample(engine: Engine, *, show: bool) -> None:
    """Print how many of the sample's questions for this search type have exactly their answer in the rows."""
    for _ in engine.ensure_sample("local"):
        pass
    dataset = next(d for d in engine.datasets("local") if d.name == sample.NAME)
    own = [q for q in sample.questions() if q["search_type"] == "NATURAL_LANGUAGE"]
    right = 0
    for question in own:
        [turn] = engine.ask(Request(str(question["question"]), "NATURAL_LANGUAGE", dataset_ids=[dataset.id]))
        rows = [dict(row) for row in turn.found.rows.rows] if turn.found.rows else []
        answers = question["answers"]
        matches = isinstance(answers, list) and _holds([str(answer) for answer in answers], rows)
        right += matches
        if show and not matches:
            print(f"sample {question['question']}\n   gold {question['answers']}\n   rows {rows}")
    print(f"NATURAL_LANGUAGE on the sample: {right} of {len(own)}")
    engine.parts.memories.close()


def _holds(answers: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the rows are these answers: `12 members; not members: A, B`, or `A (9 km)` row by row."""
    split = re.fullmatch(r"(\d+) members; not members: (.*)", answers[0])
    if split:
        by_kind = {row.get("holds"): row for row in rows}
        others = by_kind.get(False, {}).get("names", [])
        return by_kind.get(True, {}).get("number") == int(split[1]) and sorted(others) == sorted(split[2].split(", "))
    wanted = [re.fullmatch(r"(.*) \((\d+)(?: \w+)?\)", answer) for answer in answers]
    told = [list(row.values()) for row in rows]
    return len(told) == len(wanted) and all(
        pair is not None and row[0] == pair[1] and row[-1] == float(pair[2])
        for pair, row in zip(wanted, told, strict=True)
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
