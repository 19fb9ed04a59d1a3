"""The OperationLog contract over every store of records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.adapters.record_values import Records
from retrieval.errors import DocumentNotFoundError, QueryValidationError, StoreError
from retrieval.model import Contribution, Edge, Json, Node
from tests.contract.record_stores import KINDS, document, in_threads, opened, said


@pytest.fixture(params=KINDS)
def records(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Records]:
    store = opened(request.param, tmp_path)
    yield store
    store.close()


def dataset_of(records: Records, *names: str, status: str = "added", dataset: str = "notes") -> str:
    """A new dataset with these documents, in this order of age; gives its id."""
    made = records.catalog.create_dataset(dataset, "sam")
    for minutes, name in enumerate(names):
        records.catalog.put_document(document(made.id, name, status, minutes))
    return made.id


def status_of(records: Records, dataset_id: str, name: str) -> str:
    return {d.id: d.status for d in records.catalog.documents(dataset_id)}[name]


def version_of(records: Records, dataset_id: str) -> int:
    return next(d.version for d in records.catalog.datasets() if d.id == dataset_id)


def finish(records: Records, dataset_id: str, name: str, kind: str, *elements: Node | Edge | str) -> None:
    operation = records.operations.begin(dataset_id, name, kind)
    if kind == "add":
        records.operations.contribute(dataset_id, name, said(name, *elements))
    records.operations.advance(operation, "done")


# ------------------------------------------------------------------ operations


def test_begin_gives_the_unfinished_operation_back(records: Records) -> None:
    dataset = dataset_of(records, "a", "b")
    begun = records.operations.begin(dataset, "a", "add")
    assert (begun.dataset_id, begun.document_id, begun.kind, begun.stage) == (dataset, "a", "add", "")
    assert begun.started_at.utcoffset() is not None
    advanced = records.operations.advance(begun, "extracted")
    assert advanced == replace(begun, stage="extracted")
    assert records.operations.begin(dataset, "a", "add") == advanced
    other = records.operations.begin(dataset, "b", "add")
    assert records.operations.pending(dataset) == [advanced, other]
    assert version_of(records, dataset) == 0


def test_an_add_is_processing_until_done_and_then_visible(records: Records) -> None:
    dataset = dataset_of(records, "a")
    operation = records.operations.begin(dataset, "a", "add")
    assert status_of(records, dataset, "a") == "processing"
    records.operations.contribute(dataset, "a", said("a", "alice"))
    operation = records.operations.advance(operation, "lexical")
    assert (status_of(records, dataset, "a"), version_of(records, dataset)) == ("processing", 0)
    assert records.operations.hidden(dataset) == {"alice"}
    assert records.operations.advance(operation, "done").stage == "done"
    assert (status_of(records, dataset, "a"), version_of(records, dataset)) == ("done", 1)
    assert records.operations.hidden(dataset) == set()
    assert records.operations.pending(dataset) == []
    assert [c.element_id for c in records.operations.contributions(dataset, "a")] == ["alice"]


def test_a_delete_hides_at_once_and_ends_with_every_record_gone(records: Records) -> None:
    dataset = dataset_of(records, "a", "b")
    finish(records, dataset, "a", "add", "alice", "acme")
    finish(records, dataset, "b", "add", "acme")
    operation = records.operations.begin(dataset, "a", "delete")
    assert status_of(records, dataset, "a") == "deleting"
    assert records.operations.hidden(dataset) == {"alice"}
    assert version_of(records, dataset) == 2
    assert [c.element_id for c in records.operations.contributions(dataset, "a")] == ["alice", "acme"]
    for stage in ("graph", "vectors", "lexical", "done"):
        operation = records.operations.advance(operation, stage)
    assert [d.id for d in records.catalog.documents(dataset)] == ["b"]
    assert records.operations.contributions(dataset, "a") == []
    assert records.operations.pending(dataset) == []
    assert version_of(records, dataset) == 3
    assert list(records.operations.about(dataset, ["alice", "acme"])) == ["acme"]


def test_a_delete_supersedes_an_unfinished_add(records: Records) -> None:
    dataset = dataset_of(records, "a")
    add = records.operations.begin(dataset, "a", "add")
    delete = records.operations.begin(dataset, "a", "delete")
    assert records.operations.pending(dataset) == [delete]
    for stage in ("graph", "done"):
        with pytest.raises(StoreError, match="cognify"):
            records.operations.advance(add, stage)
    assert status_of(records, dataset, "a") == "deleting"
    with pytest.raises(DocumentNotFoundError, match="deleted"):
        records.operations.begin(dataset, "a", "add")
    assert records.operations.begin(dataset, "a", "delete") == delete
    assert version_of(records, dataset) == 0


def test_a_delete_that_goes_on_hides_again(records: Records) -> None:
    """A run that was overtaken may have written the document's old status back."""
    dataset = dataset_of(records, "a")
    records.operations.begin(dataset, "a", "delete")
    records.catalog.put_document(document(dataset, "a", "processing"))
    records.operations.begin(dataset, "a", "delete")
    assert status_of(records, dataset, "a") == "deleting"


def test_a_document_added_anew_is_not_deleted_by_an_earlier_delete(records: Records) -> None:
    dataset = dataset_of(records, "a")
    delete = records.operations.begin(dataset, "a", "delete")
    records.catalog.put_document(document(dataset, "a", "added"))
    assert records.operations.pending(dataset) == []
    with pytest.raises(StoreError):
        records.operations.advance(delete, "done")
    assert records.operations.begin(dataset, "a", "add").stage == ""
    assert status_of(records, dataset, "a") == "processing"


def test_an_operation_ends_once(records: Records) -> None:
    dataset = dataset_of(records, "a")
    operation = records.operations.begin(dataset, "a", "add")
    records.operations.advance(operation, "done")
    with pytest.raises(StoreError):
        records.operations.advance(operation, "done")
    assert version_of(records, dataset) == 1


def test_unknown_documents_and_kinds_are_refused(records: Records) -> None:
    dataset = dataset_of(records, "a")
    with pytest.raises(DocumentNotFoundError, match="nothing"):
        records.operations.begin(dataset, "nothing", "add")
    with pytest.raises(DocumentNotFoundError, match="nothing"):
        records.operations.contribute(dataset, "nothing", said("nothing", "alice"))
    with pytest.raises(QueryValidationError, match="rename"):
        records.operations.begin(dataset, "a", "rename")
    assert records.operations.pending(dataset) == []
    assert status_of(records, dataset, "a") == "added"


# ------------------------------------------------------------------ contributions

DEEP: dict[str, Json] = {"page": None, "deep": {"list": [1, 2.5, True, "x"]}}
FULL = Node("n", "Entity", "Zoë 🚀", "line\nbreak", "text", 0.25, ("s1", "s2"), DEEP)
EDGE = Edge("n", "m", "由...组成", 'Zoë\'s "edge"', 1.0, {"edge_object_id": "e"})


def test_contributions_round_trip_in_the_order_given(records: Records) -> None:
    dataset = dataset_of(records, "a")
    given = [*said("a", EDGE, FULL, "z", "a"), Contribution("a", FULL.id, replace(FULL, description="again"), "c2")]
    records.operations.contribute(dataset, "a", given)
    assert records.operations.contributions(dataset, "a") == given
    assert records.operations.about(dataset, [FULL.id]) == {FULL.id: [given[1], given[4]]}
    assert records.operations.about(dataset, [EDGE.id])[EDGE.id][0].element == EDGE


def test_contributing_again_replaces_the_whole(records: Records) -> None:
    dataset = dataset_of(records, "a")
    for elements in (("x", "y", "z"), ("y",), ()):
        records.operations.contribute(dataset, "a", said("a", *elements))
        assert [c.element_id for c in records.operations.contributions(dataset, "a")] == list(elements)
    assert records.operations.about(dataset, ["x", "y", "z"]) == {}


def test_about_is_ordered_by_the_documents_age_then_id(records: Records) -> None:
    dataset = dataset_of(records, "late")
    for name, minutes in (("b", -1), ("a", -1), ("early", -2)):
        records.catalog.put_document(document(dataset, name, minutes=minutes))
    for name in ("late", "b", "early", "a"):
        records.operations.contribute(dataset, name, said(name, "alice", "bob", "alice"))
    about = records.operations.about(dataset, ["bob", "alice", "bob", "unknown"])
    assert set(about) == {"alice", "bob"}
    assert [c.document_id for c in about["bob"]] == ["early", "a", "b", "late"]
    assert [c.document_id for c in about["alice"]] == ["early", "early", "a", "a", "b", "b", "late", "late"]


def test_about_leaves_out_documents_that_are_being_deleted(records: Records) -> None:
    dataset = dataset_of(records, "a", "b", "c", status="done")
    for name in ("a", "b", "c"):
        records.operations.contribute(dataset, name, said(name, "alice"))
    records.operations.begin(dataset, "a", "delete")
    records.operations.begin(dataset, "b", "add")
    assert [c.document_id for c in records.operations.about(dataset, ["alice"])["alice"]] == ["b", "c"]


def test_about_of_many_elements(records: Records) -> None:
    dataset = dataset_of(records, "a")
    ids = [f"e{number}" for number in range(2_001)]
    records.operations.contribute(dataset, "a", said("a", *ids))
    assert set(records.operations.about(dataset, ids)) == set(ids)
    assert records.operations.about(dataset, []) == {}


@pytest.mark.parametrize("status", ["added", "processing", "failed", "deleting"])
def test_hidden_is_what_no_finished_document_says(records: Records, status: str) -> None:
    dataset = dataset_of(records, "a", "b")
    records.operations.contribute(dataset, "a", said("a", "alice", "acme"))
    records.operations.contribute(dataset, "b", said("b", "acme", "bob"))
    records.catalog.put_document(document(dataset, "a", status))
    assert records.operations.hidden(dataset) == {"alice", "acme", "bob"}
    records.catalog.put_document(document(dataset, "b", "done"))
    assert records.operations.hidden(dataset) == {"alice"}


def test_deleting_from_one_dataset_leaves_the_other_whole_bug_57(records: Records) -> None:
    alfa = dataset_of(records, "x.md", "y.md", dataset="alfa")
    beta = dataset_of(records, "x.md", dataset="beta")
    for dataset, name in ((alfa, "x.md"), (alfa, "y.md"), (beta, "x.md")):
        finish(records, dataset, name, "add", "shared", f"only {name}")
    before = records.operations.contributions(beta, "x.md")
    delete = records.operations.begin(alfa, "x.md", "delete")
    assert records.operations.hidden(alfa) == {"only x.md"}
    assert records.operations.hidden(beta) == set()
    records.operations.advance(delete, "done")
    assert records.operations.contributions(beta, "x.md") == before
    assert set(records.operations.about(beta, ["shared", "only x.md"])) == {"shared", "only x.md"}
    assert set(records.operations.about(alfa, ["shared", "only x.md", "only y.md"])) == {"shared", "only y.md"}
    assert (version_of(records, alfa), version_of(records, beta)) == (3, 1)
    assert status_of(records, beta, "x.md") == "done"


def test_contributions_are_valid_json_and_clean_text_f12(records: Records) -> None:
    dataset = dataset_of(records, "a")
    odd = Node("n", "Entity", "a\ud83d", importance_weight=float("nan"), properties={"x": float("inf"), "y": "\udc00"})
    records.operations.contribute(dataset, "a", [Contribution("a", "n", odd, "\ud83d")])
    (known,) = records.operations.contributions(dataset, "a")
    assert known.chunk_id == "\ufffd"
    assert known.element == Node("n", "Entity", "a\ufffd", properties={"x": None, "y": "\ufffd"})


# ------------------------------------------------------------------ several threads


def test_eight_threads_begin_one_operation(records: Records) -> None:
    dataset = dataset_of(records, "a")
    begun: list[str] = []
    in_threads(lambda _: begun.append(records.operations.begin(dataset, "a", "add").id), range(16))
    assert len(set(begun)) == 1
    assert [o.id for o in records.operations.pending(dataset)] == begun[:1]


def test_eight_threads_finish_documents_and_no_version_is_lost_bug_56(records: Records) -> None:
    names = [f"doc {number}" for number in range(24)]
    dataset = dataset_of(records, *names)
    in_threads(lambda number: finish(records, dataset, names[number], "add", "alice", names[number]), range(24))
    assert version_of(records, dataset) == 24
    assert {d.status for d in records.catalog.documents(dataset)} == {"done"}
    assert len(records.operations.about(dataset, ["alice"])["alice"]) == 24
