"""The frame of every page: links, datasets to search, and what survives a change of page (bugs 8, 11)."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from components.frame import ALL, CHOICE, CHOSEN, MODE
from tests.pages.conftest import page, shown
from tests.world import World


@pytest.fixture
def two(made: World) -> World:
    made.dataset("one", {"a.md": "Alice knows Bob."})
    made.dataset("two", {"x.md": "Zoe knows Alice."})
    return made


def to(app: AppTest, name: str) -> AppTest:
    return app.switch_page(f"pages/{name}.py").run()


def test_bug_11_what_is_searched_stays_chosen_on_the_next_page(two: World) -> None:
    other = two.engine.datasets("local")[1]
    app = page("ask")
    assert app.radio(key=MODE).value == ALL
    app.radio(key=MODE).set_value(CHOSEN).run()
    app.multiselect(key=CHOICE).set_value([other.id]).run()
    app = to(to(app, "memory"), "ask")
    assert not app.exception
    assert app.radio(key=MODE).value == CHOSEN
    assert app.multiselect(key=CHOICE).value == [other.id]


def test_the_choice_comes_back_after_all_were_searched(two: World) -> None:
    other = two.engine.datasets("local")[1]
    app = page("memory")
    app.radio(key=MODE).set_value(CHOSEN).run()
    app.multiselect(key=CHOICE).set_value([other.id]).run()
    app.radio(key=MODE).set_value(ALL).run()
    app.radio(key=MODE).set_value(CHOSEN).run()
    assert app.multiselect(key=CHOICE).value == [other.id]


def test_a_chosen_dataset_that_is_deleted_is_no_longer_chosen(two: World) -> None:
    two.dataset("three", {"y.md": "Zoe knows Bob."})
    one, other, _ = two.engine.datasets("local")
    app = page("ask")
    app.radio(key=MODE).set_value(CHOSEN).run()
    app.multiselect(key=CHOICE).set_value([one.id, other.id]).run()
    two.engine.delete_dataset("local", one.id)
    app.run()
    assert not app.exception
    assert app.multiselect(key=CHOICE).value == [other.id]


def test_a_link_chooses_its_dataset_by_name_or_id(two: World) -> None:
    one, other = two.engine.datasets("local")
    for named, wanted in ((other.name, other.id), (one.id, one.id)):
        app = page("ask", dataset=named)
        assert (app.radio(key=MODE).value, app.multiselect(key=CHOICE).value) == (CHOSEN, [wanted])


def test_bug_8_a_link_to_nothing_is_told_with_one_dataset_too(made: World) -> None:
    made.dataset("one", {"a.md": "Alice knows Bob."})
    app = page("ask", dataset="gone <b>")
    assert not app.exception
    assert "does not exist\\: gone \\<b\\>" in shown(app)


def test_what_a_dataset_holds_and_which_model_answers_is_told(two: World) -> None:
    text = shown(page("memory"))
    assert text.count("1 documents · ") == 2
    assert "No key: extractive answers" in text


def test_many_datasets_do_not_fill_the_screen(made: World) -> None:
    for number in range(8):
        made.engine.create_dataset("local", f"set {number}")
    text = shown(page("memory"))
    assert "**set 5**" in text
    assert "**set 6**" not in text
    assert "and 2 more" in text
