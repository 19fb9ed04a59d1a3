"""Questions to Cypher without a language model: what a question names becomes a pattern, what it asks becomes the return."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from retrieval.adapters.graph_words import (
    HIDDEN_PROPERTIES,
    NEAR,
    STRUCTURAL,
    STRUCTURE,
    Comparison,
    Mention,
    Reading,
    nearness,
    parts_of,
    read,
    stem,
)
from retrieval.graph import Graph
from retrieval.labels import quoted
from retrieval.model import GraphSchema
from retrieval.ports import Embedder

MOST_HOPS = 6
MOST_NUMBERS = 4
MOST_GUESSES = 3
NO_RELATION = frozenset(
    "memory database graph order ordered sort sorted sum total recent recently common commonly frequent diverse popular important "
    "different distinct average mean length word words based genres there this that these those".split()
)
PERSON = ("Person", "People", "Human", "Agent")
LESS = r"\b(?:fewest|(?<!at )least|lowest|smallest|minimum|shortest|worst)\b"
MORE = r"\b(?:(?<!at )most|highest|largest|greatest|biggest|maximum|longest|best)\b"
OLD, NEW = r"\b(?:oldest|earliest|first ever)\b", r"\b(?:newest|youngest|latest|most recent(?:ly)?)\b"
SAME = r"\b(?:same|both|themselves|also)\b"
PART = r"(?:contain|includ|mention|with the word|the word|the phrase|stat)"


@dataclass
class Step:
    """One relation of the pattern, from one variable to another."""

    relation: str
    source: str
    target: str
    variable: str
    mention: Mention | None = None
    either_way: bool = False
    others: list[str] = field(default_factory=list)


@dataclass
class Plan:
    """A pattern under construction: variables with their types, relations between them, conditions, and the thing asked for."""

    types: dict[str, str] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    equals: dict[str, str] = field(default_factory=dict)
    conditions: list[str] = field(default_factory=list)
    having: list[str] = field(default_factory=list)
    counted: str = ""
    shown: list[str] = field(default_factory=list)
    answer: str = ""
    amount: str = ""

    def variable(self, kind: str) -> str:
        """A new variable for a thing of this type."""
        letter = next((c for c in kind.lower() if c.isascii() and c.isalpha()), "n")
        name, count = letter, 1
        while name in self.types or name in {step.variable for step in self.steps}:
            count += 1
            name = f"{letter}{count}"
        self.types[name] = kind
        return name

    def show(self, expression: str) -> None:
        """Have the result tell this, too."""
        if expression not in self.shown:
            self.shown.append(expression)


def statements(question: str, schema: GraphSchema, graph: Graph, embedder: Embedder) -> list[str]:
    """Statements for the question, the likeliest first; none where its shape is not known or it names nothing here."""
    text = " ".join(question.split())
    reading = read(text, schema, graph, embedder)
    special = _path(reading) or _common(reading) or _connected(reading)
    if special:
        return [special]
    made: list[str] = []
    for meant in _readings(reading, graph, embedder):
        for loose in (False, True):
            plan = _pattern(meant, graph)
            if plan is not None:
                made.append(_statement(meant, plan, graph, loose=loose))
    if not made and reading.names:
        made = [_about(reading)]
    return list(dict.fromkeys(made))


# -------------------------------------------------------------------- shapes around names


def _path(reading: Reading) -> str:
    """The shortest path between two named things."""
    ends = reading.names
    asked = r"\b(?:path|route|link|chain|connection|related|connected|relation|relationship)\b"
    if len(ends) != 2 or not reading.has(asked) or not reading.has(r"\b(?:between|from .+ to|related to|connected (?:to|with)|link)"):
        return ""
    if reading.types and not reading.has(r"\b(?:path|route|how)\b"):
        return ""
    own = [name for name in reading.schema.relationships if name in STRUCTURAL]
    inner = f" (e, n | WHERE NOT e.relationship_name IN [{', '.join(map(quoted, own))}])" if own else ""
    one, other = (quoted(end.value) for end in ends)
    return (
        f"MATCH p = (a {{name: {one}}})-[r:Edge* SHORTEST 1..{MOST_HOPS}{inner}]-(b {{name: {other}}}) "
        "RETURN p, length(p) AS hops ORDER BY hops LIMIT 5"
    )


def _common(reading: Reading) -> str:
    """What two named things are both connected to."""
    if len(reading.names) != 2 or reading.relations or not reading.has(r"\bin common\b|\bcommon (?:connections?|neighbou?rs?)\b"):
        return ""
    one, other = (quoted(own.value) for own in reading.names)
    return (
        f"MATCH (a {{name: {one}}})-[r]-(x)-[r2]-(b {{name: {other}}}){_no_structure(reading, 'x')} "
        "RETURN DISTINCT x.name, x.type, r.relationship_name, r2.relationship_name"
    )


def _connected(reading: Reading) -> str:
    """Everything that one named thing is connected to."""
    asked = (
        r"\b(?:connected (?:to|with)|linked (?:to|with)|related to|relationships? (?:of|does|for|has)|relations? of|connections? of|"
        r"neighbou?rs of|everything (?:about|on)|all about|know(?:n)? about|tell me (?:something |more )?about)\b"
    )
    if len(reading.names) != 1 or reading.relations or not reading.has(asked):
        return ""
    [own] = reading.names
    return f"MATCH (a {{name: {quoted(own.value)}}})-[r]-(b){_no_structure(reading, 'b')} RETURN a, r, b{_limit(reading)}"


def _no_structure(reading: Reading, variable: str) -> str:
    held = [name for name in reading.schema.types if name in STRUCTURE]
    return f" WHERE NOT {variable}.type IN [{', '.join(map(quoted, held))}]" if held else ""


def _about(reading: Reading) -> str:
    """What is known of a named thing: a property that is asked for, or all that it is connected to."""
    own = reading.names[0]
    name = quoted(own.value)
    asked = [m.value for m in reading.properties if not m.of_edge and own.owner in {"", m.owner}]
    if not asked and reading.has(r"^when\b|\bwhat year\b"):
        asked = _year_properties(reading.schema, own.owner)[:1]
    if asked:
        columns = ", ".join(f"a.{_name(p)}" for p in dict.fromkeys(asked))
        return f"MATCH (a {{name: {name}}}) RETURN a.name, {columns}"
    return f"MATCH (a {{name: {name}}})-[r]-(b){_no_structure(reading, 'b')} RETURN a, r, b"


# -------------------------------------------------------------------- words that name nothing exactly


def _readings(reading: Reading, graph: Graph, embedder: Embedder) -> list[Reading]:
    """The reading with one relationship for each place that names some; where none fits, with one that the words may mean.

    Several where several may be meant, the likeliest first.
    """
    around = [_around(graph, own.value) for own in reading.names]
    chosen: list[Mention] = []
    for mention in reading.relations:
        rivals = [m for m in reading.relations if m.start < mention.end and mention.start < m.end]
        if mention is max(rivals, key=lambda m: _support(m, around, reading)):
            chosen.append(mention)
    if reading.has(r"^when\b"):
        chosen = [m for m in chosen if "Date" in _ends(reading.schema, m.value)] or chosen
    known = {p.owner for p in reading.properties if p.of_edge}
    if any(not around or any(m.value in own for own in around) for m in chosen) or (known and not around):
        return [replace(reading, relations=tuple(chosen))]
    if any(p.value for p in reading.properties if not p.of_edge) and not chosen:
        return [replace(reading, relations=())]
    guesses = _guesses(reading, around, embedder)
    if not guesses:
        return [replace(reading, relations=tuple(chosen))]
    return [replace(reading, relations=(guess,)) for guess in guesses]


def _support(mention: Mention, around: Sequence[Counter[str]], reading: Reading) -> tuple[int, int, int]:
    return (
        sum(own[mention.value] > 0 for own in around),
        mention.end - mention.start,
        reading.schema.relationships.get(mention.value, 0),
    )


def _guesses(reading: Reading, around: Sequence[Counter[str]], embedder: Embedder) -> list[Mention]:
    """Relationships that the words may mean: by a word that they share, by meaning, and by how often the names have them."""
    words = [m for m in (*reading.unknown, *reading.relations) if m.value.casefold() not in NO_RELATION]
    asks = reading.has(r"\bmost\b|\bfewest\b|\bhow many\b|\bnumber of\b")
    if not words or not (around or asks):
        return []
    counts = around[0] if around else Counter(reading.schema.relationships)
    for own in around[1:]:
        counts = Counter({name: min(count, own[name]) for name, count in counts.items() if own[name]})
    known = [name for name in counts if name not in STRUCTURAL]
    if not known:
        return []
    phrases = [reading.text[one.start : other.end] for one, other in zip(words, words[1:], strict=False)]
    phrases += [reading.text[m.start : m.end] for m in words]
    near = nearness(phrases, known, embedder)
    spoken = {stem(word) for phrase in phrases for word in phrase.split()}
    scores = {}
    for name, likeness in zip(known, near, strict=True):
        parts = set(parts_of(name))
        shared = len(parts & spoken) / len(parts)
        scores[name] = likeness + shared + (0.15 * math.log2(counts[name]) if around else 0.0)
    least = NEAR if not around else 0.25
    best = sorted((n for n in known if scores[n] >= least), key=lambda n: -scores[n])[:MOST_GUESSES]
    at = words[0]
    return [Mention("relation", name, at.start, at.end, form="guess") for name in best]


def _around(graph: Graph, name: str) -> Counter[str]:
    """How often each relationship touches the things of this name."""
    nodes = np.flatnonzero(pc.equal(graph.node_names, name).to_numpy(zero_copy_only=False))
    edges = graph.incident(nodes)
    return Counter(graph.relationships.take(pa.array(edges)).to_pylist())


# -------------------------------------------------------------------- the pattern


def _pattern(reading: Reading, graph: Graph) -> Plan | None:
    """Variables and relations for what is named; None where there is no type and no relation."""
    plan = Plan()
    relations = _relations(reading)
    for position, mention in enumerate(relations):
        _add_step(reading, plan, relations, position, graph)
    _place_names(reading, plan, graph)
    _connect(plan)
    if len(plan.steps) == 1 and reading.has(r"\bsame\b") and not plan.equals:
        [step] = plan.steps
        twin = plan.variable(plan.types[step.source])
        plan.steps.append(Step(step.relation, twin, step.target, "r2", step.mention))
        plan.conditions.append(f"{step.source}.id <> {twin}.id")
    if not plan.steps:
        kind = _asked_type(reading)
        if not kind:
            return None
        if reading.names and not any(n.owner == kind or not n.owner for n in reading.names):
            thing, other = plan.variable(kind), plan.variable(reading.names[0].owner)
            plan.equals[other] = reading.names[0].value
            plan.steps.append(Step("", other, thing, "r", either_way=True))
            plan.show("r.relationship_name")
        else:
            thing = plan.variable(kind)
            if reading.names:
                plan.equals[thing] = reading.names[0].value
        plan.answer = thing
    else:
        plan.answer = _answer(reading, plan)
    _filters(reading, plan)
    return plan


def _relations(reading: Reading) -> list[Mention]:
    """The relationships that are named, each once, and those whose properties are."""
    kept: list[Mention] = []
    for mention in reading.relations:
        same = next((i for i, m in enumerate(kept) if m.value == mention.value), None)
        if same is None:
            kept.append(mention)
        elif kept[same].form == "noun" and mention.form == "verb":
            kept[same] = replace(kept[same], end=mention.end)
    for own in reading.properties:
        quoted_list = own.of_edge and all(m.value != own.owner for m in kept)
        only_here = not any(p.value == own.value and not p.of_edge for p in reading.properties)
        before = any(m.end < own.start <= m.end + 1 and m.value != own.owner for m in reading.relations)
        if quoted_list and only_here and not before and not any(p.start == own.start for p in kept):
            kept.append(Mention("relation", own.owner, own.start, own.end, form="property"))
    return sorted(kept, key=lambda m: m.start)


def _ends(schema: GraphSchema, relation: str) -> tuple[str, str]:
    joins = {pair: n for pair, n in schema.joins.get(relation, {}).items() if not set(pair) & STRUCTURE}
    if not joins:
        return "", ""
    source = Counter[str]()
    target = Counter[str]()
    for (one, other), count in joins.items():
        source[one] += count
        target[other] += count
    total = sum(source.values())
    [(one, most)], [(other, many)] = source.most_common(1), target.most_common(1)
    return one if most >= 0.9 * total else "", other if many >= 0.9 * total else ""


def _add_step(reading: Reading, plan: Plan, relations: Sequence[Mention], position: int, graph: Graph) -> None:
    mention = relations[position]
    if plan.steps and re.fullmatch(r"(?:\s|in|by|,|and)*\bor\b(?:\s|in|by)*|,(?:\s|in|by)*", reading.lower[relations[position - 1].end : mention.start]):
        ored = any(re.search(r"\bor\b", reading.lower[a.end : b.start]) for a, b in zip(relations, relations[1:], strict=False))
        if ored and _ends(reading.schema, mention.value) == _ends(reading.schema, relations[position - 1].value):
            plan.steps[-1].others.append(mention.value)
            return
    source_type, target_type = _ends(reading.schema, mention.value)
    either = source_type == target_type and _symmetric(graph, mention.value)
    target = next((v for v, kind in plan.types.items() if kind == target_type and kind != source_type), "")
    source = ""
    if plan.steps and _same_source(reading, relations, position):
        source = plan.steps[-1].source
        if not target and source_type == target_type:
            target = plan.steps[-1].target if reading.has(r"\bsame\b") else ""
    source = source or plan.variable(source_type)
    target = target or plan.variable(target_type)
    variable = "r" if not plan.steps else f"r{len(plan.steps) + 1}"
    plan.steps.append(Step(mention.value, source, target, variable, mention, either_way=either))


def _same_source(reading: Reading, relations: Sequence[Mention], position: int) -> bool:
    """Whether this relation has the subject of the one before: a list of verbs, or the same person said so."""
    before, own = relations[position - 1], relations[position]
    if own.form == "property":
        return False
    source = {_ends(reading.schema, m.value)[0] for m in (before, own)}
    if len(source) > 1:
        return False
    between = reading.lower[before.end : own.start]
    linked = re.fullmatch(r"(?:[\s,]|and|or|both|also|then|in|have|has|had|who|by|it|them|been)*", between) is not None
    passives = [bool(re.match(r"\s+(?:\w+\s+)?by\b", reading.lower[m.end :])) for m in (before, own)]
    if linked and (not passives[0] or " and " in f" {between} "):
        return True
    if passives[0] != passives[1] and not reading.has(r"\bsame (?:person|people|one)\b|\bthemselves\b"):
        return reading.has(r"\bwho (?:has |have )?also\b")
    return reading.has(SAME)


def _symmetric(graph: Graph, relation: str) -> bool:
    """Whether most edges of a relationship have one back."""
    chosen = pc.equal(graph.relationships, relation).to_numpy(zero_copy_only=False)
    pairs = set(zip(graph.sources[chosen].tolist(), graph.targets[chosen].tolist(), strict=True))
    return bool(pairs) and sum((b, a) in pairs for a, b in pairs) > 0.3 * len(pairs)


def _place_names(reading: Reading, plan: Plan, graph: Graph) -> None:
    """Bind each name to an end of the nearest relation of its type; a second one of a type is one more with the same relation."""
    for own in reading.names:
        if not plan.steps or _is_value(reading, own):
            continue
        step = min(plan.steps, key=lambda s: abs((s.mention.start if s.mention else 0) - own.start))
        ordered = [step, *(s for s in plan.steps if s is not step)]
        side = _side(reading, own, ordered, plan, graph)
        if side is None:
            continue
        chosen, end = side
        variable = chosen.source if end == "source" else chosen.target
        if variable in plan.equals:
            twin = plan.variable(own.owner or plan.types[variable])
            source, target = (twin, chosen.target) if end == "source" else (chosen.source, twin)
            plan.steps.append(Step(chosen.relation, source, target, f"r{len(plan.steps) + 1}", chosen.mention, chosen.either_way))
            variable = twin
        plan.equals[variable] = own.value


def _side(
    reading: Reading, own: Mention, steps: Sequence[Step], plan: Plan, graph: Graph
) -> tuple[Step, str] | None:
    for step in steps:
        ends = (plan.types[step.source], plan.types[step.target])
        fits = [end for end, kind in zip(("source", "target"), ends, strict=True) if not kind or not own.owner or kind == own.owner]
        if len(fits) == 2 and ends[0] != ends[1]:
            fits = [end for end in fits if _has_end(graph, own.value, step.relation, end)] or fits
        if len(fits) == 2 and step.mention is not None:
            before = own.start < step.mention.start
            passive = bool(re.match(r"\s+(?:\w+\s+)?by\b", reading.lower[step.mention.end :]))
            own_noun = step.mention.form == "things" or not step.mention.value.lower().endswith("ed")
            of = re.match(r"\s*(?:of|for)\s+(?:the\s+)?$", reading.lower[step.mention.end : own.start]) is not None
            has_as = re.search(r"\bas (?:an? |the |its |their )?$", reading.lower[own.end : step.mention.start]) is not None
            doer = step.mention.form == "noun"
            fits = ["target"] if has_as or (of and doer) else ["source"] if of and own_noun else ["source" if before != passive else "target"]
        if fits:
            return step, fits[0]
    return None


def _has_end(graph: Graph, name: str, relation: str, end: str) -> bool:
    nodes = np.flatnonzero(pc.equal(graph.node_names, name).to_numpy(zero_copy_only=False))
    edges = graph.incident(nodes)
    own = edges[pc.equal(graph.relationships.take(pa.array(edges)), relation).to_numpy(zero_copy_only=False)]
    ends = graph.sources[own] if end == "source" else graph.targets[own]
    return bool(np.isin(ends, nodes).any())


def _connect(plan: Plan) -> None:
    """Leave out the relations that are not linked with the first one that a name belongs to: all pairs say nothing."""
    if not plan.steps:
        return
    start = next((s for s in plan.steps if {s.source, s.target} & set(plan.equals)), plan.steps[0])
    reached, kept = {start.source, start.target}, [start]
    while more := [s for s in plan.steps if s not in kept and {s.source, s.target} & reached]:
        kept += more
        reached |= {end for s in more for end in (s.source, s.target)}
    plan.steps = [s for s in plan.steps if s in kept]
    plan.types = {v: kind for v, kind in plan.types.items() if v in reached}


def _asked_type(reading: Reading) -> str:
    """The type that is asked for: the first one named, or persons where the question is who."""
    if reading.types:
        return reading.types[0].value
    if reading.has(r"\bwho\b|\bsomeone\b") and (reading.comparisons or reading.properties or reading.limit or reading.names):
        return next((kind for kind in PERSON if kind in reading.schema.types), "")
    owners = [p.owner for p in reading.properties if not p.of_edge]
    return owners[0] if owners else ""


def _answer(reading: Reading, plan: Plan) -> str:
    """The variable that the question asks for: what is named first, a type, who, or a doer like `directors`."""
    firsts: list[tuple[int, str]] = []
    free = [s for s in plan.steps if s.source not in plan.equals]
    by_mention = {id(s.mention): s for s in plan.steps}
    for own in reading.types:
        variables = [v for v, kind in plan.types.items() if kind == own.value and v not in plan.equals]
        if variables:
            firsts.append((own.start, _nearest_source(plan, own, variables)))
    for step in by_mention.values():
        if step.mention is not None and step.mention.form == "noun" and step.source not in plan.equals:
            firsts.append((step.mention.start, step.source))
    who = re.search(r"\bwho\b", reading.lower)
    if who and free:
        firsts.append((who.start(), free[0].source))
    if firsts:
        return min(firsts)[1]
    open_ends = [v for s in plan.steps for v in (s.target, s.source) if v not in plan.equals]
    return open_ends[0] if open_ends else plan.steps[0].target


def _nearest_source(plan: Plan, own: Mention, variables: Sequence[str]) -> str:
    """Of several variables of a type, the one whose relation is named next after it."""
    later = [s for s in plan.steps if s.source in variables and s.mention is not None and s.mention.start >= own.start]
    return later[0].source if later else variables[0]


# -------------------------------------------------------------------- conditions


def _is_value(reading: Reading, own: Mention) -> bool:
    """Whether a quoted name is a text that a property shall have, not a thing."""
    return own.form == "quoted" and _text_property(reading, own) is not None and reading.has(PART)


def _text_property(reading: Reading, own: Mention) -> Mention | None:
    """The property whose text a quoted string is: the last one named before it, or the next one after."""
    before = [p for p in reading.properties if p.end <= own.start and _kind(reading.schema, p).startswith("text")]
    after = [p for p in reading.properties if p.start >= own.end and _kind(reading.schema, p).startswith("text")]
    titles = re.search(r"(?:titled|called|named|name|movie|film)\s*$", reading.lower[: own.start])
    if titles:
        return None
    if before and own.start - before[-1].end < 45:
        return before[-1]
    return after[0] if after and after[0].start - own.end < 30 else None


def _kind(schema: GraphSchema, own: Mention) -> str:
    held = schema.edge_properties if own.of_edge else schema.node_properties
    return held.get(own.owner, {}).get(own.value, "")


def _filters(reading: Reading, plan: Plan) -> None:
    for own in reading.strings:
        place = _text_property(reading, own)
        if place is not None and not any(n.start == own.start and not _is_value(reading, n) for n in reading.names):
            column = _column(reading, plan, place)
            if column:
                plan.conditions.append(_text_condition(reading, own, place, column))
                plan.show(column)
        elif reading.has(r"\bname\b.*\bstart") and plan.answer:
            plan.conditions.append(f"{plan.answer}.name STARTS WITH {quoted(own.value)}")
    for comparison in reading.comparisons:
        _compare(reading, plan, comparison)
    if reading.has(r"\b(?:with|having|that have) an? (?:\w+ )?(?=\w+(?: and|[.?]|$))"):
        for own in reading.properties:
            after = reading.lower[own.end :].strip(" ?.")
            column = _column(reading, plan, own)
            if not after and column and not any(column in c for c in plan.conditions):
                plan.conditions.append(f"{column} IS NOT NULL")


def _text_condition(reading: Reading, own: Mention, place: Mention, column: str) -> str:
    between = reading.lower[place.end : own.start] if place.end <= own.start else reading.lower[own.end : place.start]
    value = quoted(own.value)
    if _kind(reading.schema, place).endswith("[]"):
        return f"any(x IN {column} WHERE x CONTAINS {value})"
    if re.search(r"start|begin", between):
        return f"{column} STARTS WITH {value}"
    if re.search(r"\bend", between):
        return f"{column} ENDS WITH {value}"
    return f"{column} CONTAINS {value}" if re.search(PART, between) else f"{column} = {value}"


def _column(reading: Reading, plan: Plan, own: Mention) -> str:
    """The property as a column of the variable that it belongs to; its relation is added where it is not in the pattern."""
    if own.of_edge:
        step = next((s for s in plan.steps if s.relation == own.owner), None)
        return f"{step.variable}.{_name(own.value)}" if step else ""
    variables = [v for v, kind in plan.types.items() if kind == own.owner]
    if not variables:
        return ""
    return f"{_near(plan, variables, own.start)}.{_name(own.value)}"


def _near(plan: Plan, variables: Sequence[str], at: int) -> str:
    """Of several variables of a type, the one whose relation is named nearest, without a name of its own if possible."""
    free = [v for v in variables if v not in plan.equals] or list(variables)

    def distance(variable: str) -> int:
        own = [abs(s.mention.start - at) for s in plan.steps if s.mention and variable in {s.source, s.target}]
        return min(own, default=10_000)

    return min(free, key=distance)


def _name(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z]\w*", name) else f"`{name}`"


def _compare(reading: Reading, plan: Plan, own: Comparison) -> None:
    after = reading.lower[own.end : own.end + 40]
    next_word = re.match(r"\s+(?:different |distinct |or more )?(\w+)", after)
    follows = own.end + next_word.start(1) if next_word else -1
    operator, value = own.operator, own.numbers[0]
    listed = next((p for p in reading.properties if p.start == follows), None)
    if operator in {">", ">=", "<", "<=", "="}:
        if listed is not None and _kind(reading.schema, listed).endswith("[]"):
            _add_condition(reading, plan, listed, f"size({_column(reading, plan, listed)}) {operator} {_number(value)}")
            return
        if next_word and next_word[1].startswith("character"):
            place = next((p for p in reversed(reading.properties) if p.end <= own.start), None)
            if place is not None:
                plan.conditions.append(f"size({_column(reading, plan, place)}) {operator} {_number(value)}")
            return
        counted = _counted(reading, plan, follows)
        if counted:
            plan.counted = counted
            plan.having.append(f"{operator} {_number(value)}")
            return
    place = _number_property(reading, own)
    column = _column(reading, plan, place) if place is not None else ""
    if not column:
        return
    plan.conditions.append(_number_condition(column, own))
    plan.show(column)


def _add_condition(reading: Reading, plan: Plan, place: Mention, condition: str) -> None:
    plan.conditions.append(condition)
    plan.show(_column(reading, plan, place))


def _counted(reading: Reading, plan: Plan, at: int) -> str:
    """The variable that is counted where a number stands before a type or a doer: `more than one movie`."""
    if not plan.steps or at < 0:
        return ""
    for own in reading.types:
        if own.start == at:
            variables = [v for v, kind in plan.types.items() if kind == own.value and v != plan.answer]
            return variables[0] if variables else ""
    for own in reading.relations:
        if own.start == at:
            step = next((s for s in plan.steps if s.relation == own.value), None)
            return "" if step is None or own.form == "verb" else step.source if own.form == "noun" else step.variable
    return ""


def _number_condition(column: str, own: Comparison) -> str:
    first = _number(own.numbers[0])
    if own.operator == "between":
        return f"{column} >= {first} AND {column} <= {_number(own.numbers[1])}"
    if own.operator == "decade":
        return f"{column} >= {first} AND {column} < {_number(own.numbers[0] + 10)}"
    if own.operator == "divisible":
        return f"{column} % {first} = 0"
    return f"{column} {own.operator} {first}"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


def _number_property(reading: Reading, own: Comparison) -> Mention | None:
    """The property that a number is compared with: the last number named before, the next one after, or a type's only one."""
    numeric = [p for p in reading.properties if _kind(reading.schema, p) in {"number", "decimal"}]
    before = [p for p in numeric if p.end <= own.start]
    after = [p for p in numeric if p.start >= own.end and p.start - own.end < 25]
    if before:
        return before[-1]
    if after:
        return after[0]
    if numeric:
        return numeric[0]
    kinds = [t.value for t in reading.types if t.end <= own.start][::-1] or [_asked_type(reading)]
    for kind in kinds:
        held = [n for n, k in reading.schema.node_properties.get(kind, {}).items() if k in {"number", "decimal"}]
        if len(held) == 1 or (held and own.numbers[0] > 1000):
            chosen = (_year_properties(reading.schema, kind) or held)[0]
            return Mention("property", chosen, own.start, own.end, kind)
    return None


def _year_properties(schema: GraphSchema, kind: str) -> list[str]:
    """Numbers of a type that may be years: those called like a time, else its only number."""
    held = [n for n, k in schema.node_properties.get(kind, {}).items() if k in {"number", "decimal"}]
    timed = [n for n in held if re.search(r"(?i)year|date|born|birth|releas|found|start|since|creat|establish|publish|open", n)]
    return timed or (held if len(held) == 1 else [])


# -------------------------------------------------------------------- the return


def _statement(reading: Reading, plan: Plan, graph: Graph, *, loose: bool) -> str:
    """The whole statement; a loose one compares texts without case."""
    order = _order(reading, plan)
    if negated := _negated(reading, plan):
        return negated
    match = _match(plan)
    conditions = [_loose(c) if loose else c for c in plan.conditions]
    where = f" WHERE {' AND '.join(dict.fromkeys(conditions))}" if conditions else ""
    head = f"MATCH {match}{where}"
    scalar = _scalar(reading, plan)
    if scalar:
        return f"{head} {scalar}"
    grouped = _grouped(reading, plan, order)
    if grouped:
        return f"{head} {grouped}"
    return f"{head} {_listing(reading, plan, order)}"


NOT_THEM = r"\b(?:and|or) which (?:ones )?(?:are|is|do|does|has|have) not\b"
NOT = r"\b(?:not|no|never|without|lack|aren't|isn't|don't|doesn't|haven't|hasn't)\b"


def _negated(reading: Reading, plan: Plan) -> str:
    """Things of which a relation with a name does not hold; both kinds with their numbers where both are asked for."""
    if len(plan.steps) != 1 or len(plan.equals) != 1 or not reading.has(NOT):
        return ""
    [step], [(bound, name)] = plan.steps, plan.equals.items()
    thing = step.source if bound == step.target else step.target
    kind = plan.types[thing]
    label = f":{_name(kind)}" if kind else ""
    relation = f"[:{_name(step.relation)}]"
    arrow = f"-{relation}-" if step.either_way else f"-{relation}->" if thing == step.source else f"<-{relation}-"
    named = next((t for t in reading.types if t.value == kind), None)
    every = f"MATCH ({thing}{label})" if named else f"MATCH ({thing}{label}){arrow}() WITH DISTINCT {thing}"
    holds = f"EXISTS {{ MATCH ({thing}){arrow}({{name: {quoted(name)}}}) }}"
    if reading.has(NOT_THEM):
        return f"{every} RETURN {holds} AS holds, count(*) AS number, collect({thing}.name) AS names ORDER BY holds DESC"
    counted = f"count({thing}) AS number" if reading.has(r"^how many\b") else f"{thing}.name"
    return f"{every} WHERE NOT {holds} RETURN {counted}{_limit(reading)}"


def _match(plan: Plan) -> str:
    seen: set[str] = set()

    def node(variable: str) -> str:
        if variable in seen:
            return f"({variable})"
        seen.add(variable)
        label = f":{_name(plan.types[variable])}" if plan.types[variable] and variable not in plan.equals else ""
        named = f" {{name: {quoted(plan.equals[variable])}}}" if variable in plan.equals else ""
        return f"({variable}{label}{named})"

    if not plan.steps:
        return node(next(iter(plan.types)))
    parts = []
    for step in plan.steps:
        named = "|".join(_name(relation) for relation in (step.relation, *step.others) if relation)
        relation = f"[{step.variable}{f':{named}' if named else ''}]"
        parts.append(f"{node(step.source)}-{relation}-{'' if step.either_way else '>'}{node(step.target)}")
    return ", ".join(parts)


def _loose(condition: str) -> str:
    found = re.fullmatch(r"(\S+) (=|CONTAINS|STARTS WITH|ENDS WITH) ('.*')", condition)
    return f"lower({found[1]}) {found[2]} lower({found[3]})" if found else condition


def _scalar(reading: Reading, plan: Plan) -> str:
    """One number: how many there are, or the average, sum, highest or lowest of a property over all."""
    if reading.has(r"^(?:how many|count|what is the (?:total )?number of|number of)\b") and not plan.having:
        return f"RETURN count(DISTINCT {plan.answer}) AS number"
    if reading.has(r"^how many\b"):
        group = plan.answer
        return f"WITH {group}, count({_distinct(plan)}) AS number WHERE number {' AND number '.join(plan.having)} RETURN count({group}) AS number"
    asked = re.match(
        r"(?:what(?:'s| is| are| was)|find|calculate|show|give)?\s*(?:me )?(?:the )?"
        r"(average|mean|total|sum of|highest|lowest|maximum|minimum|max|min|earliest|latest)\b",
        reading.lower,
    )
    own = next((p for p in reading.properties if _kind(reading.schema, p)), None)
    if asked and own is not None and not (reading.has(r"\b(?:per|each|which|every)\b") and not _sized(reading, own)) and own.start - asked.end() < 25:
        function = {"average": "avg", "mean": "avg", "total": "sum", "sum of": "sum"}.get(
            asked[1], "min" if asked[1] in {"lowest", "minimum", "min", "earliest"} else "max"
        )
        column = _column(reading, plan, own)
        column = f"size({column})" if _kind(reading.schema, own).endswith("[]") or _sized(reading, own) else column
        return f"RETURN {function}({column}) AS {function if function != 'avg' else 'average'}_{_alias(own.value)}" if column else ""
    return ""


def _sized(reading: Reading, own: Mention) -> bool:
    return bool(re.search(r"\b(?:length|number) of\s*$", reading.lower[: own.start]))


def _alias(name: str) -> str:
    return re.sub(r"\W+", "_", name)


def _distinct(plan: Plan) -> str:
    return plan.counted if plan.counted in {s.variable for s in plan.steps} else f"DISTINCT {plan.counted}"


def _grouped(reading: Reading, plan: Plan, order: str) -> str:
    """Counts and averages per thing: most movies, more than one movie, the highest average rating, the commonest role."""
    common = re.search(r"\b(?:most )?(?:common|frequent)\b", reading.lower)
    own = next((p for p in reading.properties if common and p.start >= common.start()), None)
    if own is not None:
        column = _column(reading, plan, own)
        limit = _limit(reading)
        if column and _kind(reading.schema, own).endswith("[]"):
            fixed = "".join(f"{v}.name, " for v in plan.equals)
            return f"UNWIND {column} AS value RETURN {fixed}value, count(*) AS number ORDER BY number DESC{limit}"
        if column:
            return f"WITH {column} AS value WHERE value IS NOT NULL RETURN value, count(*) AS number ORDER BY number DESC{limit}"
    average = re.search(r"\b(average|mean|total)\b", reading.lower)
    rated = next((p for p in reading.properties if average and p.start >= average.start() and _kind(reading.schema, p) in {"number", "decimal"}), None)
    group = plan.answer
    if average is not None and rated is not None and plan.steps:
        function = "sum" if average[1] == "total" else "avg"
        down = "" if reading.has(LESS) else " DESC"
        return (
            f"RETURN {group}.name, {function}({_column(reading, plan, rated)}) AS {average[1]} ORDER BY {average[1]}{down}"
            f"{_limit(reading, single=reading.has(MORE) or reading.has(LESS))}"
        )
    if reading.has(r"\b(?:combined|total|overall|altogether)\b") and reading.has(MORE):
        listed_one = next((p for p in reading.properties if _kind(reading.schema, p).endswith("[]")), None)
        if listed_one is not None:
            size = f"size({_column(reading, plan, listed_one)})"
            return f"RETURN {group}.name, sum({size}) AS number ORDER BY number DESC{_limit(reading, single=True)}"
    best = re.search(r"\b(highest|best|top|lowest|worst)[- ]rated\b", reading.lower)
    step = next((s for s in plan.steps if _rating(reading, s)), None)
    things = best is not None and any(0 <= m.start - best.end() < 3 for m in reading.relations)
    if best and not things and step is not None and reading.types and _described(reading, plan, best.end()) == group == step.target:
        down = "" if best[1] in {"lowest", "worst"} else " DESC"
        column = f"{step.variable}.{_name(_rating(reading, step))}"
        return f"RETURN {group}.name, avg({column}) AS average ORDER BY average{down}{_limit(reading, single=True)}"
    if plan.having and (diverse := _most_of(reading, plan)) and plan.counted not in diverse:
        return (
            f"WITH {group}, count({diverse}) AS number, count({_distinct(plan)}) AS others WHERE others "
            f"{' AND others '.join(plan.having)} RETURN {group}.name, number, others ORDER BY number DESC{_limit(reading, single=True)}"
        )
    if plan.having:
        listed = ", ".join([f"{group}.name", "number"])
        down = _limit(reading)
        ordered = " ORDER BY number DESC" if not reading.limit_kind == "first" else ""
        return (
            f"WITH {group}, count({_distinct(plan)}) AS number WHERE number {' AND number '.join(plan.having)} RETURN {listed}"
            f"{ordered}{down}"
        )
    counted = _most_of(reading, plan)
    if not counted:
        return ""
    less = bool(re.search(LESS, reading.lower)) and not re.search(MORE, reading.lower)
    own_columns = [_column(reading, plan, p) for p in reading.properties if not p.of_edge and p.owner == plan.types[group]]
    own_columns = [c for c in dict.fromkeys(own_columns) if c.startswith(f"{group}.") and c != f"{group}.name" and c not in counted]
    return (
        f"RETURN {', '.join([f'{group}.name', *own_columns])}, count({counted}) AS number ORDER BY number{'' if less else ' DESC'}"
        f"{_limit(reading, single=True)}"
    )


def _most_of(reading: Reading, plan: Plan) -> str:
    """What is counted for each answer where the question asks who has most of it; '' where it asks nothing of that kind."""
    if not plan.steps:
        return ""
    other = [v for s in plan.steps if plan.answer in {s.source, s.target} for v in (s.target, s.source) if v != plan.answer]
    other = [v for v in other if v not in plan.equals] or other
    diverse = re.search(r"\b(?:divers\w*|distinct|different|variety)\b", reading.lower)
    if diverse:
        own = next((p for p in reading.properties), None)
        if own is not None and reading.has(r"\b(?:most|top|highest|variety|diversity)\b"):
            return f"DISTINCT {_column(reading, plan, own)}"
    most = re.search(
        r"\b(?:(?<!at )most|fewest|(?<!at )least|(?:highest|largest|lowest|total|by|greatest|by the) (?:the )?number of|by (?:the )?number of|in terms of the number of)\b",
        reading.lower,
    )
    if most and other:
        at = most.end()
        near = reading.lower[at : at + 40]
        listed = next((p for p in reading.properties if _kind(reading.schema, p).endswith("[]") and 0 <= p.start - at < 25), None)
        text = next((p for p in reading.properties if 0 <= p.start - at < 12 and not listed), None)
        if listed is not None or (text is not None and re.match(r"\s*" + re.escape(text.value), near)):
            return ""
        if re.search(NEW, reading.lower):
            return ""
        return f"DISTINCT {other[0]}"
    doer = next((s for s in plan.steps if s.mention and s.mention.form == "noun" and s.source == plan.answer), None)
    plain = reading.limit_kind == "top" and not re.search(f"{OLD}|{NEW}|{MORE}|{LESS}", reading.lower)
    doer = doer or next((s for s in plan.steps if s.source == plan.answer and not s.either_way), None)
    rated = any(p.of_edge and _kind(reading.schema, p) in {"number", "decimal"} for p in reading.properties)
    if doer is not None and plain and not rated and doer.target not in plan.equals:
        return f"DISTINCT {doer.target}"
    return ""


def _order(reading: Reading, plan: Plan) -> str:
    """The ORDER BY that the question asks for, with what it is ordered by told in the result; '' where it asks for none."""
    old, new = re.search(OLD, reading.lower), re.search(NEW, reading.lower)
    if old or new:
        at = (old or new).start()  # type: ignore[union-attr]
        variable = _described(reading, plan, at)
        years = _year_properties(reading.schema, plan.types[variable])
        if years:
            plan.show(f"{variable}.{_name(years[0])}")
            return f" ORDER BY {variable}.{_name(years[0])}{' DESC' if new else ''}"
    ordered = re.search(r"\b(?:order|sort|rank)(?:ed)?\s+by\s+(?:the\s+|their\s+)?(.*)$", reading.lower)
    if ordered:
        down = " DESC" if re.search(r"desc|largest|longest|highest|most|length|size|amount|number", ordered[1]) else ""
        own = next((p for p in reading.properties if p.start >= ordered.start(1)), None)
        if own is not None:
            column = _column(reading, plan, own)
            plan.show(column)
            return f" ORDER BY {column}{down}"
        if plan.steps:
            plan.amount = _amount(plan)
            return f" ORDER BY amount{down}"
    return _superlative(reading, plan)


def _amount(plan: Plan) -> str:
    """The greatest first number in the texts of the relation: `Latvia land boundaries: Russia 332 km.` is 332."""
    text = f"{plan.steps[0].variable}.edge_text"
    figure = f"regexp_replace(regexp_extract({text}, '[0-9][0-9,]*(\\\\.[0-9]+)?'), ',', '', 'g')"
    return f"max(CASE WHEN regexp_matches({text}, '[0-9]') THEN to_double({figure}) ELSE 0.0 END)"


def _superlative(reading: Reading, plan: Plan) -> str:
    for pattern, down in ((MORE, " DESC"), (LESS, "")):
        for match in re.finditer(pattern, reading.lower):
            own = next((p for p in reading.properties if 0 <= p.start - match.end() < 30), None)
            name = re.match(r"\s*names?\b", reading.lower[match.end() :])
            if own is None and name and match[0] in {"longest", "shortest"}:
                return f" ORDER BY size({plan.answer}.name){down}"
            if own is None or reading.lower[match.end() : own.start].strip().startswith("number of") and _kind(reading.schema, own) == "number":
                continue
            column = _column(reading, plan, own)
            kind = _kind(reading.schema, own)
            if not column:
                continue
            plan.show(f"size({column})" if kind.endswith("[]") else column)
            if kind == "text" and match[0] in {"longest", "shortest"}:
                plan.conditions.append(f"{column} IS NOT NULL")
                return f" ORDER BY size({column}){down}"
            return f" ORDER BY {f'size({column})' if kind.endswith('[]') else column}{down}"
    return _implied_order(reading, plan)


def _implied_order(reading: Reading, plan: Plan) -> str:
    """`first` is by time, `top` is by a number that is spoken of, the highest first, or else the newest first."""
    if reading.limit is None or not reading.limit_kind or not plan.answer:
        return ""
    if reading.limit_kind == "top":
        rated = next((s for s in plan.steps if _rating(reading, s)), None)
        by_number = [c for c in reading.properties if _sized(reading, c) and _kind(reading.schema, c).endswith("[]")]
        if by_number:
            column = f"size({_column(reading, plan, by_number[0])})"
            plan.show(column)
            return f" ORDER BY {column} DESC"
        if rated is not None:
            column = f"{rated.variable}.{_name(_rating(reading, rated))}"
            plan.show(column)
            return f" ORDER BY {column} DESC"
    years = _year_properties(reading.schema, plan.types[plan.answer])
    if not years:
        return ""
    column = f"{plan.answer}.{_name(years[0])}"
    plan.show(column)
    return f" ORDER BY {column}{' DESC' if reading.limit_kind in {'top', 'last'} else ''}"


def _rating(reading: Reading, step: Step) -> str:
    """The only number that a relationship's edges have; '' where there is none, or more than one."""
    own = reading.schema.edge_properties.get(step.relation, {})
    held = [name for name, kind in own.items() if kind in {"number", "decimal"}]
    return held[0] if len(held) == 1 else ""


def _described(reading: Reading, plan: Plan, at: int) -> str:
    """The variable of the type or doer named next after a place."""
    nexts: list[tuple[int, str]] = []
    for own in reading.types:
        if own.start >= at:
            nexts += [(own.start, v) for v, kind in plan.types.items() if kind == own.value]
    for step in plan.steps:
        if step.mention is not None and step.mention.form == "noun" and step.mention.start >= at:
            nexts.append((step.mention.start, step.source))
    return min(nexts)[1] if nexts else plan.answer


def _listing(reading: Reading, plan: Plan, order: str) -> str:
    """Every thing of the pattern by name, the answer first, with the properties that are spoken of."""
    for own in reading.properties:
        column = _column(reading, plan, own)
        if column:
            plan.show(column)
    if reading.has(r"\bwhen\b|\b(?:release|birth|founding) (?:year|date)s?\b"):
        plan.shown += [f"{plan.answer}.{_name(y)}" for y in _year_properties(reading.schema, plan.types[plan.answer])[:1]]
    for step in plan.steps:
        if any(p.of_edge and p.owner == step.relation for p in reading.properties):
            own = reading.schema.edge_properties.get(step.relation, {})
            plan.shown += [f"{step.variable}.{_name(p)}" for p in own if p not in HIDDEN_PROPERTIES]
    own = reading.schema.node_properties.get(plan.types[plan.answer], {})
    numbers = [name for name, kind in own.items() if kind in {"number", "decimal"} and name not in HIDDEN_PROPERTIES]
    plan.shown += [f"{plan.answer}.{_name(n)}" for n in numbers[:MOST_NUMBERS]]
    others = [v for v in plan.types if v != plan.answer]
    columns = [f"{v}.name" for v in [plan.answer, *others]] + plan.shown
    columns = list(dict.fromkeys(columns))
    single = bool(re.search(f"{OLD}|{NEW}|{MORE}|{LESS}", reading.lower)) and bool(order)
    one = single and re.match(r"(?:who|which \w+(?: \w+)?|what) (?:is|was|has|have|had|directed|\w+ed|wrote|the)\b", reading.lower)
    if plan.amount:
        columns.append(f"{plan.amount} AS amount")
    elif len(plan.steps) == 1 and plan.steps[0].either_way and plan.steps[0].relation and not plan.shown:
        columns.append(f"collect(DISTINCT {plan.steps[0].variable}.edge_text) AS said")
    distinct = "DISTINCT " if any(s.either_way for s in plan.steps) and not order else ""
    return f"RETURN {distinct}{', '.join(columns)}{order}{_limit(reading, single=bool(one))}"


def _limit(reading: Reading, *, single: bool = False) -> str:
    if reading.limit is not None:
        return f" LIMIT {reading.limit}"
    plural = re.match(r"(?:which|what|who) are\b|list|find|name|show", reading.lower)
    return " LIMIT 1" if single and not plural else ""
