"""What every LexicalIndex keeps to, with exact scores (acceptance 12.4; bugs 4, 15, 25, 26, 28, 29, 30)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from retrieval.adapters.lexical import SqliteLexical
from retrieval.adapters.memory import MemoryLexical
from retrieval.model import NodeSetFilter
from retrieval.ports import LexicalIndex
from retrieval.words import STOP_WORDS, tokens

Make = Callable[..., LexicalIndex]
ABC = [("a", "alpha alpha alpha project"), ("b", "alpha project project project"), ("c", "beta gamma delta")]


@pytest.fixture(params=["memory", "sqlite"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    def made(texts: Collection[tuple[str, str]] = (), stop: Collection[str] = STOP_WORDS) -> LexicalIndex:
        index = MemoryLexical(stop) if request.param == "memory" else SqliteLexical(tmp_path / "index.sqlite", stop)
        if texts:
            index.replace("document", list(texts))
        return index

    return made


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("project", [("b", 0.765932), ("a", 0.451532)]),
        ("alpha project", [("a", 1.217464), ("b", 1.217464)]),
        ("project project", [("b", 0.765932), ("a", 0.451532)]),
        ("delta", [("c", 1.068230)]),
        ("nothing here", []),
        ("QQQQ_NOT_THERE", []),
    ],
)
def test_scores_are_exact(make: Make, query: str, expected: list[tuple[str, float]]) -> None:
    found = make(ABC).search(query, None)
    assert [i for i, _ in found] == [i for i, _ in expected]
    assert [s for _, s in found] == pytest.approx([s for _, s in expected], abs=5e-7)


def test_one_document_of_one_has_a_positive_idf(make: Make) -> None:
    [(_, score)] = make([("a", "word")]).search("word", None)
    assert score == pytest.approx(0.287682, abs=5e-7)


def test_bug_25_a_term_in_half_of_the_documents_scores(make: Make) -> None:
    texts = [("1", "Hello there good man!"), ("2", "It is quite windy in London")]
    found = make(texts, stop=()).search("windy London", None)
    assert found == [("2", pytest.approx(1.2718, abs=5e-5))]


WINDY = ["Hello there good man!", "It is quite windy in London", "Its windy in Athens", "How is the weather today?"]
KEYWORDS = [
    "This text contains keyword1 and Keyword2",
    "That is a text that contains keyword1 and term1",
    "Page contains no keywords but contains term1 and term2",
    "This text contains no keywords",
]


@pytest.mark.parametrize(
    ("texts", "query", "expected"),
    [
        (WINDY, "windy", [0, 0.6198, 0.7462, 0]),
        (KEYWORDS, "This is a question about keyword1 & term1", [1.5029, 3.4225, 0.6252, 0.8057]),
    ],
)
def test_bug_25_corpora_of_the_reports(make: Make, texts: list[str], query: str, expected: list[float]) -> None:
    found = dict(make(list(zip("1234", texts, strict=True)), stop=()).search(query, None))
    assert [found.get(n, 0.0) for n in "1234"] == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("texts", [[], [("a", "")], [("a", "word"), ("b", "")]])
def test_bug_26_empty_corpora_are_no_error(make: Make, texts: list[tuple[str, str]]) -> None:
    assert make(texts).search("nothing", None) == []


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("초과근무 승인 규칙", "승인"),
        ("国際標準化に関する動向", "国際標準化"),
        ("café", "cafe\u0301"),
        ("Straße", "STRASSE"),
        ("Binder, sync", "binder"),
        ("written in C++ and .NET", "C++"),
        ("written in C++ and .NET", ".NET"),
        ("see node.js and GOALS.md", "node.js"),
        ("see node.js and GOALS.md", "goals.md"),
        ("run 9router now", "9router"),
        ("call getUserName here", "user"),
        ("user_id", "id"),
        ("हिन्दी में", "हिन्दी"),
        ("ภาษาไทย", "ภาษา"),
        ("မြန်မာစာ", "မြန်မာ"),
        ("猫が好き", "猫"),
        ("佐々木さん", "佐々木"),
        ("・猫・", "猫"),
        ("葛\U000e0100飾区", "葛飾"),
        ("ｶﾀｶﾅ語", "ｶﾀｶﾅ"),
        ("使用C++开发", "c++"),
        ("Donau\u00adschiff", "donauschiff"),
        ("Größe_Maß", "größe"),
        ("камелКейс", "кейс"),
        ("to be or not to be", "to be or not to be"),
        ("the who", "the who"),
    ],
)
def test_bugs_28_29_30_words_of_all_kinds_are_found(make: Make, text: str, query: str) -> None:
    found = make([("it", text), ("other", "nothing alike")]).search(query, None)
    assert [i for i, _ in found][:1] == ["it"]


def test_bug_30_content_words_outrank_function_words(make: Make) -> None:
    texts = [("energy", "Save energy with insulation"), ("how", "How do I do what I do")]
    assert make(texts).search("how do I save energy", None)[0][0] == "energy"


def test_limit_and_order_of_adding(make: Make) -> None:
    index = make([(str(n), "same words") for n in range(9)])
    assert [i for i, _ in index.search("words", 3)] == ["0", "1", "2"]


def test_bug_15_node_sets(make: Make) -> None:
    index = make()
    for name, sets in {"a": ("A",), "b": ("B",), "ab": ("A", "B")}.items():
        index.replace(name, [(name, "cats")], sets)
    assert {i for i, _ in index.search("cats", None, NodeSetFilter(("A", "B")))} == {"a", "b", "ab"}
    assert {i for i, _ in index.search("cats", None, NodeSetFilter(("A", "B"), match_all=True))} == {"ab"}
    assert index.search("cats", None, NodeSetFilter(("C",))) == []


def test_findable_stop_words_and_letters_change_no_other_score(make: Make) -> None:
    """Lengths count what a usual question may hold, so `the` or a lone letter costs a text nothing."""
    bare = make([("a", "cats 猫が好き"), ("b", "dogs")]).search("cats", None)
    wordy = make([("a", "the cats and the 猫が好き of it"), ("b", "dogs")]).search("cats", None)
    assert wordy == bare


@pytest.mark.parametrize(("match_all", "found"), [(False, []), (True, ["a", "b", "c"])])
def test_no_node_sets_are_any_of_none_and_all_of_none(make: Make, match_all: bool, found: list[str]) -> None:
    index = make(ABC)
    assert [i for i, _ in index.search("alpha beta", None, NodeSetFilter((), match_all))] == [
        i for i, _ in index.search("alpha beta", None) if i in found
    ]


@pytest.mark.parametrize("name", ["it's", "a\x1fb", "x,y", '"quoted"', "שלום", "half \ud83d"])
def test_bug_43_node_sets_of_any_name(make: Make, name: str) -> None:
    index = make()
    index.replace("document", [("a", "cats")], (name, "other"))
    assert [i for i, _ in index.search("cats", None, NodeSetFilter((name, "other"), match_all=True))] == ["a"]


def test_f6_lone_surrogates_do_no_harm(make: Make) -> None:
    assert [i for i, _ in make([("a", "cats \ud83d dogs")]).search("dogs \ud83d", None)] == ["a"]


def test_searches_beside_writes_see_whole_documents(make: Make) -> None:
    index = make()

    def write(thread: int) -> None:
        for _ in range(10):
            index.replace(f"d{thread}", [(f"{thread}-{n}", "same words") for n in range(3)])

    def read(_: int) -> set[int]:
        return {len(index.search("words", None)) % 3 for _ in range(20)}

    with ThreadPoolExecutor(6) as pool:
        writes = pool.map(write, range(3))
        seen = set().union(*pool.map(read, range(3)))
        list(writes)
    assert seen == {0}
    assert index.count() == 9


def test_replacing_and_removing_a_document(make: Make) -> None:
    index = make(ABC)
    index.replace("document", [("d", "fresh words")])
    assert index.count() == 1
    assert index.search("alpha", None) == []
    index.remove("document")
    index.remove("never there")
    assert (index.count(), index.search("fresh", None)) == (0, [])


def test_against_rank_bm25_where_its_idf_is_ours(make: Make) -> None:
    """rank-bm25 has another idf; with ours put in, both give the same scores."""
    texts = [f"{'red ' * (n % 4)}fish number{n} {'blue ' * (n % 3)}sea" for n in range(12)]
    corpus = [tokens(t) for t in texts]
    reference = BM25Okapi(corpus, k1=1.5, b=0.75)
    for word in reference.idf:
        having = sum(word in document for document in corpus)
        reference.idf[word] = float(np.log(1 + (len(corpus) - having + 0.5) / (having + 0.5)))
    expected = reference.get_scores(["red", "blue"])
    found = dict(make([(str(n), t) for n, t in enumerate(texts)]).search("red blue", None))
    for number, score in enumerate(expected):
        assert found.get(str(number), 0.0) == pytest.approx(score, abs=1e-9)
