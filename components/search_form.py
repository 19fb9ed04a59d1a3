"""The question, the search type and its options; a link fills them and never runs anything."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from components.literal import literal, one_line
from retrieval.model import Json
from retrieval.options import OPTIONS, Option
from retrieval.recipes import RECIPES

LONGEST_QUESTION = 4000
GROUPS = ("Answers", "Passages", "Graph queries", "Automatic")
KIND = "search_type"
NUMBER = re.compile(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+|inf(?:inity)?|nan)(?:e[+-]?\d+)?\s*", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Held:
    """What the chosen datasets hold: their node sets, and the collections that each of them lacks."""

    node_sets: tuple[str, ...] = ()
    lacks: Mapping[str, Collection[str]] | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What the form holds, and whether it was sent now."""

    question: str
    search_type: str
    options: Mapping[str, Json]
    sent: bool


def draw(held: Held) -> Asked:
    """The form; filled from the link once, then from what was typed and chosen, also after a look at another page."""
    for notice in _from_link():
        st.warning(literal(notice))
    kind = _picker()
    recipe = RECIPES[kind]
    with st.container(horizontal=True, vertical_alignment="center"):
        cost = f"{recipe.calls} model call" + ("" if recipe.calls == "1" else "s")
        keyless = " with a key, none without" if recipe.completes else ""
        st.caption(f"{recipe.about} Cost: {cost}{keyless}.")
        with st.popover("Options", icon=":material/tune:"):
            options = _options(kind, held.node_sets)
    _missing(kind, held)
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
            persist_state="session",
        )
        sent = st.form_submit_button("Ask", type="primary", icon=":material/search:")
    return Asked(question, kind, options, sent)


def _picker() -> str:
    """The chosen type, one row of choices per group; the choice itself is no widget's, so that it is one over all rows."""
    kind = st.session_state.get(KIND)
    kind = kind if kind in RECIPES else next(iter(RECIPES))
    st.session_state[KIND] = kind
    with st.container(horizontal=True, gap="medium", key="search_types"):
        for group in GROUPS:
            names = [name for name, recipe in RECIPES.items() if recipe.group == group]
            if names:
                _group(group, names, kind)
    return str(kind)


def _group(group: str, names: list[str], kind: str) -> None:
    key = f"{KIND}:{group}"
    st.session_state[key] = kind if kind in names else None
    with st.container(width="content", gap="xsmall"):
        st.segmented_control(
            group, names, format_func=lambda name: RECIPES[name].label, key=key, on_change=_choose, args=(key,)
        )


def _choose(key: str) -> None:
    # A second click on the chosen type takes it away from its row; the choice stays.
    st.session_state[KIND] = st.session_state[key] or st.session_state[KIND]


def _missing(kind: str, held: Held) -> None:
    """What a chosen dataset lacks for this type, and where that is built."""
    needed = {name: [n for n in RECIPES[kind].needs if n in lacks] for name, lacks in (held.lacks or {}).items()}
    for name, missing in needed.items():
        if missing:
            told = f"{one_line(name, 60)} has no {', '.join(missing)} yet, which this type searches."
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(f":material/info: {literal(told)}")
                st.page_link("pages/memory.py", label="Process its documents", icon=":material/folder_open:")


def _options(kind: str, node_sets: tuple[str, ...]) -> dict[str, Json]:
    """The values of the options that this type takes."""
    found: dict[str, Json] = {}
    for name in RECIPES[kind].options:
        option = OPTIONS[name]
        if option.kind not in {"names", "choice"}:
            found[name] = _widget(option)
        elif node_sets:
            found[name] = _of_node_sets(option, node_sets)
    st.button("Reset to defaults", icon=":material/restart_alt:", key="reset_options", on_click=_reset, args=(kind,))
    return found


def _reset(kind: str) -> None:
    for name in RECIPES[kind].options:
        st.session_state[_key(OPTIONS[name])] = _default(OPTIONS[name])


def _key(option: Option) -> str:
    return f"option_{option.name}"


def _default(option: Option) -> Any:
    """The default as the option's widget holds it."""
    if option.kind == "names":
        return []
    if option.kind == "text":
        return ""
    return float(option.default) if option.kind == "float" and option.default is not None else option.default  # type: ignore[arg-type]


def _of_node_sets(option: Option, node_sets: tuple[str, ...]) -> Json:
    key = _key(option)
    if option.kind == "choice":
        st.session_state.setdefault(key, _default(option))
        return str(
            st.radio(option.label, option.choices, key=key, help=option.about, horizontal=True, persist_state="session")
        )
    # Another dataset may be chosen now, which has other sets.
    st.session_state[key] = [name for name in st.session_state.get(key, ()) if name in node_sets]
    return list(st.multiselect(option.label, node_sets, key=key, help=option.about, persist_state="session")) or None


def _widget(option: Option) -> Json:
    key = _key(option)
    st.session_state.setdefault(key, _default(option))
    if option.kind == "flag":
        return bool(st.checkbox(option.label, key=key, help=option.about, persist_state="session"))
    if option.kind == "text":
        return st.text_area(option.label, key=key, help=option.about, height=80, persist_state="session") or None
    lowest, highest = _limits(option)
    default = "empty" if option.default is None else f"{option.default:g}"
    value: Json = st.number_input(
        option.label,
        min_value=lowest,
        max_value=highest,
        key=key,
        help=f"{option.about} {lowest:g} to {highest:,g}; default: {default}.",
        placeholder="off",
        value=None,
        persist_state="session",
    )
    return value


def _limits(option: Option) -> tuple[Any, Any]:
    number = float if option.kind == "float" else int
    return number(option.minimum or 0), number(option.maximum or 1_000_000)


# -------------------------------------------------------------------- the address


def _from_link() -> list[str]:
    """Fill the form from the address, once; gives a notice for every value that could not be taken."""
    # The session is the page's own part of the address: another one opened is no other link.
    link = {name: st.query_params.get_all(name) for name in st.query_params if name != "session"}
    if st.session_state.get("link_taken") == link:
        return []
    st.session_state.link_taken = link
    notices = []
    kind = st.query_params.get("type", "")
    if kind and kind not in RECIPES:
        notices.append(f"The link asks for an unknown search type, {one_line(kind, 40)}: the default is used.")
    elif kind:
        st.session_state[KIND] = kind
    question = st.query_params.get("q", "")
    if question:
        st.session_state.question = question[:LONGEST_QUESTION]
        if len(question) > LONGEST_QUESTION:
            notices.append(f"The link's question was cut to {LONGEST_QUESTION} characters.")
    for name, option in OPTIONS.items():
        if name in link and option.kind != "text":
            notices += _option_from_link(option, link[name])
    return notices


def _option_from_link(option: Option, given: list[str]) -> list[str]:
    """Take an option from the link; gives a notice where its value is none."""
    if option.kind == "names":
        st.session_state[_key(option)] = given
        return []
    last = given[-1]
    if option.kind in {"int", "float"}:
        return _number_from_link(option, last)
    allowed = {"true": True, "false": False} if option.kind == "flag" else {c.lower(): c for c in option.choices}
    if last.lower() not in allowed:
        told = " or ".join(str(value) for value in allowed.values())
        return [f"The link's {option.name} is not {told} ({one_line(last, 20)}): the default is used."]
    st.session_state[_key(option)] = allowed[last.lower()]
    return []


def _number_from_link(option: Option, given: str) -> list[str]:
    """Take a number from the link, clamped to its limits."""
    if not NUMBER.fullmatch(given) or (option.kind == "int" and not float(given).is_integer() and "." in given):
        return [f"The link's {option.name} is not a number ({one_line(given, 20)}): the default is used."]
    value = float(given)
    lowest, highest = _limits(option)
    clamped = type(lowest)(min(max(value, lowest), highest)) if value == value else lowest
    st.session_state[_key(option)] = clamped
    return [] if clamped == value else [f"The link's {option.name} was set to {clamped}, the nearest that is allowed."]
