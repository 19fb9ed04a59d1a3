"""Text from data shown as it is: nothing in it becomes Markdown, HTML, maths, an icon or a colour."""

from __future__ import annotations

import html
import re
import unicodedata

SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$<>:&=])")
LABEL = 40
ISOLATE, POP = "\u2068", "\u2069"


def literal(text: str) -> str:
    """The text for st.markdown and labels: every sign with a meaning escaped, line breaks kept."""
    escaped = SPECIAL.sub(r"\\\1", _visible(text))
    return escaped.replace("\n", "  \n")


def one_line(text: str, length: int = 80) -> str:
    """The text on one line, cut with an ellipsis, not yet escaped."""
    flat = " ".join(_visible(text).split())
    return flat if len(flat) <= length else flat[: length - 1].rstrip() + "…"


def isolated(text: str) -> str:
    """The text so that a right-to-left name does not turn what stands around it."""
    rtl = any(unicodedata.bidirectional(c) in {"R", "AL"} for c in text)
    return f"{ISOLATE}{text}{POP}" if rtl else text


def node_label(name: str, text: str, kind: str) -> str:
    """What a node is called on screen: its name, the beginning of its text, or what it is."""
    return one_line(name, 60) or one_line(text, LABEL) or f"(unnamed {kind or 'node'})"


def html_text(text: str) -> str:
    """The text for HTML."""
    return html.escape(_visible(text))


def _visible(text: str) -> str:
    """The text without control characters; lone surrogates become a mark."""
    plain = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(c for c in plain if c in "\n\t" or unicodedata.category(c) != "Cc")
