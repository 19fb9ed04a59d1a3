"""Labels and relationship types as filters on two tables."""

from __future__ import annotations

import pytest

from retrieval.cypher import checked, joined
from retrieval.errors import CypherError
from retrieval.labels import told, translated
from retrieval.model import GraphSchema

SCHEMA = GraphSchema(
    types={"Person": 3, "Movie": 2, "New Wave": 1, "it's": 1},
    relationships={"ACTED_IN": 4, "directed by": 1, "WROTE": 1, "knows": 2, "KNOWS": 1},
    joins={"ACTED_IN": {("Person", "Movie"): 4}},
    node_properties={"Movie": {"released": "number"}},
    edge_properties={"ACTED_IN": {"roles": "text[]"}},
)


def over(statement: str) -> str:
    return joined(translated(checked(statement), SCHEMA))


@pytest.mark.parametrize(
    ("statement", "made"),
    [
        ("MATCH (p:Person) RETURN p", "MATCH (p:Node {type: 'Person'}) RETURN p"),
        ("MATCH (:person) RETURN 1", "MATCH (:Node {type: 'Person'}) RETURN 1"),
        ("MATCH (p:Person {name: 'x'}) RETURN p", "MATCH (p:Node {type: 'Person', name: 'x'}) RETURN p"),
        ("MATCH (p:Person {}) RETURN p", "MATCH (p:Node {type: 'Person'}) RETURN p"),
        ("MATCH (n:`New Wave`) RETURN n", "MATCH (n:Node {type: 'New Wave'}) RETURN n"),
        ("MATCH (n:NewWave) RETURN n", "MATCH (n:Node {type: 'New Wave'}) RETURN n"),
        ("MATCH (n:`it's`) RETURN n", "MATCH (n:Node {type: 'it\\'s'}) RETURN n"),
        ("MATCH (n:Node)-[e:Edge]->() RETURN e", "MATCH (n:Node)-[e:Edge]->() RETURN e"),
        (
            "MATCH (a)-[r:ACTED_IN {x: 1}]->(b) RETURN r",
            "MATCH (a)-[r:Edge {relationship_name: 'ACTED_IN', x: 1}]->(b) RETURN r",
        ),
        (
            "MATCH (a)<-[:DIRECTED_BY]-(b) RETURN a",
            "MATCH (a)<-[:Edge {relationship_name: 'directed by'}]-(b) RETURN a",
        ),
        (
            "MATCH (a)-[:WROTE*1..3]->(b) RETURN a",
            "MATCH (a)-[:Edge*1..3 {relationship_name: 'WROTE'}]->(b) RETURN a",
        ),
        ("MATCH (a)-[:knows]->() RETURN a", "MATCH (a)-[:Edge {relationship_name: 'knows'}]->() RETURN a"),
        (
            "MATCH (a)-[r:Knows]->(b) WHERE a.x = 1 OR b.x = 2 RETURN a",
            "MATCH (a)-[r:Edge]->(b) WHERE r.relationship_name IN ['knows', 'KNOWS'] AND ( a.x = 1 OR b.x = 2) RETURN a",
        ),
        (
            "MATCH (a)-[:WROTE|ACTED_IN]->(b) RETURN a",
            "MATCH (a)-[:Edge*1..1 (e, n | WHERE e.relationship_name IN ['WROTE', 'ACTED_IN'])]->(b) RETURN a",
        ),
        (
            "MATCH (n) WHERE EXISTS { MATCH (n)-[r:WROTE|ACTED_IN]->() } RETURN n",
            "MATCH (n) WHERE EXISTS { MATCH (n)-[r:Edge]->() WHERE r.relationship_name IN ['WROTE', 'ACTED_IN'] } RETURN n",
        ),
        (
            "MATCH (p)-[r:WROTE]->(m) RETURN label(p), type(r), labels(m), id(p)",
            "MATCH (p)-[r:Edge {relationship_name: 'WROTE'}]->(m) RETURN p.type, r.relationship_name, [m.type], p.id",
        ),
        ("MATCH (n) WHERE n:Movie AND n.a = 1 RETURN n", "MATCH (n) WHERE n.type IN ['Movie'] AND n.a = 1 RETURN n"),
        (
            "MATCH p = shortestPath((a {name: 'x'})-[:KNOWS*..4]-(b)) RETURN p",
            "MATCH p = (a {name: 'x'})-[:Edge* SHORTEST 1..4 (e, n | WHERE e.relationship_name IN ['KNOWS'])]-(b) RETURN p",
        ),
        ("RETURN {a: 1, Person: 2} AS m", "RETURN {a: 1, Person: 2} AS m"),
        ("MATCH (n) WHERE n.name = '(p:Person)' RETURN n", "MATCH (n) WHERE n.name = '(p:Person)' RETURN n"),
        ("RETURN size('a') + toInteger('1')", "RETURN size('a') + to_int64('1')"),
    ],
)
def test_labels_become_filters(statement: str, made: str) -> None:
    assert over(statement) == made


def test_an_unknown_label_is_named_with_those_that_there_are() -> None:
    with pytest.raises(CypherError, match=r"no node type Robot.*Person, Movie"):
        over("MATCH (n:Robot) RETURN n")
    with pytest.raises(CypherError, match=r"no relationship EATS.*ACTED_IN"):
        over("MATCH (n)-[:EATS]->(m) RETURN n")
    with pytest.raises(CypherError, match="missing after a colon"):
        over("MATCH (n:) RETURN n")


def test_the_schema_is_told_with_types_and_properties() -> None:
    text = told(SCHEMA)
    assert "(:Movie) 2 nodes; properties: name, description, released" in text
    assert "(:Person)-[:ACTED_IN]->(:Movie) 4 edges; properties: roles" in text
