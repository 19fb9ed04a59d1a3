"""What the words of a question mean in a graph: its types, relationships, properties, names and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

from retrieval.graph import Graph
from retrieval.model import GraphSchema
from retrieval.ports import Embedder

STRUCTURE = frozenset(
    {"DocumentChunk", "TextDocument", "TextSummary", "EntityType", "NodeSet", "GlobalContextSummary", "Rule"}
)
STRUCTURAL = frozenset(
    {"contains", "is_a", "is_part_of", "made_from", "belongs_to_set", "summarizes", "summarises", "part_of", "has_part"}
)
HIDDEN_PROPERTIES = frozenset(
    "class texts document_id document_name chunk_index chunk_size cut_type page media_type source_chunk_id chunk_id".split()
)
SMALL = frozenset("in of by to with has have is was are for at on from a an the and or be do".split())
NUMBERS = dict(zip("one two three four five six seven eight nine ten eleven twelve".split(), range(1, 13), strict=True))
IRREGULAR = {
    "people": "person",
    "persons": "person",
    "someone": "person",
    "somebody": "person",
    "anyone": "person",
    "wrote": "write",
    "written": "write",
    "production": "produce",
    "productions": "produce",
    "birth": "born",
    "birthday": "born",
    "bought": "buy",
    "sold": "sell",
    "led": "lead",
    "made": "make",
    "won": "win",
    "met": "meet",
    "held": "hold",
    "built": "build",
    "taught": "teach",
    "knew": "know",
    "known": "know",
    "founded": "found",
    "founder": "found",
    "countries": "country",
    "boundaries": "boundary",
    "films": "film",
}
# Words that say how something is asked, not of what.
ASKING = frozenset(
    "that this these those there been being before after between among contain mention include word phrase text start "
    "begin end with than their they them his her its our your same both also too together each every any all only "
    "just ever more most less least few many much high low old young new late early recent recently long short big "
    "large small great above below over under average mean sum total overall combined diverse diversity variety "
    "common commonly frequent different distinct divisible exactly single available across within per range number "
    "count year years month day date time century decade database memory graph relation relationship connection list "
    "listed order ordered sort sorted rank ranked limit limited named called titled given received involved belong "
    "respective respectively having state character length amount please thing things one two three four five six "
    "seven eight nine ten not never nor without top best worst first last next who which what while during since "
    "until around about into out off up down found come came get got take took know known here such other another "
    "else again still yet some several couple various oldest youngest newest highest lowest longest shortest largest "
    "greatest biggest smallest fewest latest earliest term associate rating higher longer better ordering following "
    "complete entire whole how does".split()
)
NUMBER = rf"(?:\d[\d,]*(?:\.\d+)?|{'|'.join(NUMBERS)})"
QUOTED = re.compile(
    r"(?<![\w])(?:'(?P<one>[^']*(?:(?<=\w)'(?=[a-z])[^']*)*)'(?!\w)|\"(?P<two>[^\"]+)\"|[“‘](?P<three>[^”’]+)[”’])"
)
WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?|\S")
COMPARISONS: tuple[tuple[str, str], ...] = (
    ("between", rf"\b(?:between|from)\s+({NUMBER})\s+(?:and|to)\s+({NUMBER})\b"),
    ("decade", r"\b(?:the\s+)?(\d{3}0)'?s\b"),
    ("divisible", rf"\bdivisible by\s+({NUMBER})\b"),
    (">=", rf"\b(?:at least|no less than|no fewer than|a minimum of|since)\s+(?:the year\s+)?({NUMBER})\b"),
    ("<=", rf"\b(?:at most|no more than|up to|until)\s+(?:the year\s+)?({NUMBER})\b"),
    (">=", rf"\b({NUMBER})\s+or (?:more|later|higher)\b"),
    ("<=", rf"\b({NUMBER})\s+or (?:less|fewer|earlier|lower)\b"),
    (
        ">",
        r"(?:\b(?:more|greater|higher|larger|longer|bigger|later|older) than|\bover|\babove|\bexceeding|\bafter|>)"
        rf"\s+(?:the year\s+)?({NUMBER})\b",
    ),
    (
        "<",
        r"(?:\b(?:less|fewer|lower|smaller|shorter|earlier|younger) than|\bunder|\bbelow|\bbefore|<)"
        rf"\s+(?:the year\s+)?({NUMBER})\b",
    ),
    ("=", rf"\bexactly\s+({NUMBER})\b"),
    ("=", r"\b(?:in|of|is|to|was)\s+(?:the year\s+)?(\d[\d,]*(?:\.\d+)?)\b"),
)
LIMITS = (
    rf"\b(?:top|first|last|limit(?:ed)? to(?: the)?(?: top| first)?)\s+({NUMBER})\b",
    rf"^\s*(?:please\s+)?(?:list|name|find|show|give|identify|retrieve|display|which|what|get|tell me)\s+(?:me\s+)?(?:the\s+)?(?:names of\s+)?({NUMBER})\s+(?!or\b)",  # noqa: E501
    rf"\b(?:who|what|which)\s+(?:are|were)\s+(?:the\s+)?(?:names of\s+)?({NUMBER})\s",
)


@dataclass(frozen=True, slots=True)
class Mention:
    """Something of the graph that a question names, with its place in the text; `owner` is a property's type or relationship."""

    kind: str
    value: str
    start: int
    end: int
    owner: str = ""
    of_edge: bool = False
    form: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A condition on a number: an operator of Cypher, between, decade or divisible, with its numbers."""

    operator: str
    numbers: tuple[float, ...]
    start: int
    end: int


@dataclass(frozen=True)
class Reading:
    """A question with what its words mean."""

    text: str
    lower: str
    schema: GraphSchema
    types: tuple[Mention, ...] = ()
    relations: tuple[Mention, ...] = ()
    properties: tuple[Mention, ...] = ()
    names: tuple[Mention, ...] = ()
    strings: tuple[Mention, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    limit: int | None = None
    limit_kind: str = ""
    unknown: tuple[Mention, ...] = field(default=())

    def has(self, pattern: str) -> bool:
        """Whether the question, in small letters, has this pattern."""
        return re.search(pattern, self.lower) is not None


def stem(word: str) -> str:
    """The word without the endings that tell its forms apart: actor, acted and acting are one."""
    own = IRREGULAR.get(word.casefold(), word.casefold())
    while True:
        ending = next(
            (e for e in ("ing", "ed", "er", "or", "ion", "s", "e") if own.endswith(e) and len(own) - len(e) >= 3), ""
        )
        if not ending or (ending == "s" and own.endswith("ss")):
            return own[:-1] + "i" if own.endswith("y") else own
        own = own[: -len(ending)]


def parts_of(name: str) -> list[str]:
    """The stems of a name's words, without small words: ACTED_IN, actedIn and `acted in` are one."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ")
    words = [word for word in spaced.split() if word]
    return [stem(word) for word in words if word.casefold() not in SMALL] or [stem(word) for word in words]


def number(text: str) -> float:
    """A number in digits or as a word."""
    return float(NUMBERS[text.casefold()]) if text.casefold() in NUMBERS else float(text.replace(",", ""))


# -------------------------------------------------------------------- names

_indexes: WeakKeyDictionary[Graph, Mapping[str, list[tuple[str, str]]]] = WeakKeyDictionary()


def index(graph: Graph) -> Mapping[str, list[tuple[str, str]]]:
    """(name, type) of the graph's named things, by the name in small letters; made once per graph."""
    if graph not in _indexes:
        found: dict[str, list[tuple[str, str]]] = {}
        for name, kind in zip(graph.node_names.to_pylist(), graph.node_types.to_pylist(), strict=True):
            if name and kind not in STRUCTURE:
                found.setdefault(_plain(name), []).append((name, kind))
        _indexes[graph] = found
    return _indexes[graph]


def _plain(text: str) -> str:
    return " ".join(WORD.findall(text.replace("’", "'").casefold()))


def named(text: str, graph: Graph, taken: Sequence[tuple[int, int]], lexicon: frozenset[str]) -> Iterator[Mention]:
    """Names of the graph in the text, longest first from the left; a lone common word counts only when written as a name."""
    known = index(graph)
    words = [match for match in WORD.finditer(text) if not any(s <= match.start() < e for s, e in taken)]
    shouting = text == text.lower()
    at = 0
    while at < len(words):
        for length in range(min(8, len(words) - at), 0, -1):
            first, last = words[at], words[at + length - 1]
            span = text[first.start() : last.end()]
            plain = _plain(span)
            own = known.get(plain) or known.get(re.sub(r" ?'s$", "", plain))
            if own and _is_name(span, at, length, own[0][0], lexicon, shouting=shouting):
                kinds = {kind for _, kind in own}
                yield Mention("name", own[0][0], first.start(), last.end(), own[0][1] if len(kinds) == 1 else "")
                at += length
                break
        else:
            at += 1


def _is_name(span: str, at: int, length: int, name: str, lexicon: frozenset[str], *, shouting: bool) -> bool:
    if length > 1:
        return span[:1].isupper() or span[:1].isdigit() or span == name or shouting
    word = span.removesuffix("'s").removesuffix("’s")
    if word.casefold() in SMALL or len(word) < 2 or stem(word) in lexicon or word.casefold() in QUESTION_WORDS:
        return False
    return (word[:1].isupper() and (at > 0 or word == name)) or (shouting and name[:1].isupper())


QUESTION_WORDS = frozenset(
    "who whom whose what which when where why how list name find show give many much most all top first the names number "
    "identify retrieve display tell me is are was were do does did".split()
)


def nearest_names(
    text: str, graph: Graph, taken: Sequence[tuple[int, int]], lexicon: frozenset[str]
) -> Iterator[Mention]:
    """Names of which the text has a part, where only one name has it: `Hanks` for Tom Hanks."""
    parts: dict[str, set[tuple[str, str]]] = {}
    for own in index(graph).values():
        for name, kind in own:
            for word in set(_plain(name).split()) - SMALL:
                parts.setdefault(word, set()).add((name, kind))
    for match in re.finditer(r"(?<![\w])[^\W\d_][^\W_]*(?!\w)", text):
        word = match[0]
        if any(s <= match.start() < e for s, e in taken) or not word[:1].isupper() or match.start() == 0:
            continue
        holders = parts.get(word.casefold(), set())
        if len(holders) == 1 and stem(word) not in lexicon:
            [(name, kind)] = holders
            yield Mention("name", name, match.start(), match.end(), kind)


# -------------------------------------------------------------------- reading


def read(text: str, schema: GraphSchema, graph: Graph, embedder: Embedder) -> Reading:
    """The question with everything in it that this graph knows."""
    types = {name: parts_of(name) for name in schema.types if name not in STRUCTURE}
    relations = {name: parts_of(name) for name in schema.relationships if name not in STRUCTURAL}
    properties = list(_all_properties(schema))
    lexicon = frozenset(
        s for own in (*types.values(), *relations.values(), *(p for _, p, _, _ in properties)) for s in own
    )
    quoted = [
        Mention("string", (m["one"] or m["two"] or m["three"] or "").strip(), m.start(), m.end())
        for m in QUOTED.finditer(text)
    ]
    terms = {term.casefold() for term in (*types, *relations)}
    quoted = [m for m in quoted if m.value and m.value.casefold() not in terms]
    things = index(graph)
    inside = tuple((m.start, m.end) for m in quoted)
    names = list(named(text, graph, inside, lexicon))
    names += [
        Mention("name", own[0][0], m.start, m.end, own[0][1], form="quoted")
        for m in quoted
        if (own := things.get(_plain(m.value)))
    ]
    taken = [*inside, *((m.start, m.end) for m in names)]
    names += list(nearest_names(text, graph, taken, lexicon))
    taken = [*inside, *((m.start, m.end) for m in names)]
    words = [m for m in re.finditer(r"[^\W\d]\w*(?:_\w+)*", text) if not any(s <= m.start() < e for s, e in taken)]
    found_types: list[Mention] = []
    found_relations: list[Mention] = []
    found_properties: list[Mention] = []
    unknown: list[Mention] = []
    for position, match in enumerate(words):
        if match[0].casefold() in SMALL:
            continue
        following = [m for m in words[position : position + 7] if m[0].casefold() not in SMALL]
        hits = 0
        for name, parts in types.items():
            if end := _matched(parts, match, following):
                found_types.append(Mention("type", name, match.start(), end))
                hits += 1
        for name, parts, owner, of_edge in properties:
            if end := _matched(parts, match, following):
                found_properties.append(Mention("property", name, match.start(), end, owner, of_edge))
                hits += 1
        for name, parts in relations.items():
            if end := _matched(parts, match, following):
                found_relations.append(
                    Mention("relation", name, match.start(), end, form=_form(text[match.start() : end], name))
                )
                hits += 1
        plain = match[0].casefold()
        if not hits and plain not in QUESTION_WORDS and len(plain) > 2:
            unknown.append(Mention("word", match[0], match.start(), match.end()))
    known = [(m.start, m.end) for m in (*found_types, *found_properties, *found_relations)]
    unknown = [m for m in unknown if not any(s <= m.start < e for s, e in known)]
    found_types, found_properties, found_relations = (
        _longest(own, [*found_types, *found_properties, *found_relations])
        for own in (found_types, found_properties, found_relations)
    )
    limit, kind, span = _limit(text)
    comparisons = tuple(
        _comparisons(text, [*inside, *((m.start, m.end) for m in names if m.form), *([span] if span else [])])
    )
    return Reading(
        text=text,
        lower=text.lower(),
        schema=schema,
        types=tuple(found_types),
        relations=tuple(found_relations),
        properties=tuple(found_properties),
        names=tuple(sorted(names, key=lambda m: m.start)),
        strings=tuple(quoted),
        comparisons=comparisons,
        limit=limit,
        limit_kind=kind,
        unknown=tuple(unknown),
    )


def _matched(parts: Sequence[str], match: re.Match[str], following: Sequence[re.Match[str]]) -> int:
    """Where a name of these stems ends that starts with this word; 0 where none does. A word like ACTED_IN is whole."""
    whole = [stem(part) for part in match[0].split("_") if part.casefold() not in SMALL]
    if whole == list(parts):
        return match.end()
    if [stem(m[0]) for m in following[: len(parts)]] == list(parts):
        return following[len(parts) - 1].end()
    return 0


def _form(word: str, relation: str) -> str:
    """Noun for a doer (`directors` for DIRECTED), things for a plural or the relation's own noun, else verb."""
    last = re.split(r"[\s_]+", word.casefold())[-1].removesuffix("s")
    own = re.split(r"[\s_]+", relation.casefold())[-1].removesuffix("s")
    if last == own and re.search(r"(?:er|or)$", last):
        return "things"
    return "noun" if re.search(r"(?:er|or)$", last) else "things" if word.casefold().endswith("s") else "verb"


def _longest(own: Sequence[Mention], every: Sequence[Mention]) -> list[Mention]:
    """The mentions that do not lie within a longer one."""
    return [
        m
        for m in own
        if not any(o.start <= m.start and m.end <= o.end and o.end - o.start > m.end - m.start for o in every)
    ]


def _all_properties(schema: GraphSchema) -> Iterator[tuple[str, list[str], str, bool]]:
    for of_edge, owners in ((False, schema.node_properties), (True, schema.edge_properties)):
        for owner, own in owners.items():
            for name in own:
                if name not in HIDDEN_PROPERTIES and owner not in STRUCTURE:
                    yield name, parts_of(name), owner, of_edge


def _limit(text: str) -> tuple[int | None, str, tuple[int, int] | None]:
    for pattern in LIMITS:
        match = re.search(pattern, text, re.IGNORECASE)
        if match and number(match[1]) <= 1000:
            kind = next((word for word in ("top", "first", "last") if word in match[0].lower()), "")
            return int(number(match[1])), kind, match.span(1)
    return None, "", None


def _comparisons(text: str, taken: Sequence[tuple[int, int]]) -> Iterator[Comparison]:
    used = list(taken)
    found = []
    for operator, pattern in COMPARISONS:
        for match in re.finditer(pattern, text, re.IGNORECASE):
            if any(match.start() < e and s < match.end() for s, e in used):
                continue
            used.append(match.span())
            found.append(Comparison(operator, tuple(number(g) for g in match.groups()), match.start(), match.end()))
    yield from sorted(found, key=lambda c: c.start)


# -------------------------------------------------------------------- meaning where words differ

_ASKING_STEMS = frozenset(stem(word) for word in ASKING)


def unexplained(reading: Reading) -> list[Mention]:
    """Words that the graph does not know and that are not how something is asked; `roles played` is one thing."""
    ends = {mention.end for mention in reading.properties}
    parts = {part for mention in reading.relations for part in parts_of(mention.value)}
    asked = re.match(r"(?:\w+ )?(?:which|what|how many|all|list|name|of all) (\w+)|.*\bof all (\w+)", reading.lower)
    noun = asked.start(asked.lastindex) if asked and asked.lastindex and reading.relations else -1
    return [
        m
        for m in reading.unknown
        if stem(m.value) not in _ASKING_STEMS | parts and m.start - 1 not in ends and m.start != noun
    ]


def with_types(reading: Reading, embedder: Embedder) -> Reading:
    """The reading with words that mean a type taken for it: films for Movie."""
    words = unexplained(reading)
    kinds = [kind for kind in reading.schema.types if kind not in STRUCTURE]
    if not words or not kinds:
        return reading
    meant = {}
    for word in words:
        near = nearness([word.value], kinds, embedder)
        best = max(range(len(kinds)), key=lambda i: near[i])
        if near[best] >= SAME_THING and word.value[:1].islower():
            meant[word] = Mention("type", kinds[best], word.start, word.end)
    types = sorted((*reading.types, *meant.values()), key=lambda m: m.start)
    return replace(reading, types=tuple(types), unknown=tuple(m for m in reading.unknown if m not in meant))


NEAR, SAME_THING = 0.45, 0.6


def nearness(phrases: Sequence[str], names: Sequence[str], embedder: Embedder) -> list[float]:
    """How near each name is in meaning to the nearest of the phrases, as a cosine."""
    told = [" ".join(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").split()).lower() for name in names]
    vectors = embedder.embed([*phrases, *told])
    near = vectors[len(phrases) :] @ vectors[: len(phrases)].T
    return [float(value) for value in near.max(axis=1)]
