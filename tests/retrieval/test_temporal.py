"""TEMPORAL as a whole search: events in time, the graph where there are none, and what ingestion keeps of a date."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrieval.identity import time_id
from retrieval.model import EVENTS, Passage
from retrieval.options import Request
from retrieval.turn import Turn, row
from tests.digest import contents
from tests.world import World, world

LEDGER = {
    "firms.md": "# Firms\n\nAcme bought Initech in 2015. Carol founded Acme on 4 May 1990. Acme bought Globex in 44 BCE.\n",
    "chat.md": "Time: 20260105_11:00\nBob: Alice works at Acme.\nAnn: Let us meet tomorrow.\n",
    "plain.md": "# Places\n\nLatvia borders Estonia.\n",
}


@pytest.fixture
def made(tmp_path: Path) -> World:
    return world(tmp_path)


@pytest.fixture
def small(made: World) -> World:
    made.dataset("ledger", LEDGER)
    made.forget_calls()
    return made


def ask(small: World, question: str, **options: object) -> Turn:
    [turn] = small.engine.ask(Request(question, "TEMPORAL", **options))  # type: ignore[arg-type]
    return turn


def texts(turn: Turn) -> list[str]:
    return [item.entry.text for item in turn.found.items if isinstance(item, Passage)]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What did Acme buy in 2015?", {"Acme bought Initech in 2015."}),
        ("What happened in the 1990s?", {"Carol founded Acme on 4 May 1990."}),
        ("What happened before 1900?", {"Acme bought Globex in 44 BCE."}),
        ("What happened between 1990 and 2015?", {"Carol founded Acme on 4 May 1990.", "Acme bought Initech in 2015."}),
        ("Whom do we meet on 6 January 2026?", {"Ann: Let us meet tomorrow."}),
        ("What was said on 5 January 2026?", {"Bob: Alice works at Acme.", "Ann: Let us meet tomorrow."}),
        # The clock of these tests stands at 1 January 2026.
        ("What is said next week?", {"Bob: Alice works at Acme.", "Ann: Let us meet tomorrow."}),
    ],
)
def test_the_events_that_overlap_the_time_asked_of(small: World, question: str, found: set[str]) -> None:
    turn = ask(small, question)
    assert set(texts(turn)) == found
    assert turn.found.context == ("\n" + "#" * 21 + "\n").join(texts(turn))
    assert not any("GRAPH_COMPLETION" in note for note in turn.found.notes)


def test_a_question_for_a_date_looks_at_all_events(small: World) -> None:
    turn = ask(small, "When did Carol found Acme?")
    assert len(texts(turn)) == 5
    assert texts(turn)[0] == "Carol founded Acme on 4 May 1990."


def test_the_trace_tells_every_stage_and_the_window(small: World) -> None:
    turn = ask(small, "What did Acme buy in 2015?")
    turn.read()
    stages = {stage.name: stage.counts for stage in turn.trace.stages}
    assert list(stages)[2:6] == ["interval", "events", "embed", "rank"]
    assert stages["interval"] == {
        "asked": True,
        "from": "1 January 2015, 00:00:00",
        "until": "1 January 2016, 00:00:00",
    }
    assert stages["events"] == {"in_time": 1}


def test_rows_show_their_dates_and_sources_are_the_passages_behind_them(small: World) -> None:
    turn = ask(small, "What did Acme buy in 2015?")
    [item] = turn.found.items
    assert row(item)["when"] == "2015"
    [source] = turn.found.sources
    assert source.document_name == "firms.md"
    assert "Acme bought Initech in 2015." in source.text


def test_one_search_embeds_once(small: World) -> None:
    ask(small, "What did Acme buy in 2015?", only_context=True)
    assert len(small.embedder.calls) == 1


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("Who works at Acme?", "names no time"),
        ("Who worked at Acme in 1850?", "No event is known"),
        ("Who worked at Acme on 30 February 1950?", "a date that there is none of"),
    ],
)
def test_without_a_time_or_an_event_it_is_the_graph_search_and_says_so(small: World, question: str, why: str) -> None:
    turn = ask(small, question)
    [graph] = small.engine.ask(Request(question, "GRAPH_COMPLETION"))
    assert turn.found.context == graph.found.context != ""
    assert why in turn.found.notes[0]
    assert "GRAPH_COMPLETION" in turn.found.notes[0]


def test_the_fallback_embeds_once(small: World) -> None:
    ask(small, "Who worked at Acme in 1850?", only_context=True)
    assert len(small.embedder.calls) == 1


def test_node_sets_filter_events(made: World) -> None:
    dataset = made.engine.create_dataset("local", "sets")
    for name, sets in (("firms.md", ("one",)), ("chat.md", ("two", "three"))):
        made.engine.add("local", dataset.id, name, LEDGER[name].encode(), sets)
    for _ in made.engine.cognify("local", dataset.id):
        pass
    question = "What happened after 2000?"
    assert len(texts(ask(made, question))) == 3
    assert texts(ask(made, question, node_name=["one"])) == ["Acme bought Initech in 2015."]
    assert len(texts(ask(made, question, node_name=["two", "three"], node_name_filter_operator="AND"))) == 2
    assert texts(ask(made, question, node_name=["one", "two"], node_name_filter_operator="AND")) == []


def test_the_distance_alone_where_it_is_chosen(small: World) -> None:
    question = "What did Acme buy after 1900?"
    turn = ask(small, question, retriever_specific_config={"event_ranking": "distance"})
    distances = [item.distance for item in turn.found.items if isinstance(item, Passage)]
    assert len(distances) == 4
    assert distances == sorted(distances, key=lambda d: d or 0.0)


def test_no_more_than_top_k(small: World) -> None:
    assert len(texts(ask(small, "What happened after 1900?", top_k=2))) == 2


def test_a_memory_without_events_is_searched_as_a_graph(made: World) -> None:
    dataset = made.engine.create_dataset("local", "timeless")
    made.engine.add("local", dataset.id, "firms.md", LEDGER["firms.md"].encode())
    for _ in made.engine.cognify("local", dataset.id, temporal=False):
        pass
    assert EVENTS not in made.engine.status("local", dataset.id).collections
    turn = ask(made, "What did Acme buy in 2015?")
    assert "No event is known" in turn.found.notes[0]
    assert turn.found.items


def test_events_stand_in_the_graph_beside_the_ordinary_nodes(made: World) -> None:
    dataset = made.dataset("ledger", LEDGER)
    memory = made.engine.memory(dataset.id)
    graph = memory.graph(dataset.version)
    [event] = [n for n in memory.stores.graph.nodes(graph.of_type("Event")) if "2015" in n.name]
    assert event.description == "Acme bought Initech in 2015."
    year = memory.stores.graph.nodes(graph.of_type("Timestamp"))
    named = {node.id: node.name for node in year}
    edges = {
        (s.as_py(), r.as_py(), t.as_py())
        for s, r, t in zip(
            *(memory.stores.graph.columns()[1][c] for c in ("source", "relationship", "target")), strict=True
        )
    }
    own = {(r, t) for s, r, t in edges if s == event.id}
    assert named[time_id(1420070400000, 1451606400000)] == "2015"
    assert ("at", time_id(1420070400000, 1451606400000)) in own
    involved = {n.name for n in memory.stores.graph.nodes([t for r, t in own if r == "involves"])}
    assert involved == {"Acme", "Initech"}
    assert (str(event.properties["source_chunk_id"]), "contains", event.id) in edges


def test_a_range_is_an_interval(made: World) -> None:
    dataset = made.dataset("war", {"war.md": "# War\n\nThe war went on from 1914 to 1918.\n"})
    graph = made.engine.memory(dataset.id).graph(dataset.version)
    assert len(graph.of_type("Interval")) == 1
    assert "during" in graph.relationships.to_pylist()


def test_events_go_with_their_document_and_shared_times_stay(made: World) -> None:
    both = {"a.md": "# A\n\nAcme bought Initech in 2015.\n", "b.md": "# B\n\nCarol founded Acme in 2015.\n"}
    dataset = made.dataset("both", both)
    [first] = [d for d in made.engine.documents("local", dataset.id) if d.name == "a.md"]
    made.engine.delete_document("local", dataset.id, first.id)
    assert texts(ask(made, "What happened in 2015?")) == ["Carol founded Acme in 2015."]
    alone = world(made.engine.settings.data_folder / "alone")
    expected = contents(alone.engine, alone.dataset("both", {"b.md": both["b.md"]}).id)
    assert contents(made.engine, dataset.id) == expected


def test_the_report_counts_events(made: World) -> None:
    dataset = made.dataset("ledger", LEDGER)
    counts = {d.name: d.report["events"] for d in made.engine.documents("local", dataset.id)}
    assert counts == {"firms.md": 3, "chat.md": 2, "plain.md": 0}
