"""Acceptance 12.1: identifiers, exact."""

from __future__ import annotations

import pytest

from retrieval import identity

ONES = "11111111-1111-1111-1111-111111111111"


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (identity.entity_id("Alice"), "afc75e41-4df3-5db9-907e-dcf55750efec"),
        (identity.entity_id("alice"), "afc75e41-4df3-5db9-907e-dcf55750efec"),
        (identity.entity_id("O'Neil Corp"), "317ad2ae-17ed-5b38-9c85-7b3e70e0b7ff"),
        (identity.entity_type_id("Person"), "99a82eec-bb35-5bb5-9ed2-e73fc7a756de"),
        (identity.edge_type_id("works_at"), "732f3b53-b098-53cb-8871-283477dc2b43"),
        (identity.edge_type_id("Alice works at Acme."), "a38482ed-5cce-598b-bb39-918e4304cfb0"),
        (identity.node_set_id("project_a"), "a115e736-b9fb-51d9-9e0b-720f2ebd4512"),
        (identity.node_set_id("Project A"), "a115e736-b9fb-51d9-9e0b-720f2ebd4512"),
        (identity.edge_id("n1", "n2", "works_at"), "40fee700-706b-57c5-88b0-62a357b9f10b"),
        (identity.node_id("Hello World"), "cf4553a7-be24-50dd-aaa0-b6efcd29d176"),
        (identity.chunk_id(ONES, "hello", 0), "bbd7ad55-27cb-5263-9c8e-0c01cc00197e"),
        (identity.chunk_id(ONES, "hello", 1), "74a05185-263e-5fac-90d5-aa1006ebe4e1"),
        (identity.summary_id(ONES), "878e378d-ba59-5ed3-9617-0f3b73930003"),
    ],
)
def test_ids_are_those_of_the_reference(made: str, expected: str) -> None:
    assert made == expected


def test_one_name_of_two_types_is_two_entities() -> None:
    """Bug 63."""
    assert identity.entity_id("Alice", "Person") != identity.entity_id("Alice", "Company")
    assert identity.entity_id("Alice", "Person") == identity.entity_id("ALICE", "person")


def test_integer_keys_fit_a_signed_64_bit_column() -> None:
    assert 0 <= identity.integer_key("ffffffff-ffff-ffff-ffff-ffffffffffff") < 2**63
