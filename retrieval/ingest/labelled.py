"""Facts of labelled lines (`Label: value; value`) and of statements about a document's subject, by rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# A label is a few words at the start of a line or sentence; times and web addresses are none.
LINE = re.compile(r"^\s*(?:[-*•]\s+)?(?:\*\*)?([A-Z][\w /&'()\-]{1,48}?)(?:\*\*)?\s*:\s+(\S.*)$")
INNER = re.compile(r"(?<=[.;]) +(?=[A-Z][\w /&'\-]{2,40}?: \S)")
POSSESSED = re.compile(r"^(?:Its|The) ([a-z][a-z ]{2,30}?) (?:is|was|are) ((?:the )?[A-Z][\w'’.\- ]{1,60}?)\.?$")
QUALIFIER = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
PARENTHESES = re.compile(r"\s*\(([^()]*)\)")
AMOUNT = re.compile(
    r"^(?P<name>.*?[^\W\d_][^\d]*?)[\s,]+(?P<amount>(?:[$€£]\s?)?\d[\d.,]*\s?(?:%|km|m|sq km|years?|million|billion|[a-z]{1,3})?)$"  # noqa: E501
)
TITLES = re.compile(
    r"^(?i:(?:first|second|acting|interim|deputy|vice|federal|grand|crown|heir apparent) )*"
    r"(?i:presidents?|prime ministers?|kings?|queens?|chancellors?|emperor|chairman|chairperson|governors?|ministers?|duke|"
    r"prince|princess|premiers?|dr|mr|mrs|ms|prof|sir)\.?\s+(?=[A-Z])"
)
ROMAN = re.compile(r"^[IVXL]+$")
DATE = re.compile(
    r"\b(?:\d{1,2}\s+)?(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d{4}\b"
    r"|\b\d{4}-\d{2}-\d{2}\b|\b(?:1[0-9]|20)\d{2}\b"
)
DATE_START = re.compile(rf"^(?:{DATE.pattern})")
NAME = re.compile(r"^[^\W\d_a-z]")
MOST_WORDS = 6
LONGEST_LABEL_WORDS = 6


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a labelled line: what it names, the phrase that says all of it, and what kind of thing it looks like."""

    name: str
    phrase: str
    kind: str


@dataclass(frozen=True, slots=True)
class Labelled:
    """One statement about the subject: its label as written, one value, and a sentence that says it."""

    label: str
    value: Value
    text: str

    @property
    def relationship(self) -> str:
        """The label as a relationship's name."""
        return re.sub(r"\W+", "_", self.label.lower()).strip("_")


def subject_of(title: str) -> str:
    """What a title is about: without an article, a qualifier in brackets, and a file's ending."""
    plain = re.sub(r"^(?:the|an?)\s+", "", QUALIFIER.sub("", title.strip()).strip(), flags=re.IGNORECASE)
    return re.sub(r"\.(?:md|txt|pdf|html?|docx?)$", "", plain or title.strip(), flags=re.IGNORECASE)


def labelled(subject: str, text: str) -> Iterator[Labelled]:
    """The statements of all labelled lines and possessed things (`Its capital is Tallinn.`) of a text, in order."""
    for line in (part for raw in text.splitlines() for part in INNER.split(raw)):
        match = LINE.match(line)
        if match and len(match.group(1).split()) <= LONGEST_LABEL_WORDS and "//" not in match.group(1):
            yield from _line(subject, match.group(1).strip(), match.group(2).strip())
            continue
        for sentence in re.split(r"(?<=[.!?])\s+", line):
            owned = POSSESSED.match(sentence.strip())
            if owned:
                name = owned.group(2).removesuffix(".")
                value = Value(name, name, "Place" if "capital" in owned.group(1) else "")
                yield Labelled(owned.group(1), value, f"The {owned.group(1)} of {subject} is {name}.")


def joined(texts: Sequence[str]) -> list[str]:
    """The texts with each labelled line that runs on in the next one made whole there: its label is said again, and a
    value that was cut in two stands with its second half.
    """
    whole, open_line = [], ""
    for text in texts:
        text, line = open_line + text, ""
        last = INNER.split(text[text.rfind("\n") + 1 :])[-1]
        label = LINE.match(last)
        # A chunk that was cut inside a line ends with the space after a word; a page or a paragraph does not.
        if label and last.endswith(" ") and not last.rstrip().endswith((".", "!", "?")):
            cut = max(last.rfind(", ") + 2, last.rfind("; ") + 2, label.start(2))
            line, text = f"{label.group(1)}: {last[cut:]}", text[: len(text) - len(last) + cut]
        whole.append(text)
        open_line = line
    return whole


def _line(subject: str, label: str, text: str) -> Iterator[Labelled]:
    for value in values(text):
        yield Labelled(label, value, f"{subject} {spoken(label)}: {value.phrase}.")


def spoken(label: str) -> str:
    """The label in running text: small, but for names and abbreviations."""
    return label if label.isupper() else label[0].lower() + label[1:]


def values(text: str) -> list[Value]:
    """The things that a labelled value names: dates, names with an amount or a remark, short phrases.

    A long sentence is no value: it is prose, which other rules read.
    """
    found = []
    for part in _parts(text.rstrip(". ")):
        value = _value(part)
        if value is not None:
            found.append(value)
    return found


def _parts(text: str) -> list[str]:
    """The text cut at semicolons and commas that are not inside brackets or numbers."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        number = char == "," and text[at - 1 : at].isdigit() and text[at + 1 : at + 2].isdigit()
        if char in ",;" and depth <= 0 and not number:
            parts.append(text[start:at])
            start = at + 1
    return [part.strip() for part in (*parts, text[start:]) if part.strip()]


def _value(part: str) -> Value | None:
    remarks = "".join(f" ({remark})" for remark in PARENTHESES.findall(part))
    plain = " ".join(PARENTHESES.sub("", part).split())
    date = DATE_START.match(plain)
    if date:
        return Value(date.group(), plain + remarks, "Date")
    amount = AMOUNT.match(plain) if not DATE.search(plain) else None
    named = amount.group("name").strip() if amount else plain
    titled = TITLES.match(named)
    name = named[titled.end() :] if titled else named
    words = name.split()
    if not NAME.match(name) or len(words) > MOST_WORDS or 2 * sum(not w[0].islower() for w in words) < len(words):
        return None
    person = bool(titled) or bool(re.search(r"\bsince\b", remarks))
    shown = capitalised(name) if person else name
    return Value(shown, plain.replace(name, shown) + remarks, "Person" if person else "")


def capitalised(name: str) -> str:
    """A name whose surname is written in capitals, as it is usually written; numerals and initials stay."""
    words = name.split()
    loud = any(len(w) > 2 and w.isupper() and not ROMAN.match(w) for w in words)
    return " ".join(
        w
        if ROMAN.match(w) or not w.isupper() or len(w) < (2 if loud else 3)
        else "-".join(map(str.capitalize, w.split("-")))
        for w in words
    )
