"""Acceptance 12.3: triplet ranking, and a property test against a literal reading of the page's formula."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.model import Edge, Fragment, Node
from retrieval.steps.rank import rank, scaled, triplet_scores
from tests.retrieval.build_graph import graph_of, uid, whole


def chain(
    importance: dict[int, float], pairs: list[tuple[int, int]], nodes: dict[int, float], edges: list[float]
) -> Fragment:
    """Nodes 1..n and edges in the given order, which ids keep."""
    graph = graph_of(
        [Node(uid(n), "T", f"n{n}", importance_weight=importance.get(n, 0.5)) for n in nodes],
        [Edge(uid(a), uid(b), "r", f"{a}-{b}") for a, b in pairs],
    )
    return whole(graph, {uid(n): d for n, d in nodes.items()}, edges)


def test_t1_smallest_sum_first() -> None:
    fragment = chain({}, [(1, 2), (2, 3), (3, 4)], {1: 0.9, 2: 0.8, 3: 0.7, 4: 0.6}, [0.85, 0.75, 0.65])
    assert triplet_scores(fragment, 0.0) == pytest.approx([3.825, 3.375, 2.925])
    assert rank(fragment, 0.0, 2).edges.tolist() == [2, 1]


def test_t3_importance_scales_each_element_and_ties_keep_their_order() -> None:
    fragment = chain(
        {1: 1.0, 2: 0.5, 3: 0.0, 4: 1.0},
        [(1, 2), (2, 3), (3, 4), (4, 1)],
        {1: 0.2, 2: 0.4, 3: 0.1, 4: 0.3},
        [0.3, 0.2, 0.5, 6.5],
    )
    ranking = rank(fragment, 0.0, 4)
    assert ranking.edges.tolist() == [1, 0, 2, 3]
    assert ranking.scores == pytest.approx([1.1, 1.25, 1.25, 10.25])


def test_t4_unmatched_elements_keep_the_penalty() -> None:
    fragment = chain({1: 1.0, 3: 0.0}, [(1, 2), (2, 3)], {1: 0.2, 2: 0.4, 3: 6.5}, [0.3, 6.5])
    assert triplet_scores(fragment, 0.0) == pytest.approx([1.25, 23.35])


def test_t5_feedback_is_blended_in() -> None:
    ones = np.full(3, 0.4, dtype=np.float32)
    matched = np.ones(3, dtype=bool)
    liked = scaled(ones, np.full(3, 0.5), np.array([0.9, 0.9, 0.9]), matched, 0.5)
    mixed = scaled(ones, np.full(3, 0.5), np.array([0.9, 0.2, 0.2]), matched, 0.5)
    assert liked.sum() == pytest.approx(1.2)
    assert mixed.sum() == pytest.approx(2.6)


def test_t8_real_distances_beat_the_penalty() -> None:
    fragment = chain({}, [(1, 2), (2, 3)], {1: 2.0, 2: 2.0, 3: 6.5}, [2.0, 6.5])
    assert triplet_scores(fragment, 0.0).tolist() == [9.0, 22.5]


def test_t10_feedback_outside_the_range_is_clamped() -> None:
    far = scaled(np.array([0.4, 0.4, 0.4]), np.full(3, 0.5), np.array([2.0, 1.0, -5.0]), np.ones(3, dtype=bool), 1.0)
    assert far.tolist() == pytest.approx([0.0, 0.0, 2.0])


def test_feedback_reaches_far_and_unimportant_elements_too() -> None:
    """Weakness 12: with the scaled distance above 2 the existing system ignores feedback."""
    both = scaled(np.array([1.9, 1.9]), np.zeros(2), np.array([0.0, 1.0]), np.ones(2, dtype=bool), 0.5)
    assert both[1] < both[0]


def test_penalties_are_not_moved_by_feedback() -> None:
    plain = scaled(np.array([6.5]), np.array([0.5]), np.array([1.0]), np.zeros(1, dtype=bool), 1.0)
    assert plain.tolist() == [9.75]


@pytest.mark.parametrize("weight", [2.0, 3.0, 99.0, -4.0])
def test_weights_outside_the_range_never_turn_the_order(weight: float) -> None:
    """Bug 17: a far triplet with a weight above 2 must not come first."""
    fragment = chain({3: weight, 4: weight}, [(1, 2), (3, 4)], {1: 0.1, 2: 0.1, 3: 1.5, 4: 1.5}, [0.1, 1.5])
    assert rank(fragment, 0.0, 1).edges.tolist() == [0]


def test_bug_32_influence_moves_from_distance_order_to_feedback_order() -> None:
    fragment = chain({}, [(1, 2), (3, 4)], {1: 0.1, 2: 0.1, 3: 0.3, 4: 0.3}, [0.1, 0.3])
    feedback = np.array([0.1, 0.1, 0.9, 0.9], dtype=np.float32)
    graph = replace(fragment.graph, node_feedback=feedback, edge_feedback=np.array([0.1, 0.9], dtype=np.float32))
    fragment = replace(fragment, graph=graph)
    assert rank(fragment, 0.0, 1).edges.tolist() == [0]
    assert rank(fragment, 1.0, 1).edges.tolist() == [1]
    gaps = [np.diff(triplet_scores(fragment, influence))[0] for influence in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert gaps == sorted(gaps, reverse=True)


def test_fewer_edges_than_asked_for_are_not_padded() -> None:
    fragment = chain({}, [(1, 2)], {1: 0.1, 2: 0.2}, [0.3])
    assert len(rank(fragment, 0.0, 15).edges) == 1
    assert len(rank(fragment, 0.0, None).edges) == 1


@st.composite
def fragments(draw: st.DrawFn) -> Fragment:
    count = draw(st.integers(2, 6))
    pairs = draw(
        st.lists(st.tuples(st.integers(1, count), st.integers(1, count)), min_size=1, max_size=12, unique=True)
    )
    distance = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 6.5])
    weight = st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.0])
    fragment = chain(
        {n: draw(weight) for n in range(1, count + 1)},
        sorted(pairs),
        {n: draw(distance) for n in range(1, count + 1)},
        [draw(distance) for _ in pairs],
    )
    liking = st.sampled_from([0.0, 0.25, 0.5, 1.0])
    graph = replace(
        fragment.graph,
        node_feedback=np.array([draw(liking) for _ in range(count)], dtype=np.float32),
        edge_feedback=np.array([draw(liking) for _ in pairs], dtype=np.float32),
    )
    return replace(fragment, graph=graph)


@given(fragments(), st.sampled_from([0.0, 0.5, 1.0]), st.integers(1, 14))
def test_ranking_equals_the_page_read_literally(fragment: Fragment, influence: float, top_k: int) -> None:
    graph = fragment.graph

    def element(d: float, w: float, liked: float, hit: bool) -> float:
        d1 = (2 - min(max(w, 0), 1)) * d
        return 2 * ((1 - influence) * d1 / 2 + influence * (1 - liked)) if influence and hit else d1

    def node(i: int) -> float:
        return element(
            float(fragment.node_distances[i]),
            float(graph.node_importance[i]),
            float(graph.node_feedback[i]),
            bool(fragment.node_matched[i]),
        )

    def score(e: int) -> float:
        own = element(
            float(fragment.edge_distances[e]),
            float(graph.edge_importance[e]),
            float(graph.edge_feedback[e]),
            bool(fragment.edge_matched[e]),
        )
        return round(node(int(graph.sources[e])) + own + node(int(graph.targets[e])), 6)

    expected = sorted(range(graph.edge_count), key=lambda e: (score(e), e))[:top_k]
    assert rank(fragment, influence, top_k).edges.tolist() == expected
