"""Questions to Cypher without a model, on a graph of a shipping firm: the statements run, and the rows are looked at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from retrieval.adapters.graph_questions import statements
from retrieval.adapters.graph_words import parts_of, stem
from retrieval.adapters.memory import HashEmbedder, MemoryGraph
from retrieval.adapters.sandbox import Sandbox
from retrieval.graph import Graph, build
from retrieval.model import Edge, Node
from tests.retrieval.build_graph import uid

SHIPS = (
    ("Aurora", 1998, 120, "Steady as she goes"),
    ("Boreas", 2011, 95, "Built for ice"),
    ("Calypso", 2011, 140, "Never late"),
)
PEOPLE = (("Ada Lind", 1961), ("Bo Ek", 1975), ("Cleo Dahl", 1983), ("Dov Aran", 1990))
HARBOURS = ("Bergen", "Gävle", "Riga")
NODES = [
    *(
        Node(uid(i), "Ship", name, properties={"built": year, "length": size, "motto": motto})
        for i, (name, year, size, motto) in enumerate(SHIPS)
    ),
    *(Node(uid(10 + i), "Person", name, properties={"born": born}) for i, (name, born) in enumerate(PEOPLE)),
    *(Node(uid(20 + i), "Harbour", name) for i, name in enumerate(HARBOURS)),
    Node(uid(30), "DocumentChunk", text="Aurora calls at Bergen."),
]
AT = {node.name: node.id for node in NODES}


def edge(source: str, relationship: str, target: str, text: str = "", **properties: int | list[str]) -> Edge:
    return Edge(AT[source], AT[target], relationship, text, properties=properties)


EDGES = [
    edge("Ada Lind", "COMMANDED", "Aurora", duties=["master", "pilot"]),
    edge("Ada Lind", "COMMANDED", "Boreas", duties=["master"]),
    edge("Bo Ek", "COMMANDED", "Calypso", duties=["master"]),
    edge("Bo Ek", "DESIGNED", "Calypso"),
    edge("Cleo Dahl", "DESIGNED", "Aurora"),
    edge("Cleo Dahl", "INSPECTED", "Aurora", score=70),
    edge("Dov Aran", "INSPECTED", "Aurora", score=90),
    edge("Dov Aran", "INSPECTED", "Boreas", score=40),
    edge("Aurora", "calls_at", "Bergen"),
    edge("Aurora", "calls_at", "Riga"),
    edge("Boreas", "calls_at", "Gävle"),
    edge("Bo Ek", "MENTORED", "Dov Aran"),
    edge("Bergen", "sea_route", "Riga", "Bergen sea route: Riga 1,210 km."),
    edge("Riga", "sea_route", "Bergen", "Riga sea route: Bergen 1,210 km."),
    edge("Gävle", "sea_route", "Riga", "Gävle sea route: Riga 410.5 km."),
    edge("Riga", "sea_route", "Gävle", "Riga sea route: Gävle 410.5 km."),
    Edge(uid(30), AT["Aurora"], "contains"),
]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Graph, Sandbox]]:
    store = MemoryGraph()
    store.upsert(NODES, EDGES)
    sandbox = Sandbox(tmp_path_factory.mktemp("fleet") / "q.kuzu", *store.whole())
    yield build(1, *store.columns()), sandbox
    sandbox.close()


def first(fleet: tuple[Graph, Sandbox], question: str) -> list[tuple[object, ...]]:
    """The first columns of the rows of the first statement that gives some; [] where none does."""
    graph, sandbox = fleet
    for statement in statements(question, sandbox.schema(), graph, HashEmbedder()):
        found = sandbox.rows(statement)
        if found.rows:
            return [tuple(row.values()) for row in found.rows]
    return []


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # a thing's property, and things by a property
        ("When was Boreas built?", {"Boreas"}),
        ("Which ships were built in 2011?", {"Boreas", "Calypso"}),
        ("Which ships were built before 2000?", {"Aurora"}),
        ("List all ships with a length over 100", {"Aurora", "Calypso"}),
        ("List ships with a length between 90 and 125.", {"Aurora", "Boreas"}),
        ("Which persons were born in the 1980s?", {"Cleo Dahl"}),
        ("people born after 1970", {"Bo Ek", "Cleo Dahl", "Dov Aran"}),
        ("Find ships with a motto containing 'ice'", {"Boreas"}),
        ("Find ships with a motto containing 'ICE'", {"Boreas"}),
        ("Which ship has the motto 'Never late'?", {"Calypso"}),
        ("Which ships have mottos that start with 'Steady'?", {"Aurora"}),
        # one relation
        ("Who commanded Aurora?", {"Ada Lind"}),
        ("who commanded aurora", {"Ada Lind"}),
        ("Which ships did Ada Lind command?", {"Aurora", "Boreas"}),
        ("Ships commanded by Lind", {"Aurora", "Boreas"}),
        ("Who are the designers of Aurora?", {"Cleo Dahl"}),
        ("At which harbours does Aurora call?", {"Bergen", "Riga"}),
        ("Which ships call at Gävle?", {"Boreas"}),
        ("Who mentored Dov Aran?", {"Bo Ek"}),
        ("Who did Bo Ek mentor?", {"Dov Aran"}),
        # relations with conditions, several relations
        ("Which persons inspected a ship with a score above 80?", {"Dov Aran"}),
        ("Who commanded ships built after 2000?", {"Ada Lind", "Bo Ek"}),
        ("Which ships were inspected by people born after 1985?", {"Aurora", "Boreas"}),
        ("Who commanded and designed the same ship?", {"Bo Ek"}),
        ("Which ships were both commanded and designed by the same person?", {"Calypso"}),
        ("Who inspected ships commanded by Ada Lind?", {"Cleo Dahl", "Dov Aran"}),
        ("Which persons commanded or designed a ship?", {"Ada Lind", "Bo Ek", "Cleo Dahl"}),
        ("Which ships do not call at Riga?", {"Boreas", "Calypso"}),
        # counts and extremes
        ("Who has commanded the most ships?", {"Ada Lind"}),
        ("Which harbour has the most sea routes?", {"Riga"}),
        ("Who has commanded more than one ship?", {"Ada Lind"}),
        ("Which ships were inspected by at least 2 persons?", {"Aurora"}),
        ("What is the longest ship by length?", {"Calypso"}),
        ("Which ship has the highest length?", {"Calypso"}),
        ("Who is the youngest person?", {"Dov Aran"}),
        ("Who are the 2 oldest commanders?", {"Ada Lind"}),
        ("List the top 2 newest ships", {"Boreas", "Calypso"}),
        ("Which ship got the highest average score?", {"Aurora"}),
        ("Which harbours have a sea route with Riga, ordered by length of route?", {"Bergen", "Gävle"}),
    ],
)
def test_the_answer_stands_first(fleet: tuple[Graph, Sandbox], question: str, answers: set[str]) -> None:
    assert {row[0] for row in first(fleet, question)} == answers


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many ships are there?", [(3,)]),
        ("How many ships has Ada Lind commanded?", [(2,)]),
        ("How many different persons inspected Aurora?", [(2,)]),
        ("How many persons have commanded more than 1 ship?", [(1,)]),
        ("What is the average score of ships inspected by Dov Aran?", [(65.0,)]),
        ("What is the highest length of any ship?", [(140,)]),
        ("When was Boreas built?", [("Boreas", 2011)]),
        ("What is the motto of Calypso?", [("Calypso", "Never late")]),
        ("What are the most common duties?", [("master", 3), ("pilot", 1)]),
        ("Who has commanded the most ships?", [("Ada Lind", 2)]),
        (
            "How many ships call at Riga, and which do not?",
            [(True, 1, ["Aurora"]), (False, 2, ["Boreas", "Calypso"])],
        ),
    ],
)
def test_numbers_and_values(fleet: tuple[Graph, Sandbox], question: str, rows: list[tuple[object, ...]]) -> None:
    assert [row[: len(rows[0])] for row in first(fleet, question)] == rows


def test_an_order_by_amount_reads_the_figures_of_the_texts(fleet: tuple[Graph, Sandbox]) -> None:
    rows = first(fleet, "Which harbours have a sea route with Riga, ordered by length of route?")
    assert [(row[0], row[-1]) for row in rows] == [("Bergen", 1210.0), ("Gävle", 410.5)]


def test_what_is_connected_leaves_out_where_it_was_read(fleet: tuple[Graph, Sandbox]) -> None:
    rows = first(fleet, "What is connected to Aurora?")
    assert {row[2]["name"] for row in rows} == {"Ada Lind", "Cleo Dahl", "Dov Aran", "Bergen", "Riga"}  # type: ignore[index]


def test_a_path_goes_over_things_that_are_said(fleet: tuple[Graph, Sandbox]) -> None:
    [row] = first(fleet, "How is Bo Ek connected to Riga?")
    assert [n["name"] for n in row[0]["nodes"]] == ["Bo Ek", "Dov Aran", "Aurora", "Riga"]  # type: ignore[index, call-overload]


def test_things_in_common(fleet: tuple[Graph, Sandbox]) -> None:
    assert {row[0] for row in first(fleet, "What do Ada Lind and Dov Aran have in common?")} == {"Aurora", "Boreas"}


@pytest.mark.parametrize(
    "question",
    [
        "Who commanded Titanic?",
        "Who commanded 'Titanic'?",
        "who commanded titanic",
        "Which ships were painted green?",
        "Which ships call at Riga and at Narvik?",
        "How is Aurora connected to Titanic?",
        "List all submarines",
    ],
)
def test_what_names_something_unknown_is_not_answered_for_everything(
    fleet: tuple[Graph, Sandbox], question: str
) -> None:
    assert first(fleet, question) == []


@pytest.mark.parametrize(
    "question", ["", "Why?", "What is the meaning of life?", "who are you", "¿Qué?", "DROP TABLE Node"]
)
def test_what_names_nothing_here_gives_no_statement(fleet: tuple[Graph, Sandbox], question: str) -> None:
    graph, sandbox = fleet
    assert statements(question, sandbox.schema(), graph, HashEmbedder()) == []


@pytest.mark.parametrize("name", ["O'Hara's \"Folly\"", "back\\slash", "'); DELETE (n"])
def test_bug_43_names_with_quotes_are_asked_for_as_they_are(fleet: tuple[Graph, Sandbox], name: str) -> None:
    store = MemoryGraph()
    store.upsert([Node(uid(1), "Ship", name), Node(uid(2), "Harbour", "Riga")], [Edge(uid(1), uid(2), "calls_at")])
    _, sandbox = fleet
    made = statements("Which ships call at Riga?", sandbox.schema(), build(1, *store.columns()), HashEmbedder())
    asked = statements(f"What is connected to {name}?", sandbox.schema(), build(1, *store.columns()), HashEmbedder())
    for statement in (*made, *asked):
        assert sandbox.rows(statement).rows is not None


@pytest.mark.parametrize(
    "words",
    [
        ("acted", "actor", "acting"),
        ("countries", "country"),
        ("writes", "wrote", "writer", "written"),
        ("movies", "movie"),
        ("routes", "route"),
    ],
)
def test_forms_of_a_word_have_one_stem(words: tuple[str, ...]) -> None:
    assert len({stem(word) for word in words}) == 1


def test_names_of_relationships_are_read_as_words() -> None:
    assert parts_of("ACTED_IN") == parts_of("actedIn") == parts_of("acted in") == [stem("act")]
    assert parts_of("is_in") == [stem("is"), stem("in")]
