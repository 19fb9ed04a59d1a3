"""Bytes of a file to text by page: encodings, what is not text, and what can't be read, each named (bugs 77, 78)."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import PurePath

from retrieval.errors import IngestionError
from retrieval.ingest.pdf import read_pdf
from retrieval.model import PageText, ReadFile
from retrieval.words import is_blank

# UTF-32 before UTF-16: the little-endian mark of one begins with that of the other.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
SIGNATURES = (
    (b"PK\x03\x04", "a ZIP or Office file"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"{\\rtf", "an RTF document"),
    (b"BZh", "a bzip2 archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"SQLite format 3\x00", "an SQLite database"),
)
MEDIA_TYPES = {".md": "text/markdown", ".markdown": "text/markdown", ".pdf": "application/pdf"}
READABLE = "Text, Markdown and PDF can be read."
H1 = re.compile(r"^# +(\S.{0,300}?)[ #]*$|^(\S.{0,300}?) *\n=+ *$", re.MULTILINE)
FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
SAMPLE = 4096


@dataclass(frozen=True, slots=True)
class Limits:
    """What a file may cost."""

    max_pages: int = 5000


def media_type(name: str) -> str:
    """The media type that a file name promises."""
    return MEDIA_TYPES.get(PurePath(name).suffix.lower(), "text/plain")


def read(name: str, data: bytes, limits: Limits) -> ReadFile:
    """The text of a file by page, its title, and notes; IngestionError says why there is none."""
    if not data:
        raise IngestionError(f"{name} is empty: it contains no text.")
    if data[:1024].lstrip().startswith(b"%PDF-") or media_type(name) == "application/pdf":
        return read_pdf(name, data, limits.max_pages)
    for signature, kind in SIGNATURES:
        if data.startswith(signature):
            raise IngestionError(f"{name} is {kind}, which can't be read. {READABLE}")
    text, notes = decoded(name, data)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    control = CONTROL.search(text)
    if control:
        raise IngestionError(
            f"{name} is not a text file: character {control.start()} is a control character. {READABLE}"
        )
    if is_blank(text):
        raise IngestionError(f"{name} contains no text, only white space.")
    return ReadFile(_title(name, text), (PageText(None, text),), notes)


def _title(name: str, text: str) -> str:
    """The first top heading of Markdown that is not inside a code block, else the file's name without its ending."""
    markdown = media_type(name) == "text/markdown" or text.startswith("# ")
    heading = H1.search(FENCED.sub("", text)) if markdown else None
    return (heading.group(1) or heading.group(2)) if heading else PurePath(name).stem


def decoded(name: str, data: bytes) -> tuple[str, tuple[str, ...]]:
    """(text, notes): by byte order mark, as UTF-8, by the pattern of zeros, else as Windows-1252 with a note."""
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return _strict(name, data[len(mark) :], encoding), ()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        wide = _wide(data)
        if wide:
            return _strict(name, data, wide), ()
        return _repaired(data, error.start) or _western(name, data, error.start)
    wide = _wide(data) if CONTROL.search(text) else None
    return (_strict(name, data, wide) if wide else text), ()


def _strict(name: str, data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise IngestionError(
            f"{name} claims to be {encoding.upper()}, but byte {error.start} does not fit. Save it as UTF-8 and add it again."
        ) from error


def _repaired(data: bytes, at: int) -> tuple[str, tuple[str, ...]] | None:
    """UTF-8 that holds halves of surrogate pairs, as some programs write emoji: pairs joined, lone halves replaced."""
    try:
        halves = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None
    text = halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text, (f"Byte {at} begins half a character that UTF-8 does not allow: such places were repaired.",)


def _wide(data: bytes) -> str | None:
    """The UTF-16 or UTF-32 order that the zeros of mostly Latin text point to."""
    sample = data[:SAMPLE]
    if len(sample) < 4:
        return None
    zeros = [sample[i::4].count(0) / max(len(sample[i::4]), 1) for i in range(4)]
    if len(data) % 4 == 0 and min(zeros[1:]) > 0.9 and zeros[0] < 0.1:
        return "utf-32-le"
    if len(data) % 4 == 0 and min(zeros[:3]) > 0.9 and zeros[3] < 0.1:
        return "utf-32-be"
    even, odd = (zeros[0] + zeros[2]) / 2, (zeros[1] + zeros[3]) / 2
    if len(data) % 2 == 0 and odd > 0.4 and even < 0.05:
        return "utf-16-le"
    return "utf-16-be" if len(data) % 2 == 0 and even > 0.4 and odd < 0.05 else None


def _western(name: str, data: bytes, at: int) -> tuple[str, tuple[str, ...]]:
    """Text in the Western encoding of Windows, if it looks like text: bytes above ASCII are few and no controls."""
    high = sum(byte >= 0x80 for byte in data) / len(data)
    controls = sum(byte < 0x20 and byte not in b"\t\n\r\f\x1b" for byte in data)
    if controls or high > 0.3:
        raise IngestionError(f"{name}: byte {at} is not valid UTF-8, and the file fits no other known encoding.")
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError as error:
        raise IngestionError(
            f"{name}: byte {error.start} is neither UTF-8 nor Windows-1252. Save the file as UTF-8 and add it again."
        ) from error
    return text, (f"Read as Windows-1252: byte {at} is not valid UTF-8. Check accented letters.",)
