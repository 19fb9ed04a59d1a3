"""The Ask page (bugs 11, 93, 99, 101, 102, 104, 108, 111, 112; states of screens.md)."""

from __future__ import annotations

import uuid
from threading import Event
from typing import Any
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from components.links import query
from retrieval.recipes import RECIPES
from tests.pages.conftest import ROOT, SECONDS, page, shown
from tests.world import RULES, STATEMENT, World


class CountingEvent(Event):
    """An answer that has ended; counts who waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.set()
        self.waits = 0

    def wait(self, timeout: float | None = None) -> bool:
        self.waits += 1
        return super().wait(timeout)


def ask(app: AppTest, question: str, kind: str = "") -> AppTest:
    if kind:
        app.session_state["search_type"] = kind
    app.text_input(key="question").set_value(question)
    next(b for b in app.button if b.label == "Ask").click()
    app.run()
    assert not app.exception
    return app


def opened(app: AppTest) -> str:
    """The id of the open session, from the address."""
    named = app.query_params["session"]
    return named if isinstance(named, str) else named[0]


@pytest.fixture
def app(made: World) -> AppTest:
    made.dataset(rules=RULES)
    made.forget_calls()
    return page("ask")


def test_a_question_gets_an_answer_with_its_evidence(app: AppTest, made: World) -> None:
    ask(app, "Who works at Acme?")
    assert len(made.answerer.prompts) == 1
    assert "Extractive answer, no language model configured" in shown(app)
    assert [b.label for b in app.button if b.label.startswith("\\[1\\]")]
    panels = [c for c in app.get("button_group") if c.key and c.key.endswith(":panel")]
    assert panels[0].options == ["Triplets", "Context", "Graph", "Sources", "Trace", "Payload"]


@pytest.mark.parametrize("kind", RECIPES)
def test_every_type_can_be_asked(app: AppTest, made: World, kind: str) -> None:
    ask(app, STATEMENT if kind == "CYPHER" else "Alice knows Bob", kind)
    assert bool(made.answerer.prompts) == RECIPES[kind].completes
    [turn] = made.engine.conversations.turns("local", opened(app))
    assert (turn.search_type, turn.state) == (kind, "done")


@pytest.mark.parametrize("panel", ["Triplets", "Context", "Graph", "Sources", "Trace", "Payload"])
def test_every_panel_opens_without_asking_again(app: AppTest, made: World, panel: str) -> None:
    ask(app, "Who works at Acme?")
    key = next(c.key for c in app.get("button_group") if c.key and c.key.endswith(":panel"))
    app.session_state[key] = panel
    app.run()
    assert not app.exception
    assert len(made.answerer.prompts) == 1


def test_bug_99_one_completion_per_question_whatever_is_touched(app: AppTest, made: World) -> None:
    ask(app, "Who works at Acme?")
    for label in ("Good", "Wrong", "Save"):
        next(b for b in app.button if b.label == label).click().run()
    next(b for b in app.button if b.label == "Withdraw").click().run()
    app.text_input(key="session_search").set_value("Acme").run()
    next(b for b in app.button if b.label.startswith("\\[1\\]")).click().run()
    app.number_input(key="option_top_k").set_value(3).run()
    app.run()
    assert not app.exception
    assert len(made.answerer.prompts) == 1


def test_rating_is_stored_changed_and_withdrawn(app: AppTest, made: World) -> None:
    """Bug 100."""
    ask(app, "Who works at Acme?")
    session = opened(app)

    def stored() -> object:
        [turn] = made.engine.conversations.turns("local", session)
        return turn.feedback

    next(b for b in app.button if b.label == "Good").click().run()
    assert stored().score == 5  # type: ignore[attr-defined]
    assert "Rated 5 of 5" in shown(app)
    next(b for b in app.button if b.label == "Wrong").click().run()
    assert stored().score == 1  # type: ignore[attr-defined]
    next(b for b in app.button if b.label == "Withdraw").click().run()
    assert stored() is None
    assert "Not rated" in shown(app)


def button(app: AppTest, label: str) -> Any:
    return next(b for b in app.button if b.label == label)


def test_a_comment_keeps_the_score_and_a_thumb_the_comment(app: AppTest, made: World) -> None:
    ask(app, "Who works at Acme?")

    def stored() -> tuple[int | None, str] | None:
        [turn] = made.engine.conversations.turns("local", opened(app))
        return (turn.feedback.score, turn.feedback.text) if turn.feedback else None

    button(app, "Save").click().run()
    assert stored() is None
    button(app, "Good").click().run()
    app.text_area(key=next(t.key for t in app.text_area if t.label == "Comment")).set_value("nice 🚀\nreally").run()
    button(app, "Save").click().run()
    assert stored() == (5, "nice 🚀\nreally")
    button(app, "Wrong").click().run()
    assert stored() == (1, "nice 🚀\nreally")
    button(app, "Save").click().run()
    assert stored() == (1, "nice 🚀\nreally")
    button(app, "Withdraw").click().run()
    button(app, "Save").click().run()
    assert stored() is None


def test_bug_112_a_reload_finds_the_session_again(app: AppTest, made: World) -> None:
    ask(app, "Who works at Acme?")
    again = page("ask", session=opened(app))
    assert "Who works at Acme?" in shown(again)
    assert len(made.answerer.prompts) == 1


def test_bug_101_the_same_question_twice_is_two_turns(app: AppTest, made: World) -> None:
    ask(app, "Who works at Acme?")
    ask(app, "Who works at Acme?")
    assert len(made.answerer.prompts) == 2
    assert len(made.engine.conversations.turns("local", opened(app))) == 2


def test_a_link_fills_the_form_and_never_runs(made: World) -> None:
    made.dataset()
    made.forget_calls()
    question = '🚀 "x" & <b>'
    app = page("ask", type="CHUNKS", q=question, top_k="7")
    assert not app.exception
    assert app.text_input(key="question").value == question
    assert app.session_state["search_type"] == "CHUNKS"
    assert app.number_input(key="option_top_k").value == 7
    assert made.embedder.calls == []


@pytest.mark.parametrize(
    ("query", "notice"),
    [
        ({"top_k": "9999"}, "set to 200"),
        ({"top_k": "0"}, "set to 1"),
        ({"top_k": "abc"}, "is not a number"),
        ({"feedback_influence": "nan"}, "set to 0"),
        ({"top_k": "3.7"}, "is not a number"),
        ({"top_k": "5_0"}, "is not a number"),
        ({"top_k": "inf"}, "set to 200"),
        ({"only_context": "maybe"}, "is not True or False"),
        ({"node_name_filter_operator": "xor"}, "is not OR or AND"),
        ({"type": "NOPE"}, "unknown search type"),
        ({"q": "x" * 20_000}, "cut to 4000"),
    ],
)
def test_bug_108_bad_links_are_clamped_with_a_notice(made: World, query: dict[str, str], notice: str) -> None:
    made.dataset()
    app = page("ask", **query)
    assert not app.exception
    assert notice in shown(app)


def test_the_link_of_a_turn_asks_the_same(made: World) -> None:
    dataset = made.dataset(sets=("a", "b"))
    app = page("ask")
    app.number_input(key="option_top_k").set_value(3).run()
    app.number_input(key="option_neighborhood_seed_top_k").set_value(9).run()
    app.checkbox(key="option_include_references").set_value(True).run()
    app.multiselect(key="option_node_name").set_value(["a", "b"]).run()
    app.radio(key="option_node_name_filter_operator").set_value("AND").run()
    ask(app, "Who works & lives at “Acme”?")
    [turn] = made.engine.conversations.turns("local", opened(app))
    asked = parse_qs(query(turn))
    assert asked == {
        "type": ["GRAPH_COMPLETION"],
        "q": ["Who works & lives at “Acme”?"],
        "dataset": [dataset.id],
        "top_k": ["3"],
        "neighborhood_seed_top_k": ["9"],
        "include_references": ["True"],
        "node_name": ["a", "b"],
        "node_name_filter_operator": ["AND"],
    }
    assert any(query(turn) in str(code.value) for code in app.code)
    again = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    for name, values in asked.items():
        again.query_params[name] = values
    again.switch_page("pages/ask.py").run()
    assert not again.exception
    ask(again, again.text_input(key="question").value)
    [twin] = made.engine.conversations.turns("local", opened(again))
    assert query(twin) == query(turn)


def test_a_link_is_taken_once_also_when_another_session_is_opened(made: World) -> None:
    made.dataset()
    app = page("ask", type="CHUNKS", top_k="7")
    app.number_input(key="option_top_k").set_value(9).run()
    app.session_state["search_type"] = "SUMMARIES"
    button(app, "New").click().run()
    assert app.session_state["search_type"] == "SUMMARIES"
    assert app.number_input(key="option_top_k").value == 9


def test_the_form_is_kept_over_other_types_and_pages_until_it_is_reset(made: World) -> None:
    made.dataset()
    app = page("ask")
    app.number_input(key="option_feedback_influence").set_value(0.5).run()
    app.segmented_control(key="search_type:Passages").set_value("CHUNKS").run()
    assert app.session_state["search_type"] == "CHUNKS"
    assert app.segmented_control(key="search_type:Answers").value is None
    app.switch_page("pages/memory.py").run()
    app.switch_page("pages/ask.py").run()
    assert app.session_state["search_type"] == "CHUNKS"
    app.segmented_control(key="search_type:Answers").set_value("GRAPH_COMPLETION").run()
    assert app.number_input(key="option_feedback_influence").value == 0.5
    button(app, "Reset to defaults").click().run()
    assert app.number_input(key="option_feedback_influence").value == 0.0
    assert app.number_input(key="option_top_k").value == 15


def test_a_second_click_on_the_chosen_type_keeps_it(made: World) -> None:
    made.dataset()
    app = page("ask")
    app.segmented_control(key="search_type:Answers").set_value(None).run()
    assert app.session_state["search_type"] == "GRAPH_COMPLETION"
    assert app.segmented_control(key="search_type:Answers").value == "GRAPH_COMPLETION"


def test_what_a_type_needs_and_the_dataset_lacks_is_told(made: World) -> None:
    dataset = made.engine.create_dataset("local", "raw")
    made.engine.add("local", dataset.id, "a.md", b"Alice knows Bob.")
    app = page("ask", type="TRIPLET_COMPLETION")
    assert "raw has no Triplet\\_text yet" in shown(app)
    app.segmented_control(key="search_type:Answers").set_value("GRAPH_COMPLETION").run()
    assert "yet, which this type searches" not in shown(app)


def test_the_footer_says_what_a_turn_cost(app: AppTest) -> None:
    ask(app, "Who works at Acme?")
    assert "no model calls · cost: none (no model)" in shown(app)


def test_an_interrupted_answer_is_waited_for(app: AppTest) -> None:
    """The next run of a page starts while the last one still ends."""
    ended = CountingEvent()
    app.session_state["answering"] = ended
    app.run()
    app.run()
    assert ended.waits == 1


def test_bug_8_a_link_to_a_deleted_dataset_is_told(made: World) -> None:
    made.dataset("one")
    made.dataset("two")
    app = page("ask", dataset=str(uuid.uuid4()))
    assert not app.exception
    assert "does not exist" in shown(app)


def test_bug_11_all_some_and_none_are_three_things(made: World) -> None:
    made.dataset("one")
    other = made.dataset("two", {"x.md": "Zoe knows Alice."})
    app = page("ask")
    ask(app, "Who is Zoe?", "CHUNKS_LEXICAL")
    session = opened(app)
    assert len(made.engine.conversations.turns("local", session)) == 2
    app.radio(key="dataset_mode").set_value("Only some").run()
    ask(app, "Who is Zoe?", "CHUNKS_LEXICAL")
    assert "No dataset is selected" in shown(app)
    app.multiselect(key="dataset_choice").set_value([other.id]).run()
    ask(app, "Who is Zoe?", "CHUNKS_LEXICAL")
    assert len(made.engine.conversations.turns("local", session)) == 3


@pytest.mark.parametrize("text", ["", "   ", "\u200b"])
def test_bug_1_a_blank_question_is_told_and_costs_nothing(app: AppTest, made: World, text: str) -> None:
    ask(app, text)
    assert "non\\-empty string" in shown(app)
    assert made.embedder.calls == []


def test_nothing_matched_says_what_to_do(app: AppTest) -> None:
    ask(app, "zzzz qqqq", "CHUNKS_LEXICAL")
    assert "No chunk shares a word" in shown(app)
    assert "Try other words" in shown(app)


def test_nothing_stored_offers_to_add_documents(made: World) -> None:
    made.engine.create_dataset("local", "empty")
    app = page("ask")
    assert "nothing to search yet" in shown(app)
    ask(app, "Anything?")
    assert "Add data first" in shown(app)


def test_bugs_104_111_data_is_shown_literally(made: World) -> None:
    nasty = "Alice knows Bob. Paid $119.6 billion ~ $300. # Big <marquee> [x](http://h.example) ![y](http://h.example/q) | `code`"
    made.dataset("odd", {"odd.txt": nasty})
    app = page("ask")
    ask(app, "Who knows Bob? $5 and $6 <b>", "RAG_COMPLETION")
    text = shown(app)
    assert "\\$5 and \\$6 \\<b\\>" in text
    assert "![y]" not in text
    assert "<marquee>" not in text


def test_sessions_can_be_searched_renamed_deleted_and_brought_back(app: AppTest, made: World) -> None:
    ask(app, "Who works at Acme?")
    session = opened(app)
    app.text_input(key=f"session:{session}:name").set_value("My session").run()
    app.button(key=f"session:{session}:rename").click().run()
    assert [s.title for s in made.engine.conversations.sessions("local")] == ["My session"]
    app.text_input(key="session_search").set_value("nothing like it").run()
    assert not [b for b in app.button if b.label == "My session"]
    app.text_input(key="session_search").set_value("").run()
    app.button(key=f"session:{session}:delete").click().run()
    assert made.engine.conversations.sessions("local") == []
    app.button(key="session_undo").click().run()
    assert len(made.engine.conversations.sessions("local")) == 1
    assert "Who works at Acme?" in shown(app)


def panel(app: AppTest, name: str) -> AppTest:
    key = next(c.key for c in app.get("button_group") if c.key and c.key.endswith(":panel"))
    app.session_state[key] = name
    return app.run()


def test_rows_are_a_table_under_their_statement_with_a_picture(app: AppTest) -> None:
    ask(app, STATEMENT, "CYPHER")
    assert STATEMENT in shown(app)
    table = app.dataframe[0].value
    assert table.to_dict("records") == [{"p.name": "Alice", "r": "works_at", "c": "Acme"}]
    panels = [c for c in app.get("button_group") if c.key and c.key.endswith(":panel")]
    assert panels[0].options == ["Rows", "Context", "Graph", "Trace", "Payload"]
    panel(app, "Graph")
    assert not app.exception
    assert "The nodes and connections in the rows: 2 nodes and 1 connections." in shown(app)


def test_a_question_in_words_shows_the_statement_made_of_it(app: AppTest) -> None:
    ask(app, "How many persons are there?", "NATURAL_LANGUAGE")
    assert "MATCH (p:Person) RETURN count(DISTINCT p) AS number" in shown(app)
    assert app.dataframe[0].value.to_dict("records") == [{"number": 3}]


def test_a_refused_statement_says_why(app: AppTest) -> None:
    ask(app, "MATCH (n) DETACH DELETE n", "CYPHER")
    assert "DETACH is not allowed here" in shown(app)
