"""Titles of documents, found in texts as whole phrases: the links between passages that no one drew."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

WORD = re.compile(r"\w+")
QUALIFIER = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
LONGEST = 10
# A title of one short word, or of digits alone, stands in texts that do not mean it.
SHORTEST_WORD = 4


@dataclass(frozen=True, slots=True)
class Titles:
    """Phrases by their first word; each leads to the ids of the documents of that title."""

    by_first: Mapping[str, Mapping[tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)

    def named(self, text: str) -> dict[str, None]:
        """Ids of the documents whose titles stand in the text, in the order of their first mention.

        Of overlapping titles that begin with the same word the longest counts.
        """
        words = [(word, word.casefold()) for word in WORD.findall(text)]
        folded = tuple(own for _, own in words)
        found: dict[str, None] = {}
        for place, (word, first) in enumerate(words):
            phrases = self.by_first.get(first)
            if phrases is None:
                continue
            for length in range(min(LONGEST, len(folded) - place), 0, -1):
                documents = phrases.get(folded[place : place + length])
                if documents is not None and (length > 1 or not word.islower()):
                    found.update(dict.fromkeys(documents))
                    break
        return found


def titles(documents: Mapping[str, str]) -> Titles:
    """The titles of these documents (id: title), with and without a qualifier in brackets."""
    by_first: dict[str, dict[tuple[str, ...], tuple[str, ...]]] = defaultdict(dict)
    for document, title in documents.items():
        for phrase in dict.fromkeys(_phrases(title)):
            known = by_first[phrase[0]].get(phrase, ())
            by_first[phrase[0]][phrase] = (*known, document)
    return Titles(dict(by_first))


def _phrases(title: str) -> Iterator[tuple[str, ...]]:
    for form in (title, QUALIFIER.sub("", title)):
        phrase = tuple(word.casefold() for word in WORD.findall(form))
        if 1 < len(phrase) <= LONGEST or (
            len(phrase) == 1 and len(phrase[0]) >= SHORTEST_WORD and not phrase[0].isdigit()
        ):
            yield phrase
