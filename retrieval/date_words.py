"""Single dates in words: each form of an absolute or a relative date, and the span that it means."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from retrieval.calendar import (
    DAY,
    Span,
    civil,
    days,
    month_length,
    months_on,
    of_century,
    of_day,
    of_days,
    of_decade,
    of_month,
    of_months,
    of_year,
    of_years,
)

MONTH_STARTS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
NUMBERS = {
    **{word: n for n, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)},
    "a": 1,
    "an": 1,
    "couple": 2,
    "few": 3,
    "several": 3,
}
ORDINALS = {
    word: n
    for n, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first".split(),
        1,
    )
}
FIRST_BARE, LAST_BARE = 1000, 2199

M = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b\.?"
)
ERA = r"(?:\s*(?-i:BCE|CE|BC|AD|B\.C\.E\.|B\.C\.|A\.D\.|C\.E\.)(?!\w))"
Y = rf"(?:\d{{4}}(?![\d])(?:{ERA})?|\d{{1,6}}{ERA}|(?-i:AD|A\.D\.)\s*\d{{1,4}})"
D = r"(?:0?[1-9]|[12]\d|3\d)(?:st|nd|rd|th)?(?!\d)"
DASH = r"\s*(?:-|–|—|−|‒|to|through|thru|until|till)\s*"
N = r"(?:\d{1,3}|a couple of|a few|" + "|".join(NUMBERS) + r")"
UNIT = r"(?:day|week|fortnight|month|quarter|year|decade|centur)"
WEEKDAY = "|".join(WEEKDAYS)
IN_TIME = re.compile(
    r"\b(?:in|during|since|until|till|by|before|after|from|to|through|throughout|of|around|between|and|last|this|next|"
    r"early|mid|late|every|for|on)[\s-]+(?:the\s+(?:month\s+of\s+)?)?$",
    re.IGNORECASE,
)
UNITS = re.compile(
    r"\s*(?:%|°|(?:people|persons|men|women|km|m|kg|cm|mm|ml|kb|mb|gb|hz|usd|eur|dollars|euros|percent|million|billion|thousand|sq|"
    r"feet|ft|meters|metres|miles|kcal|cal|mw|kw|tons?|tonnes|times|words|tokens|pages)\b)",
    re.IGNORECASE,
)
PLURAL = re.compile(r"\s+(?!(?:was|has|is|as|this|its|his|does)\b)[a-z]+s\b")
PAST_TENSE = re.compile(r"\b(?:was|were|had|did|went|came|saw|got|took|made|met|\w{3,}ed)\b", re.IGNORECASE)
COMING = re.compile(r"\b(?:will|going to|shall|let'?s|see you|are you|can|could|plan\w*)\b|['’]ll\b", re.IGNORECASE)
HINT = re.compile(
    rf"\d|\b(?:{M}|{WEEKDAY}|yesterday|today|tonight|tomorrow|last|past|this|next|ago|previous|coming|following|centur|millenni|later|earlier|days?\b|weeks?\b|months?\b|years?\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Said:
    """A date at text[begin:end]: its span, or (month, first day, last day) where it lacks a year, the days None for a whole
    month; neither where the calendar has no such day.
    """

    begin: int
    end: int
    span: Span | None = None
    yearless: tuple[int, int | None, int | None] | None = None
    relative: bool = False

    @property
    def impossible(self) -> bool:
        """Whether it is written like a date and is none."""
        return self.span is None and self.yearless is None


def range_of(first: Span, last: Span) -> Span | None:
    """From the start of one span to the end of another; None where that is not after it."""
    return Span(first.start, last.until, "span") if first.start < last.until else None


# ------------------------------------------------------------------ single dates


def _year(text: str) -> int:
    """The astronomical year of `1950`, `44 BCE`, `AD 79`."""
    number = int(re.sub(r"\D", "", text))
    if re.search(r"B\.?C", text):
        if number == 0:
            raise ValueError("There is no year 0 BCE.")
        return 1 - number
    return number


def _month(text: str) -> int:
    return MONTH_STARTS.index(text[:3].lower()) + 1


def _number(text: str) -> int:
    last = text.lower().replace(" of", "").split()[-1]
    return NUMBERS[last] if last in NUMBERS else int(re.sub(r"\D", "", last))


def _ordinal(text: str) -> int:
    return ORDINALS.get(text.lower()) or int(re.sub(r"\D", "", text))


Match = re.Match[str]
Form = tuple[re.Pattern[str], Callable[[Match, int], "Span | Said | None"]]


def _day(match: Match, day: str, month: int, year: str | None) -> Span | Said:
    number = int(re.sub(r"\D", "", day))
    if year is not None:
        return of_day(_year(year), month, number)
    of_day(2000, month, number)
    return Said(match.start(), match.end(), yearless=(month, number, number))


def _day_in_words(match: Match, _: int) -> Span | Said | None:
    month = match["month"]
    if match["year"] is None and month in {"may", "mar", "march", "sep", "dec", "jan"}:
        return None
    return _day(match, match["day"], _month(month), match["year"])


def _days_in_words(match: Match, _: int) -> Span | Said | None:
    first, last = (_day(match, match[name], _month(match["month"]), match["year"]) for name in ("day", "last"))
    if isinstance(first, Span) and isinstance(last, Span):
        return range_of(first, last)
    if isinstance(first, Span) or isinstance(last, Span) or first.yearless is None or last.yearless is None:
        return None
    return replace(last, yearless=(last.yearless[0], first.yearless[1], last.yearless[1]))


def _slashed(match: Match, _: int) -> Span | None:
    """A day in numbers alone where one reading only is possible; with dots the day comes first."""
    one, other, year = int(match[1]), int(match[3]), int(match[4])
    if match[2] == "." or one > 12 or one == other:
        return of_day(year, other, one)
    return of_day(year, one, other) if other > 12 else None


def _compact(match: Match, _: int) -> Span | None:
    year, month, day = int(match[1]), int(match[2]), int(match[3])
    try:
        return of_day(year, month, day) if 1800 <= year <= LAST_BARE else None
    except ValueError:
        return None


def _before_christ(match: Match, _: int) -> Span:
    year = -int(match[1])
    if match[2] is None:
        return of_year(year)
    return of_month(year, int(match[2])) if match[3] is None else of_day(year, int(match[2]), int(match[3]))


def _quarter(match: Match, _: int) -> Span:
    number = next(g for g in (match["q"], match["q2"], match["words"]) if g)
    place = 4 if number.lower() == "last" else _ordinal(number)
    year = _year(match["year"] or match["year2"])
    return of_months(year, 3 * place - 2, 3, "quarter")


def _half(match: Match, _: int) -> Span:
    """The first or second half of a year or of a month, which has fifteen days in its first half."""
    second = (match[1] or match[2]).lower() not in {"first", "1"}
    year = _year(match[4])
    if match[3] is None:
        return of_months(year, 7 if second else 1, 6)
    month = of_month(year, _month(match[3]))
    middle = month.start + 15 * DAY
    return Span(middle, month.until, "span") if second else Span(month.start, middle, "span")


def _week_of(match: Match, _: int) -> Span:
    """`the last week of August 2023`: seven days from the start, or to the end, of the month."""
    month = of_month(_year(match[3]), _month(match[2]))
    if match[1].lower() in {"last", "final"}:
        return Span(month.until - 7 * DAY, month.until, "week")
    return of_days(month.start // DAY + 7 * (_ordinal(match[1]) - 1), 7, "week")


def _season(year: int, name: str) -> Span:
    return of_months(year, SEASONS[name.lower()], 3)


def _years_of_era(match: Match, _: int) -> Span | None:
    """`500-300 BCE`: the era stands with the last year and holds for both."""
    return range_of(of_year(_year(match[1] + match[3])), of_year(_year(match[2])))


def _decade(match: Match, _: int) -> Span:
    year, era = int(match[1]) * 10, match[2]
    if era and "B" in era:
        return of_decade(-year - 8)
    return of_years(year, 100, "century") if year % 100 == 0 and year < 1900 else of_decade(year)


def _century(match: Match, _: int) -> Span:
    number = _ordinal(match[1])
    thousand = match[2].lower().startswith("mill")
    sign = -1 if match[3] and "B" in match[3] else 1
    return of_century(sign * number, 1000 if thousand else 100, "millennium" if thousand else "century")


def _short_range(match: Match, _: int) -> Span | None:
    first = int(match[1])
    last = first // 100 * 100 + int(match[2])
    return range_of(of_year(first), of_year(last)) if FIRST_BARE <= first < last else None


def _bare_year(match: Match, _: int) -> Span | None:
    """Four digits alone where they count nothing."""
    year, text = int(match[0]), match.string
    if not FIRST_BARE <= year <= LAST_BARE:
        return None
    timed = IN_TIME.search(text, max(0, match.start() - 24), match.start())
    if UNITS.match(text, match.end()) or (PLURAL.match(text, match.end()) and not timed):
        return None
    return of_year(year)


def _bare_month(match: Match, _: int) -> Said | None:
    return Said(match.start(), match.end(), yearless=(_month(match[0]), None, None))


def _form(pattern: str, of: Callable[[Match, int], Span | Said | None]) -> Form:
    return re.compile(pattern, re.IGNORECASE), of


ABSOLUTE: Sequence[Form] = (
    _form(
        r"(?<![\w./-])(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?![\d/-])", lambda m, _: of_day(int(m[1]), int(m[3]), int(m[4]))
    ),
    _form(r"(?<![\w.])(\d{4})(\d{2})(\d{2})(?![\dA-SU-Za-su-z.])", _compact),
    _form(r"(?<![\w.–-])-(0\d{3})(?:-(\d\d)(?:-(\d\d))?)?(?![\w])", _before_christ),
    _form(r"(?<![\w./-])(\d{4})-(0[1-9]|1[0-2])(?![\w-])", lambda m, _: of_month(int(m[1]), int(m[2]))),
    _form(r"(?<![\w/.])(\d{1,2})([/.])(\d{1,2})\2(\d{4})(?![\w/])", _slashed),
    _form(
        rf"(?<![\w.])(?P<day>{D}){DASH}(?P<last>{D})\s+(?:of\s+)?(?P<month>{M})(?:,?\s*(?P<year>{Y}))?", _days_in_words
    ),
    _form(rf"\b(?P<month>{M})\s*(?P<day>{D}){DASH}(?P<last>{D})(?!\s*{M})(?:,?\s*(?P<year>{Y}))?", _days_in_words),
    _form(
        rf"(?<=between )(?P<day>{D})\s+and\s+(?P<last>{D})\s+(?:of\s+)?(?P<month>{M})(?:,?\s*(?P<year>{Y}))?",
        _days_in_words,
    ),
    _form(rf"(?<=between )(?P<month>{M})\s*(?P<day>{D})\s+and\s+(?P<last>{D})(?:,?\s*(?P<year>{Y}))?", _days_in_words),
    _form(rf"(?<![\w.])(\d{{1,5}})(?:{DASH}|\s+and\s+)(\d{{1,5}}({ERA}))", _years_of_era),
    _form(rf"(?<![\w.])(?P<day>{D})[\s-]*(?:of\s+)?(?P<month>{M})(?:[,\s-]*(?P<year>{Y}))?", _day_in_words),
    _form(rf"\b(?P<month>{M})\s*(?:the\s+)?(?P<day>{D})(?!:)(?:,?\s*(?P<year>{Y}))?", _day_in_words),
    _form(
        rf"\b(?:Q(?P<q>[1-4])[\s,/-]*(?:of\s+)?(?P<year>{Y})|(?P<year2>\d{{4}})[\s-]*Q(?P<q2>[1-4])\b)(?P<words>(?!))?",
        _quarter,
    ),
    _form(
        rf"\b(?P<words>first|second|third|fourth|last|[1-4](?:st|nd|rd|th))\s+quarter\s+(?:(?:of|in)\s+)?(?:the\s+)?(?:year\s+)?"
        rf"(?P<year>{Y})(?P<q>(?!))?(?P<q2>(?!))?(?P<year2>(?!))?",
        _quarter,
    ),
    _form(
        rf"\b(?:(?:the\s+)?(first|second|last|latter)\s+half\s+of\s+|H([12])\s*)(?:the\s+)?(?:year\s+)?(?:({M})\s+)?({Y})",
        _half,
    ),
    _form(
        rf"\b(?:the\s+)?(first|second|third|fourth|last|final|[1-4](?:st|nd|rd|th))\s+week\s+(?:of|in)\s+({M}),?\s+({Y})",
        _week_of,
    ),
    _form(rf"\b({M})(?:\s*,)?\s*(?:of\s+|in\s+)?({Y})", lambda m, _: of_month(_year(m[2]), _month(m[1]))),
    _form(rf"\b(spring|summer|autumn|fall|winter)(?:\s+of|,)?\s+({Y})", lambda m, _: _season(_year(m[2]), m[1])),
    _form(rf"(?<![\w.])(\d{{2,3}})0['’]?s\b({ERA})?", _decade),
    _form(r"(?:\bthe\s+|['’])([2-9])0['’]?s\b", lambda m, _: of_decade(1900 + 10 * int(m[1]))),
    _form(
        rf"\b(\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(sorted(ORDINALS, key=len, reverse=True))})[\s-]+"
        rf"(century|centuries|millennium)({ERA})?",
        _century,
    ),
    _form(rf"(?<![\w.])\d{{1,6}}{ERA}|\b(?-i:AD|A\.D\.)\s*\d{{1,4}}\b", lambda m, _: of_year(_year(m[0]))),
    _form(rf"\byear\s+(\d{{1,4}}(?!\d)(?:{ERA})?)", lambda m, _: of_year(_year(m[1]))),
    _form(r"(?<![\w.,/-])(\d{4})\s?[-–—/]\s?(\d{2})(?![\w/-])", _short_range),
    _form(r"(?<![\w.,$€£#+/–—−-])\d{4}(?![\w%]|[.,:]\d)|(?<=\d{4}[/–—−-])\d{4}(?![\w%/-]|[.,:]\d)", _bare_year),
    _form(
        r"(?<!last )(?<!past )(?<!this )(?<!next )(?<!coming )(?<!previous )(?<!following )\b(?-i:January|February|March|"
        r"April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?",
        _bare_month,
    ),
)


# ------------------------------------------------------------------ relative words


def _week(day: int) -> Span:
    """The week of a day, from Monday on."""
    return of_days(day - (day + 3) % 7, 7, "week")


def _unit(name: str, day: int, count: int) -> Span:
    """The day, week, month, … that many of its kind on from a day."""
    year, month, _ = civil(day)
    units: dict[str, Callable[[], Span]] = {
        "d": lambda: of_days(day + count),
        "w": lambda: _week(day + 7 * count),
        "f": lambda: _week(day + 14 * count),
        "m": lambda: of_month(*months_on(year, month, count)),
        "q": lambda: of_months(*months_on(year, (month - 1) // 3 * 3 + 1, 3 * count), 3, "quarter"),
        "y": lambda: of_year(year + count),
        "e": lambda: of_decade(year // 10 * 10 + 10 * count),
        "c": lambda: of_century((year - 1) // 100 + 1 + count),
    }
    return units["e" if name.startswith("decade") else name[0]]()


def _moved(name: str, day: int, count: int) -> int:
    """The day that many days, weeks, months or years on; the last day of a shorter month."""
    if name.startswith(("day", "week", "fort")):
        return day + count * (1 if name.startswith("day") else 7 if name.startswith("week") else 14)
    year, month, date = civil(day)
    width = {"m": 1, "q": 3, "y": 12, "d": 120, "c": 1200}[name[0]]
    year, month = months_on(year, month, width * count)
    return min(days(year, month) + date - 1, days(*months_on(year, month, 1)) - 1)


def _simple(match: Match, now: int) -> Span:
    word = " ".join(match[0].lower().split())
    shift = {
        "the day before yesterday": -2,
        "yesterday": -1,
        "last night": -1,
        "tomorrow": 1,
        "the day after tomorrow": 2,
    }
    near = next((n for known, n in shift.items() if word.startswith(known)), 0)
    return of_days(now // DAY + near)


def _which(match: Match, now: int) -> Span:
    """`last week`, `next Friday`, `this summer`, `last May`."""
    word, name, day = match[1].lower(), match[2].lower(), now // DAY
    step = -1 if word in {"last", "past", "previous"} else 0 if word == "this" else 1
    if word == "past" and name.startswith(("week", "month", "quarter", "year", "decade", "century")):
        return Span(_moved(name, day, -1) * DAY, (day + 1) * DAY, "span")
    if name.startswith("weekend"):
        return of_days(_week(day).start // DAY + 5 + 7 * step, 2, "span")
    if name in WEEKDAYS:
        return of_days(_weekday(day, WEEKDAYS.index(name), step))
    if name in SEASONS or name[:3] in MONTH_STARTS:
        return _nearest(name, day, step)
    return _unit(name, day, step)


def _weekday(day: int, weekday: int, step: int) -> int:
    """The weekday before (-1) or after (1) a day, or of its week (0), the day itself not counted."""
    if step == 0:
        return _week(day).start // DAY + weekday
    ahead = (weekday - (day + 3)) % 7
    return day + (ahead or 7) if step > 0 else day - (7 - ahead if ahead else 7)


def _nearest(name: str, day: int, step: int) -> Span:
    """A month or season of the year before, of this one or of the next: the last one that is over, the next one to come."""
    year, _, _ = civil(day)

    def of(year: int) -> Span:
        return _season(year, name) if name in SEASONS else of_month(year, _month(name))

    if step < 0:
        return of(year) if of(year).until <= day * DAY else of(year - 1)
    if step > 0:
        return of(year) if of(year).start > day * DAY else of(year + 1)
    return of(year)


def _lately(match: Match, now: int) -> Span:
    """`the last three weeks`, up to now; `the next two months`, from tomorrow on."""
    day, count = now // DAY, _number(match[2])
    if match[1].lower() in {"next", "coming", "following"}:
        return Span((day + 1) * DAY, (_moved(match[3].lower(), day, count) + 1) * DAY, "span")
    return Span(_moved(match[3].lower(), day, -count) * DAY, (day + 1) * DAY, "span")


def _ago(match: Match, now: int) -> Span:
    return _unit(match[2].lower(), now // DAY, -_number(match[1]))


def _ahead(match: Match, now: int) -> Span:
    number, name = (match[1], match[2]) if match[1] else (match[3], match[4])
    return _unit(name.lower(), now // DAY, _number(number))


def _on_weekday(match: Match, now: int) -> Span:
    """A weekday alone: the one to come, or the last one where the sentence speaks of what was."""
    around = match.string[max(0, match.start() - 80) : match.end() + 40]
    was = PAST_TENSE.search(around) and not COMING.search(around)
    return of_days(_weekday(now // DAY, WEEKDAYS.index(match[1].lower()), -1 if was else 1))


def _on_the(match: Match, now: int) -> Span:
    """`on the 8th`: the nearest day of this number."""
    day, number = now // DAY, int(match[1])
    year, month, _ = civil(day)
    months = [months_on(year, month, step) for step in (-1, 0, 1)]
    near = [of_day(*own, number) for own in months if number <= month_length(*own)]
    return min(near, key=lambda span: abs(span.start // DAY - day))


RELATIVE: Sequence[Form] = (
    _form(
        r"\b(?:the day before yesterday|the day after tomorrow|yesterday|today|tonight|tomorrow|last night|"
        r"this (?:morning|afternoon|evening))\b(?:\s+(?:morning|afternoon|evening|night)\b)?",
        _simple,
    ),
    _form(
        rf"\b(?:the\s+)?(last|past|previous|next|coming|following)\s+({N})\s+({UNIT})(?:s|ies)?\b",
        _lately,
    ),
    _form(
        rf"\b(?:the\s+)?(last|past|previous|this|next|coming|following)\s+(weekend|week|month|quarter|year|decade|century|{WEEKDAY}|"
        r"spring|summer|autumn|fall|winter|january|february|march|april|may|june|july|august|september|october|november|december)\b",
        _which,
    ),
    _form(rf"\b({N})\s+({UNIT})(?:s|ies|y)?\s+(?:ago|earlier|back)\b", _ago),
    _form(
        rf"\b(?:in\s+({N})\s+({UNIT})(?:s|ies|y)?(?:['’]?\s+time)?"
        rf"|({N})\s+({UNIT})(?:s|ies|y)?\s+(?:from now|later))\b(?!\s+of\b)",
        _ahead,
    ),
    _form(rf"\b(?-i:({'|'.join(w.capitalize() for w in WEEKDAYS)}))\b", _on_weekday),
    _form(
        r"\bon the (\d{1,2})(?:st|nd|rd|th)(?=\s*(?:[.,!?;)]|$)|\s+(?:at|in|and|to|for|with|so|from|if|when)\b)",
        _on_the,
    ),
)
