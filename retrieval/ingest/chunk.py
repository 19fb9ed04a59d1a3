"""Text to chunks: words make sentences, those paragraphs, those chunks; joined they are the text (reference 10.5)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from retrieval.identity import chunk_id
from retrieval.model import Chunk, PageText
from retrieval.words import UNSPACED

CountTokens = Callable[[Sequence[str]], list[int]]

PARAGRAPH = re.compile(r"(?<=[.!?…:。！？])[ \t]*\n\s*|\n[ \t]*\n\s*|(?<=\n)(?=#{1,6} )|(?m:^#{1,6} .*\n+)")
SENTENCE = re.compile(r"[.;!?…]+[\"'”’)\]]*\s+|[。！？；]+[」』”’）]*\s*|\n")
# Scripts without spaces are cut between characters; what is too long to be a word of any is cut anywhere.
WORD = re.compile(rf"[{UNSPACED}]\s*|[^\s{UNSPACED}]{{1,2000}}\s*|\s+")
# A long run without spaces is one unknown token to most tokenizers, however long it is.
LETTERS_PER_TOKEN = 20
HEADING = re.compile(r"\s*#{1,6} \S")
SEPARATOR = 1


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a page that is not cut further: its tokens, and what its end is."""

    text: str
    size: int
    end: str
    opens_paragraph: bool


def chunk(document_id: str, pages: Sequence[PageText], count_tokens: CountTokens, max_tokens: int) -> list[Chunk]:
    """The chunks of a document, each within one page and at most `max_tokens` long where its words allow.

    Whole paragraphs are packed together; one that is too long is cut at sentence ends, and a sentence that is too long
    between words. A heading stays with what follows it.
    """
    drafts = [
        ("".join(p.text for p in group), group[-1].end, page.number)
        for page in pages
        for group in _packed(list(_pieces(page.text, count_tokens, max_tokens)), max_tokens)
    ]
    sizes = count_tokens([text for text, _, _ in drafts])
    seen: Counter[str] = Counter()
    chunks = []
    for index, ((text, end, page_number), size) in enumerate(zip(drafts, sizes, strict=True)):
        chunks.append(Chunk(chunk_id(document_id, text, seen[text]), index, text, size, end, page_number))
        seen[text] += 1
    return chunks


def _pieces(text: str, count_tokens: CountTokens, max_tokens: int) -> Iterator[Piece]:
    """Paragraphs, or sentences of too long ones, or word groups of too long sentences."""
    paragraphs = _cut(text, PARAGRAPH)
    for paragraph, size in zip(paragraphs, _sizes(paragraphs, count_tokens), strict=True):
        if size <= max_tokens:
            yield Piece(paragraph, size, _end_of(paragraph), opens_paragraph=True)
            continue
        parts = _cut(paragraph, SENTENCE)
        for position, (sentence, length) in enumerate(zip(parts, _sizes(parts, count_tokens), strict=True)):
            last = position == len(parts) - 1
            end = _end_of(paragraph) if last else "sentence_end"
            if length <= max_tokens:
                yield Piece(sentence, length, end, opens_paragraph=position == 0)
            else:
                yield from _word_groups(sentence, end, position == 0, count_tokens, max_tokens)


def _word_groups(
    sentence: str,
    end: str,
    opens: bool,
    count_tokens: CountTokens,
    max_tokens: int,
) -> Iterator[Piece]:
    """A too long sentence in groups of whole words."""
    words = WORD.findall(sentence)
    group, size = "", 0
    for word, length in zip(words, _sizes(words, count_tokens), strict=True):
        if group and size + length > max_tokens:
            yield Piece(group, size, "sentence_cut", opens)
            group, size, opens = "", 0, False
        group, size = group + word, size + length
    yield Piece(group, size, end, opens)


def _sizes(texts: Sequence[str], count_tokens: CountTokens) -> list[int]:
    """Tokens of each text, but no fewer than its letters need."""
    tokens = count_tokens(texts)
    return [max(n, sum(map(len, t.split())) // LETTERS_PER_TOKEN) for n, t in zip(tokens, texts, strict=True)]


def _packed(pieces: Sequence[Piece], max_tokens: int) -> Iterator[list[Piece]]:
    """Pieces in groups that fit; between paragraphs a separator counts one token."""
    group: list[Piece] = []
    size = 0
    for piece in pieces:
        grown = size + piece.size + (SEPARATOR if piece.opens_paragraph and group else 0)
        if group and grown > max_tokens:
            carried = _trailing_headings(group)
            yield group[: len(group) - len(carried)]
            group = [*carried, piece]
            size = sum(p.size for p in group) + SEPARATOR * len(carried)
        else:
            group.append(piece)
            size = grown
    if group:
        yield group


def _trailing_headings(group: Sequence[Piece]) -> list[Piece]:
    """Headings at the end of a group, unless it is nothing else."""
    at = len(group)
    while at > 1 and HEADING.match(group[at - 1].text):
        at -= 1
    return list(group[at:])


def _cut(text: str, ends: re.Pattern[str]) -> list[str]:
    """The text cut after every match; nothing is lost."""
    cuts = [0, *(m.end() for m in ends.finditer(text)), len(text)]
    return [text[a:b] for a, b in pairwise(cuts) if b > a]


def _end_of(paragraph: str) -> str:
    if paragraph.endswith("\n") or re.search(r"[.!?…。！？][\"'”’)\]]*\s*$", paragraph):
        return "paragraph_end"
    return "default"
