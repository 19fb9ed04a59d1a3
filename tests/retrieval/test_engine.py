"""A whole search over an in-memory world: emptiness, sessions, feedback, several datasets, and what it costs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.errors import (
    DatasetNotFoundError,
    EmbeddingMismatchError,
    NoDataError,
    PermissionDeniedError,
    QueryValidationError,
    SessionParameterError,
    UnsupportedSearchTypeError,
)
from retrieval.model import Triplet
from retrieval.options import Request
from retrieval.recipe import once
from retrieval.recipes import RECIPES, SearchType
from tests.world import RULES, STATEMENT, World, world

WORKS = Request("Who works at Acme?")


def asked(name: str) -> Request:
    """The question in this type, as a statement where it takes one."""
    return replace(WORKS, query_type=name, query_text=STATEMENT if name == "CYPHER" else WORKS.query_text)


@pytest.fixture
def small(tmp_path: Path) -> World:
    made = world(tmp_path)
    made.dataset(rules=RULES)
    made.forget_calls()
    return made


def test_the_enum_is_the_table() -> None:
    assert [t.value for t in SearchType] == list(RECIPES)


@pytest.mark.parametrize("name", RECIPES)
def test_bug_5_nothing_stored_costs_nothing(tmp_path: Path, name: str) -> None:
    made = world(tmp_path)
    made.engine.create_dataset("local", "empty")
    with pytest.raises(NoDataError, match="Add data first"):
        made.engine.ask(replace(WORKS, query_type=name))
    assert made.embedder.calls == []
    assert made.answerer.prompts == []


@pytest.mark.parametrize("name", RECIPES)
def test_stored_but_not_processed_says_how_many_and_what_to_do(tmp_path: Path, name: str) -> None:
    made = world(tmp_path)
    dataset = made.engine.create_dataset("local", "scratch")
    for number in range(3):
        made.engine.add_text("local", dataset.id, f"text {number}")
    with pytest.raises(NoDataError, match=r"scratch.*3 data item\(s\).*[Rr]un cognify"):
        made.engine.ask(replace(WORKS, query_type=name))
    assert made.embedder.calls == []


@pytest.mark.parametrize("name", RECIPES)
def test_bug_6_data_without_a_match_is_empty_and_costs_no_answer(small: World, name: str) -> None:
    [turn] = small.engine.ask(replace(WORKS, query_type=name, node_name=["no such set"]))
    assert turn.read() == ""
    assert turn.found.items == ()
    assert any("no such set" in note for note in turn.found.notes)
    assert small.answerer.prompts == []


SINGLE = [n for n, r in RECIPES.items() if r.loop is once and not r.chooses]


@pytest.mark.parametrize("name", SINGLE)
def test_a_question_costs_one_embedding_and_at_most_one_answer(small: World, name: str) -> None:
    [turn] = small.engine.ask(asked(name))
    turn.read()
    turn.read()
    assert len(small.embedder.calls) == (0 if name in {"CHUNKS_LEXICAL", "CYPHER"} else 1)
    assert len(small.answerer.prompts) == (1 if RECIPES[name].completes else 0)


@pytest.mark.parametrize("name", [n for n in SINGLE if RECIPES[n].completes])
def test_only_context_stops_before_the_answer(small: World, name: str) -> None:
    [turn] = small.engine.ask(replace(WORKS, query_type=name, only_context=True))
    assert turn.read() == ""
    assert turn.found.context
    assert small.answerer.prompts == []


@pytest.mark.parametrize("name", RECIPES)
def test_bug_13_the_same_search_gives_the_same_bytes(small: World, name: str) -> None:
    contexts = {small.engine.ask(asked(name))[0].found.context for _ in range(3)}
    assert len(contexts) == 1


def test_the_graph_answers_with_ranked_triplets(small: World) -> None:
    [turn] = small.engine.ask(WORKS)
    first = turn.found.items[0]
    assert isinstance(first, Triplet)
    assert turn.found.items == tuple(sorted(turn.found.items, key=lambda t: t.score))  # type: ignore[union-attr]
    assert "Alice --[works_at]--> Acme" in turn.found.context


def test_bug_10_other_questions_see_other_fragments(small: World) -> None:
    narrow = Request("Who founded Acme?", wide_search_top_k=1)
    [one] = small.engine.ask(narrow)
    [other] = small.engine.ask(replace(narrow, query_text="What borders Latvia?"))
    assert one.found.context != other.found.context
    for turn in (one, other):
        fragment = turn.found.fragment
        assert fragment is not None
        seeds = {i for hits in turn.found.seeds for i in hits.ids}
        ids = fragment.graph.node_ids.to_pylist()
        for edge in fragment.edges:
            ends = {ids[fragment.graph.sources[edge]], ids[fragment.graph.targets[edge]]}
            assert ends & seeds


def test_bug_18_expansion_nodes_get_their_real_distance(small: World) -> None:
    asked = Request("Who bought Initech?", wide_search_top_k=1, neighborhood_depth=2)
    [turn] = small.engine.ask(asked)
    fragment = turn.found.fragment
    assert fragment is not None
    named = dict(zip(fragment.graph.node_names.to_pylist(), range(len(fragment.graph)), strict=True))
    position = fragment.nodes.tolist().index(named["Initech"])
    assert fragment.node_matched[position]
    assert fragment.node_distances[position] < 1


def test_bug_65_a_self_edge_is_a_triplet(small: World) -> None:
    [turn] = small.engine.ask(Request("What does Acme refer to?"))
    loops = [t for t in turn.found.items if isinstance(t, Triplet) and t.source.id == t.target.id]
    assert [t.edge.relationship for t in loops] == ["refers_to"]
    assert "Acme --[refers_to]--> Acme" in turn.found.context


def test_bug_17_and_15_node_sets(tmp_path: Path) -> None:
    made = world(tmp_path)
    dataset = made.engine.create_dataset("local", "sets")
    for name, sets in {"a": ("A",), "b": ("B",), "ab": ("A", "B")}.items():
        made.engine.add("local", dataset.id, f"{name}.md", f"Text of {name} about cats.".encode(), sets)
    list(made.engine.cognify("local", dataset.id))
    asked = Request("cats", query_type="CHUNKS", node_name=["A", "B"])
    assert len(made.engine.ask(asked)[0].found.items) == 3
    assert len(made.engine.ask(replace(asked, node_name_filter_operator="AND"))[0].found.items) == 1
    lexical = replace(asked, query_type="CHUNKS_LEXICAL", node_name_filter_operator="AND")
    assert len(made.engine.ask(lexical)[0].found.items) == 1
    [missing] = made.engine.ask(replace(asked, node_name=["C"]))
    assert missing.found.items == ()
    assert "Existing node sets: A, B" in missing.found.notes[0]


def test_the_token_budget_drops_the_lowest_ranks_and_says_so(small: World) -> None:
    [full] = small.engine.ask(WORKS)
    [cut] = small.engine.ask(replace(WORKS, context_token_budget=80))
    assert 0 < len(cut.found.items) < len(full.found.items)
    assert cut.found.items == full.found.items[: len(cut.found.items)]
    assert small.embedder.count_tokens([cut.found.context])[0] <= 80
    assert cut.found.dropped == len(full.found.items) - len(cut.found.items)


def test_bug_7_an_unknown_dataset_among_several_refuses_the_whole(small: World) -> None:
    with pytest.raises(DatasetNotFoundError, match="typo"):
        small.engine.ask(replace(WORKS, datasets=["world", "typo"]))
    assert small.embedder.calls == []


def test_an_unknown_type_is_named(small: World) -> None:
    with pytest.raises(UnsupportedSearchTypeError, match="NOPE"):
        small.engine.ask(replace(WORKS, query_type="NOPE"))


def test_several_datasets_answer_in_request_order_and_fail_alone(small: World) -> None:
    small.engine.create_dataset("local", "empty")
    turns = small.engine.ask(replace(WORKS, datasets=["empty", "world"]))
    assert [t.dataset.name for t in turns] == ["empty", "world"]
    assert isinstance(turns[0].error, NoDataError)
    assert turns[1].error is None
    assert turns[0].read() == ""
    assert turns[0].stored.state == "failed"


def test_where_all_datasets_are_empty_each_is_named(tmp_path: Path) -> None:
    made = world(tmp_path)
    made.engine.create_dataset("local", "one")
    made.engine.create_dataset("local", "two")
    with pytest.raises(NoDataError, match=r"2 datasets.*'one'.*'two'"):
        made.engine.ask(WORKS)


def test_a_dataset_that_the_caller_cannot_read_is_refused_whole(tmp_path: Path) -> None:
    made = world(tmp_path, access_control=True)
    mine, theirs = made.engine.create_dataset("local", "mine"), made.engine.create_dataset("eve", "theirs")
    with pytest.raises(PermissionDeniedError):
        made.engine.ask(replace(WORKS, dataset_ids=[mine.id, theirs.id]))


def test_history_is_read_by_types_that_remember_and_by_no_other(small: World) -> None:
    for name in ("GRAPH_COMPLETION", "CHUNKS", "RAG_COMPLETION"):
        small.engine.ask(replace(WORKS, query_type=name, session_id="s"))[0].read()
    assert small.answerer.prompts[0].history == ""
    last = small.answerer.prompts[-1].history
    assert last.startswith("Previous conversation:\n\n[2026-")
    assert last.count("QUESTION: Who works at Acme?") == 1
    assert "TASK:" in small.answerer.prompts[-1].system_prompt


def test_bug_97_sessions_do_not_bleed(small: World) -> None:
    small.engine.ask(replace(WORKS, query_text="I am Sam. Who works at Acme?", session_id="a"))[0].read()
    small.engine.ask(replace(WORKS, query_text="I am Kim. Who works at Acme?", session_id="b"))[0].read()
    small.engine.ask(WORKS)[0].read()
    assert "Sam" not in small.answerer.prompts[1].history
    assert small.answerer.prompts[2].history == ""


@pytest.mark.parametrize("session", ["", "  ", 5])
def test_a_session_id_is_a_text(small: World, session: object) -> None:
    with pytest.raises(SessionParameterError):
        small.engine.ask(replace(WORKS, session_id=session))  # type: ignore[arg-type]


def test_a_turn_that_is_left_early_is_kept_as_stopped(small: World) -> None:
    [turn] = small.engine.ask(replace(WORKS, session_id="s"))
    pieces = iter(turn)
    first = next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    [kept] = small.engine.conversations.turns("local", "s")
    assert (kept.state, kept.answer) == ("stopped", first)


def test_rating_moves_the_weights_of_what_was_used_and_withdrawing_moves_them_back(small: World) -> None:
    [turn] = small.engine.ask(WORKS)
    turn.read()
    changes = small.engine.rate("local", turn.id, 5)
    assert {c.after for c in changes} == {0.55}
    assert len(changes) == len(turn.stored.node_ids) + len(turn.stored.edge_ids)
    assert small.engine.rate("local", turn.id, 5) == []
    [again] = small.engine.ask(WORKS)
    first = again.found.items[0]
    assert isinstance(first, Triplet)
    assert (first.source_feedback, first.edge_feedback) == (pytest.approx(0.55), pytest.approx(0.55))
    assert {c.after for c in small.engine.rate("local", turn.id, 1)} == {0.45}
    small.engine.withdraw("local", turn.id)
    assert dict(small.engine.feedback.weights(turn.dataset.id)) == {}


def test_ratings_change_the_order_only_where_the_caller_wants_it(small: World) -> None:
    [turn] = small.engine.ask(replace(WORKS, top_k=1))
    turn.read()
    for _ in range(3):
        small.engine.rate("local", turn.id, 1)
    [plain] = small.engine.ask(replace(WORKS, top_k=1))
    [swayed] = small.engine.ask(replace(WORKS, top_k=1, feedback_influence=1.0))
    assert plain.found.items[0].id == turn.found.items[0].id
    assert swayed.found.items[0].id != turn.found.items[0].id


def test_an_unknown_turn_cannot_be_rated(small: World) -> None:
    assert small.engine.rate("local", "no such turn", 5) == []
    with pytest.raises(SessionParameterError):
        small.engine.rate("local", "no such turn", 9)


def test_bug_4_nonsense_has_no_lexical_hits_and_low_relevance_elsewhere(small: World) -> None:
    nonsense = Request("PHRASE_THAT_DOESNT_EXIST_QQQQ", query_type="CHUNKS_LEXICAL")
    [lexical] = small.engine.ask(nonsense)
    assert lexical.found.items == ()
    [near] = small.engine.ask(replace(nonsense, query_type="CHUNKS"))
    assert any("Low relevance" in note for note in near.found.notes)


def test_the_log_and_the_trace_tell_what_happened(small: World) -> None:
    [turn] = small.engine.ask(WORKS)
    turn.read()
    stages = [s.name for s in turn.trace.stages]
    assert stages == [
        "validate",
        "check",
        "embed",
        "seeds",
        "project",
        "rank",
        "global",
        "render",
        "evidence",
        "answer",
    ]
    assert [s.name for s in turn.trace.stages if s.model] == ["embed", "answer"]
    [logged] = small.engine.feedback.logged()
    assert (logged.search_type, logged.error) == ("GRAPH_COMPLETION", "")


def test_vectors_of_another_model_are_refused_with_both_names(small: World) -> None:
    dataset = small.engine.datasets("local")[0]
    small.engine.parts.catalog.update_dataset(dataset.id, embedding_model="other-model", embedding_dimensions=7)
    with pytest.raises(EmbeddingMismatchError, match=r"other-model \(7 dimensions\)"):
        small.engine.ask(WORKS)


def test_nothing_is_validated_late(small: World) -> None:
    with pytest.raises(QueryValidationError):
        small.engine.ask(replace(WORKS, query_text=" ", datasets=["typo"]))
