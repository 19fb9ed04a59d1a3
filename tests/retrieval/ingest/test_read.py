"""Reading files: encodings, PDFs, and what can't be read (bugs 77, 78); every text and PDF file of the shared data."""

from __future__ import annotations

import codecs
import logging
from pathlib import Path

import pytest
from fpdf import FPDF
from pypdf import PdfReader
from pypdf.errors import DependencyError

from retrieval.errors import IngestionError
from retrieval.ingest.pdf import clean
from retrieval.ingest.read import Limits, read

TEXT = "Zoë lives in Tallinn. She moved there in 2011 – for good."
LIMITS = Limits(max_pages=50)
DOCUMENTS = Path(__file__).parents[4] / "shared" / "data" / "documents"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"),
        codecs.BOM_UTF32_BE + TEXT.encode("utf-32-be"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32-le"),
    ],
)
def test_bug_77_the_same_sentence_in_nine_encodings_is_the_same_text(data: bytes) -> None:
    found = read("a.txt", data, LIMITS)
    assert ([p.text for p in found.pages], found.notes) == ([TEXT], ())


def test_bug_77_western_windows_text_is_read_with_a_note() -> None:
    found = read("a.md", TEXT.encode("cp1252"), LIMITS)
    assert found.pages[0].text == TEXT
    assert "Windows-1252" in found.notes[0]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b" \n\t\r\n ", "no text"),
        ("\u200b\u00a0".encode(), "no text"),
        (b"\x00\x01\x02\x03" * 40, "control character"),
        (bytes(range(128, 256)) * 8, "byte 0"),
        (codecs.BOM_UTF16_LE + b"a\x00\xd8", "byte"),
        (b"PK\x03\x04 office", "ZIP or Office"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (rb"{\rtf1\ansi Hello.}", "RTF"),
        (b"%PDF-1.4 broken", "not a PDF"),
    ],
)
def test_what_cannot_be_read_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(IngestionError, match=reason):
        read("file.txt", data, LIMITS)


@pytest.mark.parametrize(("written", "text"), [("\ud83d\ude80 up", "🚀 up"), ("lone \ud83d half", "lone \ufffd half")])
def test_f6_halves_of_surrogate_pairs_are_repaired_with_a_note(written: str, text: str) -> None:
    found = read("a.txt", written.encode("utf-8", "surrogatepass"), LIMITS)
    assert found.pages[0].text == text
    assert "repaired" in found.notes[0]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("```\n# comment\n```\n\n# Real title #\n", "Real title"),
        ("My title\n========\n\nText.", "My title"),
        ("## Only a section\n", "notes"),
        ("#hashtag first\n", "notes"),
    ],
)
def test_titles_of_markdown(text: str, title: str) -> None:
    assert read("notes.md", text.encode(), LIMITS).title == title


def test_line_ends_are_unified_and_the_title_is_the_first_heading() -> None:
    found = read("notes.md", b"# Estonia (2015)\r\n\r\nTallinn is its capital.\r", LIMITS)
    assert found.title == "Estonia (2015)"
    assert found.pages[0].text == "# Estonia (2015)\n\nTallinn is its capital.\n"
    assert read("plain name.txt", b"Text.", LIMITS).title == "plain name"


def pdf(*pages: str, password: str = "") -> bytes:
    made = FPDF()
    made.set_font("helvetica", size=12)
    for text in pages:
        made.add_page()
        if text:
            made.multi_cell(0, 8, text)
    if password:
        made.set_encryption(owner_password=password, user_password=password)
    return bytes(made.output())


def test_bug_78_pages_keep_their_numbers_and_empty_ones_are_named() -> None:
    found = read("a.pdf", pdf("First page.", "", "", "Fourth page."), LIMITS)
    assert [p.number for p in found.pages] == [1, 4]
    assert found.notes == ("no text on pages 2-3 (scanned?)",)


def test_bug_78_a_pdf_without_any_text_is_an_error() -> None:
    with pytest.raises(IngestionError, match=r"no text on any of its 2 page"):
        read("scan.pdf", pdf("", ""), LIMITS)


def test_bug_78_an_encrypted_pdf_names_the_password() -> None:
    with pytest.raises(IngestionError, match="password"):
        read("secret.pdf", pdf("Hidden.", password="x" * 3), LIMITS)


def test_bug_78_a_missing_decryption_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def decrypt(reader: PdfReader, password: str) -> None:
        raise DependencyError("cryptography>=3.1 is required for AES algorithm")

    monkeypatch.setattr(PdfReader, "decrypt", decrypt)
    with pytest.raises(IngestionError, match="pip install cryptography"):
        read("secret.pdf", pdf("Hidden.", password="x" * 3), LIMITS)


def test_bug_78_joiners_of_scripts_stay_and_control_characters_go() -> None:
    assert clean("می\u200cروم\x00\x1c \ud83d.\n") == "می\u200cروم ?.\n"


def test_too_many_pages_are_refused() -> None:
    with pytest.raises(IngestionError, match="more than 2"):
        read("long.pdf", pdf("a", "b", "c"), Limits(max_pages=2))


def test_nothing_but_a_name_makes_a_pdf() -> None:
    with pytest.raises(IngestionError, match="not a PDF"):
        read("a.pdf", b"just text", LIMITS)


def shared_files() -> list[Path]:
    kinds = {".txt", ".md", ".pdf"}
    return sorted(f for f in DOCUMENTS.rglob("*") if f.suffix.lower() in kinds) if DOCUMENTS.is_dir() else []


@pytest.mark.skipif(not DOCUMENTS.is_dir(), reason="the shared documents are not beside the project")
def test_every_shared_text_and_pdf_ends_with_its_text_or_a_reason() -> None:
    read_well, reasons = 0, dict[str, str]()
    for file in shared_files():
        try:
            found = read(file.name, file.read_bytes(), Limits())
        except IngestionError as error:
            reasons[file.name] = error.message
            continue
        assert all(page.text.strip() for page in found.pages), file.name
        read_well += 1
    assert read_well > 20
    assert all(name in told and len(told) > len(name) + 10 for name, told in reasons.items())
    assert logging.getLogger("pypdf").level >= logging.CRITICAL
