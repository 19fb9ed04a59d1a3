"""Validation before any store or model is touched (product.md section 2; bugs 1, 2, 15, 32; T17, T19)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval.errors import InvalidFeedbackInfluenceError, QueryValidationError
from retrieval.options import OPTIONS, Request, validated
from retrieval.recipes import RECIPES

ASKED = Request("cat")


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("text", ["", "   ", "\t\n", "\u00a0", "\u200b", "\u200b \u00a0\ufeff", None, 5, b"cat"])
def test_bug_1_a_blank_question_is_refused_in_every_mode(name: str, text: object) -> None:
    with pytest.raises(QueryValidationError, match="non-empty string"):
        validated(replace(ASKED, query_text=text), RECIPES[name])  # type: ignore[arg-type]


def test_bug_1_a_question_is_searched_without_its_outer_spaces() -> None:
    assert validated(replace(ASKED, query_text="  cat  "), RECIPES["CHUNKS"]).text == "cat"


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("field", ["top_k", "wide_search_top_k", "neighborhood_depth", "neighborhood_seed_top_k"])
@pytest.mark.parametrize("value", [0, -1, -999, True, False, "5", 1.5, 2.0, float("nan"), [3]])
def test_bug_2_counts_are_positive_integers_or_none(name: str, field: str, value: object) -> None:
    with pytest.raises(QueryValidationError, match=f"{field} must be a positive integer"):
        validated(replace(ASKED, **{field: value}), RECIPES[name])  # type: ignore[arg-type]


@pytest.mark.parametrize("name", RECIPES)
def test_none_means_the_types_own_default(name: str) -> None:
    query = validated(replace(ASKED, top_k=None, wide_search_top_k=None, triplet_distance_penalty=None), RECIPES[name])
    own = None if name == "CODING_RULES" else 5
    assert (query.top_k, query.wide_search_top_k, query.triplet_distance_penalty) == (own, 100, 6.5)


@pytest.mark.parametrize("value", [1.2, -0.1, float("nan"), float("inf"), True, "0.5", None])
def test_t19_influence_lies_between_0_and_1(value: object) -> None:
    with pytest.raises(InvalidFeedbackInfluenceError) as caught:
        validated(replace(ASKED, feedback_influence=value), RECIPES["GRAPH_COMPLETION"])  # type: ignore[arg-type]
    assert caught.value.status == 422


@pytest.mark.parametrize("operator", ["xor", "", None, 3, "AND OR"])
def test_bug_15_other_operators_are_refused(operator: object) -> None:
    with pytest.raises(QueryValidationError, match=r"\['AND', 'OR'\]"):
        validated(replace(ASKED, node_name_filter_operator=operator), RECIPES["CHUNKS"])  # type: ignore[arg-type]


def test_the_operator_is_trimmed_and_upper_cased() -> None:
    query = validated(replace(ASKED, node_name=["a", "b"], node_name_filter_operator=" and "), RECIPES["CHUNKS"])
    assert query.node_sets is not None
    assert query.node_sets.match_all


@pytest.mark.parametrize("names", [[""], ["a", " "], [1], 7])
def test_node_set_names_are_texts(names: object) -> None:
    with pytest.raises(QueryValidationError, match="node_name"):
        validated(replace(ASKED, node_name=names), RECIPES["CHUNKS"])  # type: ignore[arg-type]


def test_unknown_config_keys_are_refused_by_name() -> None:
    with pytest.raises(QueryValidationError, match="does not take chunks_topk, zzz"):
        validated(replace(ASKED, retriever_specific_config={"zzz": 1, "chunks_topk": 2}), RECIPES["CHUNKS"])


@pytest.mark.parametrize("value", [-1, float("inf"), float("nan"), "6.5", True])
def test_the_penalty_is_a_finite_number(value: object) -> None:
    with pytest.raises(QueryValidationError, match="triplet_distance_penalty"):
        validated(replace(ASKED, triplet_distance_penalty=value), RECIPES["GRAPH_COMPLETION"])  # type: ignore[arg-type]


def test_every_option_of_a_recipe_is_known() -> None:
    assert {name for recipe in RECIPES.values() for name in recipe.options} <= set(OPTIONS)
