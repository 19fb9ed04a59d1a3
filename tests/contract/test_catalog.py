"""The Catalog contract over every store of records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from retrieval.adapters.record_values import Records
from retrieval.errors import DatasetNotFoundError, QueryValidationError
from retrieval.model import Feedback, Json, LoggedQuery
from tests.contract.record_stores import KINDS, at, document, in_threads, opened, said, turn


@pytest.fixture(params=KINDS)
def records(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Records]:
    store = opened(request.param, tmp_path)
    yield store
    store.close()


def test_datasets_come_oldest_first_with_all_their_fields(records: Records) -> None:
    made = [records.catalog.create_dataset(name, "sam", f"about {name}") for name in ("zeta", "alfa", "mid")]
    assert records.catalog.datasets() == made
    first = made[0]
    assert (first.name, first.owner, first.description, first.version) == ("zeta", "sam", "about zeta", 0)
    assert (first.embedding_model, first.embedding_dimensions) == ("", 0)
    assert first.created_at.utcoffset() == timedelta(0)


def test_a_name_is_taken_once_per_owner(records: Records) -> None:
    records.catalog.create_dataset("notes", "sam")
    with pytest.raises(QueryValidationError, match="notes"):
        records.catalog.create_dataset(" notes ", "sam")
    assert records.catalog.create_dataset("notes", "kim").owner == "kim"
    assert len(records.catalog.datasets()) == 2


@pytest.mark.parametrize("name", ["", "  ", "\n\t", "\u00a0"])
def test_a_dataset_needs_a_name(records: Records, name: str) -> None:
    with pytest.raises(QueryValidationError, match="name"):
        records.catalog.create_dataset(name, "sam")
    made = records.catalog.create_dataset("kept", "sam")
    with pytest.raises(QueryValidationError, match="name"):
        records.catalog.update_dataset(made.id, name=name)


@pytest.mark.parametrize("name", ["x'; DROP TABLE datasets; --", "投影直线L'", "C:\\repo\\", "אברהם 🏆", "100%_"])
def test_names_come_back_as_they_are_bug_43(records: Records, name: str) -> None:
    records.catalog.create_dataset(name, name, name)
    (known,) = records.catalog.datasets()
    assert (known.name, known.owner, known.description) == (name, name, name)


def test_update_changes_the_named_fields_only(records: Records) -> None:
    made = records.catalog.create_dataset("notes", "sam", "mine")
    records.catalog.create_dataset("other", "sam")
    changed = records.catalog.update_dataset(made.id, embedding_model="m", embedding_dimensions=384)
    assert changed == replace(made, embedding_model="m", embedding_dimensions=384)
    assert records.catalog.update_dataset(made.id, name="renamed").name == "renamed"
    assert records.catalog.update_dataset(made.id, name="renamed").description == "mine"
    with pytest.raises(QueryValidationError, match="other"):
        records.catalog.update_dataset(made.id, name="other")
    with pytest.raises(QueryValidationError, match="owner"):
        records.catalog.update_dataset(made.id, owner="kim")
    assert records.catalog.datasets()[0].name == "renamed"


def test_an_unknown_dataset_is_named_bug_8(records: Records) -> None:
    with pytest.raises(DatasetNotFoundError, match="missing"):
        records.catalog.update_dataset("missing", name="x")
    with pytest.raises(DatasetNotFoundError, match="missing"):
        records.catalog.put_document(document("missing", "x.md"))
    with pytest.raises(DatasetNotFoundError, match="missing"):
        records.catalog.grant("missing", "kim", "read", allowed=True)
    assert records.catalog.documents("missing") == []
    assert records.catalog.grants("missing") == set()
    records.catalog.delete_dataset("missing")


def test_grants_are_given_and_taken(records: Records) -> None:
    made, other = (records.catalog.create_dataset(name, "sam") for name in ("notes", "other"))
    for name in ("read", "write", "read"):
        records.catalog.grant(made.id, "kim", name, allowed=True)
    assert records.catalog.grants(made.id) == {("kim", "read"), ("kim", "write")}
    assert records.catalog.grants(other.id) == set()
    records.catalog.grant(made.id, "kim", "read", allowed=False)
    records.catalog.grant(made.id, "lee", "read", allowed=False)
    assert records.catalog.grants(made.id) == {("kim", "write")}
    with pytest.raises(QueryValidationError, match="admin"):
        records.catalog.grant(made.id, "kim", "admin", allowed=True)


def test_documents_round_trip_and_replace(records: Records) -> None:
    made = records.catalog.create_dataset("notes", "sam")
    late, early = document(made.id, "a.md", minutes=2), document(made.id, "b.md", minutes=1)
    full = replace(early, node_sets=("x", "y"), report={"chunks": 3, "notes": ["🏆"], "problem": None})
    for own in (late, early, full):
        records.catalog.put_document(own)
    assert records.catalog.documents(made.id) == [full, late]


def test_one_document_id_in_two_datasets_is_two_documents_bug_57(records: Records) -> None:
    alfa, beta = (records.catalog.create_dataset(name, "sam") for name in ("alfa", "beta"))
    records.catalog.put_document(document(alfa.id, "x.md", "done"))
    records.catalog.put_document(document(beta.id, "x.md", "failed"))
    assert [d.status for d in records.catalog.documents(alfa.id)] == ["done"]
    assert [d.status for d in records.catalog.documents(beta.id)] == ["failed"]


def test_times_come_back_aware_in_utc_bug_38(records: Records) -> None:
    made = records.catalog.create_dataset("notes", "sam")
    berlin = datetime(2021, 1, 1, 1, 30, 0, 123456, tzinfo=timezone(timedelta(hours=1)))
    naive = datetime(2021, 1, 1)
    ancient = datetime(1, 1, 1, tzinfo=UTC)
    for name, moment in {"berlin": berlin, "naive": naive, "ancient": ancient}.items():
        records.catalog.put_document(replace(document(made.id, name), created_at=moment))
    times = {d.name: d.created_at for d in records.catalog.documents(made.id)}
    assert times["berlin"] == datetime(2021, 1, 1, 0, 30, 0, 123456, tzinfo=UTC)
    assert times["naive"] == datetime(2021, 1, 1, tzinfo=UTC)
    assert times["ancient"] == ancient
    assert {t.utcoffset() for t in times.values()} == {timedelta(0)}


def test_reports_are_valid_json_f12(records: Records) -> None:
    made = records.catalog.create_dataset("notes", "sam")
    report: dict[str, Json] = {
        "score": float("nan"),
        "deep": [{"x": float("inf")}, (1.5, -float("inf"))],
        "text": "a\ud83db",
    }
    records.catalog.put_document(replace(document(made.id, "a"), report=report))
    (known,) = records.catalog.documents(made.id)
    assert known.report == {"score": None, "deep": [{"x": None}, [1.5, None]], "text": "a\ufffdb"}


def test_lone_surrogates_are_cleaned_and_pairs_joined(records: Records) -> None:
    made = records.catalog.create_dataset("n\ud83d", "sam\udc00", "joined \ud83d\ude00")
    assert (made.name, made.owner, made.description) == ("n\ufffd", "sam\ufffd", "joined 😀")
    records.catalog.grant(made.id, "kim\ud83d", "read", allowed=True)
    records.catalog.put_document(replace(document(made.id, "x"), node_sets=("\ud83d",)))
    assert records.catalog.grants(made.id) == {("kim\ufffd", "read")}
    assert records.catalog.documents(made.id)[0].node_sets == ("\ufffd",)


def test_deleting_a_dataset_takes_all_its_records_and_no_others_bug_57(records: Records) -> None:
    alfa, beta = (records.catalog.create_dataset(name, "sam") for name in ("alfa", "beta"))
    for number, dataset in enumerate((alfa, beta)):
        records.catalog.put_document(document(dataset.id, "x.md"))
        records.catalog.grant(dataset.id, "kim", "read", allowed=True)
        records.operations.begin(dataset.id, "x.md", "add")
        records.operations.contribute(dataset.id, "x.md", said("x.md", "alice"))
        records.conversations.append(turn(number, dataset.name, dataset_id=dataset.id))
        records.conversations.append(turn(number + 2, "both", dataset_id=dataset.id))
        records.feedback.rate("sam", f"t{number}", Feedback(5, "", at(9)))
        records.feedback.set_weights(dataset.id, {"alice": 0.6})
        records.feedback.log(LoggedQuery("sam", dataset.id, "CHUNKS", "q", 1.0, "", at(1)))
    records.catalog.delete_dataset(alfa.id)

    assert [d.id for d in records.catalog.datasets()] == [beta.id]
    for dataset, left in ((alfa, 0), (beta, 1)):
        assert len(records.catalog.documents(dataset.id)) == left
        assert len(records.catalog.grants(dataset.id)) == left
        assert len(records.operations.pending(dataset.id)) == left
        assert len(records.operations.contributions(dataset.id, "x.md")) == left
        assert len(records.operations.about(dataset.id, ["alice"])) == left
        assert len(records.feedback.weights(dataset.id)) == left
        assert len(records.feedback.ratings(dataset.id)) == left
        assert len(records.conversations.turns("sam", dataset.name)) == left
    assert [s.id for s in records.conversations.sessions("sam")] == ["both", "beta"]
    assert [t.id for t in records.conversations.turns("sam", "both")] == ["t3"]
    assert [entry.dataset_id for entry in records.feedback.logged()] == [beta.id]
    assert records.catalog.create_dataset("alfa", "sam").version == 0


def test_eight_threads_create_each_name_once(records: Records) -> None:
    refused: list[int] = []

    def create(number: int) -> None:
        try:
            records.catalog.create_dataset(f"name {number % 4}", "sam")
        except QueryValidationError:
            refused.append(number)

    in_threads(create, range(16))
    assert sorted(d.name for d in records.catalog.datasets()) == ["name 0", "name 1", "name 2", "name 3"]
    assert len(refused) == 12
