"""Cypher as written by people and models: split into tokens, and let through only as one statement that reads."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from retrieval.errors import CypherError

LONGEST = 20_000
TOKEN = re.compile(
    r"""
      (?P<blank>(?:\s|//[^\n]*|/\*.*?\*/)+)
    | (?P<string>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")
    | (?P<name>(?:`[^`]*`)+)
    | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    | (?P<parameter>\$\w+)
    | (?P<word>[^\W\d]\w*)
    | (?P<symbol>\.\.|<=|>=|<>|!=|=~|\|:|[()\[\]{}<>=+\-*/%^.,:;|!&])
    """,
    re.VERBOSE | re.DOTALL,
)
STARTS = frozenset("MATCH OPTIONAL UNWIND WITH RETURN CALL".split())
# Words that may follow a complete expression or pattern; every other one there would begin a clause that is not known.
CONTINUE = STARTS | frozenset(
    "WHERE ORDER SKIP LIMIT UNION AS AND OR XOR IN IS STARTS ENDS CONTAINS THEN WHEN ELSE END ASC DESC ASCENDING DESCENDING "
    "NOT NULL ALL YIELD EXISTS".split()
)
# Words after which an expression is complete, and those after which one begins.
COMPLETE = frozenset("ASC DESC ASCENDING DESCENDING END NULL TRUE FALSE".split())
KEYWORDS = (CONTINUE | COMPLETE | frozenset("BY DISTINCT CASE SHORTEST WSHORTEST TRAIL ACYCLIC".split())) - {"EXISTS"}
REFUSED = frozenset(
    "CREATE MERGE SET DELETE DETACH REMOVE DROP ALTER COPY LOAD INSTALL UNINSTALL UPDATE EXPORT IMPORT ATTACH USE BEGIN COMMIT "
    "ROLLBACK CHECKPOINT MACRO COMMENT FOREACH EXPLAIN PROFILE INSERT TRUNCATE FORCE".split()
)
FILES = frozenset("LOAD COPY EXPORT IMPORT ATTACH INSTALL UNINSTALL USE".split())
TABLES = frozenset({"show_tables", "table_info", "show_connection"})
READING = "MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, RETURN, ORDER BY, SKIP, LIMIT and UNION"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a statement; `kind` is word, name (in backticks), string, number or symbol; `spaced` if a blank is before it."""

    kind: str
    text: str
    spaced: bool = False

    @property
    def keyword(self) -> str:
        """A word as keywords are compared: capitals, with look-alikes of other widths made plain; '' for all else."""
        return unicodedata.normalize("NFKC", self.text).upper() if self.kind == "word" else ""

    @property
    def called(self) -> str:
        """What a word or a name in backticks names."""
        return self.text[1:-1].replace("``", "`") if self.kind == "name" else self.text


def tokens(text: str) -> list[Token]:
    """The tokens without comments; CypherError for a character that no token starts with."""
    found: list[Token] = []
    at, spaced = 0, False
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise CypherError(f"{_where(text, at)} can't be read. Check its quotes, or take the character out.")
        if match.lastgroup == "blank":
            spaced = True
        else:
            found.append(Token(str(match.lastgroup), match[0], spaced))
            spaced = False
        at = match.end()
    return found


def checked(text: str) -> list[Token]:
    """The tokens of the one reading statement that the text is; CypherError names what is not allowed and the way out."""
    if len(text) > LONGEST:
        raise CypherError(f"The statement has {len(text):,} characters; {LONGEST:,} are allowed. Make it shorter.")
    _starts_like_one(text)
    found = tokens(text)
    while found and found[-1].text == ";":
        found.pop()
    if not found:
        raise CypherError("There is no statement. Write one that reads, for example MATCH (n) RETURN n.name LIMIT 10.")
    if any(token.text == ";" for token in found):
        raise CypherError("Only one statement runs at a time. Take out what stands after the first semicolon.")
    if found[0].keyword not in STARTS:
        raise _refusal(found[0])
    for position in range(len(found)):
        _allow(found, position)
    return found


def _starts_like_one(text: str) -> None:
    """CypherError where the first word begins no statement at all: a question, for example."""
    first = re.match(r"(?:\s|//[^\n]*|/\*.*?\*/)*([^\W\d]\w*)", text, re.DOTALL)
    word = Token("word", first[1]).keyword if first else ""
    if first and word not in STARTS | REFUSED:
        raise CypherError(
            f"A statement starts with MATCH, OPTIONAL MATCH, UNWIND, WITH or RETURN, not with '{first[1]}'. To ask in words, "
            "choose NATURAL_LANGUAGE."
        )


def joined(found: Sequence[Token]) -> str:
    """The statement of these tokens, with one blank wherever some stood."""
    return "".join(f"{' ' if token.spaced else ''}{token.text}" for token in found).strip()


def depths(found: Sequence[Token]) -> Iterator[tuple[int, Token, int]]:
    """(position, token, number of brackets open around it)."""
    depth = 0
    for position, token in enumerate(found):
        if token.text in {")", "]", "}"}:
            depth -= 1
        yield position, token, depth
        if token.text in {"(", "[", "{"}:
            depth += 1


def limited(found: Sequence[Token], most: int) -> list[Token]:
    """The statement ending after so many rows, where it has one RETURN and sets no limit itself."""
    outside = [(position, _clause(found, position)) for position, _, depth in depths(found) if not depth]
    returns = [position for position, word in outside if word == "RETURN"]
    if len(returns) != 1 or any(word == "LIMIT" and position > returns[0] for position, word in outside):
        return list(found)
    return [*found, Token("word", "LIMIT", spaced=True), Token("number", str(most), spaced=True)]


def columns(found: Sequence[Token]) -> list[str] | None:
    """What the columns of the result are called, as written; None where * makes them."""
    returns = [at for at, _, depth in depths(found) if not depth and _clause(found, at) == "RETURN"]
    if not returns:
        return None
    items: list[list[Token]] = [[]]
    for at, token, depth in depths(found[returns[0] + 1 :]):
        if not depth and _clause(found, returns[0] + 1 + at) in {"ORDER", "SKIP", "LIMIT", "UNION"}:
            break
        if not depth and token.text == "," and token.kind == "symbol":
            items.append([])
        elif token.keyword != "DISTINCT" or items[-1]:
            items[-1].append(token)
    if any(not item or item[0].text == "*" or item[-1].text == "*" for item in items):
        return None
    return [_title(item) for item in items]


def _clause(found: Sequence[Token], position: int) -> str:
    """A word as a keyword; '' where it is a property, a label or an alias."""
    before = found[position - 1] if position else None
    plain = before is not None and (before.text in {".", ":"} or before.keyword == "AS")
    return "" if plain else found[position].keyword


def _title(item: Sequence[Token]) -> str:
    for position, token, depth in depths(item):
        if not depth and token.keyword == "AS" and position == len(item) - 2:
            return item[-1].called
    return joined(item)


def _allow(found: Sequence[Token], position: int) -> None:
    token, before = found[position], found[position - 1] if position else None
    if token.kind == "parameter":
        raise CypherError(f"{token.text} has no value here. Write the value itself in its place.")
    word = token.keyword
    if not word or before is None or before.text in {".", ":", "|", "|:"} or before.keyword == "AS":
        if word == "CALL" and before is None:
            _allow_call(found, position)
        return
    after = found[position + 1].text if position + 1 < len(found) else ""
    if word == "CALL" and after != ":":
        _allow_call(found, position)
    elif _complete(found, position - 1):
        if word not in CONTINUE:
            raise _refusal(token)
    elif word in REFUSED and after not in {":", ".", ")", "]", ",", "|"}:
        raise _refusal(token)


def _complete(found: Sequence[Token], position: int) -> bool:
    """Whether an expression or pattern may end with this token."""
    token = found[position]
    if token.kind != "word":
        star = token.text == "*" and (position == 0 or found[position - 1].keyword in {"RETURN", "WITH", "DISTINCT"})
        return star or token.kind in {"string", "name", "number"} or token.text in {")", "]", "}"}
    return token.keyword in COMPLETE or token.keyword not in KEYWORDS


def _allow_call(found: Sequence[Token], position: int) -> None:
    called = found[position + 1] if position + 1 < len(found) else Token("symbol", "")
    if called.text.lower() not in TABLES or found[position + 2 : position + 3] == []:
        raise CypherError(
            f"CALL {called.text} is not allowed here. Only {', '.join(sorted(TABLES))} can be called; the schema is shown beside "
            "the statement."
        )


def _refusal(token: Token) -> CypherError:
    word = token.keyword
    if word in {"EXPLAIN", "PROFILE"}:
        return CypherError(f"{word} is not allowed here: it gives a plan, no rows. Take it out to run the statement.")
    if word in FILES:
        return CypherError(
            f"{word} is not allowed here: statements read this memory and no file or other database. Use {READING}; "
            "add files on the Memory page."
        )
    if word in REFUSED:
        return CypherError(
            f"{word} is not allowed here: statements only read. Use {READING}; to change what is remembered, add or delete "
            "documents on the Memory page."
        )
    return CypherError(f"'{token.text}' can't stand here. A statement is made of {READING}.")


def _where(text: str, at: int) -> str:
    line = text.count("\n", 0, at) + 1
    return f"{text[at]!r} in line {line}, column {at - text.rfind(chr(10), 0, at)},"
