"""Which search type fits a question, by ordered rules and without a model (reference 1.6)."""

from __future__ import annotations

import re
from dataclasses import dataclass

FALLBACK = "HYBRID_COMPLETION"
QUOTED = re.compile(r'"[^"]+"')
RULES = re.compile(
    r"\b(?:coding|code(?: review)?|programming|lint) (?:rules?|standards?|guidelines?|conventions?)\b|\bstyle guides?\b",
    re.IGNORECASE,
)
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\.?"
)
YEAR = r"(?:1[0-9]|20)\d{2}"
# A number that counts something is no year.
COUNTED = (
    r"(?!\s*(?:words?|characters?|tokens?|lines?|pages?|items?|users?|guests?|people|persons?|members?|customers?|rows?|"
    r"files?|times|kilomet\w+|km|miles?|met\w+|dollars?|euros?|percent|days?|hours?|minutes?|years?|units?|pieces?)\b)"
)
DATE = (
    rf"(?:\d{{4}}-\d{{2}}(?:-\d{{2}})?|{MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? {YEAR}|"
    rf"\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{MONTH},? {YEAR}|"
    rf"{MONTH},? (?:of )?{YEAR}|(?:the )?(?:early |mid-?|late )?(?:the )?{YEAR}s|"
    rf"(?:early |mid-? ?|late )?{YEAR})(?![\w-]){COUNTED}"
)
PREPOSITION = (
    r"(?:in|on|before|after|since|until|till|by|during|between|from|through|throughout|around|as of|up to|prior to)"
)
# `for` counts more often than it dates: nothing may follow its date.
DATED = re.compile(rf"\b{PREPOSITION} {DATE}|\bfor {DATE}(?=\s*(?:$|[?.!,;:]))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Route:
    """The search type for a question, and the rule that chose it."""

    search_type: str
    reason: str


def route(question: str) -> Route:
    """The first rule that fits: one quoted phrase, coding rules, a dated question; else HYBRID. Never CYPHER."""
    text = question.strip()
    if QUOTED.fullmatch(text):
        return Route("CHUNKS_LEXICAL", "The whole question is one quoted phrase.")
    if RULES.search(text):
        return Route("CODING_RULES", "The question asks for coding rules.")
    if DATED.search(text):
        return Route("TEMPORAL", "The question names a date after a word such as in, before or since.")
    return Route(FALLBACK, "No rule fits, so all lanes are searched.")
