"""The coding rules nearest to a question, out of their node sets (page; product 2.2)."""

from __future__ import annotations

from dataclasses import replace

from retrieval.model import CODING_RULES_SET, RULES, Found, NodeSetFilter, Query
from retrieval.ports import Deps
from retrieval.steps.seed import nearest


def coding_rules(query: Query, found: Found, deps: Deps) -> Found:
    """`found` with the rules of the chosen node sets, nearest first; all of them where top_k is None."""
    scope = query.node_sets or NodeSetFilter((CODING_RULES_SET,))
    return nearest(RULES)(replace(query, node_sets=scope), found, deps)
