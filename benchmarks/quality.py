"""Recall of gold passages in the retrieved context, per set and search type: `python -m benchmarks.quality [set ...]`.

The memories are built keyless, once, into MEMORY_LENS_BENCHMARKS (default ~/.cache/memory-lens-benchmarks).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median

from benchmarks.sets import USER, Built, Question, built, names
from retrieval.model import Item, Passage
from retrieval.options import Request

DEPTHS = (2, 5, 10)
PLAIN = ("CHUNKS_LEXICAL", "CHUNKS")
TYPES = (
    *PLAIN,
    "HYBRID_COMPLETION",
    "GRAPH_COMPLETION",
    "GRAPH_COMPLETION_COT",
    "GRAPH_COMPLETION_CONTEXT_EXTENSION",
    "GRAPH_COMPLETION_DECOMPOSITION",
    "TEMPORAL",
)
QUALITY_SETS = ("hotpot_train100", "2wiki_101_small", "musique_train100", "lihua_world", "xquad_en")


@dataclass(frozen=True, slots=True)
class Measured:
    """Recall at each depth, in percent, and milliseconds of a search outside models."""

    recall: tuple[float, ...]
    milliseconds: float


def main() -> None:
    """Print a table for each set named, or for those that the goals speak of."""
    wanted = sys.argv[1:] or [name for name in QUALITY_SETS if name in names()]
    if not wanted:
        sys.exit("There are no sets in ../shared/data/sets.")
    for name in wanted:
        made = built(name)
        sys.stdout.write(f"\n{name}: {len(made.passages)} passages, {len(made.questions)} questions\n")
        sys.stdout.write(f"{'type':<38}" + "".join(f"{f'R@{k}':>8}" for k in DEPTHS) + f"{'ms':>8}\n")
        for kind in TYPES:
            found = measured(made, kind)
            told = "".join(f"{value:>8.1f}" for value in found.recall)
            sys.stdout.write(f"{kind:<38}{told}{found.milliseconds:>8.1f}\n")
            sys.stdout.flush()
        made.engine.parts.memories.close()


def measured(made: Built, kind: str, **options: object) -> Measured:
    """The recall of one search type over all questions that have gold passages."""
    shares: list[list[float]] = []
    times: list[float] = []
    for question in made.questions:
        if question.gold:
            passages, milliseconds = asked(made, question, kind, **options)
            shares.append([share(question, passages[:depth]) for depth in DEPTHS])
            times.append(milliseconds)
    recall = tuple(100 * mean(column) for column in zip(*shares, strict=True))
    return Measured(recall, median(times))


def asked(made: Built, question: Question, kind: str, **options: object) -> tuple[list[str], float]:
    """The passages of the context, best first, and milliseconds outside models."""
    request = Request(question.text, kind, USER, dataset_ids=[made.dataset.id], only_context=True, **options)  # type: ignore[arg-type]
    [turn] = made.engine.ask(request)
    own = sum(stage.milliseconds for stage in turn.trace.stages if not stage.model)
    chunks = passages_of(turn.found.items) or [source.chunk_id for source in turn.found.sources]
    documents = {source.chunk_id: source.document_id for source in turn.found.sources}
    documents |= {i.entry.chunk_id: i.entry.document_id for i in turn.found.items if isinstance(i, Passage)}
    return list(dict.fromkeys(made.passages[documents[c]] for c in chunks if documents.get(c) in made.passages)), own


def passages_of(items: Sequence[Item]) -> list[str]:
    """The chunk ids of those items that are passages."""
    return [item.entry.chunk_id for item in items if isinstance(item, Passage)]


def share(question: Question, passages: Sequence[str]) -> float:
    """The share of the gold passages that is among these."""
    return len(set(question.gold) & set(passages)) / len(set(question.gold))


if __name__ == "__main__":
    main()
