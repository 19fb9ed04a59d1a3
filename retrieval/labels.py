"""Labels and relationship types of a statement as filters on the two tables that hold a memory's graph."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from retrieval.cypher import Token
from retrieval.errors import CypherError
from retrieval.model import GraphSchema

NODE, EDGE = "Node", "Edge"
SAME = {"SPLIT": "string_split", "TOINTEGER": "to_int64", "TOFLOAT": "to_double", "TOSTRING": "string"}
CLAUSES = frozenset("MATCH OPTIONAL WHERE WITH UNWIND RETURN ORDER SKIP LIMIT UNION CALL".split())
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
MOST_LISTED = 25
MOST_TOLD = 60


def translated(found: Sequence[Token], schema: GraphSchema) -> list[Token]:
    """The statement over the tables Node and Edge: `(p:Person)` becomes `(p:Node {type: 'Person'})`, `[:KNOWS]` likewise.

    Names are compared without case, blanks and underscores. CypherError lists the known names for one that is not among them.
    """
    return _Translation(found, schema).run()


@dataclass
class _Translation:
    """State of one pass over the tokens: what was written, and what is to be put before and after tokens to come."""

    found: Sequence[Token]
    schema: GraphSchema
    out: list[Token] = field(default_factory=list)
    before: dict[int, str] = field(default_factory=dict)
    after: dict[int, str] = field(default_factory=dict)
    relations: set[str] = field(default_factory=set)
    made: int = 0
    shortest: bool = False

    def run(self) -> list[Token]:
        at = 0
        while at < len(self.found):
            if at in self.before:
                self._write(self.before[at])
            if at in self.after:
                self.out.append(self.found[at])
                self._write(self.after[at])
                at += 1
            else:
                at = self._step(at)
        if at in self.before:
            self._write(self.before[at])
        return self.out

    def _condition(self, at: int, condition: str) -> None:
        """Put a condition into the WHERE of the MATCH around this place, or into one of its own."""
        end = self._clause_end(at)
        if end < len(self.found) and self.found[end].keyword == "WHERE":
            close = self._clause_end(end + 1)
            if end not in self.after:
                self.before[close] = f"){self.before.get(close, '')}"
                self.after[end] = f" {condition} AND ("
            else:
                self.after[end] = f" {condition} AND{self.after[end]}"
        else:
            joint = f"{self.before[end]} AND" if end in self.before else " WHERE"
            self.before[end] = f"{joint} {condition}"

    def _clause_end(self, at: int) -> int:
        """Where the clause around this place ends: at the next clause, a closing bracket, or the statement's end."""
        depth = 0
        for place in range(at, len(self.found)):
            text = self._text(place)
            depth += (text in OPENING) - (text in CLOSING)
            if depth < 0 and text == "}":
                return place
            if depth <= 0 and self.found[place].keyword in CLAUSES and not self._plain(place):
                return place
        return len(self.found)

    def _plain(self, at: int) -> bool:
        """Whether a word is a property, a label, a key or an alias instead of a keyword."""
        before = self.found[at - 1] if at else None
        if before is not None and (before.text in {".", ":"} or before.keyword in {"AS", "STARTS", "ENDS"}):
            return True
        return self._text(at + 1) == ":"

    def _write(self, text: str) -> None:
        self.out.append(Token("made", text))

    def _step(self, at: int) -> int:
        """Write one token, or one pattern with labels; the position after it."""
        token = self.found[at]
        if token.text == "(" and token.kind == "symbol":
            return self._pattern(at, relation=False)
        if token.text == "[" and at and self.found[at - 1].text == "-" and self.found[at - 2].text in {")", "<"}:
            return self._pattern(at, relation=True)
        if token.keyword == "SHORTESTPATH" and self._text(at + 1) == "(":
            return self._shortest_path(at)
        if token.kind == "word" and self._text(at + 1) == "(" and self._text(at - 1) != ".":
            return self._function(at)
        if token.kind in {"word", "name"} and self._text(at + 1) == ":" and self._predicate(at):
            return self._label_test(at)
        self.out.append(token)
        return at + 1

    def _text(self, at: int) -> str:
        return self.found[at].text if 0 <= at < len(self.found) and self.found[at].kind == "symbol" else ""

    # ---------------------------------------------------------------- patterns

    def _pattern(self, at: int, *, relation: bool) -> int:
        opening, place = self.found[at], at + 1
        variable = ""
        if place < len(self.found) and self.found[place].kind in {"word", "name"} and self._text(place + 1) != "(":
            variable, place = self.found[place].text, place + 1
        names, place = self._labels(place)
        if relation and variable:
            self.relations.add(variable)
        if not names:
            if relation and self.shortest:
                return self._short_star(variable, place, None)
            self.out.append(opening)
            return at + 1
        stored = self._stored(names, relation=relation)
        if relation and self.shortest:
            return self._short_star(variable, place, stored)
        return self._labelled(opening, variable, stored, place, relation=relation)

    def _labels(self, place: int) -> tuple[list[str], int]:
        names: list[str] = []
        while self._text(place) in {":", "|", "|:", "&"} and (names or self._text(place) == ":"):
            place += 2 if self._text(place) == "|" and self._text(place + 1) == ":" else 1
            if place >= len(self.found) or self.found[place].kind not in {"word", "name"}:
                raise CypherError("A label or relationship type is missing after a colon. Write its name, or no colon.")
            names.append(self.found[place].called)
            place += 1
        return names, place

    def _stored(self, names: Sequence[str], *, relation: bool) -> list[str] | None:
        """The stored names that are meant; None for the table itself."""
        known = self.schema.relationships if relation else self.schema.types
        table = EDGE if relation else NODE
        meant: list[str] = []
        for name in names:
            same = resolved(name, list(known))
            if not same and name.lower() == table.lower():
                return None
            if not same:
                kind = "relationship" if relation else "node type"
                listed = ", ".join(list(known)[:MOST_LISTED]) or "none"
                more = f" and {len(known) - MOST_LISTED} more" if len(known) > MOST_LISTED else ""
                raise CypherError(f"There is no {kind} {name} in this memory. There are: {listed}{more}.")
            meant += same
        return list(dict.fromkeys(meant))

    def _labelled(self, opening: Token, variable: str, stored: list[str] | None, place: int, *, relation: bool) -> int:
        table, column = (EDGE, "relationship_name") if relation else (NODE, "type")
        star = relation and self._text(place) == "*"
        several = stored if stored is not None and len(stored) > 1 else None
        if several and not relation and not variable:
            self.made += 1
            variable = f"_{self.made}"
        if several and relation and not star and variable:
            self._condition(place, f"{variable}.{column} IN {_listed(several)}")
            stored = None
        self.out.append(opening)
        self._write(f"{variable}:{table}")
        start = place
        while star and self._text(place) not in {"]", "{", "("}:
            place += 1
        self.out += self.found[start:place]
        if several and relation and (star or not variable):
            self._write(f"{'' if star else '*1..1'} (e, n | WHERE e.{column} IN {_listed(several)})")
            stored = None
        if stored is not None:
            value = quoted(stored[0]) if not several else _one_of(f"{variable}.{column}", several)
            own = f"{column}: {value}"
            if self._text(place) == "{":
                self._write(f" {{{own}, " if self._text(place + 1) != "}" else f" {{{own}")
                return place + 1
            self._write(f" {{{own}}}")
        return place

    def _shortest_path(self, at: int) -> int:
        """`shortestPath((a)-[:T*..n]-(b))` as the pattern alone; its relationship says SHORTEST."""
        depth, end = 0, at + 1
        while end < len(self.found):
            depth += {"(": 1, ")": -1}.get(self._text(end), 0)
            if not depth:
                break
            end += 1
        self.out.append(Token("made", "", spaced=True))
        inside = at + 2
        self.shortest = True
        while inside < min(end, len(self.found)):
            inside = self._step(inside)
        self.shortest = False
        return end + 1

    def _short_star(self, variable: str, place: int, stored: list[str] | None) -> int:
        numbers = []
        while place < len(self.found) and self._text(place) != "]":
            numbers.append(self.found[place].text)
            place += 1
        bounds = re.fullmatch(r"\*(\d*)(\.\.)?(\d*)", "".join(numbers))
        if bounds is None:
            raise CypherError("shortestPath needs a relationship of the form [:TYPE*..6].")
        most = bounds[3] or (bounds[1] if not bounds[2] else "") or "8"
        own = f" (e, n | WHERE e.relationship_name IN {_listed(stored)})" if stored else ""
        self._write(f"[{variable}:{EDGE}* SHORTEST 1..{most}{own}]")
        return place + 1

    # ---------------------------------------------------------------- expressions

    def _function(self, at: int) -> int:
        """`label(n)`, `type(r)`, `id(n)` as the columns they stand for; names of functions that this engine calls otherwise."""
        token = self.found[at]
        argument = self.found[at + 2] if at + 3 < len(self.found) and self._text(at + 3) == ")" else None
        word = token.keyword
        if argument is not None and argument.kind in {"word", "name"} and word in {"LABEL", "LABELS", "TYPE", "ID"}:
            relation = argument.text in self.relations
            column = {"ID": "eid" if relation else "id"}.get(word, "relationship_name" if relation else "type")
            own = f"{argument.text}.{column}"
            self.out.append(Token("made", f"[{own}]" if word == "LABELS" else own, token.spaced))
            return at + 4
        self.out.append(Token("word", SAME.get(word, token.text), token.spaced))
        return at + 1

    def _predicate(self, at: int) -> bool:
        """Whether `n:Label` stands in a condition, not in a map or a slice."""
        before = self.found[at - 1] if at else None
        follows = self.found[at + 2].kind in {"word", "name"} if at + 2 < len(self.found) else False
        return follows and before is not None and before.keyword in {"WHERE", "AND", "OR", "XOR", "NOT", "WHEN"}

    def _label_test(self, at: int) -> int:
        token = self.found[at]
        relation = token.text in self.relations
        names, place = self._labels(at + 1)
        stored = self._stored(names, relation=relation)
        column = "relationship_name" if relation else "type"
        test = "true" if stored is None else f"{token.text}.{column} IN {_listed(stored)}"
        self.out.append(Token("made", test, spaced=True))
        return place


def told(schema: GraphSchema) -> str:
    """The schema as text: node types with their properties, then relationships with the types that they join."""
    nodes = [
        f"(:{name}) {count:,} nodes; properties: {', '.join(['name', 'description', *schema.node_properties.get(name, {})])}"
        for name, count in list(schema.types.items())[:MOST_TOLD]
    ]
    edges = []
    for name, count in list(schema.relationships.items())[:MOST_TOLD]:
        own = ", ".join(schema.edge_properties.get(name, {}))
        ends = "; ".join(f"(:{s})-[:{name}]->(:{t})" for s, t in list(schema.joins.get(name, {}))[:3])
        edges.append(f"{ends} {count:,} edges{f'; properties: {own}' if own else ''}")
    return "\n".join(["Node types:", *nodes, "Relationships:", *edges])


def resolved(name: str, known: Sequence[str]) -> list[str]:
    """The known names that this one means: itself, else those that differ in case, blanks and underscores only."""
    if name in known:
        return [name]
    return [other for other in known if _bare(other) == _bare(name)]


def _bare(name: str) -> str:
    return re.sub(r"[\s_\-]+", "", name).casefold()


def quoted(text: str) -> str:
    """The text as a string of Cypher."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _one_of(column: str, names: Sequence[str]) -> str:
    """The column's own value where it is one of the names, so that it can stand in a pattern's map."""
    return f"CASE WHEN {column} IN {_listed(names)} THEN {column} ELSE '' END"


def _listed(names: Sequence[str]) -> str:
    return f"[{', '.join(map(quoted, names))}]"
