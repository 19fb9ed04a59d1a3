"""Questions to Cypher without a language model: what a question names becomes a pattern, what it asks becomes the return."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from retrieval.adapters.graph_plan import Plan, ends_of, escaped, matched, pattern, unplaced, year_properties
from retrieval.adapters.graph_return import limit, returned
from retrieval.adapters.graph_words import (
    NEAR,
    STRUCTURAL,
    STRUCTURE,
    Mention,
    Reading,
    nearness,
    parts_of,
    read,
    stem,
    unexplained,
    with_types,
)
from retrieval.graph import Graph
from retrieval.labels import quoted
from retrieval.model import GraphSchema
from retrieval.ports import Embedder

MOST_HOPS = 6
MOST_GUESSES = 3
HALF = 0.5
NO_RELATION = frozenset(
    "memory database graph order ordered sort sorted sum total recent recently common commonly frequent diverse popular "
    "important different distinct average mean length word words based genres there this that these those".split()
)


def statements(question: str, schema: GraphSchema, graph: Graph, embedder: Embedder) -> list[str]:
    """Statements for the question, the likeliest first; none where its shape is not known or it names nothing here."""
    text = " ".join(question.split())
    reading = with_types(read(text, schema, graph, embedder), embedder)
    if unplaced(reading) or any(m.value[:1].isupper() and m.start for m in unexplained(reading)):
        return []
    special = _path(reading) or _common(reading) or _connected(reading)
    if special:
        return [special]
    made: list[str] = []
    for meant in _readings(reading, graph, embedder):
        if unexplained(reading) and not any(m.form == "guess" for m in meant.relations):
            return []
        for loose in (False, True):
            plan = pattern(meant, graph)
            if plan is not None:
                made.append(_statement(meant, plan, loose=loose))
    if not made and reading.names:
        made = [_about(reading)]
    return list(dict.fromkeys(made))


# -------------------------------------------------------------------- shapes around names


def _path(reading: Reading) -> str:
    """The shortest path between two named things."""
    ends = reading.names
    asked = r"\b(?:path|route|link|chain|connection|related|connected|relation|relationship)\b"
    if (
        len(ends) != 2
        or not reading.has(asked)
        or not reading.has(r"\b(?:between|from .+ to|related to|connected (?:to|with)|link)")
    ):
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
    if (
        len(reading.names) != 2
        or reading.relations
        or not reading.has(r"\bin common\b|\bcommon (?:connections?|neighbou?rs?)\b")
    ):
        return ""
    one, other = (quoted(own.value) for own in reading.names)
    return (
        f"MATCH (a {{name: {one}}})-[r]-(x)-[r2]-(b {{name: {other}}}){_no_structure(reading, 'x')} "
        "RETURN DISTINCT x.name, x.type, r.relationship_name, r2.relationship_name"
    )


def _connected(reading: Reading) -> str:
    """Everything that one named thing is connected to."""
    asked = (
        r"\b(?:connected (?:to|with)|linked (?:to|with)|related to|relationships? (?:of|does|for|has)|relations? of|"
        r"connections? of|neighbou?rs of|everything (?:about|on)|all about|know(?:n)? about|tell me (?:something |more )?about)\b"
    )
    if len(reading.names) != 1 or reading.relations or not reading.has(asked):
        return ""
    [own] = reading.names
    return (
        f"MATCH (a {{name: {quoted(own.value)}}})-[r]-(b){_no_structure(reading, 'b')} RETURN a, r, b{limit(reading)}"
    )


def _no_structure(reading: Reading, variable: str) -> str:
    held = [name for name in reading.schema.types if name in STRUCTURE]
    return f" WHERE NOT {variable}.type IN [{', '.join(map(quoted, held))}]" if held else ""


def _about(reading: Reading) -> str:
    """What is known of a named thing: a property that is asked for, or all that it is connected to."""
    own = reading.names[0]
    name = quoted(own.value)
    asked = [m.value for m in reading.properties if not m.of_edge and own.owner in {"", m.owner}]
    if not asked and reading.has(r"^when\b|\bwhat year\b"):
        asked = year_properties(reading.schema, own.owner)[:1]
    if asked:
        columns = ", ".join(f"a.{escaped(p)}" for p in dict.fromkeys(asked))
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
        chosen = [m for m in chosen if "Date" in ends_of(reading.schema, m.value)] or chosen
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
    phrases = [reading.text[one.start : other.end] for one, other in itertools.pairwise(words)]
    phrases += [reading.text[m.start : m.end] for m in words]
    near = nearness(phrases, known, embedder)
    spoken = {stem(word) for phrase in phrases for word in phrase.split()}
    scores: dict[str, float] = {}
    for name, likeness in zip(known, near, strict=True):
        parts = set(parts_of(name))
        shared = len(parts & spoken) / len(parts)
        if likeness < NEAR and shared < HALF:
            continue
        scores[name] = likeness + shared + (0.15 * math.log2(counts[name]) if around else 0.0)
    best = sorted(scores, key=lambda name: -scores[name])[:MOST_GUESSES]
    at = words[0]
    return [Mention("relation", name, at.start, at.end, form="guess") for name in best]


def _around(graph: Graph, name: str) -> Counter[str]:
    """How often each relationship touches the things of this name."""
    nodes = np.flatnonzero(pc.equal(graph.node_names, name).to_numpy(zero_copy_only=False))
    edges = graph.incident(nodes)
    return Counter(graph.relationships.take(pa.array(edges)).to_pylist())


# -------------------------------------------------------------------- the statement


def _statement(reading: Reading, plan: Plan, *, loose: bool) -> str:
    """The whole statement; a loose one compares texts without case."""
    if negated := _negated(reading, plan):
        return negated
    ending = returned(reading, plan)
    plan.conditions += [c for s in plan.steps if s.relation and (c := _full_members(reading, s.variable))]
    conditions = [_loose(c) if loose else c for c in plan.conditions]
    where = f" WHERE {' AND '.join(dict.fromkeys(conditions))}" if conditions else ""
    return f"MATCH {matched(plan)}{where} {ending}"


NO_MEMBER = (
    r"\((observer|candidate|associate|applicant|partner|participat|guest|suspended|correspondent|former|dialogue)"
)
NOT_THEM = r"\b(?:and|or) which (?:ones )?(?:are|is|do|does|has|have) not\b"
NOT = r"\b(?:not|no|never|without|lack|aren't|isn't|don't|doesn't|haven't|hasn't)\b"


def _negated(reading: Reading, plan: Plan) -> str:
    """Things of which a relation with a name does not hold; both kinds with their numbers where both are asked for."""
    if len(plan.steps) != 1 or len(plan.equals) != 1 or not reading.has(NOT):
        return ""
    [step], [(bound, name)] = plan.steps, plan.equals.items()
    thing = step.source if bound == step.target else step.target
    kind = plan.types[thing]
    label = f":{escaped(kind)}" if kind else ""
    relation = f"[:{escaped(step.relation)}]"
    arrow = f"-{relation}-" if step.either_way else f"-{relation}->" if thing == step.source else f"<-{relation}-"
    named = next((t for t in reading.types if t.value == kind), None)
    every = f"MATCH ({thing}{label})" if named else f"MATCH ({thing}{label}){arrow}() WITH DISTINCT {thing}"
    bare = arrow.replace("[:", "[r:", 1)
    full = f" WHERE {condition}" if (condition := _full_members(reading, "r")) else ""
    holds = f"EXISTS {{ MATCH ({thing}){bare}({{name: {quoted(name)}}}){full} }}"
    if reading.has(NOT_THEM):
        return (
            f"{every} RETURN {holds} AS holds, count(*) AS number, collect({thing}.name) AS names ORDER BY holds DESC"
        )
    counted = f"count({thing}) AS number" if reading.has(r"^how many\b") else f"{thing}.name"
    return f"{every} WHERE NOT {holds} RETURN {counted}{limit(reading)}"


def _full_members(reading: Reading, relation: str) -> str:
    """A condition on a relation's text where members are asked for: `EU (candidate country)` tells of none."""
    if not reading.has(r"\bmembers?\b") or any(stem("member") in parts_of(p.value) for p in reading.properties):
        return ""
    return f"NOT regexp_matches({relation}.edge_text, {quoted(NO_MEMBER)})"


def _loose(condition: str) -> str:
    found = re.fullmatch(r"(\S+) (=|CONTAINS|STARTS WITH|ENDS WITH) ('.*')", condition)
    return f"lower({found[1]}) {found[2]} lower({found[3]})" if found else condition
