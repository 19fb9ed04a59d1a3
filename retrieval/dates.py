"""Dates in plain words, by rule: what a text says, with relative words resolved, and what a question asks of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum

from retrieval.calendar import DAY, Span, at_clock, civil, of_day, of_month, third
from retrieval.date_words import ABSOLUTE, COMING, HINT, IN_TIME, RELATIVE, Match, Said, range_of
from retrieval.model import Window

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
CLOCK = r"(\d{1,2})(?::(\d{2})(?::(\d{2}))?\s*([ap]\.?m\b\.?)?|\s*([ap]\.?m\b\.?))\s*(Z\b|[+-]\d{2}:?\d{2})?"
CLOCK_AFTER = re.compile(rf"(?:,?\s*(?:at\s+)?|[T_])\(?{CLOCK}", re.IGNORECASE)
CLOCK_BEFORE = re.compile(rf"(?<![\d:]){CLOCK}(?:,?\s*on)?,?\s*$", re.IGNORECASE)
JOINED = re.compile(r"\s*(?:-|–|—|−|‒|/|to|through|thru|until|till)\s*", re.IGNORECASE)
LISTED = re.compile(r"(?:\s*,)?\s*(?:and|&)\s+|\s*,\s+", re.IGNORECASE)
BETWEEN = re.compile(r"\bbetween\s+(?:the\s+)?(?:years\s+)?$", re.IGNORECASE)
PART = re.compile(
    r"\b(early|beginning of|start of|mid|middle of|late|end of)(?:[-\s]+|\s+in\s+)(?:the\s+)?(?:year\s+)?$",
    re.IGNORECASE,
)
PARTS = {"early": 0, "beginning of": 0, "start of": 0, "mid": 1, "middle of": 1, "late": 2, "end of": 2}


class NoWindow(StrEnum):
    """Why a question has no window of time."""

    UNSAID = "no_time_constraint"
    INVALID = "invalid_interval"


def instant(now: datetime | int | None) -> int | None:
    """A reference time in milliseconds; a naive datetime counts as UTC."""
    if not isinstance(now, datetime):
        return now
    aware = now if now.tzinfo else now.replace(tzinfo=UTC)
    return round((aware - EPOCH).total_seconds() * 1000)


# ------------------------------------------------------------------ what is asked of the grammar


def spans(text: str, now: datetime | int | None = None) -> list[tuple[Span, int, int]]:
    """The dates that a text says, each (span, from character, to character), in order. Relative words and dates without
    a year are resolved against `now`, and left out without it.
    """
    found = [_whole(said, instant(now)) for said in _said(text, instant(now))]
    return [(said.span, said.begin, said.end) for said in found if said.span is not None]


def timestamp(text: str) -> Span | None:
    """The year, month, day, moment or range that a text is and nothing else; None for any other, also for parts of the
    calendar (decades) and for what needs a reference time.
    """
    plain = re.sub(r"^(?:from|between|in|on|at|c\.|ca\.|circa)\s+", "", text.strip(" \t\n.,;()[]"), flags=re.IGNORECASE)
    whole = _said(f"between {plain}" if re.search(r"\sand\s", plain) else plain, None)
    if len(whole) != 1 or whole[0].span is None or whole[0].end - whole[0].begin < len(plain):
        return None
    span = whole[0].span
    return span if span.precision in {"year", "month", "day", "minute", "second", "span"} else None


def window(question: str, now: datetime | int) -> Window | None:
    """The time that a question asks of; None where it asks of none, or of an impossible one."""
    asked = asked_of(question, now)
    return asked if isinstance(asked, Window) else None


def asked_of(question: str, now: datetime | int) -> Window | NoWindow:
    """The time that a question asks of, or why there is none: all of its limits together, where they leave something."""
    at = instant(now)
    past = not COMING.search(question)
    found = [_whole(said, at, past=past) for said in _said(question, at, past=past)]
    if any(said.impossible for said in found):
        return NoWindow.INVALID
    limits = [limit for said in found if (limit := _limits(question, said)) != (None, None)]
    if not limits:
        return NoWindow.UNSAID
    start = max((s for s, _ in limits if s is not None), default=None)
    until = min((u for _, u in limits if u is not None), default=None)
    if start is not None and until is not None and start >= until:
        # Two times apart (in 1991 or in 1993) are no limit; an end before its start is none that there could be.
        apart = sum(None not in limit for limit in limits) > 1
        return NoWindow.UNSAID if apart else NoWindow.INVALID
    return Window(start, until)


def between(start: str | None, until: str | None) -> Window | NoWindow:
    """The window from the start of one date to the start of another, each a text or None for an open side."""
    ends = [None if text is None else timestamp(text) for text in (start, until)]
    if start is None and until is None:
        return NoWindow.UNSAID
    if any(text is not None and end is None for text, end in zip((start, until), ends, strict=True)):
        return NoWindow.INVALID
    first, last = (end.start if end else None for end in ends)
    return NoWindow.INVALID if first is not None and last is not None and first >= last else Window(first, last)


def asks_when(question: str) -> bool:
    """Whether a question asks for a date: it is about dated events, without saying which time."""
    return bool(WHEN.search(question))


WHEN = re.compile(
    r"\b(?:when|how long (?:ago|has|have|had|did)"
    r"|(?:what|which)\s+(?:\w+\s+)?(?:dates?|days?|months?|years?|decades?|century|time)"
    r"|dates? of|how many (?:days|weeks|months|years) (?:ago|has|have|had|did|passed|after|before|between))\b",
    re.IGNORECASE,
)

# ------------------------------------------------------------------ limits

BEFORE = r"(?:before|prior to|earlier than|preceding|up to but not including)"
UNTIL = r"(?:until|till|til|through|up to|as of|by|no later than|not after|to the end of|by the end of)"
AFTER = r"(?:after|later than|following|subsequent to|past)"
SINCE = r"(?:since|starting(?: in| from)?|beginning(?: in)?|as early as|from|as from|no earlier than|not before)"
ARTICLES = r"\s+(?:the\s+)?(?:year\s+|month\s+of\s+|end\s+of\s+|start\s+of\s+)?$"
CUES = [
    (name, re.compile(rf"\b{cue}{ARTICLES}", re.IGNORECASE))
    for name, cue in (
        ("either", r"(?:before|until|till) (?:or|and|nor) (?:after|since)"),
        ("not before", r"(?:no earlier than|not before|(?:on|in|at|during) or (?:after|since))"),
        ("until", r"(?:on|in|at|during) or before"),
        ("before", BEFORE),
        ("until", UNTIL),
        ("after", AFTER),
        ("since", SINCE),
    )
]
ENDED = r"(?=\s*(?:[?.,;:!)]|$))"
ONWARDS = re.compile(rf",?\s+(?:onwards?\b|(?:on|(?:or|and) (?:later|after|since)){ENDED})", re.IGNORECASE)
BACKWARDS = re.compile(rf",?\s+(?:or|and) (?:earlier|before){ENDED}", re.IGNORECASE)


def _limits(text: str, said: Said) -> tuple[int | None, int | None]:
    """(start, until) of one date with the words around it."""
    if said.span is None:
        return None, None
    start, until = said.span.start, said.span.until
    if BACKWARDS.match(text, said.end):
        return None, until
    before = text[: said.begin]
    cue = next((name for name, pattern in CUES if pattern.search(before)), "")
    onwards = ONWARDS.match(text, said.end) is not None
    if cue == "since" and re.search(r"\bfrom" + ARTICLES, before, re.IGNORECASE) and not onwards:
        cue = "in"
    if onwards or cue in {"since", "not before"}:
        return start, None
    limits = {"before": (None, start), "until": (None, until), "after": (until, None), "either": (None, None)}
    return limits.get(cue, (start, until))


# ------------------------------------------------------------------ all dates of a text
def _said(text: str, now: int | None, *, past: bool = False) -> list[Said]:
    """The dates of a text in order, ranges joined; bare months and yearless days are complete only in a range."""
    if not HINT.search(text):
        return []
    found = sorted(_single(text, now), key=lambda said: said.begin)
    found = [_clocked(text, said) for said in found]
    whole = [_part(text, said) for said in _joined(text, found, now, past=past)]
    return [
        said
        for said in whole
        if said.span or said.impossible or (said.yearless and said.yearless[1]) or _timed(text, said)
    ]


def _timed(text: str, said: Said) -> bool:
    """Whether a month's name alone is one: `may` and `march` are words too."""
    return IN_TIME.search(text, max(0, said.begin - 24), said.begin) is not None


def _single(text: str, now: int | None) -> Iterator[Said]:
    taken = bytearray(len(text) + 1)
    for forms, at in ((ABSOLUTE, 0), (RELATIVE, now)):
        if at is None:
            continue
        for pattern, of in forms:
            for match in pattern.finditer(text):
                begin, end = match.span()
                if any(taken[begin:end]):
                    continue
                said = _of(match, of, at, relative=forms is RELATIVE)
                if said is not None:
                    taken[begin:end] = b"\1" * (end - begin)
                    yield said


def _of(match: Match, of: Callable[[Match, int], Span | Said | None], now: int, *, relative: bool) -> Said | None:
    try:
        made = of(match, now)
    except ValueError:
        return Said(match.start(), match.end())
    if isinstance(made, Span):
        return Said(match.start(), match.end(), made, relative=relative)
    return made


def _clocked(text: str, said: Said) -> Said:
    """The date with the time of day that stands beside it."""
    if said.span is None or said.span.precision != "day":
        return said
    after, before = CLOCK_AFTER.match(text, said.end), CLOCK_BEFORE.search(text[max(0, said.begin - 32) : said.begin])
    clock = after or before
    if clock is None:
        return said
    hour, minute = int(clock[1]), int(clock[2] or 0)
    half = (clock[4] or clock[5] or "").lower()[:1]
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    try:
        span = at_clock(said.span, hour, minute, int(clock[3]) if clock[3] else None)
    except ValueError:
        return said
    shift = _offset(clock[6])
    span = Span(span.start - shift, span.until - shift, span.precision)
    if after:
        return replace(said, end=after.end(), span=span)
    return replace(said, begin=said.begin - len(before[0]) if before else said.begin, span=span)


def _offset(zone: str | None) -> int:
    """Milliseconds that a zone is ahead of UTC."""
    if not zone or zone in "Zz":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return (-minutes if zone[0] == "-" else minutes) * 60_000


def _joined(text: str, found: Sequence[Said], now: int | None, *, past: bool) -> list[Said]:
    """Two dates with a dash or `to` between them as one range; `and` joins them after `between`, and where one follows the
    other at once.
    """
    joined: list[Said] = []
    for said in found:
        whole = _whole_range(text, joined[-1], said, now, past=past) if joined else None
        if whole is None:
            joined.append(said)
        else:
            joined[-1] = whole
    return joined


def _whole_range(text: str, one: Said, other: Said, now: int | None, *, past: bool) -> Said | None:
    """The range from one date to another, if the words between them make one; what one lacks is taken from the other."""
    gap = text[one.end : other.begin]
    listed = LISTED.fullmatch(gap) is not None
    ranged = JOINED.fullmatch(gap) is not None or (listed and BETWEEN.search(text, 0, one.begin) is not None)
    if one.impossible or other.impossible or not (listed or ranged):
        return None
    if one.span is None and other.span is None:
        one = _whole(one, now, past=past)
    first = one.span or _completed(one, other.span, before=True)
    last = other.span or _completed(other, first, before=False)
    if first is None or last is None or (not ranged and first.until != last.start):
        return None
    span = range_of(first, last)
    return None if span is None else Said(one.begin, other.end, span, relative=one.relative or other.relative)


def _completed(said: Said, other: Span | None, *, before: bool) -> Span | None:
    """A date without a year as the last one before another, or the next one after it."""
    if other is None:
        return None
    year = civil(other.start // DAY)[0]
    near = [_in_year(said, y) for y in ((year, year - 1) if before else (year, year + 1))]
    fitting = [s for s in near if s is not None and (s.start <= other.start if before else s.start >= other.start)]
    return fitting[0] if fitting else None


def _in_year(said: Said, year: int) -> Span | None:
    """The days or the month of a date without a year in this one; None where it has none such."""
    if said.yearless is None:
        return None
    month, first, last = said.yearless
    if first is None or last is None:
        return of_month(year, month)
    try:
        one, other = of_day(year, month, first), of_day(year, month, last)
    except ValueError:
        return None
    return one if first == last else range_of(one, other)


def _part(text: str, said: Said) -> Said:
    """`early`, `mid` or `late` before a month, a year or more: a third of it."""
    part = PART.search(text, max(0, said.begin - 28), said.begin)
    if part is None or said.span is None or said.span.precision in {"second", "minute", "day", "week", "span"}:
        return said
    return replace(said, begin=part.start(), span=third(said.span, PARTS[" ".join(part[1].lower().split())]))


def _whole(said: Said, now: int | None, *, past: bool = False) -> Said:
    """The date with the year that it lacks: the nearest to `now`, or the last one that began before it."""
    if said.span is not None or said.impossible:
        return said
    if now is None:
        return said
    year = civil(now // DAY)[0]
    near = [span for y in range(year - 4, year + 5) if (span := _in_year(said, y)) is not None]
    if past:
        near = [span for span in near if span.start <= now] or near
    return replace(said, span=min(near, key=lambda span: abs(span.start - now)), relative=True)
