"""Text of a PDF by page; pages without text and files that can't be read are named (bug 78)."""

from __future__ import annotations

import io
import logging
import warnings
from pathlib import PurePath

from pypdf import PdfReader
from pypdf.errors import DependencyError, PyPdfError

from retrieval.errors import IngestionError
from retrieval.model import PageText, ReadFile
from retrieval.words import is_blank

# What pypdf lets through on broken files, besides its own errors.
BROKEN = (PyPdfError, DependencyError, ValueError, KeyError, TypeError, AttributeError, IndexError, OSError, RecursionError,
          NotImplementedError, OverflowError, AssertionError)  # fmt: skip

KEPT = "\n\t\u200c\u200d"


def read_pdf(name: str, data: bytes, max_pages: int) -> ReadFile:
    """The text of each page that has any, with its number; IngestionError says why there is none at all."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reader = _opened(name, data)
        count = _counted(name, reader)
        if count > max_pages:
            raise IngestionError(
                f"{name} has {count} pages, more than {max_pages}. Split it, or raise MEMORY_LENS_MAX_PDF_PAGES."
            )
        pages, silent, broken = [], [], []
        for number in range(1, count + 1):
            try:
                text = clean(reader.pages[number - 1].extract_text() or "")
            except BROKEN:
                broken.append(number)
                continue
            if is_blank(text):
                silent.append(number)
            else:
                pages.append(PageText(number, text))
        title = _title(reader) or PurePath(name).stem
    if not pages:
        raise IngestionError(
            f"{name} has no text on any of its {count} page(s): it may be scanned. Add a version with a text layer (OCR)."
        )
    notes = [f"no text on {_listed(silent)} (scanned?)"] if silent else []
    notes += [f"{_listed(broken)} could not be read: the file is damaged there"] if broken else []
    return ReadFile(title, tuple(pages), tuple(notes))


def _opened(name: str, data: bytes) -> PdfReader:
    try:
        reader = PdfReader(io.BytesIO(data))
        locked = reader.is_encrypted and not reader.decrypt("")
    except DependencyError as error:
        raise IngestionError(
            f"{name} is encrypted in a way that needs one more package. Run `pip install cryptography`, or save it unencrypted."
        ) from error
    except BROKEN as error:
        raise IngestionError(f"{name} is not a PDF, or it is damaged. Open it in a viewer and save it anew.") from error
    if locked:
        raise IngestionError(f"{name} is protected by a password. Remove the password and add it again.")
    return reader


def _counted(name: str, reader: PdfReader) -> int:
    try:
        count = len(reader.pages)
    except BROKEN as error:
        raise IngestionError(
            f"{name} is damaged: its pages can't be found. Open it in a viewer and save it anew."
        ) from error
    if not count:
        raise IngestionError(f"{name} has no pages.")
    return count


def _title(reader: PdfReader) -> str:
    try:
        found = reader.metadata.title if reader.metadata else None
    except BROKEN:
        return ""
    return " ".join(found.split()) if isinstance(found, str) else ""


def clean(text: str) -> str:
    """The text without lone surrogates and control characters, which no store can keep; joiners of scripts stay."""
    plain = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(c for c in plain if c in KEPT or c.isprintable() or (c.isspace() and not "\x1c" <= c <= "\x1f"))


def _listed(numbers: list[int]) -> str:
    """Page numbers as ranges: `pages 2-3, 7`."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    told = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)
    return f"page {told}" if len(numbers) == 1 else f"pages {told}"
