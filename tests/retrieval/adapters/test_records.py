"""What only a database can get wrong: files, restarts, errors, other dialects, many rows."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from time import perf_counter

import pytest
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from retrieval.adapters import database
from retrieval.adapters.records import open_records
from retrieval.adapters.tables import metadata
from retrieval.errors import StoreError, StoreLockedError
from retrieval.model import Feedback, Node
from tests.contract.record_stores import at, document, said, turn


def test_everything_survives_a_restart_bug_100(tmp_path: Path) -> None:
    first = open_records(tmp_path / "records.sqlite")
    dataset = first.catalog.create_dataset("notes", "sam")
    first.catalog.grant(dataset.id, "kim", "read", allowed=True)
    first.catalog.put_document(document(dataset.id, "a"))
    operation = first.operations.advance(first.operations.begin(dataset.id, "a", "add"), "graph")
    first.operations.contribute(dataset.id, "a", said("a", "alice"))
    first.conversations.append(turn(1, dataset_id=dataset.id))
    feedback = Feedback(1, "🚀\n" * 2500, at(2))
    first.feedback.rate("sam", "t1", feedback)
    first.feedback.set_weights(dataset.id, {"alice": 0.45})
    first.close()

    again = open_records(str(tmp_path / "records.sqlite"))
    assert again.catalog.datasets() == [dataset]
    assert again.catalog.grants(dataset.id) == {("kim", "read")}
    assert [d.status for d in again.catalog.documents(dataset.id)] == ["processing"]
    assert again.operations.pending(dataset.id) == [operation]
    assert again.operations.contributions(dataset.id, "a") == said("a", "alice")
    assert again.operations.hidden(dataset.id) == {"alice"}
    assert [own.feedback for own in again.conversations.turns("sam", "s")] == [feedback]
    assert again.feedback.weights(dataset.id) == {"alice": 0.45}
    again.close()


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    records = open_records(tmp_path / "records.sqlite")
    dataset = records.catalog.create_dataset("notes", "sam")
    records.catalog.put_document(document(dataset.id, "a"))
    records.operations.contribute(dataset.id, "a", said("a", "alice"))
    broken = Node("n", "Entity", properties={"x": object()})  # type: ignore[dict-item]
    with pytest.raises(StoreError, match=r"records\.sqlite"):
        records.operations.contribute(dataset.id, "a", said("a", "bob", broken))
    assert records.operations.contributions(dataset.id, "a") == said("a", "alice")
    records.close()


def test_stored_json_is_valid_f12(tmp_path: Path) -> None:
    records = open_records(tmp_path / "records.sqlite")
    records.conversations.append(turn(1, payload={"score": float("nan"), "text": "\ud83d"}))
    records.close()
    with sqlite3.connect(tmp_path / "records.sqlite") as connection:
        ((valid, payload),) = connection.execute("SELECT json_valid(payload), payload FROM turns")
    connection.close()
    assert valid == 1
    assert payload == '{"score": null, "text": "\ufffd"}'


@pytest.mark.parametrize("name", ["a b.sqlite", "q?x=1#é.sqlite", "100%.sqlite", "new/folder/r.sqlite"])
def test_any_file_name_will_do(tmp_path: Path, name: str) -> None:
    for place in (tmp_path / name, str(tmp_path / name)):
        records = open_records(place)
        assert len(records.catalog.datasets()) in {0, 1}
        if not records.catalog.datasets():
            records.catalog.create_dataset("notes", "sam")
        records.close()
    assert (tmp_path / name).is_file()


def test_a_file_that_is_no_database_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "records.sqlite").write_bytes(b"not a database, but long enough to look at" * 50)
    with pytest.raises(StoreError, match=r"records\.sqlite.*not a database"):
        open_records(tmp_path / "records.sqlite")


def test_a_folder_in_the_way_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="unable to open"):
        open_records(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="file"):
        open_records(tmp_path / "file" / "records.sqlite")


@pytest.mark.parametrize(
    "url",
    [
        "nosuchdb://sam:secret@host/x",
        "mysql://:secret@h:port/x",
        "postgresql+nosuchdriver://sam:secret@host/x",
        "://secret",
        "sqlite://",
        "sqlite:///:memory:",
    ],
)
def test_an_unusable_url_is_an_error_without_the_password(url: str) -> None:
    with pytest.raises(StoreError) as refused:
        open_records(url)
    assert "secret" not in refused.value.message


def test_a_database_that_another_process_writes_to_is_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_MILLISECONDS", 1)
    records = open_records(tmp_path / "records.sqlite")
    other = sqlite3.connect(tmp_path / "records.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreLockedError, match="another process"):
        records.catalog.create_dataset("notes", "sam")
    assert records.catalog.datasets() == []
    other.execute("ROLLBACK")
    other.close()
    assert records.catalog.create_dataset("notes", "sam").name == "notes"
    records.close()


def test_postgresql_understands_the_tables() -> None:
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    for table in metadata.sorted_tables:
        text = str(CreateTable(table).compile(dialect=dialect))
        assert "DATETIME" not in text
        assert all(str(CreateIndex(index).compile(dialect=dialect)) for index in table.indexes)


def test_what_a_search_asks_does_not_take_longer_in_a_large_dataset(tmp_path: Path) -> None:
    """`about` of some elements reads an index; without it 60 times the rows take 60 times as long."""
    records = open_records(tmp_path / "records.sqlite")
    times = []
    for name, count in (("small", 500), ("large", 30_000)):
        dataset = records.catalog.create_dataset(name, "sam")
        records.catalog.put_document(document(dataset.id, "a"))
        records.operations.contribute(dataset.id, "a", said("a", *(f"e{n}" for n in range(count))))
        asked = [f"e{n}" for n in range(500)]
        records.operations.about(dataset.id, asked)
        start = perf_counter()
        assert len(records.operations.about(dataset.id, asked)) == 500
        times.append(perf_counter() - start)
    assert times[1] < times[0] * 20
    records.close()
