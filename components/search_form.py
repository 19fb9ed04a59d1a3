"""The question, the search type and its options; a link fills them and never runs anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from components.literal import literal, one_line
from retrieval.model import Json
from retrieval.options import OPTIONS, Option
from retrieval.recipes import RECIPES

LONGEST_QUESTION = 4000
GROUPS = ("Answers", "Passages", "Graph queries", "Automatic")


@dataclass(frozen=True, slots=True)
class Asked:
    """What the form holds, and whether it was sent now."""

    question: str
    search_type: str
    options: Mapping[str, Json]
    sent: bool


def draw(node_sets: tuple[str, ...]) -> Asked:
    """The form; the question's field is filled from the link, once."""
    notices = _from_link()
    for notice in notices:
        st.warning(literal(notice))
    kind = _picker()
    recipe = RECIPES[kind]
    with st.container(horizontal=True, vertical_alignment="center"):
        cost = f"{recipe.calls} model call" + ("" if recipe.calls == "1" else "s")
        keyless = " with a key, none without" if recipe.completes else ""
        st.caption(f"{recipe.about} Cost: {cost}{keyless}.")
        with st.popover("Options", icon=":material/tune:"):
            options = _options(kind, node_sets)
    with (
        st.form("ask", border=False, clear_on_submit=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        question = st.text_input(
            "Question",
            key="question",
            placeholder="Ask about what the memory holds",
            max_chars=LONGEST_QUESTION,
            label_visibility="collapsed",
            width="stretch",
        )
        sent = st.form_submit_button("Ask", type="primary", icon=":material/search:")
    return Asked(question, kind, options, sent)


def _picker() -> str:
    """The chosen type, grouped by what it gives."""
    groups = [g for g in GROUPS if any(r.group == g for r in RECIPES.values())]
    names = [name for group in groups for name, recipe in RECIPES.items() if recipe.group == group]
    return st.segmented_control(
        "Search type",
        names,
        format_func=lambda name: RECIPES[name].label,
        key="search_type",
        required=True,
        label_visibility="collapsed",
        help=None,
    ) or names[0]  # fmt: skip


def _options(kind: str, node_sets: tuple[str, ...]) -> dict[str, Json]:
    """The values of the options that this type takes."""
    found: dict[str, Json] = {}
    for name in RECIPES[kind].options:
        option = OPTIONS[name]
        if option.kind == "names":
            if node_sets:
                found[name] = list(st.multiselect(option.label, node_sets, key=_key(option), help=option.about)) or None
        elif option.kind != "choice" or node_sets:
            found[name] = _widget(option)
    if st.button("Reset to defaults", icon=":material/restart_alt:", key="reset_options"):
        for name in RECIPES[kind].options:
            st.session_state.pop(_key(OPTIONS[name]), None)
        st.rerun()
    return found


def _key(option: Option) -> str:
    return f"option_{option.name}"


def _widget(option: Option) -> Json:
    key = _key(option)
    if option.kind == "flag":
        return bool(st.checkbox(option.label, value=bool(option.default), key=key, help=option.about))
    if option.kind == "choice":
        return str(st.radio(option.label, option.choices, key=key, help=option.about, horizontal=True))
    if option.kind == "text":
        return st.text_area(option.label, key=key, help=option.about, height=80) or None
    number = float if option.kind == "float" else int
    lowest, highest = number(option.minimum or 0), number(option.maximum or 1_000_000)
    default: Any = None if option.default is None else number(option.default)  # type: ignore[arg-type]
    given: dict[str, Any] = {} if key in st.session_state else {"value": default}
    value: Json = st.number_input(
        option.label, min_value=lowest, max_value=highest, key=key, help=option.about, placeholder="off", **given
    )
    return value


def _from_link() -> list[str]:
    """Fill the form from the address, once; gives a notice for every value that could not be taken."""
    if st.session_state.get("link_taken") == str(st.query_params):
        return []
    st.session_state.link_taken = str(st.query_params)
    st.session_state.setdefault("search_type", next(iter(RECIPES)))
    notices = []
    kind = st.query_params.get("type", "")
    if kind and kind not in RECIPES:
        notices.append(f"The link asks for an unknown search type, {one_line(kind, 40)}: the default is used.")
    elif kind:
        st.session_state.search_type = kind
    question = st.query_params.get("q", "")
    if question:
        st.session_state.question = question[:LONGEST_QUESTION]
        if len(question) > LONGEST_QUESTION:
            notices.append(f"The link's question was cut to {LONGEST_QUESTION} characters.")
    for name, option in OPTIONS.items():
        if name in st.query_params and option.kind in {"int", "float"}:
            notices += _number_from_link(option, st.query_params[name])
    return notices


def _number_from_link(option: Option, given: str) -> list[str]:
    """Take a number from the link, clamped to its limits."""
    number = float if option.kind == "float" else int
    try:
        value = number(given)
    except ValueError:
        return [f"The link's {option.name} is not a number ({one_line(given, 20)}): the default is used."]
    lowest, highest = number(option.minimum or 0), number(option.maximum or 1_000_000)
    clamped = min(max(value, lowest), highest) if value == value else lowest
    st.session_state[_key(option)] = clamped
    return [] if clamped == value else [f"The link's {option.name} was set to {clamped}, the nearest that is allowed."]
