"""What the model reads: passages joined by lines, or the Nodes and Connections text of ranked triplets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from retrieval.model import Fact, Found, Node, Passage, Query, Statements, Triplet
from retrieval.ports import Deps
from retrieval.words import title


def texts(query: Query, found: Found, deps: Deps) -> str:
    """The passages' texts in rank order, one line break between them (reference 3.1)."""
    return "\n".join(item.entry.text for item in found.items if isinstance(item, Passage) and item.entry.text)


def sections(query: Query, found: Found, deps: Deps) -> str:
    """HYBRID's context: global context, passages, entities with their statements, facts; empty sections are left out."""
    passages = [item.entry.text for item in found.items if isinstance(item, Passage) and item.entry.text]
    entities = [_entity(item) for item in found.items if isinstance(item, Statements)]
    facts = [f"- {item.text}" for item in found.items if isinstance(item, Fact)]
    told = (
        ("Global context", found.prelude),
        ("Relevant passages", "\n---\n".join(passages)),
        ("Relevant entities", "\n\n".join(entities)),
        ("Related facts", "\n".join(facts)),
    )
    return "\n\n".join(f"## {title}\n{text}" for title, text in told if text)


def _entity(item: Statements) -> str:
    name = item.node.name.strip() or item.node.text or item.node.id
    heading = f"### {name} ({item.kind})" if item.kind else f"### {name}"
    return "\n".join([heading, *(f"- {text}" for _, text in item.edges)])


def nodes_and_connections(query: Query, found: Found, deps: Deps) -> str:
    """The Nodes and Connections text of the ranked triplets (page, stage 4; layout of reference 2.5), after the prelude
    where there is one.
    """
    own = graph_text([item for item in found.items if isinstance(item, Triplet)])
    return "\n\n".join(part for part in (found.prelude, own) if part)


def graph_text(triplets: Sequence[Triplet]) -> str:
    """Each distinct node once with its content, then each triplet once in its stored direction; '' without triplets."""
    if not triplets:
        return ""
    nodes = {node.id: node for t in triplets for node in (t.source, t.target)}
    names = distinct_labels(list(nodes.values()))
    blocks = [
        f"Node: {label(node)}\n__node_content_start__\n{content(node)}\n__node_content_end__" for node in nodes.values()
    ]
    lines = dict.fromkeys(
        f"{names[t.source.id]} --[{relation(t)}]--> {names[t.target.id]}{_said(t)}"
        for t in {t.id: t for t in triplets}.values()
    )
    return "Nodes:\n" + "\n\n".join(blocks) + "\n\n\nConnections:\n" + "\n".join(lines)


def label(node: Node) -> str:
    """What a node is called: the title of its text, its name, or what it is; never empty, never `None`."""
    if node.text.strip():
        return title(node.text)
    return node.name.strip() or f"Unnamed {node.type or 'Node'}"


def content(node: Node) -> str:
    """What a node says: its text, its description, or its label."""
    return node.text if node.text.strip() else node.description or label(node)


def relation(triplet: Triplet) -> str:
    """What stands between the brackets of a connection."""
    return triplet.edge.relationship or triplet.edge.text


def distinct_labels(nodes: Sequence[Node]) -> dict[str, str]:
    """A label for each node id; nodes of one label are told apart by type, then by a short id."""
    plain = {node.id: label(node) for node in nodes}
    typed = {node.id: f"{plain[node.id]} ({node.type or 'Node'})" for node in nodes}
    shared, alike = Counter(plain.values()), Counter(typed.values())

    def chosen(node: Node) -> str:
        if shared[plain[node.id]] == 1:
            return plain[node.id]
        return typed[node.id] if alike[typed[node.id]] == 1 else f"{typed[node.id]} {node.id[:8]}"

    return {node.id: chosen(node) for node in nodes}


def _said(triplet: Triplet) -> str:
    text = triplet.edge.text
    return f"  ({text})" if text and text != relation(triplet) else ""
