"""Permissions and the choice of datasets: product.md section 2, bugs 7, 8, 11."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

import pytest

from retrieval.access import Access
from retrieval.adapters.memory_records import memory_records
from retrieval.errors import DatasetNotFoundError, PermissionDeniedError, QueryValidationError
from retrieval.model import Dataset
from retrieval.ports import Catalog

UNKNOWN = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def catalog() -> Catalog:
    return memory_records().catalog


@pytest.fixture
def own(catalog: Catalog) -> list[Dataset]:
    return [catalog.create_dataset(name, "sam") for name in ("one", "two", "three")]


@pytest.fixture
def foreign(catalog: Catalog) -> Dataset:
    return catalog.create_dataset("foreign", "kim")


@pytest.fixture
def access(catalog: Catalog) -> Access:
    return Access(catalog, enabled=True)


# ------------------------------------------------------------------ permissions


@pytest.mark.parametrize("permission", ["read", "write", "delete", "share"])
def test_an_owner_has_every_permission_and_others_only_what_was_given(
    catalog: Catalog, access: Access, foreign: Dataset, permission: str
) -> None:
    access.check("kim", foreign, permission)
    with pytest.raises(PermissionDeniedError, match=permission) as refused:
        access.check("sam", foreign, permission)
    assert refused.value.status == 403
    catalog.grant(foreign.id, "sam", permission, allowed=True)
    access.check("sam", foreign, permission)
    assert sum(access.allows("sam", foreign, p) for p in ("read", "write", "delete", "share")) == 1
    catalog.grant(foreign.id, "sam", permission, allowed=False)
    assert not access.allows("sam", foreign, permission)


def test_a_refusal_names_the_dataset_but_its_name_only_to_readers(
    catalog: Catalog, access: Access, foreign: Dataset
) -> None:
    with pytest.raises(PermissionDeniedError) as refused:
        access.check("sam", foreign, "read")
    assert foreign.id in refused.value.message
    assert foreign.name not in refused.value.message.replace(foreign.id, "")
    catalog.grant(foreign.id, "sam", "read", allowed=True)
    with pytest.raises(PermissionDeniedError, match=r"write permission on: foreign"):
        access.check("sam", foreign, "write")


def test_readable(catalog: Catalog, access: Access, own: list[Dataset], foreign: Dataset) -> None:
    assert access.readable("sam") == own
    assert access.readable("lee") == []
    catalog.grant(foreign.id, "sam", "write", allowed=True)
    assert access.readable("sam") == own
    catalog.grant(foreign.id, "sam", "read", allowed=True)
    assert access.readable("sam") == [*own, foreign]


def test_without_access_control_everything_is_allowed(catalog: Catalog, own: list[Dataset], foreign: Dataset) -> None:
    everything = Access(catalog, enabled=False)
    everything.check("sam", foreign, "delete")
    assert everything.readable("sam") == [*own, foreign]
    assert everything.resolve("sam", ["foreign", "one"]) == [foreign, own[0]]
    assert everything.resolve("sam", ids=[foreign.id], permission="write") == [foreign]


# ------------------------------------------------------------------ which datasets


def test_all_none_and_a_list_are_three_things_bug_11(access: Access, own: list[Dataset], foreign: Dataset) -> None:
    assert access.resolve("sam") == own
    assert access.resolve("sam", ["two"]) == [own[1]]
    nothing: list[tuple[Sequence[str] | None, Sequence[str] | None]] = [
        ([], None),
        (None, []),
        ((), None),
        (["one"], []),
    ]
    for names, ids in nothing:
        with pytest.raises(QueryValidationError, match="Select at least one dataset"):
            access.resolve("sam", names, ids)
    assert access.resolve("lee") == []


def test_all_means_all_with_the_permission(
    catalog: Catalog, access: Access, own: list[Dataset], foreign: Dataset
) -> None:
    catalog.grant(foreign.id, "sam", "read", allowed=True)
    assert access.resolve("sam") == [*own, foreign]
    assert access.resolve("sam", permission="write") == own


def test_one_unknown_name_fails_all_and_every_missing_one_is_named_bug_7(access: Access, own: list[Dataset]) -> None:
    with pytest.raises(DatasetNotFoundError) as refused:
        access.resolve("sam", ["one", "typo", "two", "TWO", ""])
    assert refused.value.status == 404
    assert all(repr(name) in refused.value.message for name in ("typo", "TWO", ""))
    assert "'one'" not in refused.value.message
    assert "'two'" not in refused.value.message


@pytest.mark.parametrize("garbage", [UNKNOWN, "main_dataset", "", "'; DROP TABLE datasets", "\ud83d", "x" * 5000])
def test_an_unknown_id_is_not_found_bug_8(access: Access, own: list[Dataset], garbage: str) -> None:
    with pytest.raises(DatasetNotFoundError) as refused:
        access.resolve("sam", ids=[own[0].id, garbage])
    assert repr(garbage) in refused.value.message
    assert own[0].id not in refused.value.message


def test_a_deleted_dataset_is_not_found_bug_8(catalog: Catalog, access: Access, own: list[Dataset]) -> None:
    catalog.delete_dataset(own[1].id)
    with pytest.raises(DatasetNotFoundError):
        access.resolve("sam", ids=[own[1].id])
    with pytest.raises(DatasetNotFoundError):
        access.resolve("sam", ["two"])


def test_one_unreadable_dataset_refuses_the_whole_request(access: Access, own: list[Dataset], foreign: Dataset) -> None:
    with pytest.raises(PermissionDeniedError) as refused:
        access.resolve("sam", ids=[own[0].id, foreign.id])
    assert foreign.id in refused.value.message
    assert own[0].id not in refused.value.message
    with pytest.raises(PermissionDeniedError, match="write"):
        access.resolve("sam", ids=foreign.id, permission="write")


def test_a_name_that_is_not_readable_does_not_exist(access: Access, foreign: Dataset) -> None:
    for name in ("foreign", foreign.id):
        with pytest.raises(DatasetNotFoundError):
            access.resolve("sam", [name])


def test_a_readable_dataset_without_the_permission_is_refused(
    catalog: Catalog, access: Access, foreign: Dataset
) -> None:
    catalog.grant(foreign.id, "sam", "read", allowed=True)
    assert access.resolve("sam", "foreign") == [foreign]
    with pytest.raises(PermissionDeniedError, match="delete permission on: foreign"):
        access.resolve("sam", "foreign", permission="delete")


def test_a_name_means_the_callers_own_dataset_first(catalog: Catalog, access: Access, foreign: Dataset) -> None:
    catalog.grant(foreign.id, "sam", "read", allowed=True)
    assert access.resolve("sam", "foreign") == [foreign]
    mine = catalog.create_dataset("foreign", "sam")
    assert access.resolve("sam", "foreign") == [mine]
    assert access.resolve("sam", ids=foreign.id) == [foreign]


def test_a_name_that_several_owners_shared_is_not_guessed(catalog: Catalog, access: Access, foreign: Dataset) -> None:
    second = catalog.create_dataset("foreign", "lee")
    for dataset in (foreign, second):
        catalog.grant(dataset.id, "sam", "read", allowed=True)
    with pytest.raises(QueryValidationError) as refused:
        access.resolve("sam", "foreign")
    assert foreign.id in refused.value.message
    assert second.id in refused.value.message


def test_request_order_without_repeats(access: Access, own: list[Dataset]) -> None:
    one, two, three = own
    assert access.resolve("sam", ["three", "one", "three", "one"]) == [three, one]
    assert access.resolve("sam", ids=[two.id, one.id, two.id.upper(), f"{{{two.id}}}"]) == [two, one]
    assert access.resolve("sam", ["one", one.id, three.id]) == [one, three]


def test_a_lone_text_or_uuid_is_one(access: Access, own: list[Dataset]) -> None:
    assert access.resolve("sam", "one") == access.resolve("sam", ids=own[0].id) == [own[0]]
    assert access.resolve("sam", ids=uuid.UUID(own[1].id)) == [own[1]]
    assert access.resolve("sam", ids=[uuid.UUID(own[1].id)]) == [own[1]]


def test_ids_go_before_names(access: Access, own: list[Dataset]) -> None:
    assert access.resolve("sam", ["typo"], [own[2].id]) == [own[2]]


@pytest.mark.parametrize("asked", [5, True, [None], ["one", 3], [["one"]], b"one"])
def test_other_types_are_refused(access: Access, own: list[Dataset], asked: Any) -> None:
    with pytest.raises(QueryValidationError, match="datasets must"):
        access.resolve("sam", asked)
    with pytest.raises(QueryValidationError, match="dataset_ids must"):
        access.resolve("sam", ids=asked)
