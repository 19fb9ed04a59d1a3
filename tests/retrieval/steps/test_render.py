"""Acceptance 12.2: the context text, exact."""

from __future__ import annotations

import pytest

from retrieval.model import Edge, Node, Triplet
from retrieval.steps.render import graph_text, label

ALICE = Node("a", "Person", "alice", "A platform engineer")
ACME = Node("b", "Company", "acme", "A company")
CHUNK = Node("c", "DocumentChunk", text="Alice works at Acme. Acme is in Berlin.")
NOBODY = Node("d", "")


def triplet(rank: int, source: Node, relationship: str, target: Node, text: str = "") -> Triplet:
    return Triplet(rank, source, Edge(source.id, target.id, relationship, text), target, 1.0, 0.1, 0.1, 0.1)


def test_c1_nodes_and_connections() -> None:
    """With product.md's change: a node without anything is `Unnamed Node`, not `None`."""
    text = graph_text(
        [
            triplet(1, ALICE, "works_at", ACME, "Alice works at Acme as an engineer."),
            triplet(2, CHUNK, "contains", ALICE, "Document chunk mentions alice: A platform engineer"),
            triplet(3, ALICE, "knows", NOBODY),
        ]
    )
    assert text == (
        "Nodes:\nNode: alice\n__node_content_start__\nA platform engineer\n__node_content_end__\n\n"
        "Node: acme\n__node_content_start__\nA company\n__node_content_end__\n\n"
        "Node: Alice works at Acme. Acme is in... [acme, alice, works]\n__node_content_start__\n"
        "Alice works at Acme. Acme is in Berlin.\n__node_content_end__\n\n"
        "Node: Unnamed Node\n__node_content_start__\nUnnamed Node\n__node_content_end__\n\n\n"
        "Connections:\nalice --[works_at]--> acme  (Alice works at Acme as an engineer.)\n"
        "Alice works at Acme. Acme is in... [acme, alice, works] --[contains]--> alice"
        "  (Document chunk mentions alice: A platform engineer)\nalice --[knows]--> Unnamed Node"
    )


def test_c2_no_edges_no_text() -> None:
    assert graph_text([]) == ""


@pytest.mark.parametrize(
    ("relationship", "text", "line"),
    [("x", "", "alice --[x]--> acme"), ("", "t", "alice --[t]--> acme"), ("r", "r", "alice --[r]--> acme")],
)
def test_c3_labels_of_connections(relationship: str, text: str, line: str) -> None:
    assert graph_text([triplet(1, ALICE, relationship, ACME, text)]).endswith(f"Connections:\n{line}")


def test_a_node_without_name_says_what_it_is() -> None:
    assert label(Node("e", "Event")) == "Unnamed Event"


def test_each_triplet_appears_once_in_its_stored_direction() -> None:
    twice = [triplet(1, ALICE, "knows", ACME), triplet(2, ALICE, "knows", ACME), triplet(3, ACME, "knows", ALICE)]
    lines = graph_text(twice).partition("Connections:\n")[2].splitlines()
    assert lines == ["alice --[knows]--> acme", "acme --[knows]--> alice"]


def test_bug_63_two_nodes_of_one_name_are_told_apart_by_type() -> None:
    person, firm = Node("1", "Person", "Alice"), Node("2", "Company", "Alice")
    assert graph_text([triplet(1, person, "owns", firm)]).endswith("Alice (Person) --[owns]--> Alice (Company)")


def test_two_nodes_of_one_name_and_type_are_told_apart_by_id() -> None:
    one, other = Node("11111111-aaaa", "Person", "Alice"), Node("22222222-bbbb", "Person", "Alice")
    line = graph_text([triplet(1, one, "knows", other)]).splitlines()[-1]
    assert line == "Alice (Person) 11111111 --[knows]--> Alice (Person) 22222222"


def test_bug_65_a_self_loop_lists_its_node_once() -> None:
    text = graph_text([triplet(1, ALICE, "refers_to", ALICE)])
    assert text.count("Node: alice") == 1
    assert text.endswith("alice --[refers_to]--> alice")
