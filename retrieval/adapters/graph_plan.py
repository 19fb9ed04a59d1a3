"""The pattern of a question: variables for its things, relations between them, and conditions on their properties."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from retrieval.adapters.graph_words import STRUCTURE, Comparison, Mention, Reading
from retrieval.graph import Graph
from retrieval.labels import quoted
from retrieval.model import GraphSchema

PERSON = ("Person", "People", "Human", "Agent")
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


# -------------------------------------------------------------------- the pattern


def pattern(reading: Reading, graph: Graph) -> Plan | None:
    """Variables and relations for what is named; None where there is no type and no relation."""
    plan = Plan()
    relations = _relations(reading)
    for position in range(len(relations)):
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


def ends_of(schema: GraphSchema, relation: str) -> tuple[str, str]:
    """The types that a relationship goes from and to; '' where there are several."""
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
    if plan.steps and _alternative(reading, relations, position):
        plan.steps[-1].others.append(mention.value)
        return
    source_type, target_type = ends_of(reading.schema, mention.value)
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


def _alternative(reading: Reading, relations: Sequence[Mention], position: int) -> bool:
    """Whether this relation and the one before stand in a list with `or`."""
    spans = [reading.lower[one.end : other.start] for one, other in itertools.pairwise(relations)]
    listed = re.fullmatch(r"(?:\s|in|by|,|and|or)*", spans[position - 1]) is not None
    before, own = relations[position - 1], relations[position]
    alike = ends_of(reading.schema, own.value) == ends_of(reading.schema, before.value)
    return listed and alike and any(re.search(r"\bor\b", span) for span in spans)


def _same_source(reading: Reading, relations: Sequence[Mention], position: int) -> bool:
    """Whether this relation has the subject of the one before: a list of verbs, or the same person said so."""
    before, own = relations[position - 1], relations[position]
    if own.form == "property":
        return False
    source = {ends_of(reading.schema, m.value)[0] for m in (before, own)}
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
            plan.steps.append(
                Step(chosen.relation, source, target, f"r{len(plan.steps) + 1}", chosen.mention, chosen.either_way)
            )
            variable = twin
        plan.equals[variable] = own.value


def _side(reading: Reading, own: Mention, steps: Sequence[Step], plan: Plan, graph: Graph) -> tuple[Step, str] | None:
    for step in steps:
        ends = (plan.types[step.source], plan.types[step.target])
        fits = [
            end
            for end, kind in zip(("source", "target"), ends, strict=True)
            if not kind or not own.owner or kind == own.owner
        ]
        if len(fits) == 2 and ends[0] != ends[1]:
            fits = [end for end in fits if _has_end(graph, own.value, step.relation, end)] or fits
        if len(fits) == 2 and step.mention is not None:
            before = own.start < step.mention.start
            passive = bool(re.match(r"\s+(?:\w+\s+)?by\b", reading.lower[step.mention.end :]))
            own_noun = step.mention.form == "things" or not step.mention.value.lower().endswith("ed")
            of = re.match(r"\s*(?:of|for)\s+(?:the\s+)?$", reading.lower[step.mention.end : own.start]) is not None
            has_as = (
                re.search(r"\bas (?:an? |the |its |their )?$", reading.lower[own.end : step.mention.start]) is not None
            )
            doer = step.mention.form == "noun"
            fits = (
                ["target"]
                if has_as or (of and doer)
                else ["source"]
                if of and own_noun
                else ["source" if before != passive else "target"]
            )
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
    if reading.has(r"\bwho\b|\bsomeone\b") and (
        reading.comparisons or reading.properties or reading.limit or reading.names
    ):
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
    before = [p for p in reading.properties if p.end <= own.start and kind_of(reading.schema, p).startswith("text")]
    after = [p for p in reading.properties if p.start >= own.end and kind_of(reading.schema, p).startswith("text")]
    titles = re.search(r"(?:titled|called|named|name|movie|film)\s*$", reading.lower[: own.start])
    if titles:
        return None
    if before and own.start - before[-1].end < 45:
        return before[-1]
    return after[0] if after and after[0].start - own.end < 30 else None


def unplaced(reading: Reading) -> bool:
    """Whether something in quotes is neither a name nor the text of a property: what it is asked of is not known here."""
    named = {own.start for own in reading.names}
    starting = reading.has(r"\bname\b.*\bstart")
    return any(
        own.start not in named and not starting and _text_property(reading, own) is None for own in reading.strings
    )


def kind_of(schema: GraphSchema, own: Mention) -> str:
    """The kind of a property's values: number, decimal, flag or text, with [] for lists; '' where it is unknown."""
    held = schema.edge_properties if own.of_edge else schema.node_properties
    return held.get(own.owner, {}).get(own.value, "")


def _filters(reading: Reading, plan: Plan) -> None:
    for own in reading.strings:
        place = _text_property(reading, own)
        if place is not None and not any(n.start == own.start and not _is_value(reading, n) for n in reading.names):
            column = column_of(reading, plan, place)
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
            column = column_of(reading, plan, own)
            if not after and column and not any(column in c for c in plan.conditions):
                plan.conditions.append(f"{column} IS NOT NULL")


def _text_condition(reading: Reading, own: Mention, place: Mention, column: str) -> str:
    between = reading.lower[place.end : own.start] if place.end <= own.start else reading.lower[own.end : place.start]
    value = quoted(own.value)
    if kind_of(reading.schema, place).endswith("[]"):
        return f"any(x IN {column} WHERE x CONTAINS {value})"
    if re.search(r"start|begin", between):
        return f"{column} STARTS WITH {value}"
    if re.search(r"\bend", between):
        return f"{column} ENDS WITH {value}"
    return f"{column} CONTAINS {value}" if re.search(PART, between) else f"{column} = {value}"


def column_of(reading: Reading, plan: Plan, own: Mention) -> str:
    """The property as a column of the variable that it belongs to; its relation is added where it is not in the pattern."""
    if own.of_edge:
        step = next((s for s in plan.steps if s.relation == own.owner), None)
        return f"{step.variable}.{escaped(own.value)}" if step else ""
    variables = [v for v, kind in plan.types.items() if kind == own.owner]
    if not variables:
        return ""
    return f"{_near(plan, variables, own.start)}.{escaped(own.value)}"


def _near(plan: Plan, variables: Sequence[str], at: int) -> str:
    """Of several variables of a type, the one whose relation is named nearest, without a name of its own if possible."""
    free = [v for v in variables if v not in plan.equals] or list(variables)

    def distance(variable: str) -> int:
        own = [abs(s.mention.start - at) for s in plan.steps if s.mention and variable in {s.source, s.target}]
        return min(own, default=10_000)

    return min(free, key=distance)


def escaped(name: str) -> str:
    """The name as Cypher has it, in backticks where it needs them."""
    return name if re.fullmatch(r"[A-Za-z]\w*", name) else f"`{name}`"


def _compare(reading: Reading, plan: Plan, own: Comparison) -> None:
    after = reading.lower[own.end : own.end + 40]
    next_word = re.match(r"\s+(?:different |distinct |or more )?(\w+)", after)
    follows = own.end + next_word.start(1) if next_word else -1
    operator, value = own.operator, own.numbers[0]
    listed = next((p for p in reading.properties if p.start == follows), None)
    if operator in {">", ">=", "<", "<=", "="}:
        if listed is not None and kind_of(reading.schema, listed).endswith("[]"):
            _add_condition(
                reading, plan, listed, f"size({column_of(reading, plan, listed)}) {operator} {_number(value)}"
            )
            return
        if next_word and next_word[1].startswith("character"):
            place = next((p for p in reversed(reading.properties) if p.end <= own.start), None)
            if place is not None:
                plan.conditions.append(f"size({column_of(reading, plan, place)}) {operator} {_number(value)}")
            return
        counted = _counted(reading, plan, follows)
        if counted:
            plan.counted = counted
            plan.having.append(f"{operator} {_number(value)}")
            return
    place = _number_property(reading, own)
    column = column_of(reading, plan, place) if place is not None else ""
    if not column:
        return
    plan.conditions.append(_number_condition(column, own))
    plan.show(column)


def _add_condition(reading: Reading, plan: Plan, place: Mention, condition: str) -> None:
    plan.conditions.append(condition)
    plan.show(column_of(reading, plan, place))


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
    numeric = [p for p in reading.properties if kind_of(reading.schema, p) in {"number", "decimal"}]
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
            chosen = (year_properties(reading.schema, kind) or held)[0]
            return Mention("property", chosen, own.start, own.end, kind)
    return None


def year_properties(schema: GraphSchema, kind: str) -> list[str]:
    """Numbers of a type that may be years: those called like a time, else its only number."""
    held = [n for n, k in schema.node_properties.get(kind, {}).items() if k in {"number", "decimal"}]
    timed = [
        n
        for n in held
        if re.search(
            r"(?i)year|date|time|born|birth|died|releas|found|built|made|launch|start|since|creat|establish|publish|open|sign",
            n,
        )
    ]
    return timed or (held if len(held) == 1 else [])


def matched(plan: Plan) -> str:
    """The pattern of the plan."""
    seen: set[str] = set()

    def node(variable: str) -> str:
        if variable in seen:
            return f"({variable})"
        seen.add(variable)
        label = f":{escaped(plan.types[variable])}" if plan.types[variable] and variable not in plan.equals else ""
        named = f" {{name: {quoted(plan.equals[variable])}}}" if variable in plan.equals else ""
        return f"({variable}{label}{named})"

    if not plan.steps:
        return node(next(iter(plan.types)))
    parts = []
    for step in plan.steps:
        named = "|".join(escaped(relation) for relation in (step.relation, *step.others) if relation)
        relation = f"[{step.variable}{f':{named}' if named else ''}]"
        parts.append(f"{node(step.source)}-{relation}-{'' if step.either_way else '>'}{node(step.target)}")
    return ", ".join(parts)
