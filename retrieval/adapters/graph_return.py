"""What a question asks of its pattern: one number, numbers per thing, or a list in an order."""

from __future__ import annotations

import re

from retrieval.adapters.graph_plan import Plan, Step, column_of, escaped, kind_of, year_properties
from retrieval.adapters.graph_words import HIDDEN_PROPERTIES, Mention, Reading

MOST_NUMBERS = 4
LESS = r"\b(?:fewest|(?<!at )least|lowest|smallest|minimum|shortest|worst)\b"
MORE = r"\b(?:(?<!at )most|highest|largest|greatest|biggest|maximum|longest|best)\b"
OLD, NEW = r"\b(?:oldest|earliest|first ever)\b", r"\b(?:newest|youngest|latest|most recent(?:ly)?)\b"
MOST_OF = (
    r"\b(?:(?<!at )most|fewest|(?<!at )least|(?:highest|largest|lowest|total|greatest|by)(?: the| total)? number of)\b"
)


def returned(reading: Reading, plan: Plan) -> str:
    """The end of the statement, from its RETURN or from the WITH before it; adds conditions to the plan where it needs some."""
    order = _order(reading, plan)
    return _scalar(reading, plan) or _grouped(reading, plan) or _listing(reading, plan, order)


def _scalar(reading: Reading, plan: Plan) -> str:
    """One number: how many there are, or the average, sum, highest or lowest of a property over all."""
    if reading.has(r"^(?:how many|count|what is the (?:total )?number of|number of)\b") and not plan.having:
        return f"RETURN count(DISTINCT {plan.answer}) AS number"
    if reading.has(r"^how many\b"):
        group = plan.answer
        holds = f"number {' AND number '.join(plan.having)}"
        return f"WITH {group}, count({_distinct(plan)}) AS number WHERE {holds} RETURN count({group}) AS number"
    asked = re.match(
        r"(?:what(?:'s| is| are| was)|find|calculate|show|give)?\s*(?:me )?(?:the )?"
        r"(average|mean|total|sum of|highest|lowest|maximum|minimum|max|min|earliest|latest)\b",
        reading.lower,
    )
    own = next((p for p in reading.properties if kind_of(reading.schema, p)), None)
    if (
        asked
        and own is not None
        and not (reading.has(r"\b(?:per|each|which|every)\b") and not _sized(reading, own))
        and own.start - asked.end() < 25
    ):
        function = {"average": "avg", "mean": "avg", "total": "sum", "sum of": "sum"}.get(
            asked[1], "min" if asked[1] in {"lowest", "minimum", "min", "earliest"} else "max"
        )
        column = column_of(reading, plan, own)
        column = f"size({column})" if kind_of(reading.schema, own).endswith("[]") or _sized(reading, own) else column
        return (
            f"RETURN {function}({column}) AS {function if function != 'avg' else 'average'}_{_alias(own.value)}"
            if column
            else ""
        )
    return ""


def _sized(reading: Reading, own: Mention) -> bool:
    return bool(re.search(r"\b(?:length|number) of\s*$", reading.lower[: own.start]))


def _alias(name: str) -> str:
    return re.sub(r"\W+", "_", name)


def _distinct(plan: Plan) -> str:
    return plan.counted if plan.counted in {s.variable for s in plan.steps} else f"DISTINCT {plan.counted}"


def _grouped(reading: Reading, plan: Plan) -> str:
    """Counts and averages per thing: most movies, more than one movie, the highest average rating, the commonest role."""
    shapes = (_commonest, _averaged, _combined, _best_rated, _at_least, _most)
    return next((made for shape in shapes if (made := shape(reading, plan))), "")


def _commonest(reading: Reading, plan: Plan) -> str:
    """Values of a property by how often they are there; those of lists one by one."""
    common = re.search(r"\b(?:most )?(?:common|frequent)\b", reading.lower)
    own = next((p for p in reading.properties if common and p.start >= common.start()), None)
    column = column_of(reading, plan, own) if own is not None else ""
    if own is None or not column:
        return ""
    fixed = "".join(f"{v}.name, " for v in plan.equals)
    ending = f"ORDER BY number DESC{limit(reading)}"
    if kind_of(reading.schema, own).endswith("[]"):
        return f"UNWIND {column} AS value RETURN {fixed}value, count(*) AS number {ending}"
    return f"WITH {column} AS value WHERE value IS NOT NULL RETURN value, count(*) AS number {ending}"


def _averaged(reading: Reading, plan: Plan) -> str:
    """The average or total of a number for each answer."""
    asked = re.search(r"\b(average|mean|total)\b", reading.lower)
    numeric = (p for p in reading.properties if asked and p.start >= asked.start() and _is_number(reading, p))
    own = next(numeric, None)
    if asked is None or own is None or not plan.steps:
        return ""
    function, alias = "sum" if asked[1] == "total" else "avg", asked[1]
    down = "" if reading.has(LESS) else " DESC"
    single = reading.has(MORE) or reading.has(LESS)
    column = column_of(reading, plan, own)
    return f"RETURN {plan.answer}.name, {function}({column}) AS {alias} ORDER BY {alias}{down}{limit(reading, single=single)}"


def _combined(reading: Reading, plan: Plan) -> str:
    """How long the lists of a property are in all for each answer."""
    if not (reading.has(r"\b(?:combined|total|overall|altogether)\b") and reading.has(MORE)):
        return ""
    own = next((p for p in reading.properties if _is_list(reading, p)), None)
    if own is None:
        return ""
    size = f"size({column_of(reading, plan, own)})"
    return f"RETURN {plan.answer}.name, sum({size}) AS number ORDER BY number DESC{limit(reading, single=True)}"


def _best_rated(reading: Reading, plan: Plan) -> str:
    """Things by the average of what their relations rate them."""
    best = re.search(r"\b(highest|best|top|lowest|worst)[- ]rated\b", reading.lower)
    step = next((s for s in plan.steps if _rating(reading, s)), None)
    if best is None or step is None or not reading.types or plan.answer != step.target:
        return ""
    is_thing = any(0 <= m.start - best.end() < 3 for m in reading.relations)
    if is_thing or _described(reading, plan, best.end()) != plan.answer:
        return ""
    down = "" if best[1] in {"lowest", "worst"} else " DESC"
    column = f"{step.variable}.{escaped(_rating(reading, step))}"
    return f"RETURN {plan.answer}.name, avg({column}) AS average ORDER BY average{down}{limit(reading, single=True)}"


def _at_least(reading: Reading, plan: Plan) -> str:
    """Things with more (or fewer) of something than a number."""
    if not plan.having:
        return ""
    group, counted = plan.answer, _distinct(plan)
    other = _most_of(reading, plan)
    if other and plan.counted not in other:
        return (
            f"WITH {group}, count({other}) AS number, count({counted}) AS others WHERE others {' AND others '.join(plan.having)} "
            f"RETURN {group}.name, number, others ORDER BY number DESC{limit(reading, single=True)}"
        )
    ordered = " ORDER BY number DESC" if reading.limit_kind != "first" else ""
    return (
        f"WITH {group}, count({counted}) AS number WHERE number {' AND number '.join(plan.having)} "
        f"RETURN {group}.name, number{ordered}{limit(reading)}"
    )


def _most(reading: Reading, plan: Plan) -> str:
    """Things by how much of something they have."""
    counted = _most_of(reading, plan)
    if not counted:
        return ""
    group = plan.answer
    down = "" if reading.has(LESS) and not reading.has(MORE) else " DESC"
    owned = [p for p in reading.properties if not p.of_edge and p.owner == plan.types[group]]
    columns = dict.fromkeys(f"{group}.{escaped(p.value)}" for p in owned)
    shown = [f"{group}.name", *(c for c in columns if c != f"{group}.name" and c not in counted)]
    return f"RETURN {', '.join(shown)}, count({counted}) AS number ORDER BY number{down}{limit(reading, single=True)}"


def _most_of(reading: Reading, plan: Plan) -> str:
    """What is counted for each answer where the question asks who has most of it; '' where it asks nothing of that kind."""
    if not plan.steps:
        return ""
    return _different(reading, plan) or _number_of(reading, plan) or _top(reading, plan)


def _different(reading: Reading, plan: Plan) -> str:
    """Different values of a property."""
    if not (
        reading.has(r"\b(?:divers\w*|distinct|different|variety)\b")
        and reading.has(r"\b(?:most|top|highest|variety|diversity)\b")
    ):
        return ""
    return f"DISTINCT {column_of(reading, plan, reading.properties[0])}" if reading.properties else ""


def _number_of(reading: Reading, plan: Plan) -> str:
    """The other ends of the answer's relations: most movies, the highest number of reviewers, by number of films."""
    asked = re.search(MOST_OF, reading.lower)
    touching = [s for s in plan.steps if plan.answer in {s.source, s.target}]
    other = [v for s in touching for v in (s.target, s.source) if v != plan.answer]
    other = [v for v in other if v not in plan.equals] or other
    if asked is None or not other or reading.has(NEW):
        return ""
    near = [p for p in reading.properties if 0 <= p.start - asked.end() < 25]
    is_property = any(_is_list(reading, p) or reading.lower[asked.end() : p.start].strip() == "" for p in near)
    return "" if is_property else f"DISTINCT {other[0]}"


def _top(reading: Reading, plan: Plan) -> str:
    """What doers do, where the top ones are asked for without saying by what."""
    if reading.limit_kind != "top" or reading.has(f"{OLD}|{NEW}|{MORE}|{LESS}"):
        return ""
    doing = [s for s in plan.steps if s.source == plan.answer and not s.either_way]
    named = [s for s in doing if s.mention is not None and s.mention.form == "noun"]
    rated = any(p.of_edge and _is_number(reading, p) for p in reading.properties)
    step = next(iter(named or doing), None)
    return f"DISTINCT {step.target}" if step is not None and not rated and step.target not in plan.equals else ""


def _is_number(reading: Reading, own: Mention) -> bool:
    return kind_of(reading.schema, own) in {"number", "decimal"}


def _is_list(reading: Reading, own: Mention) -> bool:
    return kind_of(reading.schema, own).endswith("[]")


def _order(reading: Reading, plan: Plan) -> str:
    """The ORDER BY that the question asks for, with what it is ordered by told in the result; '' where it asks for none."""
    old, new = re.search(OLD, reading.lower), re.search(NEW, reading.lower)
    if old or new:
        at = (old or new).start()  # type: ignore[union-attr]
        variable = _described(reading, plan, at)
        years = year_properties(reading.schema, plan.types[variable])
        if years:
            plan.show(f"{variable}.{escaped(years[0])}")
            return f" ORDER BY {variable}.{escaped(years[0])}{' DESC' if new else ''}"
    ordered = re.search(r"\b(?:order|sort|rank)(?:ed)?\s+by\s+(?:the\s+|their\s+)?(.*)$", reading.lower)
    if ordered:
        down = " DESC" if re.search(r"desc|largest|longest|highest|most|length|size|amount|number", ordered[1]) else ""
        named = (column_of(reading, plan, p) for p in reading.properties if p.start >= ordered.start(1))
        if column := next(filter(None, named), ""):
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
            counts = own is not None and reading.lower[match.end() : own.start].strip().startswith("number of")
            if own is None or (counts and not _is_list(reading, own)):
                continue
            column = column_of(reading, plan, own)
            kind = kind_of(reading.schema, own)
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
        by_number = [c for c in reading.properties if _sized(reading, c) and kind_of(reading.schema, c).endswith("[]")]
        if by_number:
            column = f"size({column_of(reading, plan, by_number[0])})"
            plan.show(column)
            return f" ORDER BY {column} DESC"
        if rated is not None:
            column = f"{rated.variable}.{escaped(_rating(reading, rated))}"
            plan.show(column)
            return f" ORDER BY {column} DESC"
    years = year_properties(reading.schema, plan.types[plan.answer])
    if not years:
        return ""
    column = f"{plan.answer}.{escaped(years[0])}"
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
        column = column_of(reading, plan, own)
        if column:
            plan.show(column)
    if reading.has(r"\bwhen\b|\b(?:release|birth|founding) (?:year|date)s?\b"):
        plan.shown += [
            f"{plan.answer}.{escaped(y)}" for y in year_properties(reading.schema, plan.types[plan.answer])[:1]
        ]
    for step in plan.steps:
        if any(p.of_edge and p.owner == step.relation for p in reading.properties):
            said = reading.schema.edge_properties.get(step.relation, {})
            plan.shown += [f"{step.variable}.{escaped(p)}" for p in said if p not in HIDDEN_PROPERTIES]
    held = reading.schema.node_properties.get(plan.types[plan.answer], {})
    numbers = [name for name, kind in held.items() if kind in {"number", "decimal"} and name not in HIDDEN_PROPERTIES]
    plan.shown += [f"{plan.answer}.{escaped(n)}" for n in numbers[:MOST_NUMBERS]]
    others = [v for v in plan.types if v != plan.answer]
    columns = [f"{v}.name" for v in [plan.answer, *others]] + plan.shown
    columns = list(dict.fromkeys(columns))
    single = bool(re.search(f"{OLD}|{NEW}|{MORE}|{LESS}", reading.lower)) and bool(order)
    one = single and re.match(
        r"(?:who|which \w+(?: \w+)?|what) (?:is|was|has|have|had|directed|\w+ed|wrote|the)\b", reading.lower
    )
    if plan.amount:
        columns.append(f"{plan.amount} AS amount")
    elif len(plan.steps) == 1 and plan.steps[0].either_way and plan.steps[0].relation and not plan.shown:
        columns.append(f"collect(DISTINCT {plan.steps[0].variable}.edge_text) AS said")
    distinct = "DISTINCT " if any(s.either_way for s in plan.steps) and not order else ""
    return f"RETURN {distinct}{', '.join(columns)}{order}{limit(reading, single=bool(one))}"


def limit(reading: Reading, *, single: bool = False) -> str:
    """The LIMIT that the question asks for, or of one where a single thing is asked for."""
    if reading.limit is not None:
        return f" LIMIT {reading.limit}"
    plural = re.match(r"(?:which|what|who) are\b|list|find|name|show", reading.lower)
    return " LIMIT 1" if single and not plural else ""
