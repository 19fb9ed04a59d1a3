"""Ratings to feedback weights: a fold over the feedback log, so that changing or withdrawing a rating undoes it."""

from __future__ import annotations

import math
from collections.abc import Iterable

from retrieval.errors import SessionParameterError
from retrieval.model import NEUTRAL_WEIGHT, Feedback, StoredTurn

ALPHA = 0.1


def rating(score: object) -> float:
    """The score 1..5 as a number in [0, 1]; anything else raises SessionParameterError."""
    if isinstance(score, bool) or not isinstance(score, int) or not 1 <= score <= 5:
        raise SessionParameterError(f"A score is a whole number from 1 to 5, not {score!r}.")
    return (score - 1) / 4


def moved(weight: float, r: float, alpha: float = ALPHA) -> float:
    """The weight moved towards r by the share alpha, in [0, 1], to four digits."""
    return round(min(1.0, max(0.0, weight + _share(alpha) * (r - weight))), 4)


def _share(alpha: object) -> float:
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 < alpha <= 1 or math.isnan(alpha):
        raise SessionParameterError(f"alpha must be a number above 0 and at most 1, not {alpha!r}.")
    return float(alpha)


def fold(ratings: Iterable[tuple[StoredTurn, Feedback]], alpha: float = ALPHA) -> dict[str, float]:
    """The weight of each node and edge id that a rated turn used; a turn counts once, with its last rating."""
    _share(alpha)
    standing = {(turn.user, turn.id): (turn, feedback) for turn, feedback in ratings}
    weights: dict[str, float] = {}
    for turn, feedback in standing.values():
        if feedback.score is None:
            continue
        r = rating(feedback.score)
        for element in dict.fromkeys((*turn.node_ids, *turn.edge_ids)):
            weights[element] = moved(weights.get(element, NEUTRAL_WEIGHT), r, alpha)
    return weights
