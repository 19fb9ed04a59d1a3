"""Deterministic identifiers, so that repeating any work ends in the same memory (reference 10.2)."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence

OID = uuid.NAMESPACE_OID


def normalised(text: str) -> str:
    """The text as identifiers see it: lower case, spaces as `_`, apostrophes removed."""
    return text.lower().replace(" ", "_").replace("'", "")


def _named(name: str, namespace: uuid.UUID = OID) -> str:
    """The UUID of a name; a lone surrogate, which no encoding has, counts as `?`."""
    return str(uuid.uuid5(namespace, name.encode("utf-8", "replace").decode("utf-8")))


def node_id(name: str) -> str:
    """Id of a node that is known by its name alone."""
    return _named(normalised(name))


def entity_id(name: str, type_name: str = "") -> str:
    """Id of an entity: one per (type, normalised name); without a type, one per name as the reference has it."""
    key = normalised(name) if not type_name else f"{normalised(type_name)}|{normalised(name)}"
    return _named(f"Entity:{key}")


def entity_type_id(name: str) -> str:
    """Id of an entity type."""
    return _named(f"EntityType:{normalised(name)}")


def edge_type_id(text: str) -> str:
    """Id of the EdgeType row that all edges of this text share."""
    return _named(f"EdgeType:{normalised(text)}")


def node_set_id(name: str) -> str:
    """Id of a node set."""
    return _named(normalised(f"NodeSet:{name}"))


def edge_id(source: str, target: str, relationship: str) -> str:
    """`edge_object_id` of one edge."""
    return _named(normalised(source + relationship + target))


def dataset_id(owner: str, name: str, created_at: str) -> str:
    """Id of a dataset: one per owner, first name and moment of making."""
    return _named(f"Dataset:{owner}:{name}:{created_at}")


def document_id(dataset_id: str, sha256: str) -> str:
    """Id of a document: one per dataset and content."""
    return _named(f"Document:{dataset_id}:{sha256}")


def chunk_id(document: str, text: str, occurrence: int) -> str:
    """Id of a chunk; `occurrence` counts equal texts of one document from 0."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return _named(f"{document}:{digest}:{occurrence}")


def summary_id(chunk: str) -> str:
    """Id of the summary of a chunk."""
    return str(uuid.uuid5(uuid.UUID(chunk), "TextSummary"))


def rule_id(document: str, text: str) -> str:
    """Id of a rule that a document states."""
    return _named(f"Rule:{document}:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}")


def global_summary_id(dataset: str, level: int, children: Sequence[str]) -> str:
    """Id of a summary of summaries (reference 5)."""
    return _named(f"GlobalContextSummary:{dataset}:{level}:{','.join(sorted(children))}")


def sentence_id(chunk: str, position: int) -> str:
    """Id of the sentence at this 0-based position of a chunk."""
    return str(uuid.uuid5(uuid.UUID(chunk), f"Sentence:{position}"))


def event_id(chunk: str, position: int) -> str:
    """Id of the dated statement at this 0-based position of a chunk."""
    return str(uuid.uuid5(uuid.UUID(chunk), f"Event:{position}"))


def time_id(start: int, until: int) -> str:
    """Id of the node of a span of time: one per start and end in milliseconds."""
    return _named(f"Time:{start}:{until}")


def integer_key(identifier: str) -> int:
    """The upper 63 bits of a UUID: a non-negative INT64, the key in the graph store and in snapshots."""
    return uuid.UUID(identifier).int >> 65


def lookup_key(identifier: str) -> int:
    """`integer_key` of an id that may come from outside: -1, which no element has, for what is no UUID."""
    try:
        return integer_key(identifier)
    except ValueError:
        return -1
