"""What is let through as Cypher (bugs 47 and 48; F1, F2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.cypher import REFUSED, checked, columns, joined, limited, tokens
from retrieval.errors import CypherError

READ = "MATCH (n:Person) WHERE n.name = 'x' RETURN n.name"
WRITES = (
    ("MATCH (n) DETACH DELETE n", "DETACH"),
    ("LOAD FROM '/etc/hostname' RETURN *", "LOAD"),
    ("MATCH (n) LOAD FROM '/etc/hostname' RETURN *", "LOAD"),
    ("COPY (MATCH (n) RETURN n.*) TO 'out.csv'", "COPY"),
    ("EXPORT DATABASE 'outdir'", "EXPORT"),
    ("IMPORT DATABASE 'outdir'", "IMPORT"),
    ("ATTACH 'x.db' AS y (dbtype duckdb)", "ATTACH"),
    ("INSTALL httpfs", "INSTALL"),
    ("LOAD EXTENSION httpfs", "LOAD"),
    ("CREATE (n:Node {nid: 1})", "CREATE"),
    ("cReAtE (n)", "CREATE"),
    ("ＣＲＥＡＴＥ (n)", "CREATE"),
    ("/* ' */ CREATE (n) /* ' */", "CREATE"),
    ("MATCH (n)/**/SeT/**/n.name = 'x'", "SET"),
    ("MATCH (n) // RETURN n\nDELETE n", "DELETE"),
    ("MATCH (n) RETURN n ORDER BY n.name DESC CREATE (m)", "CREATE"),
    ("MATCH (n) WITH * CREATE (m)", "CREATE"),
    ("MATCH (n) WITH n REMOVE n.name", "REMOVE"),
    ("UNWIND [1, 2] AS x MERGE (n {nid: x})", "MERGE"),
    ("MATCH (n) FOREACH (x IN [1] | SET n.a = x)", "FOREACH"),
    ("MATCH(n)RETURN n UNION DROP TABLE Node", "DROP"),
    ("ALTER TABLE Node DROP name", "ALTER"),
    ("BEGIN TRANSACTION", "BEGIN"),
    ("COMMIT", "COMMIT"),
    ("CHECKPOINT", "CHECKPOINT"),
    ("USE x", "USE"),
    ("EXPLAIN MATCH (n) RETURN n", "EXPLAIN"),
    ("PROFILE MATCH (n) RETURN n", "PROFILE"),
    ("CALL timeout=0", "CALL timeout"),
    ("CALL threads=8 RETURN 1", "CALL threads"),
    ("MATCH (n) CALL { MATCH (m) DELETE m } RETURN n", "CALL {"),
)
FINE = (
    "MATCH (n) WHERE n.name CONTAINS 'create or delete' RETURN n.name",
    'MATCH (n) WHERE n.name = "SET Theory; DROP TABLE x" RETURN n',
    "MATCH (n) WHERE n.name = 'it\\'s; CREATE (m)' RETURN n",
    "MATCH (`DELETE`) RETURN `DELETE`.name AS `MERGE`",
    "MATCH (n {create: 1}) RETURN n.set, n.copy, n.load",
    "MATCH (set) RETURN set.name",
    "MATCH (n:Load)-[:COPY]->(m) RETURN n",
    "MATCH (n) RETURN n.name AS call",
    "MATCH (n) /* CREATE */ RETURN n // DELETE n",
    "OPTIONAL MATCH (n)-[r*1..3]->(m) RETURN DISTINCT n, count(*) AS k ORDER BY k DESC, n.name SKIP 1 LIMIT 5;",
    "MATCH (n) WHERE n.a STARTS WITH 'x' AND NOT n.b ENDS WITH 'y' XOR n.c IS NOT NULL RETURN n",
    "UNWIND [1, 2] AS x WITH x WHERE x > 1 RETURN CASE WHEN x = 2 THEN 'two' ELSE NULL END UNION ALL RETURN 'three'",
    "MATCH (a) WHERE EXISTS { MATCH (a)-[:KNOWS]->(b) WHERE b.x = 1 } RETURN COUNT { MATCH (a)--(c) } AS n",
    "MATCH p = (a)-[r* SHORTEST 1..6]-(b) RETURN p, length(p)",
    "CALL show_tables() RETURN *",
)


@pytest.mark.parametrize(("statement", "named"), WRITES)
def test_bug_47_what_writes_or_leaves_the_memory_is_refused_by_name(statement: str, named: str) -> None:
    with pytest.raises(CypherError) as refused:
        checked(statement)
    assert refused.value.status == 400
    assert refused.value.message.startswith(named)


@pytest.mark.parametrize("statement", FINE)
def test_bug_48_what_only_reads_is_let_through_whatever_it_mentions(statement: str) -> None:
    assert checked(statement)


@pytest.mark.parametrize("second", ["MATCH (n) DELETE n", "RETURN 1", "/* x */ RETURN 2"])
def test_f2_only_one_statement_runs(second: str) -> None:
    with pytest.raises(CypherError, match="Only one statement"):
        checked(f"RETURN 1; {second}")
    assert checked("RETURN 1;;")


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("", "no statement"),
        (" ;; ", "no statement"),
        ("/* only a comment */", "no statement"),
        ("RETURN 'open", "line 1, column 8"),
        ("MATCH (n)\nRETURN n\u200b.name", "line 2, column 9"),
        ("MATCH (n) RETURN $secret", r"\$secret has no value"),
        ("Who works at Acme?", "choose NATURAL_LANGUAGE"),
        ("RETURN " + "1 + " * 10_000 + "1", "Make it shorter"),
    ],
)
def test_a_text_that_is_no_statement_is_refused_with_the_place(statement: str, says: str) -> None:
    with pytest.raises(CypherError, match=says):
        checked(statement)


BLANKS = st.sampled_from([" ", "\n", "\t", "/* ' */", " /* RETURN */ ", " // x '\n", "\u00a0", "\u2003"])


@given(st.sampled_from(sorted(REFUSED)), st.lists(st.booleans(), min_size=12, max_size=12), BLANKS, BLANKS)
def test_no_case_and_no_comment_hides_a_clause(word: str, capitals: list[bool], before: str, after: str) -> None:
    written = "".join(c.upper() if up else c.lower() for c, up in zip(word, capitals, strict=False))
    for start in (
        "MATCH (n)",
        "MATCH (n) WHERE n.a = 1",
        "UNWIND [1] AS x",
        "MATCH (n) RETURN n",
        "RETURN 'a'",
        "RETURN `a`",
    ):
        with pytest.raises(CypherError, match=word):
            checked(f"{start}{before}{written}{after}(m)")


@given(st.text(max_size=40))
def test_any_text_may_stand_in_a_string(text: str) -> None:
    literal = "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    [kept] = [token for token in checked(f"MATCH (n) WHERE n.name = {literal} RETURN n") if token.kind == "string"]
    assert kept.text == literal


PIECES = (
    "n",
    "(",
    ")",
    "[",
    "]",
    "'a'",
    "'",
    '"',
    "`",
    "``",
    "\\",
    "//",
    "/*",
    "*/",
    "\n",
    " ",
    ".",
    "..",
    "1",
    "1.5",
    "-",
    ">",
    "|",
    ":",
    "=",
    "$",
)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_what_is_sent_has_the_tokens_that_were_checked(text: str) -> None:
    try:
        found = checked(f"RETURN {text}")
    except CypherError:
        return
    assert [(t.kind, t.text) for t in tokens(joined(found))] == [(t.kind, t.text) for t in found]


@pytest.mark.parametrize(
    ("statement", "titles"),
    [
        ("MATCH (n) RETURN n.name, count(*) AS k, n.a + 1 ORDER BY k", ["n.name", "k", "n.a + 1"]),
        ("RETURN DISTINCT 1 AS `a b`", ["a b"]),
        ("MATCH (n) RETURN *", None),
        ("MATCH (n) RETURN n.*", None),
        ("MATCH (n) RETURN cast(n.a AS string)", ["cast(n.a AS string)"]),
    ],
)
def test_columns_are_called_as_they_are_written(statement: str, titles: list[str] | None) -> None:
    assert columns(checked(statement)) == titles


@pytest.mark.parametrize(
    ("statement", "ends"),
    [
        ("MATCH (n) RETURN n", "LIMIT 7"),
        ("MATCH (n) WITH n LIMIT 3 RETURN n", "LIMIT 7"),
        ("MATCH (n) RETURN n LIMIT 3", "LIMIT 3"),
        ("RETURN 1 AS a UNION RETURN 2 AS a", "AS a"),
        ("MATCH (n) RETURN n.limit", "LIMIT 7"),
    ],
)
def test_a_statement_without_a_limit_gets_one(statement: str, ends: str) -> None:
    assert joined(limited(checked(statement), 7)).endswith(ends)
