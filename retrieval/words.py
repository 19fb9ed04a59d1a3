"""Words of a text: the tokens of lexical search, generated titles, and what counts as blank (reference 2.5, 3.4, 3.13)."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator
from functools import lru_cache

STOP_WORDS = frozenset(
    "a an the and or but is are was were in on at to for with by about of from as that this these those it its them they "
    "their he she his her him we our you your not be been being have has had do does did can could will would shall should "
    "may might must when where which who whom whose why how".split()
)
NO_STOP_WORDS: frozenset[str] = frozenset()


def _marks() -> str:
    """Every combining mark, as ranges of a character class: Python's own class of word characters has none of them."""
    codes = [code for code in range(0x300, 0x1F000) if unicodedata.category(chr(code)).startswith("M")]
    starts = [code for before, code in zip([0, *codes], codes, strict=False) if code != before + 1]
    ends = [code for code, after in zip(codes, [*codes[1:], 0], strict=True) if after != code + 1]
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))


# A word begins with a letter, digit or underscore; marks and joiners keep it together.
INNER = rf"[\w{_marks()}\u200c\u200d]"
WORD = re.compile(rf"\w{INNER}*")
# What a sign makes a word of its own: node.js, GOALS.md, .NET, C++, C#.
LETTER = r"[^\W\d_]"
SIGNED = rf"(?<!\w)(?:\.?{LETTER}{INNER}*(?:\.{INNER}+)+|\.{LETTER}\w*|{LETTER}\w*(?:\+\+|\#))(?![\w+\#])"
SIGNED_OR_WORD = re.compile(rf"{SIGNED}|\w{INNER}*")
# Scripts written without spaces between words: runs of them become character bigrams.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
RUN = re.compile(rf"(?P<unspaced>[{UNSPACED}]+)|[^{UNSPACED}]+")
UNSPACED_LETTER = re.compile(rf"(?=\w)[{UNSPACED}]")
# Soft hyphens and variation selectors change how a word looks, not which word it is.
UNSEEN_IN_WORDS = re.compile("[\u00ad\ufe00-\ufe0f\U000e0100-\U000e01ef]")
# Of a word's shape (U upper, l lower, d digit): its humps, and what makes it CamelCase; `PDFs` is none.
HUMP = re.compile(r"U+(?!l)|U?l+|d+")
CAMEL = re.compile(r"lU|dUl|UUll")
FILLERS = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")


def is_blank(text: str) -> bool:
    """Whether nothing of the text can be seen: only spaces of any kind, control and zero-width characters."""
    return all(c.isspace() or c in FILLERS or unicodedata.category(c) in {"Cc", "Cf"} for c in text)


def tokens(text: str, stop: Collection[str] = STOP_WORDS) -> list[str]:
    """Searchable words in order, repeated as often as they occur, without stop words.

    Compared without regard to case and composition. Unspaced scripts give character bigrams; snake_case, CamelCase and
    words with a sign in them (C++, .NET, node.js) are kept whole, beside their parts.
    """
    return [word for word in _words(_composed(text)) if word not in stop]


def query_tokens(text: str, stop: Collection[str] = STOP_WORDS) -> list[str]:
    """The tokens of a question; where it is all stop words, those, so that `the who` can be found."""
    return tokens(text, stop) or tokens(text, NO_STOP_WORDS)


def findable(text: str) -> Counter[str]:
    """How often each word occurs that a question may hold: stop words and single letters of unspaced scripts, too."""
    return Counter(tokens(text, NO_STOP_WORDS)) | Counter[str](UNSPACED_LETTER.findall(_composed(text)))


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", UNSEEN_IN_WORDS.sub("", text))


def _words(text: str) -> Iterator[str]:
    for run in RUN.finditer(text):
        if run["unspaced"]:
            for word in WORD.findall(run.group()):
                yield from (word[i : i + 2] for i in range(max(len(word) - 1, 1)))
        else:
            for found in SIGNED_OR_WORD.findall(run.group()):
                yield from _forms(found)


@lru_cache(maxsize=1 << 16)
def _forms(found: str) -> tuple[str, ...]:
    """The words of a signed word and itself; of any other, itself and its parts."""
    words = WORD.findall(found)
    forms = [form for word in words for form in (_folded(word), *_parts(word))]
    return tuple(forms if words == [found] else [*forms, _folded(found)])


def _parts(word: str) -> list[str]:
    """The parts of a snake_case or CamelCase word; of any other, none."""
    shape = "".join("_" if c == "_" else "U" if c.isupper() else "d" if c.isdigit() else "l" for c in word)
    if "_" not in shape and not CAMEL.search(shape):
        return []
    parts = [_folded(word[hump.start() : hump.end()]) for hump in HUMP.finditer(shape)]
    return [part for part in parts if part != _folded(word)]


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())


def title(text: str) -> str:
    """What a text without a name is called: its first seven words and its three most frequent ones (AC-C4)."""
    words = [word.lower().strip(string.punctuation) for word in text.split()]
    frequent = Counter(word for word in words if word and word not in STOP_WORDS).most_common(3)
    return f"{' '.join(text.split()[:7])}... [{', '.join(word for word, _ in frequent)}]"
