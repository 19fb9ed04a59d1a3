"""The embedded models: vectors, tokens, facts (models.md; bugs 22, 24)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from retrieval.adapters.memory import HashEmbedder
from retrieval.adapters.minilm import MiniLM
from retrieval.adapters.spacy_facts import SpacyFacts
from retrieval.ports import Embedder

MINILM = MiniLM()


@pytest.fixture(params=["hash", "minilm"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return HashEmbedder() if request.param == "hash" else MINILM


def test_vectors_are_unit_rows_in_the_order_of_the_texts(embedder: Embedder) -> None:
    texts = ["a cat", "a much longer text about the land borders of Estonia and Latvia", "dogs"] * 5
    vectors = embedder.embed(texts)
    assert vectors.shape == (15, embedder.dimensions)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(15), abs=1e-5)
    assert vectors[1] == pytest.approx(embedder.embed([texts[1]])[0], abs=1e-4)
    assert vectors[0] == pytest.approx(vectors[3], abs=1e-4)


@pytest.mark.parametrize("text", ["", " ", "\u200b", "...", "🏆", "\u00a0", "的"])
def test_bugs_22_24_no_text_gives_a_zero_vector(embedder: Embedder, text: str) -> None:
    assert np.linalg.norm(embedder.embed([text, text])[0]) == pytest.approx(1, abs=1e-5)


def test_f6_a_lone_surrogate_is_embedded_like_any_text(embedder: Embedder) -> None:
    assert embedder.embed(["\ud83d half", "b"]).shape == (2, embedder.dimensions)
    assert embedder.embed(["\ud83d half"]).shape == (1, embedder.dimensions)
    assert embedder.count_tokens(["\ud83d half"])[0] > 0


def test_what_a_caller_does_to_a_vector_is_not_remembered(embedder: Embedder) -> None:
    before = embedder.embed(["a cat"]).copy()
    embedder.embed(["a cat"])[:] = 0
    assert (embedder.embed(["a cat"]) == before).all()


def test_nothing_in_nothing_out(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimensions)
    assert embedder.count_tokens([]) == []


def test_tokens_are_counted_beyond_the_models_window(embedder: Embedder) -> None:
    assert embedder.count_tokens(["word " * 600, "one"]) == [600, 1]


def test_the_weights_are_those_of_the_model_card() -> None:
    vectors = MINILM.embed(
        ["That is a happy person", "That is a happy dog", "That is a very happy person", "Today is a sunny day"]
    )
    assert (vectors[1:] @ vectors[0]).tolist() == pytest.approx([0.6960, 0.9417, 0.2607], abs=0.005)


def test_threads_get_the_same_vectors() -> None:
    texts = [f"text number {n}" for n in range(8)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda t: MINILM.embed([t])[0], texts))
    assert np.stack(found) == pytest.approx(MINILM.embed(texts), abs=1e-4)


@pytest.fixture(scope="module")
def extractor() -> SpacyFacts:
    return SpacyFacts()


def stated(extractor: SpacyFacts, title: str, text: str) -> dict[tuple[str, str, str], str]:
    [facts] = extractor.extract(title, [text])
    names = {m.key: m.name for m in facts.mentions}
    return {(names[r.source], r.relationship, names[r.target]): r.text for r in facts.relations}


def test_verbs_relate_named_things(extractor: SpacyFacts) -> None:
    found = stated(extractor, "", "Marie Curie discovered radium in 1898. Acme was founded by Alice Johnson.")
    assert found["Marie Curie", "discover", "radium"] == "Marie Curie discovered radium in 1898."
    assert ("Alice Johnson", "found", "Acme") in found


def test_pronouns_of_the_documents_subject(extractor: SpacyFacts) -> None:
    found = stated(extractor, "Estonia (2015)", "# Estonia\n\nIt joined the OECD in 2010.")
    assert found["Estonia", "join", "OECD"] == "Estonia joined the OECD in 2010."


def test_labelled_lines_and_types(extractor: SpacyFacts) -> None:
    [facts] = extractor.extract(
        "Estonia", ["Its capital is Tallinn.\nLand boundaries: Latvia 333 km, Russia 324 km.\n"]
    )
    types = {m.name: m.type for m in facts.mentions}
    assert types["Estonia"] == types["Latvia"] == types["Russia"] == "Place"
    assert len([r for r in facts.relations if r.relationship == "land_boundaries"]) == 2


def test_every_relation_has_known_ends_and_a_sentence(extractor: SpacyFacts) -> None:
    text = "NATO and the EU welcomed Poland. Poland's growth of 3% outnumbered the extent of things. Bob knows Bob."
    for facts in extractor.extract("Poland", [text, "", "# Only a heading"]):
        keys = {m.key for m in facts.mentions}
        assert all({r.source, r.target} <= keys and r.source != r.target and r.text for r in facts.relations)


def test_the_same_text_gives_the_same_facts(extractor: SpacyFacts) -> None:
    text = "Angela Merkel visited Warsaw in May 2005. She met Lech Kaczynski."
    assert list(extractor.extract("t", [text])) == list(extractor.extract("t", [text]))


def named(extractor: SpacyFacts, title: str, *texts: str) -> dict[str, str]:
    return {m.name: m.type for facts in extractor.extract(title, texts) for m in facts.mentions}


def test_the_members_of_a_list_are_of_one_type_and_countries_are_places(extractor: SpacyFacts) -> None:
    types = named(extractor, "Estonia", "International organizations: AfDB, BIS, EAPC, IDA, NATO, UN, WTO, Zangger.\n")
    assert {types[n] for n in ("AfDB", "BIS", "EAPC", "IDA", "NATO", "UN", "WTO")} == {"Organization"}
    assert types["Estonia"] == "Place"


def test_amounts_and_parts_of_values_are_no_entities(extractor: SpacyFacts) -> None:
    types = named(
        extractor, "Poland", "Highest point: Rysy 2,499 m.\nLand boundaries: Austria 321 km, Slovak Republic 541 km.\n"
    )
    assert set(types) == {"Poland", "Rysy", "Austria", "Slovak Republic"}


def test_concepts_that_nothing_is_said_about_are_left_out(extractor: SpacyFacts) -> None:
    types = named(extractor, "", "The new situation improved. Marie Curie discovered radium in Paris.")
    assert types.get("radium") == "Concept"
    assert not any("situation" in name for name in types)


def test_what_something_is_of_replaces_what_it_is(extractor: SpacyFacts) -> None:
    found = stated(extractor, "", "Paris is the capital of France. Alice is a physicist.")
    assert ("Paris", "is_capital_of", "France") in found
    assert ("Paris", "be", "capital") not in found
    assert ("Alice", "be", "physicist") in found


def test_a_list_that_runs_over_two_texts_is_read_to_its_end(extractor: SpacyFacts) -> None:
    first, second = extractor.extract("Estonia", ["Members: ADB, Arctic ", "Council, UN.\nMore text."])
    assert [r.target for r in first.relations] == ["adb"]
    assert [(r.relationship, r.target) for r in second.relations] == [("members", "arctic council"), ("members", "un")]


@pytest.mark.parametrize(
    "text", ["A" * 1_200_000, "QUJD/" * 40_000, "F6: \ud83d Alice met Bob.", "\u200b", "| | |\n|-|-|"]
)
def test_what_is_no_sentence_does_no_harm(extractor: SpacyFacts, text: str) -> None:
    assert len(list(extractor.extract("notes", [text]))) == 1


def test_several_threads_extract_the_same(extractor: SpacyFacts) -> None:
    texts = [f"Alice met Bob in Paris in {year}. Acme bought Initech." for year in range(2000, 2008)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda t: list(extractor.extract("t", [t])), texts))
    assert found == [list(extractor.extract("t", [t])) for t in texts]
