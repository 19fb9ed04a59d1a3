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
STYLE = """<style>
[data-testid="stMainBlockContainer"]{padding-top:2.4rem;max-width:1180px}
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
    st.html(STYLE)
    with st.sidebar:
        st.markdown("### :material/blur_on: Memory Lens")
        for path, label, icon in PAGES:
            st.page_link(path, label=label, icon=icon)
    try:
        own = engine()
        user = _user(own)
        datasets = tuple(own.datasets(user))
        with st.sidebar:
            chosen, everything = _picker(own, user, datasets)
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


def _picker(own: Engine, user: str, datasets: tuple[Dataset, ...]) -> tuple[tuple[Dataset, ...], bool]:
    st.divider()
    st.caption("DATASETS")
    if not datasets:
        st.caption("None yet")
        return (), True
    if len(datasets) == 1:
        _described(own, user, datasets[0])
        _model()
        return datasets, True
    wanted = st.query_params.get("dataset", "")
    named = [d for d in datasets if wanted in {d.id, d.name}]
    if wanted and not named:
        st.warning(literal(f"The link names a dataset that does not exist: {one_line(wanted, 60)}. All are searched."))
    mode = st.radio(
        "Search in", (ALL, CHOSEN), index=1 if named else 0, key="dataset_mode", label_visibility="collapsed"
    )
    if mode == ALL:
        for dataset in datasets:
            _described(own, user, dataset)
        _model()
        return datasets, True
    ids = st.multiselect(
        "Datasets to search",
        [d.id for d in datasets],
        default=[d.id for d in named],
        format_func=lambda i: one_line(next(d.name for d in datasets if d.id == i)),
        key="dataset_choice",
        placeholder="None chosen",
    )
    _model()
    return tuple(d for d in datasets if d.id in ids), False


def _described(own: Engine, user: str, dataset: Dataset) -> None:
    status = own.status(user, dataset.id)
    waiting = f" · {status.pending} waiting" if status.pending else ""
    st.markdown(f"**{literal(one_line(dataset.name, 60))}**")
    st.caption(f"{status.processed} documents · {status.entities:,} entities · {status.edges:,} connections{waiting}")


def _model() -> None:
    st.caption(":material/key_off: No key: extractive answers", help="Answers are sentences taken from your documents.")
