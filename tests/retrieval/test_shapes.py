"""Acceptance 12.7: result shapes."""

from __future__ import annotations

from dataclasses import replace

from retrieval.shapes import Payload, shaped

FULL = Payload("id-1", "main", completion="test", context="text", objects="object")


def test_access_on_labels_the_result() -> None:
    expected = [{"dataset_id": "id-1", "dataset_name": "main", "dataset_tenant_id": None, "search_result": "test"}]
    assert shaped([FULL], access_control=True, verbose=False) == expected


def test_access_on_and_verbose_gives_all_three_parts() -> None:
    [entry] = shaped([FULL], access_control=True, verbose=True)
    assert isinstance(entry, dict)
    assert (entry["text_result"], entry["context_result"], entry["objects_result"]) == ("test", "text", "object")
    assert entry["dataset_name"] == "main"


def test_access_off_gives_bare_results() -> None:
    assert shaped([FULL], access_control=False, verbose=False) == ["test"]
    [entry] = shaped([FULL], access_control=False, verbose=True)
    assert isinstance(entry, dict)
    assert "dataset_name" not in entry


def test_a_missing_completion_gives_the_context_and_then_the_objects() -> None:
    assert shaped([replace(FULL, completion=None)], access_control=False, verbose=False) == ["text"]
    assert shaped([replace(FULL, completion=None, context=None)], access_control=False, verbose=False) == ["object"]


def test_only_context_is_the_context() -> None:
    assert shaped([replace(FULL, only_context=True)], access_control=False, verbose=False) == ["text"]


def test_one_list_is_returned_itself_and_several_are_kept_apart() -> None:
    rows = replace(FULL, completion=[{"id": 1}, {"id": 2}])
    assert shaped([rows], access_control=False, verbose=False) == [{"id": 1}, {"id": 2}]
    assert len(shaped([rows, rows], access_control=False, verbose=False)) == 2


def test_fan_out_keeps_order_and_errors_in_their_own_entry() -> None:
    empty = Payload("id-2", "hr", completion=[], context="", objects=[])
    broken = Payload("id-3", "scratch", error="3 data item(s): run cognify")
    entries = shaped(
        [replace(FULL, completion=["Q2 revenue was 4.2M."]), empty, broken], access_control=True, verbose=False
    )
    assert [e["search_result"] for e in entries if isinstance(e, dict)] == [["Q2 revenue was 4.2M."], [], []]
    assert ["error" in e for e in entries if isinstance(e, dict)] == [False, False, True]
