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
