"""What every page has: its title, the links to all pages, the datasets to search, and which model answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from components import errors
from components.literal import literal, one_line
from components.resources import engine
from retrieval.errors import MemoryLensError
from retrieval.model import Dataset

if TYPE_CHECKING:
    from retrieval.engine import Engine

ICON = Path(__file__).with_name("icon.png")
PAGES = (
    ("app.py", "Home", ":material/home:"),
    ("pages/ask.py", "Ask", ":material/forum:"),
    ("pages/memory.py", "Memory", ":material/folder_open:"),
)
ALL, CHOSEN = "All datasets", "Only some"
MODE, CHOICE = "dataset_mode", "dataset_choice"
MOST_DESCRIBED = 6
STYLE = """<style>
[data-testid="stMainBlockContainer"]{padding-top:2rem;max-width:1240px}
@media(min-width:768px){[data-testid="stMainBlockContainer"]{padding-left:2.5rem;padding-right:2.5rem}}
[data-testid="stSidebarHeader"]{height:2.4rem;margin-bottom:0}
[data-testid="stSidebar"] hr{margin:.5rem 0}
[data-testid="stSidebar"] [data-testid="stPageLink"] p{font-weight:500}
.lens-passage{white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.5;font-size:.95rem}
.lens-passage mark{background:#ffe08a;color:#1b2733;padding:0 .1em;border-radius:2px}
.lens-bar{display:grid;grid-template-columns:minmax(6.5rem,10rem) 1fr 5rem;gap:.5rem;align-items:center;font-size:.85rem;margin:.15rem 0}
.lens-bar i{display:block;height:.7rem;background:#0b6e8a;border-radius:2px;min-width:2px}
.lens-bar i.model{background:#E69F00}
.lens-bar b{font-weight:400;text-align:right;font-variant-numeric:tabular-nums}
.lens-legend{display:flex;flex-wrap:wrap;gap:.2rem .9rem;font-size:.85rem;margin:.2rem 0 .5rem}
.lens-legend span{white-space:nowrap}.lens-legend i{display:inline-block;width:.75rem;height:.75rem;border-radius:50%;margin-right:.35rem;vertical-align:-1px}
</style>"""  # noqa: E501
# White on the dark theme's light accent could not be read.
DARK = (
    '<style>[data-testid="stBaseButton-primary"],[data-testid="stBaseButton-primaryFormSubmit"]{color:#0b1116}</style>'
)


@dataclass(frozen=True, slots=True)
class Scope:
    """Who looks at the page, and which datasets they chose; `everything` differs from choosing each, `chosen` may be empty."""

    user: str
    engine: Engine
    datasets: tuple[Dataset, ...]
    chosen: tuple[Dataset, ...]
    everything: bool


def begin(title: str) -> Scope:
    """The page's frame; a memory that can't be opened is told, and nothing more is drawn."""
    st.set_page_config(page_title=f"{title} · Memory Lens", page_icon=str(ICON), layout="wide")
    st.html(STYLE + (DARK if st.context.theme.type == "dark" else ""))
    with st.sidebar:
        st.markdown("### :material/blur_on: Memory Lens")
        for path, label, icon in PAGES:
            st.page_link(path, label=label, icon=icon)
    try:
        own = engine()
        user = _user(own)
        datasets = tuple(own.datasets(user))
        named = _linked(datasets)
        with st.sidebar:
            chosen, everything = _picker(own, user, datasets, named)
    except MemoryLensError as error:
        st.title(title)
        errors.show(error)
        st.stop()
    return Scope(user, own, datasets, chosen, everything)


def _user(own: Engine) -> str:
    """The signed-in user where sign-in is configured, else the one local user."""
    if own.settings.access_control and getattr(st.user, "is_logged_in", False):
        return str(st.user.get("email") or st.user.get("sub"))
    return own.settings.default_user


def _picker(
    own: Engine, user: str, datasets: tuple[Dataset, ...], named: list[str]
) -> tuple[tuple[Dataset, ...], bool]:
    st.divider()
    st.caption("DATASETS")
    if len(datasets) < 2:
        _describe(own, user, datasets)
        return datasets, True
    _restore(datasets, named)
    mode = st.radio("Search in", (ALL, CHOSEN), key=MODE, label_visibility="collapsed")
    if mode == ALL:
        _describe(own, user, datasets)
    else:
        names = {d.id: one_line(d.name) for d in datasets}
        st.multiselect(
            "Datasets to search", list(names), format_func=names.__getitem__, key=CHOICE, placeholder="None chosen"
        )
        st.session_state[f"kept_{CHOICE}"] = st.session_state[CHOICE]
    st.session_state[f"kept_{MODE}"] = mode
    chosen = datasets if mode == ALL else tuple(d for d in datasets if d.id in st.session_state[CHOICE])
    if mode != ALL:
        _describe(own, user, chosen)
    return chosen, mode == ALL


def _linked(datasets: tuple[Dataset, ...]) -> list[str]:
    """The ids that the address names; a name of nothing is told."""
    wanted = st.query_params.get_all("dataset")
    unknown = [name for name in wanted if not any(name in {d.id, d.name} for d in datasets)]
    if unknown:
        told = ", ".join(one_line(name, 60) for name in unknown)
        st.warning(literal(f"The link names a dataset that does not exist: {told}."))
    return [d.id for d in datasets if wanted and {d.id, d.name} & set(wanted)]


def _restore(datasets: tuple[Dataset, ...], named: list[str]) -> None:
    """What the link names, else what was chosen on another page; only datasets that still exist.

    Written on every run: a widget of another page has the same key but not its value.
    """
    state = st.session_state
    if MODE not in state and named:
        state[MODE], state[CHOICE] = CHOSEN, named
    known = {d.id for d in datasets}
    state[MODE] = state.get(MODE, state.get(f"kept_{MODE}", ALL))
    state[CHOICE] = [i for i in state.get(CHOICE, state.get(f"kept_{CHOICE}", [])) if i in known]


def _describe(own: Engine, user: str, datasets: tuple[Dataset, ...]) -> None:
    """Name and counts of each, and which model answers."""
    for dataset in datasets[:MOST_DESCRIBED]:
        _described(own, user, dataset)
    if len(datasets) > MOST_DESCRIBED:
        st.caption(f"and {len(datasets) - MOST_DESCRIBED} more")
    elif not datasets:
        st.caption("None")
    st.caption(":material/key_off: No key: extractive answers", help="Answers are sentences taken from your documents.")


def _described(own: Engine, user: str, dataset: Dataset) -> None:
    status = own.status(user, dataset.id)
    waiting = f" · {status.pending} waiting" if status.pending else ""
    counts = f"{status.processed} documents · {status.entities:,} entities · {status.edges:,} connections{waiting}"
    about = literal(one_line(dataset.description, 300)) or None
    st.caption(f"**{literal(one_line(dataset.name, 60))}**  \n{counts}", help=about)
