"""From ratings to feedback weights: a fold over the feedback log, so that changing or withdrawing a rating is exact."""

from __future__ import annotations

from collections.abc import Iterable

from retrieval.errors import SessionParameterError
from retrieval.model import NEUTRAL_WEIGHT, Feedback, StoredTurn

ALPHA = 0.1


def rating(score: object) -> float:
    """What a score of 1..5 pulls weights towards: 0, 0.25, 0.5, 0.75, 1 (reference 7)."""
    if isinstance(score, bool) or not isinstance(score, int) or not 1 <= score <= 5:
        raise SessionParameterError(f"A rating is a whole number from 1 to 5, not {score!r}.")
    return (score - 1) / 4


def moved(weight: float, towards: float, alpha: float = ALPHA) -> float:
    """The weight one step nearer to a rating: round(clamp(w + alpha (r - w), 0, 1), 4)."""
    if isinstance(alpha, bool) or not 0 < alpha <= 1:
        raise SessionParameterError(f"alpha must be above 0 and at most 1, not {alpha!r}.")
    return round(min(max(weight + alpha * (towards - weight), 0.0), 1.0), 4)


def fold(ratings: Iterable[tuple[StoredTurn, Feedback]], alpha: float = ALPHA) -> dict[str, float]:
    """Weight of every node and edge that a rated turn used, from the ratings in the order of the log."""
    weights: dict[str, float] = {}
    for turn, given in ratings:
        if given.score is None:
            continue
        towards = rating(given.score)
        for element in dict.fromkeys((*turn.node_ids, *turn.edge_ids)):
            weights[element] = moved(weights.get(element, NEUTRAL_WEIGHT), towards, alpha)
    return weights
