"""AC-H: HYBRID's lanes, fusion, entities, facts and context."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from retrieval.adapters.memory import MemoryLexical, MemoryVectors
from retrieval.adapters.rules import Rules
from retrieval.graph import Graph
from retrieval.identity import edge_type_id
from retrieval.model import (
    CHUNKS,
    EDGE_TYPES,
    ENTITIES,
    Edge,
    Entry,
    Fact,
    Floats,
    Found,
    Node,
    NodeSetFilter,
    Passage,
    Query,
    Statements,
)
from retrieval.options import Request
from retrieval.ports import Deps
from retrieval.recipes import RECIPES
from retrieval.steps.entities import entities_and_facts, glossary
from retrieval.steps.lanes import fuse, importance, lanes, limits, rrf_constant
from retrieval.steps.render import sections
from retrieval.steps.walk import Net, visited
from retrieval.timeline import timeline
from retrieval.titles import titles
from retrieval.turn import edge_ids, node_ids
from tests.fakes import CountingAnswerer
from tests.retrieval.build_graph import graph_of, uid
from tests.world import HashEmbedder, world

CONFIG = dict(RECIPES["HYBRID_COMPLETION"].config)
QUERY = Query("question", config=CONFIG)


def near(distance: float) -> Floats:
    """A unit vector at this cosine distance from the question's."""
    cosine = 1.0 - distance
    return np.array([cosine, np.sqrt(1.0 - cosine**2)], dtype=np.float32)


class Plane:
    """An embedder of two dimensions; the question lies on the first axis."""

    name, dimensions, max_tokens = "plane", 2, 256

    def embed(self, texts: list[str]) -> Floats:
        return np.tile(near(0.0), (len(texts), 1))

    def count_tokens(self, texts: list[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def deps(graph: Graph, nodes: list[Node], rows: dict[str, list[tuple[Entry, float]]]) -> Deps:
    vectors = MemoryVectors()
    for collection, entries in rows.items():
        vectors.upsert(collection, [entry for entry, _ in entries], np.stack([near(d) for _, d in entries]))
    known = {node.id: node for node in nodes}
    return Deps(
        embedder=Plane(),  # type: ignore[arg-type]
        answerer=CountingAnswerer(),
        reasoner=Rules(HashEmbedder()),
        vectors=vectors,
        lexical=MemoryLexical(),
        graph=lambda: graph,
        cypher=lambda: pytest.fail("no statement is run"),
        titles=lambda: titles({}),
        timeline=lambda: timeline({}),
        nodes=lambda ids: [known[i] for i in ids if i in known],
        provenance=lambda _: {},
        now=datetime(2026, 1, 1, tzinfo=UTC),
    )


def memory(edges: list[tuple[int, str, int, str]], distances: dict[int, float], near_texts: dict[str, float]) -> Deps:
    """Entities n1, n2, ... with these edges; those with a distance are in the index, and so are the edge texts."""
    ids = {n for s, _, t, _ in edges for n in (s, t)} | set(distances)
    nodes = [
        Node(uid(n), "Person" if n < 10 else "EntityType", f"n{n}", node_sets=("s",) if n < 5 else ())
        for n in sorted(ids)
    ]
    links = [Edge(uid(s), uid(t), r, text) for s, r, t, text in edges]
    entities = [(Entry(uid(n), f"n{n}", node_sets=("s",) if n < 5 else ()), d) for n, d in distances.items()]
    kinds = [(Entry(edge_type_id(text), text), d) for text, d in near_texts.items()]
    rows = {name: own for name, own in ((ENTITIES, entities), (EDGE_TYPES, kinds)) if own}
    return deps(graph_of(nodes, links), nodes, rows)


def found_by(own: Deps, **config: Any) -> Found:
    query = replace(QUERY, config=CONFIG | config)
    return entities_and_facts(query, Found(vector=near(0.0)), own)


def bullets(found: Found) -> list[list[str]]:
    return [[text for _, text in item.edges] for item in found.items if isinstance(item, Statements)]


def facts(found: Found) -> list[str]:
    return [item.text for item in found.items if isinstance(item, Fact)]


@pytest.mark.parametrize(("top", "constant"), [(1, 30), (5, 30), (10, 40), (15, 50), (20, 60), (30, 60)])
def test_the_constant_of_reciprocal_ranks(top: int, constant: int) -> None:
    assert rrf_constant(top) == constant


def test_limits_follow_top_k_up_to_ten_and_explicit_ones_are_kept() -> None:
    assert limits(replace(QUERY, top_k=11)) == (10, 10, 10, 10)
    assert limits(replace(QUERY, top_k=5)) == (5, 5, 5, 5)
    assert limits(replace(QUERY, top_k=None)) == (5, 5, 5, 5)
    own = {"chunks_top_k": 7, "entities_top_k": 8, "facts_top_k": 4}
    assert limits(replace(QUERY, top_k=30, config=CONFIG | own)) == (7, 8, 4, 7)
    assert limits(replace(QUERY, config=CONFIG | {"chunks_top_k": 40, "facts_top_k": 0})) == (40, 10, 0, 40)


def passages(*rows: tuple[int, float, float]) -> tuple[Deps, Found]:
    """Chunks (number, importance, distance) that only the vector lane found."""
    nodes = [Node(uid(n), "DocumentChunk", text=f"text {n}") for n, _, _ in rows]
    entries = [(Entry(uid(n), f"text {n}", chunk_id=uid(n), importance_weight=w), d) for n, w, d in rows]
    own = deps(graph_of(nodes, []), nodes, {CHUNKS: entries})
    return own, Found(vector=near(0.0), lanes={"vector": {uid(n): 1.0 - d for n, _, d in rows}})


def test_importance_lifts_a_passage_unless_it_is_off() -> None:
    own, found = passages((1, 0.0, 0.30), (2, 1.0, 0.31))
    query = replace(QUERY, config=CONFIG | {"fusion": "rrf"})
    assert [item.id for item in fuse(query, found, own).items] == [uid(2), uid(1)]
    off = replace(query, config=query.config | {"use_importance_weight": False})
    assert [item.id for item in fuse(off, found, own).items] == [uid(1), uid(2)]
    assert (importance(-1), importance(0.5), importance(9)) == (0.75, 1.0, 1.25)


def test_a_passage_says_what_each_lane_gave() -> None:
    own, found = passages((1, 0.5, 0.2))
    own.lexical.replace("d", [(uid(1), "question mark")])
    [item] = fuse(QUERY, found, own).items
    assert isinstance(item, Passage)
    assert item.parts["cosine"] == pytest.approx(0.8, abs=1e-5)
    assert 0 < item.parts["coverage"] <= 1
    assert item.score == pytest.approx(item.parts["cosine"] + 1.5 * item.parts["coverage"])


def test_missing_collections_leave_their_lanes_empty() -> None:
    own = deps(graph_of([], []), [], {})
    found = lanes(QUERY, Found(vector=near(0.0)), own)
    assert {name: dict(lane) for name, lane in found.lanes.items()} == {"lexical": {}, "vector": {}, "summary": {}}
    assert entities_and_facts(QUERY, found, own).items == ()


def test_lanes_run_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two lanes that wait for each other would never end one after the other."""
    both = Barrier(2, timeout=10)

    def waiting(*_: object) -> Any:
        both.wait()
        return []

    monkeypatch.setattr("retrieval.steps.lanes.lexical_matches", waiting)
    monkeypatch.setattr("retrieval.steps.lanes._summarised", lambda *_: dict(waiting()))
    own = deps(graph_of([], []), [], {})
    assert lanes(QUERY, Found(vector=near(0.0)), own).lanes["lexical"] == {}


def test_type_edges_come_first_and_count_towards_the_cap() -> None:
    own = memory(
        [(1, "owns", 2, "n1 owns n2 now"), (1, "is_a", 10, "n1 is a Office")], {1: 0.1}, {"n1 owns n2 now": 0.1}
    )
    assert bullets(found_by(own, max_edges_per_entity=1)) == [["n1 is a Office"]]


def test_then_those_near_to_the_question_then_the_rest() -> None:
    edges = [(1, "a", 2, "first of them"), (1, "b", 3, "second of them"), (1, "c", 4, "third of them")]
    own = memory(edges, {1: 0.1}, {"third of them": 0.1, "second of them": 0.4})
    assert bullets(found_by(own)) == [["third of them", "second of them", "first of them"]]


def test_an_edge_without_text_is_told_by_its_ends() -> None:
    own = memory([(1, "REL", 2, ""), (1, "REL", 3, "")], {1: 0.1}, {"other": 0.1})
    assert bullets(found_by(own)) == [["n1 -- REL -- n2", "n1 -- REL -- n3"]]


def test_an_edge_between_two_entities_stands_under_both() -> None:
    own = memory([(1, "knows", 2, "n1 knows n2 well")], {1: 0.1, 2: 0.2}, {"x": 1.0})
    assert bullets(found_by(own)) == [["n1 knows n2 well"], ["n1 knows n2 well"]]


def test_structure_is_no_statement() -> None:
    own = memory(
        [(20, "contains", 1, "Document chunk mentions n1"), (1, "knows", 2, "n1 knows n2 well")], {1: 0.1}, {"x": 1.0}
    )
    assert bullets(found_by(own)) == [["n1 knows n2 well"]]


def test_facts_are_distinct_long_enough_and_no_bullets() -> None:
    edges = [
        (1, "a", 2, "said under the entity"),
        (3, "b", 4, "another thing was said"),
        (3, "c", 4, "too short"),
        (20, "contains", 3, "Document chunk mentions frostline: Project that tracks risk."),
    ]
    near_texts = {"said under the entity": 0.1, "another thing was said": 0.2, "too short": 0.3}
    near_texts["Document chunk mentions frostline: Project that tracks risk."] = 0.4
    own = memory(edges, {1: 0.1}, near_texts)
    assert facts(found_by(own, entities_top_k=1)) == ["another thing was said", "Frostline: Project that tracks risk."]
    assert facts(found_by(own, facts_top_k=1)) == ["another thing was said"]


@pytest.mark.parametrize("config", [{"facts_top_k": 0}, {"entities_top_k": 0}])
def test_d17_no_facts_where_they_or_entities_are_switched_off(config: dict[str, int]) -> None:
    own = memory([(3, "b", 4, "another thing was said")], {1: 0.1}, {"another thing was said": 0.2})
    assert facts(found_by(own, **config)) == []
    bare = memory([(3, "b", 4, "another thing was said")], {}, {"another thing was said": 0.2})
    assert facts(found_by(bare, **config)) == []
    assert facts(found_by(bare, facts_top_k=1)) == ["another thing was said"]


def test_in_a_node_set_only_what_touches_its_entities_is_a_fact() -> None:
    edges = [(1, "works", 2, "n1 works for n2"), (1, "left", 2, "n1 left n2 too"), (7, "x", 8, "far away from it")]
    own = memory(edges, {1: 0.1, 7: 0.2}, {"n1 works for n2": 0.1, "n1 left n2 too": 0.2, "far away from it": 0.3})
    query = replace(QUERY, node_sets=NodeSetFilter(("s",)), config=CONFIG | {"max_edges_per_entity": 1})
    found = entities_and_facts(query, Found(vector=near(0.0)), own)
    assert bullets(found) == [["n1 works for n2"]]
    assert facts(found) == ["n1 left n2 too"]


def test_glossary_takes_the_prefix_off() -> None:
    assert glossary("Document chunk mentions frostline: A project.") == "Frostline: A project."
    assert glossary("Acme acquired Initech.") == "Acme acquired Initech."


def test_the_context_has_its_sections_and_no_empty_ones() -> None:
    def passage(rank: int, text: str) -> Passage:
        return Passage(rank, Entry(str(rank), text, chunk_id=str(rank)), 0.1)

    own = deps(graph_of([], []), [], {})
    two = Found(items=(passage(1, "First passage"), passage(2, ""), passage(3, "Second passage")))
    assert sections(QUERY, two, own) == "## Relevant passages\nFirst passage\n---\nSecond passage"
    alice = Node(uid(1), "Entity", "Alice")
    works = Edge(uid(1), uid(2), "works_at", "Alice works at Acme.")
    fact = Fact(1, "k", "Acme acquired Initech.", Edge(uid(2), uid(3), "acquired", "Acme acquired Initech."), 0.2)
    full = Found(items=(passage(1, "Passage"), Statements(1, alice, "", ((works, works.text),)), fact))
    assert sections(QUERY, full, own) == (
        "## Relevant passages\nPassage\n\n## Relevant entities\n### Alice\n- Alice works at Acme.\n\n"
        "## Related facts\n- Acme acquired Initech."
    )
    assert sections(QUERY, replace(full, items=(), prelude="World"), own) == "## Global context\nWorld"
    assert node_ids(full) == tuple(sorted(("1", uid(1), uid(2))))
    assert edge_ids(full) == (works.id,)


def test_a_walk_lifts_the_passage_that_the_best_one_names() -> None:
    net = Net(
        texts={"a": "", "b": "", "c": ""},
        own={"a": "A", "b": "B", "c": "C"},
        named={"a": ("C",), "b": (), "c": ()},
    )
    visits = visited(net, {"a": 1.0, "b": 0.9}, [], {"a": 0.5, "b": 0.5, "c": 0.1})
    assert visits["c"] > visits["b"]
    assert sum(visits.values()) <= 1.0 + 1e-9
    asked = visited(net, {"a": 1.0, "b": 0.9}, ["B"], {"a": 0.5, "b": 0.5, "c": 0.1})
    assert asked["b"] > visits["b"]


def test_the_walk_reaches_a_document_that_shares_no_word_with_the_question(tmp_path: Path) -> None:
    made = world(tmp_path)
    made.dataset(
        documents={
            "film.md": "# Night Ferry\n\nNight Ferry is a film shot in Leland. Ida Brandt directed it.\n",
            "ida.md": "# Ida Brandt\n\nBorn in Tartu, later a painter.\n",
            **{f"{n}.md": f"# Story {n}\n\nA film about town {n} was shot there once in a while.\n" for n in range(12)},
        }
    )
    question = "Where was the maker of the film shot in Leland born?"
    asked = Request(question, "HYBRID_COMPLETION", only_context=True, retriever_specific_config={"chunks_top_k": 3})
    [with_walk] = made.engine.ask(asked)
    names = [i.entry.document_name for i in with_walk.found.items if isinstance(i, Passage)]
    assert set(names[:2]) == {"film.md", "ida.md"}
    [without] = made.engine.ask(replace(asked, retriever_specific_config={"chunks_top_k": 2, "walk": False}))
    assert "ida.md" not in [i.entry.document_name for i in without.found.items if isinstance(i, Passage)][:1]
