"""Chunking: lossless, sized, with cut types (acceptance 12.14)."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from retrieval.ingest.chunk import chunk
from retrieval.model import Chunk, PageText

DOCUMENT = "11111111-1111-1111-1111-111111111111"


def two_a_word(texts: Sequence[str]) -> list[int]:
    return [2 * len(text.split()) for text in texts]


def one_per_four_letters(texts: Sequence[str]) -> list[int]:
    return [max(len(text) // 4, 1) for text in texts]


def chunks(text: str, limit: int = 10) -> list[Chunk]:
    return chunk(DOCUMENT, [PageText(None, text)], two_a_word, limit)


def test_empty_text_has_no_chunks() -> None:
    assert chunks("") == []


def test_white_space_is_one_chunk_of_it() -> None:
    assert [c.text for c in chunks("  \n ")] == ["  \n "]


def test_a_short_paragraph_is_one_chunk() -> None:
    [only] = chunks("Short text.")
    assert (only.index, only.text, only.size, only.cut_type) == (0, "Short text.", 4, "paragraph_end")


def test_what_does_not_fit_is_cut_between_words() -> None:
    found = chunks("word " * 5 + "Short text.")
    assert [c.cut_type for c in found] == ["sentence_cut", "paragraph_end"]


def test_one_word_may_be_larger_than_a_chunk() -> None:
    text = "A" * 1500 + ". Next sentence."
    found = chunk(DOCUMENT, [PageText(None, text)], one_per_four_letters, 50)
    assert [len(c.text) > 1000 for c in found] == [True, False]


def test_forty_paragraphs_are_packed_two_and_two() -> None:
    found = chunks("\n\n".join("w " * 11 + "w" for _ in range(40)), 49)
    assert len(found) == 20


def test_long_paragraphs_are_cut_at_sentence_ends() -> None:
    found = chunks("One two three four. Five six seven eight. Nine ten.", 10)
    assert [c.text for c in found] == ["One two three four. ", "Five six seven eight. ", "Nine ten."]
    assert [c.cut_type for c in found] == ["sentence_end", "sentence_end", "paragraph_end"]


def test_full_stops_of_other_scripts_end_sentences() -> None:
    found = chunk(DOCUMENT, [PageText(None, "これは文です。次の文です。")], one_per_four_letters, 1)
    assert [c.text for c in found] == ["これは文です。", "次の文です。"]


def test_scripts_without_spaces_are_cut_between_characters() -> None:
    text = "国際標準化に関する動向と" * 20
    found = chunk(DOCUMENT, [PageText(None, text)], lambda texts: [len(t) for t in texts], 50)
    assert "".join(c.text for c in found) == text
    assert max(c.size for c in found) == 50


def test_a_run_that_is_no_word_is_cut_even_if_the_tokenizer_calls_it_one_token() -> None:
    found = chunk(DOCUMENT, [PageText(None, "QUJD" * 5000)], lambda texts: [1] * len(texts), 50)
    assert max(len(c.text) for c in found) <= 2000


def test_a_heading_stays_with_what_follows() -> None:
    found = chunks("one two three four\n\n# Heading\n\nfive six seven.\n", 12)
    assert [c.text.strip().splitlines()[0] for c in found] == ["one two three four", "# Heading"]


def test_chunks_do_not_span_pages_and_know_them() -> None:
    found = chunk(DOCUMENT, [PageText(1, "One."), PageText(3, "Three.")], two_a_word, 100)
    assert [(c.index, c.page, c.text) for c in found] == [(0, 1, "One."), (1, 3, "Three.")]


def test_equal_chunks_have_ids_of_their_own() -> None:
    found = chunk(DOCUMENT, [PageText(1, "Same."), PageText(2, "Same.")], two_a_word, 100)
    assert len({c.id for c in found}) == 2


@given(st.text(alphabet=st.sampled_from("ab .!?\n#。é\t-1"), max_size=300), st.integers(1, 30))
def test_chunks_joined_again_are_the_text(text: str, limit: int) -> None:
    found = chunks(text, limit)
    assert "".join(c.text for c in found) == text
    assert [c.index for c in found] == list(range(len(found)))
    assert all(c.text for c in found)
