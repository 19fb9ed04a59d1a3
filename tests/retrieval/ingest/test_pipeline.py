"""Ingestion over an in-memory world: provenance, duplicates, replacing, deleting, stopping and resuming (bugs 57, 60, 81, 82)."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from retrieval.errors import DuplicateDocumentError, IngestionError, NoDataError, StoreLockedError
from retrieval.model import CHUNKS, EDGE_TYPES, ENTITIES, SENTENCES, SUMMARIES, TRIPLETS, Node
from retrieval.options import Request
from tests.digest import contents, digest
from tests.world import DOCUMENTS, World, world


@pytest.fixture
def made(tmp_path: Path) -> World:
    return world(tmp_path)


def test_a_processed_document_is_in_every_store_with_its_report(made: World) -> None:
    dataset = made.dataset()
    status = made.engine.status("local", dataset.id)
    assert (status.documents, status.processed, status.pending, status.failed) == (3, 3, 0, 0)
    assert set(status.collections) >= {CHUNKS, SUMMARIES, ENTITIES, EDGE_TYPES, TRIPLETS, SENTENCES}
    assert dataset.version == 3
    report = made.engine.documents("local", dataset.id)[0].report
    assert report["stage"] == "done"
    assert (report["chunks"], report["entities"]) == (1, 4)


def test_everything_knows_its_chunk_and_document(made: World) -> None:
    dataset = made.dataset()
    graph = made.engine.memory(dataset.id).graph(dataset.version)
    acme = graph.ids(_indices(graph.node_names.to_pylist(), "Acme"))[0]
    said = made.engine.parts.operations.about(dataset.id, [acme])[acme]
    names = {d.id: d.name for d in made.engine.documents("local", dataset.id)}
    assert [names[c.document_id] for c in said] == ["people.md", "firms.md", "places.md"]
    for contribution in said:
        document, chunk = made.engine.chunk("local", dataset.id, contribution.chunk_id)
        assert document.id == contribution.document_id
        assert "Acme" in chunk.text


def _indices(names: list[str], wanted: str):  # type: ignore[no-untyped-def]  # noqa: ANN202
    import numpy as np

    return np.array([i for i, name in enumerate(names) if name == wanted], dtype=np.int64)


def test_descriptions_of_later_mentions_are_merged_not_lost(made: World) -> None:
    """Weakness 32."""
    dataset = made.dataset()
    nodes, _ = made.engine.memory(dataset.id).stores.graph.columns()
    ids = [i for i, n in zip(nodes["id"].to_pylist(), nodes["name"].to_pylist(), strict=True) if n == "Acme"]
    [acme] = made.engine.memory(dataset.id).stores.graph.nodes(ids)
    assert acme.description == "Acme is named in People. Acme is named in Firms. Acme is named in Places."


def test_bug_60_processing_again_changes_nothing(made: World) -> None:
    dataset = made.dataset()
    before = digest(made.engine, dataset.id)
    assert list(made.engine.cognify("local", dataset.id)) == []
    assert digest(made.engine, dataset.id) == before


def test_deleting_a_document_leaves_what_the_others_say(made: World) -> None:
    """Bug 57: the memory is then that of the other documents alone."""
    dataset = made.dataset()
    people = made.engine.documents("local", dataset.id)[0]
    made.engine.delete_document("local", dataset.id, people.id)
    others = made.dataset("others", {k: v for k, v in DOCUMENTS.items() if k != "people.md"})
    assert contents(made.engine, dataset.id) == contents(made.engine, others.id)
    [turn] = made.engine.ask(Request("Alice", query_type="CHUNKS_LEXICAL", dataset_ids=[dataset.id]))
    assert turn.found.items == ()


def test_bug_57_deleting_from_one_dataset_leaves_another_alone(made: World) -> None:
    alfa, beta = made.dataset("alfa"), made.dataset("beta")
    before = digest(made.engine, beta.id)
    made.engine.delete_document("local", alfa.id, made.engine.documents("local", alfa.id)[0].id)
    assert digest(made.engine, beta.id) == before


def test_deleting_everything_leaves_an_empty_memory(made: World) -> None:
    dataset = made.dataset()
    for document in made.engine.documents("local", dataset.id):
        made.engine.delete_document("local", dataset.id, document.id)
    stores = made.engine.memory(dataset.id).stores
    assert stores.graph.counts() == (0, 0)
    assert not any(stores.vectors.counts().values())
    assert stores.lexical.count() == 0
    assert not list((made.engine.folder(dataset.id) / "files").iterdir())
    with pytest.raises(NoDataError):
        made.engine.ask(Request("Alice", dataset_ids=[dataset.id]))


def test_bug_81_duplicates(made: World) -> None:
    dataset = made.dataset()
    data = DOCUMENTS["people.md"].encode()
    with pytest.raises(DuplicateDocumentError, match="already there"):
        made.engine.add("local", dataset.id, "people.md", data)
    with pytest.raises(DuplicateDocumentError, match=r"same content as people\.md"):
        made.engine.add("local", dataset.id, "copy.md", data)
    with pytest.raises(DuplicateDocumentError, match="replace it or to keep both"):
        made.engine.add("local", dataset.id, "people.md", b"Dora knows Alice.")
    made.engine.add("local", dataset.id, "people.md", b"Dora knows Alice.", replace=False)
    assert [d.name for d in made.engine.documents("local", dataset.id)].count("people.md") == 2


def test_replacing_removes_the_earlier_document(made: World) -> None:
    dataset = made.dataset()
    made.engine.add("local", dataset.id, "people.md", b"Dora knows Alice.", replace=True)
    list(made.engine.cognify("local", dataset.id))
    assert [d.name for d in made.engine.documents("local", dataset.id)] == ["firms.md", "places.md", "people.md"]
    [turn] = made.engine.ask(Request("Bob", query_type="CHUNKS_LEXICAL", dataset_ids=[dataset.id]))
    assert turn.found.items == ()


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("файл.txt", "файл.txt"),
        ("测试.txt", "测试.txt"),
        ("a/b.txt", "b.txt"),
        ("..\\x.txt", "x.txt"),
        ("../../etc/passwd", "passwd"),
        ("CON.txt", "CON.txt"),
        ("🏆.md", "🏆.md"),
        ("new\nline.md", "new line.md"),
        ("x" * 300, "x" * 200),
        ("/", "unnamed"),
        ("", "unnamed"),
    ],
)
def test_bug_82_names_are_shown_and_never_become_paths(made: World, given: str, shown: str) -> None:
    dataset = made.engine.create_dataset("local", "names")
    document = made.engine.add("local", dataset.id, given, b"Alice knows Bob.")
    assert document.name == shown
    [file] = (made.engine.folder(dataset.id) / "files").iterdir()
    assert file.name == document.sha256


def test_bug_83_stray_files_in_the_data_folder_are_ignored(made: World) -> None:
    dataset = made.dataset()
    (made.engine.folder(dataset.id) / ".DS_Store").write_bytes(b"\0")
    (made.engine.folder(dataset.id).parent / ".DS_Store").write_bytes(b"\0")
    assert [d.id for d in made.engine.datasets("local")] == [dataset.id]
    assert made.engine.ask(Request("Alice"))[0].found.items


def test_a_file_that_cannot_be_read_fails_alone_with_its_reason(made: World) -> None:
    dataset = made.engine.create_dataset("local", "mixed")
    made.engine.add("local", dataset.id, "bad.txt", b"\x00\x01\x02\x03" * 50)
    made.engine.add("local", dataset.id, "blank.txt", b" \n\t ")
    made.engine.add("local", dataset.id, "good.txt", b"Alice knows Bob.")
    list(made.engine.cognify("local", dataset.id))
    found = {d.name: (d.status, bool(d.report.get("problem"))) for d in made.engine.documents("local", dataset.id)}
    assert found == {"bad.txt": ("failed", True), "blank.txt": ("failed", True), "good.txt": ("done", False)}


def test_too_large_a_file_is_refused_before_it_is_stored(tmp_path: Path) -> None:
    made = world(tmp_path, max_upload_bytes=10)
    dataset = made.engine.create_dataset("local", "small")
    with pytest.raises(IngestionError, match="larger than"):
        made.engine.add("local", dataset.id, "big.txt", b"x" * 11)
    assert made.engine.documents("local", dataset.id) == []


def test_a_document_is_invisible_until_it_is_done(made: World) -> None:
    dataset = made.dataset()
    made.engine.add("local", dataset.id, "late.md", b"Zoe knows Alice. Zoe works at Acme.")
    asked = [
        Request("Zoe", query_type=name, dataset_ids=[dataset.id])
        for name in ("CHUNKS", "CHUNKS_LEXICAL", "GRAPH_COMPLETION", "TRIPLET_COMPLETION", "SUMMARIES")
    ]
    run = made.engine.cognify("local", dataset.id)
    for step in run:
        shown = ["Zoe" in made.engine.ask(request)[0].found.context for request in asked]
        assert shown == [step.stage == "done"] * len(asked), step


@pytest.mark.parametrize("steps", range(1, 12))
def test_a_run_that_is_stopped_and_repeated_ends_in_the_same_memory(made: World, tmp_path: Path, steps: int) -> None:
    whole = world(tmp_path / "whole")
    expected = contents(whole.engine, whole.dataset().id)
    dataset = made.engine.create_dataset("local", "world")
    for name, text in DOCUMENTS.items():
        made.engine.add("local", dataset.id, name, text.encode())
    run = made.engine.cognify("local", dataset.id)
    list(islice(run, steps))
    run.close()  # type: ignore[attr-defined]
    list(made.engine.cognify("local", dataset.id))
    assert contents(made.engine, dataset.id) == expected
    assert made.engine.parts.operations.pending(dataset.id) == []


def test_one_run_at_a_time(made: World) -> None:
    dataset = made.engine.create_dataset("local", "busy")
    made.engine.add("local", dataset.id, "a.md", b"Alice knows Bob.")
    run = made.engine.cognify("local", dataset.id)
    next(run)
    with pytest.raises(StoreLockedError, match="being processed"):
        next(made.engine.cognify("local", dataset.id))
    run.close()  # type: ignore[attr-defined]
    assert list(made.engine.cognify("local", dataset.id))


def test_chunks_of_a_document_are_its_text(made: World) -> None:
    dataset = made.dataset()
    document = made.engine.documents("local", dataset.id)[0]
    chunks = made.engine.document_chunks("local", dataset.id, document.id)
    assert "".join(c.text for c in chunks) == DOCUMENTS["people.md"]
    assert all(isinstance(c.size, int) and c.cut_type for c in chunks)


def test_entities_keep_names_as_written(made: World) -> None:
    dataset = made.dataset("odd", {"odd.md": "Alice knows Bob. O'Neil said: 投影直线L' and C:\\repo\\src."})
    said = made.engine.parts.operations.contributions(dataset.id, made.engine.documents("local", dataset.id)[0].id)
    texts = [c.element.text for c in said if isinstance(c.element, Node) and c.element.type == "DocumentChunk"]
    assert texts == ["Alice knows Bob. O'Neil said: 投影直线L' and C:\\repo\\src."]
