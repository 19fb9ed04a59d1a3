"""A summary without a language model: the most central sentences of a chunk, word for word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrieval.model import Floats

MOST_SENTENCES = 2
EARLY = 0.05
SHORTEST = 4


def summarise(sentences: Sequence[str], vectors: Floats) -> str:
    """The one or two sentences nearest to the middle of all, in their order; a small bonus for coming first.

    `vectors` (n, d) are the sentences' unit vectors. Headings and fragments are taken only where there is nothing else.
    """
    told = [i for i, s in enumerate(sentences) if len(s.split()) >= SHORTEST and not s.startswith("#")]
    told = told or list(range(len(sentences)))
    if not told:
        return ""
    own = vectors[told]
    centrality = own @ own.mean(axis=0) + EARLY * np.linspace(1.0, 0.0, len(told))
    best = sorted(np.argsort(-np.round(centrality, 6), kind="stable")[:MOST_SENTENCES])
    return " ".join(sentences[told[i]] for i in best)
