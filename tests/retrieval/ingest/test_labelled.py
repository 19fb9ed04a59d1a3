"""Facts of labelled lines."""

from __future__ import annotations

import pytest

from retrieval.ingest.labelled import joined, labelled, subject_of


def facts(text: str, subject: str = "Estonia") -> list[tuple[str, str, str]]:
    return [(line.relationship, line.value.name, line.text) for line in labelled(subject, text)]


def test_values_with_amounts_keep_them_in_the_text() -> None:
    assert facts("Land boundaries: 657 km; Latvia 333 km, Russia 324 km.") == [
        ("land_boundaries", "Latvia", "Estonia land boundaries: Latvia 333 km."),
        ("land_boundaries", "Russia", "Estonia land boundaries: Russia 324 km."),
    ]


def test_numbers_with_thousands_are_one_value() -> None:
    assert facts("Land boundaries: Norway 1,630 km.")[0][2] == "Estonia land boundaries: Norway 1,630 km."


def test_several_labels_on_one_line_and_people_with_titles() -> None:
    text = "Chief of state: President Toomas Hendrik ILVES (since 9 October 2006). Head of government: Taavi ROIVAS."
    found = facts(text)
    assert [f[:2] for f in found] == [
        ("chief_of_state", "Toomas Hendrik Ilves"),
        ("head_of_government", "Taavi ROIVAS"),
    ]
    assert found[0][2] == "Estonia chief of state: President Toomas Hendrik Ilves (since 9 October 2006)."


@pytest.mark.parametrize("title", ["president", "President", "prime minister", "first deputy prime minister", "King"])
def test_titles_of_office_are_no_part_of_a_name(title: str) -> None:
    [(_, name, text)] = facts(f"Leader: {title} Anna BERG (since 2014).")
    assert (name, text) == ("Anna Berg", f"Estonia leader: {title} Anna Berg (since 2014).")


def test_a_line_that_runs_over_several_chunks_keeps_its_label_and_its_values_whole() -> None:
    parts = ["Text.\nMembers: ADB, Arctic ", "Council, UN, Nordic ", "Investment Bank, WTO.\nCapital: Riga.\n", "More."]
    assert [[f[:2] for f in facts(part)] for part in joined(parts)] == [
        [("members", "ADB")],
        [("members", "Arctic Council"), ("members", "UN")],
        [("members", "Nordic Investment Bank"), ("members", "WTO"), ("capital", "Riga")],
        [],
    ]


@pytest.mark.parametrize(
    "parts",
    [
        ["Chief of state: King X (since 1999). ", "Head of government: Y."],
        ["Page one.\nCapital: Riga", "Page two, Text."],
        ["Capital: Riga\n", "Text, more."],
        ["Plain words, cut ", "here, and Here."],
    ],
)
def test_what_ends_with_its_chunk_is_not_carried_on(parts: list[str]) -> None:
    assert joined(parts) == parts


def test_dates_and_remarks() -> None:
    assert facts("Independence: 20 August 1991 (declared).") == [
        ("independence", "20 August 1991", "Estonia independence: 20 August 1991 (declared).")
    ]
    assert facts("Members: NATO, ESA (cooperating state).")[1][2] == "Estonia members: ESA (cooperating state)."


def test_possessed_things() -> None:
    assert facts("It is a republic. Its capital is Tallinn.") == [
        ("capital", "Tallinn", "The capital of Estonia is Tallinn.")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "See https://example.org: a page",
        "At 12:30 they left.",
        "Terrain: marshy, lowlands; flat in the north.",
        "Why: function defaults are evaluated once, when the function is defined, and shared by all calls.",
    ],
)
def test_prose_and_times_are_no_labelled_facts(text: str) -> None:
    assert facts(text) == []


@pytest.mark.parametrize(
    ("title", "subject"),
    [
        ("Estonia (World Factbook, 2015 edition)", "Estonia"),
        ("report.pdf", "report"),
        ("Plain title", "Plain title"),
        ("(x)", "(x)"),
        ("The Brisbane Institute", "Brisbane Institute"),
        ("Theodore", "Theodore"),
    ],
)
def test_subjects_of_titles(title: str, subject: str) -> None:
    assert subject_of(title) == subject
