"""Dated statements of a document: each sentence, turn or labelled line that a date belongs to, with its spans of time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import shorten

from retrieval.calendar import DAY, Span
from retrieval.dates import spans
from retrieval.ingest.labelled import INNER, LINE, spoken, subject_of
from retrieval.sentences import sentences

LONGEST_NAME = 80
HEAD_LABEL = re.compile(
    r"^\W*(?:date|time|sent|when|datum|held(?: on)?|received|created|posted|timestamp|session|meeting(?: date)?)\b[^:]{0,12}:",
    re.IGNORECASE,
)
TURN = re.compile(r"^\W{0,3}[^\W\d_][\w .'’\-]{0,40}:\s+\S")
SPEAKER = re.compile(r"^[A-ZÀ-Þ][\w.'’\-]*(?: [A-ZÀ-Þ][\w.'’\-]*){0,2}$")
WEEKDAY = re.compile(r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b,?", re.IGNORECASE)
MOST_BESIDE_A_DATE = 2
MOST_IN_A_HEADING = 8


@dataclass(frozen=True, slots=True)
class Dated:
    """One statement with its times, the one that it speaks of first; `stated` where it names one itself and is not only
    dated by what stands above it.
    """

    name: str
    text: str
    times: tuple[Span, ...]
    stated: bool = True


def dated(title: str, texts: Sequence[str]) -> list[list[Dated]]:
    """The dated statements of each text of a document, in order. A date that heads a chat, a letter or minutes holds for
    what follows it, also in later texts, and relative words there are meant from it; a name beside it is who speaks.
    """
    found, head, speaker, subject = [], None, "", subject_of(title)
    for text in texts:
        own: list[Dated] = []
        for unit in _units(text, dialogue=head is not None, turns=bool(speaker)):
            said = spans(unit, None if head is None else head.start)
            begun = _head(unit, said)
            if begun is not None:
                head, said = begun, spans(unit, begun.start)
                if _is_all_head(unit, said):
                    speaker = _speaker(unit, said)
                    continue
            own += _statements(subject, speaker, unit, head, [span for span, _, _ in said])
        found.append(own)
    return found


def _units(text: str, *, dialogue: bool, turns: bool) -> Iterator[str]:
    """Lines that open something, those that say who speaks in a dialogue, and those of a named speaker's turn, each alone;
    other lines by sentence.
    """
    plain: list[str] = []
    for line in text.splitlines():
        opens = _opens(line)
        if not opens and not turns and not (dialogue and TURN.match(line)):
            plain.append(line)
            continue
        yield from sentences("\n".join(plain))
        if line.strip():
            yield line.strip()
        plain, dialogue, turns = [], dialogue or opens, bool(_speaker(line, spans(line))) if opens else turns
    yield from sentences("\n".join(plain))


def _opens(line: str) -> bool:
    """Whether a line is no running text: a heading, a label of a date, a stamp, or a date with little beside it."""
    if line.lstrip().startswith(("#", "[")) or HEAD_LABEL.match(line) or _starts_dated(line):
        return True
    return len(line) <= LONGEST_NAME and any(c.isdigit() for c in line) and _head(line, spans(line)) is not None


STARTS_DATED = re.compile(r"^\W{0,3}(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{8})[T_,\s]+\d{1,2}:\d{2}")


def _starts_dated(line: str) -> bool:
    return STARTS_DATED.match(line) is not None


def _head(unit: str, said: Sequence[tuple[Span, int, int]]) -> Span | None:
    """The date of a line that dates what follows it: a label, a heading or a stamp with little beside it."""
    if not said or said[0][0].precision not in {"second", "minute", "day"}:
        return None
    span, begin, end = said[0]
    if HEAD_LABEL.match(unit) or _starts_dated(unit) or (unit[:1] == "[" and begin == 1):
        return span
    beside = WEEKDAY.sub("", unit[:begin] + unit[end:]).strip(" #*-–—_|()[]:,.").split()
    if unit.startswith("#"):
        return span if len(beside) <= MOST_IN_A_HEADING else None
    most = 0 if span.precision == "day" else MOST_BESIDE_A_DATE
    return span if len(beside) <= most and not unit.rstrip().endswith((".", "?", "!", ";")) else None


def _is_all_head(unit: str, said: Sequence[tuple[Span, int, int]]) -> bool:
    """Whether nothing is said on a date's own line."""
    if unit.startswith("#") or HEAD_LABEL.match(unit):
        return True
    return len(re.findall(r"\w+", unit[said[0][2] :])) <= MOST_BESIDE_A_DATE


def _speaker(unit: str, said: Sequence[tuple[Span, int, int]]) -> str:
    """The name beside a date that heads a turn (`# 2:14 pm on 3 September 2023 Deborah`), or ''."""
    if not said or HEAD_LABEL.match(unit):
        return ""
    beside = WEEKDAY.sub("", unit[: said[0][1]] + unit[said[0][2] :]).strip(" #*-–—_|()[]:,.")
    return beside if SPEAKER.match(beside) else ""


def _statements(subject: str, speaker: str, unit: str, head: Span | None, times: Sequence[Span]) -> Iterator[Dated]:
    if head is not None:
        text = f"{speaker}: {unit}" if speaker else unit
        yield Dated(_name(text), text, tuple(dict.fromkeys((*times, head))), stated=any(t != head for t in times))
        return
    if not times or unit.startswith("#"):
        return
    for part in INNER.split(unit):
        line = LINE.match(part)
        if line is None:
            yield from _undated_dropped(part)
            continue
        for piece in re.split(r";\s+", line[2]):
            yield from _undated_dropped(f"{subject} {spoken(line[1].strip())}: {piece.rstrip(' .;')}.")


def _undated_dropped(text: str) -> Iterator[Dated]:
    times = tuple(dict.fromkeys(span for span, _, _ in spans(text)))
    if times:
        yield Dated(_name(text), text, times)


def _name(text: str) -> str:
    """A short statement: the text up to so many characters."""
    return shorten(" ".join(text.split()), LONGEST_NAME, placeholder="…") or text[:LONGEST_NAME]


def is_range(span: Span) -> bool:
    """Whether a span is from one date to another, and no single unit of the calendar."""
    return span.precision == "span" and span.length > DAY
