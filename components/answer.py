"""One turn: question, answer with citations, what it cost, the rating, and the evidence below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from components import feedback, links, panels
from components.citations import citations, shown, supporting
from components.literal import html_text, literal, one_line
from retrieval.model import StoredTurn
from retrieval.recipes import RECIPES

if TYPE_CHECKING:
    from retrieval.engine import Engine
    from retrieval.turn import Turn

EXTRACTIVE = (
    "Extractive answer, no language model configured: the sentences are taken word for word from your documents."
)


def draw(engine: Engine, user: str, turn: StoredTurn, place: str, *, newest: bool) -> None:
    """A stored turn."""
    with st.chat_message("user", avatar=":material/person:"):
        st.markdown(literal(turn.question))
    with st.chat_message("assistant", avatar=":material/blur_on:"):
        _notices(turn)
        if turn.answer:
            numbers = {s["number"] for s in turn.payload.get("sources", ())}
            st.markdown(shown(turn.answer, numbers))
            _cited(turn, place)
        _footer(turn)
        with st.container(horizontal=True, vertical_alignment="center"):
            feedback.draw(engine, user, turn, place)
            links.draw(turn, place)
        panels.draw(turn, place, _opening(turn) if newest else None)


def stream(turn: Turn, place: str) -> None:
    """A turn while it is answered: its evidence first, then the words."""
    stored = turn.stored
    with st.chat_message("user", avatar=":material/person:"):
        st.markdown(literal(stored.question))
    with st.chat_message("assistant", avatar=":material/blur_on:"):
        words = st.container()
        panels.draw(stored, place, _opening(stored))
        with words:
            st.button("Stop", key=f"{place}:{turn.id}:stop", icon=":material/stop_circle:")
            try:
                st.write_stream(_escaped(iter(turn)))
            finally:
                turn.stop()


def _escaped(pieces: Iterator[str]) -> Iterator[str]:
    for piece in pieces:
        yield literal(piece)


def _opening(turn: StoredTurn) -> str:
    """The panel to begin with: what was asked for where no answer was."""
    if turn.options.get("only_context"):
        return "Context"
    if turn.payload.get("rows"):
        return "Rows"
    return "Passages" if turn.payload.get("passages") and not turn.answer else "Triplets"


def _notices(turn: StoredTurn) -> None:
    """What state the turn is in, where it is not simply answered."""
    payload: Mapping[str, Any] = turn.payload
    if turn.state == "stopped":
        st.warning("Stopped: the answer is incomplete.", icon=":material/stop_circle:")
    if payload.get("error"):
        st.warning(literal(payload["error"]["message"]), icon=":material/info:")
    elif not payload.get("context"):
        reason = " ".join(payload.get("notes", ())) or "Nothing in this memory matched."
        st.info(
            f"{literal(reason)} Try other words, another search type, or fewer filters.", icon=":material/search_off:"
        )
    else:
        for note in payload.get("notes", ()):
            st.caption(f":material/info: {literal(note)}")


@st.fragment
def _cited(turn: StoredTurn, place: str) -> None:
    """A button for each cited source, which opens its passage; unknown numbers are named. To read one ends no answer."""
    sources = {s["number"]: s for s in turn.payload["sources"]}
    found = citations(turn.answer, sources)
    unknown = sorted({c.number for c in found if not c.known})
    with st.container(horizontal=True, key=f"{place}:{turn.id}:cited"):
        for number in dict.fromkeys(c.number for c in found if c.known):
            source = sources[number]
            page = f", page {source['page']}" if source["page"] else ""
            label = f"\\[{number}\\] {literal(one_line(source['document_name'], 40))}{page}"
            if st.button(label, key=f"{place}:{turn.id}:cite:{number}", type="tertiary", icon=":material/article:"):
                _passage(source, [c.supports for c in found if c.number == number])
    if unknown:
        numbers = ", ".join(f"\\[{n}\\]" for n in unknown)
        st.warning(f"The answer cites {numbers}, which is none of its sources.", icon=":material/warning:")


@st.dialog("Passage", width="large")
def _passage(source: Mapping[str, Any], claims: list[str]) -> None:
    """The passage with the sentences that the answer rests on highlighted."""
    page = f" · page {source['page']}" if source["page"] else ""
    st.markdown(f"**{literal(source['document_name'])}**{page} · chunk {source['chunk_index'] + 1}")
    st.html(f'<div class="lens-passage">{highlighted(source["text"], claims)}</div>')


def highlighted(text: str, claims: list[str]) -> str:
    """HTML of the passage, literal, with the supporting sentence of each claim marked."""
    shown_text = html_text(text)
    for sentence in dict.fromkeys(supporting(text, claim) for claim in claims):
        marked = html_text(sentence)
        if marked:
            shown_text = shown_text.replace(marked, f"<mark>{marked}</mark>", 1)
    return shown_text


def _footer(turn: StoredTurn) -> None:
    payload: Mapping[str, Any] = turn.payload
    recipe = RECIPES.get(turn.search_type)
    label = recipe.label if recipe else turn.search_type
    name = literal(one_line(str(payload.get("dataset_name", "")), 50))
    spent = "1 model call · cost unknown" if payload.get("generates") else "no model calls · cost: none (no model)"
    st.caption(f"{label} · {name} · {turn.milliseconds / 1000:.2f} s · {spent}")
    if turn.answer and not payload.get("generates"):
        st.caption(EXTRACTIVE)
