"""Acceptance 12.10: the Evidence block."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval.model import Source
from retrieval.steps.evidence import evidence_block

REPORT = Source(1, "c1", "d1", "report.pdf", 0, None, "Revenue grew 12 percent in Q4.")
PENGUINS = Source(2, "c2", "d2", "other.pdf", 0, None, "Penguins live in Antarctica.")
ANSWER = "Revenue grew 12 percent."


def test_used_chunks_that_share_words_with_the_answer_are_listed() -> None:
    assert evidence_block(ANSWER, [REPORT, PENGUINS]) == (
        'Evidence:\n- chunk 1 of document report.pdf (data_id: d1, chunk_id: c1): "Revenue grew 12 percent in Q4."'
    )


def test_chunks_are_numbered_from_one() -> None:
    assert "- chunk 5 of" in evidence_block(ANSWER, [replace(REPORT, chunk_index=4)])


def test_unknown_ids_leave_no_parentheses() -> None:
    block = evidence_block(ANSWER, [replace(REPORT, chunk_id="", document_id="")])
    assert '- chunk 1 of document report.pdf: "' in block


@pytest.mark.parametrize("lacking", [{"document_name": " "}, {"text": ""}, {"chunk_index": -1}])
def test_chunks_without_name_text_or_number_are_passed_over(lacking: dict[str, str]) -> None:
    assert evidence_block(ANSWER, [replace(REPORT, **lacking)]) == ""  # type: ignore[arg-type]


def test_a_chunk_is_listed_once() -> None:
    assert evidence_block(ANSWER, [REPORT, replace(REPORT, number=7)]).count("\n- ") == 1


@pytest.mark.parametrize(("limit", "lines"), [(1, 3), (4, 4), (99, 5)])
def test_between_three_and_five_lines(limit: int, lines: int) -> None:
    many = [replace(REPORT, number=n, chunk_id=f"c{n}") for n in range(9)]
    assert evidence_block(ANSWER, many, limit).count("\n- ") == lines


def test_an_answer_of_function_words_has_no_evidence() -> None:
    assert evidence_block("It is.", [REPORT, PENGUINS]) == ""


def test_strongest_overlap_comes_first() -> None:
    weak = replace(REPORT, chunk_id="weak", document_name="weak.pdf", text="Revenue only.")
    assert "report.pdf" in evidence_block(ANSWER, [weak, REPORT]).splitlines()[1]


def test_long_snippets_end_with_an_ellipsis() -> None:
    line = evidence_block("word", [replace(REPORT, text="word " * 100)]).splitlines()[1]
    snippet = line.partition(': "')[2].removesuffix('"')
    assert snippet.endswith("word…")
    assert len(snippet) <= 160


def test_other_scripts_have_evidence_too() -> None:
    """Weakness 22."""
    greek = replace(REPORT, text="Η Αθήνα είναι πρωτεύουσα.")
    assert "report.pdf" in evidence_block("Αθήνα", [greek])
    assert "report.pdf" in evidence_block("国際標準化", [replace(REPORT, text="国際標準化に関する動向")])
