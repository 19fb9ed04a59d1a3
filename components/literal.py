"""Text from data shown as it is: nothing in it becomes Markdown, HTML, maths, an icon or a colour."""

from __future__ import annotations

import html
import re
import unicodedata

SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$<>:&=])")
# Streamlit looks for these in the text after Markdown is done with it, where a backslash is no longer seen: icons, its logo,
# arrows and other signs standing alone, addresses. An invisible joiner within keeps them text.
FOUND_LATER = re.compile(
    r"(?<=:)(?=material[/_]|streamlit:|//)"
    r"|(?<=\bwww)(?=\.)|(?<=\w@)(?=\w)"
    r"|(?<=(?<!\S)<)(?=->?(?!\S)|=(?!\S))|(?<=(?<!\S)[-~>])(?=[->=](?!\S))",
    re.IGNORECASE,
)
INDENT = re.compile(r"^(?: {4}|\t)[ \t]*", re.MULTILINE)
JOINER, SPACE = "\u2060", "\u00a0"
LABEL = 40
ISOLATE, POP = "\u2068", "\u2069"


def literal(text: str) -> str:
    """The text for st.markdown and labels: every sign with a meaning escaped, line breaks kept."""
    plain = FOUND_LATER.sub(JOINER, INDENT.sub(_indent, _visible(text)))
    escaped = SPECIAL.sub(r"\\\1", plain)
    return escaped.replace("\n", "  \n")


def _indent(found: re.Match[str]) -> str:
    """As wide, but no code block."""
    return SPACE * len(found.group().expandtabs(4))


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
