"""The evidence beside an answer: Triplets, Context, Graph, Sources, Trace, Payload. All drawn from the stored turn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from components import export
from components.graph_view import Look, colours, filtered, picture_html, type_counts
from components.literal import html_text, isolated, literal, node_label, one_line
from retrieval.model import StoredTurn

Payload = Mapping[str, Any]
FRACTION = "%.3f"


@st.fragment
def draw(turn: StoredTurn, place: str, opened: str | None) -> None:
    """The chosen panel; one that the turn cannot fill is not offered. In a fragment: to look never ends an answer."""
    payload: Payload = turn.payload
    names = [name for name, (fills, _) in PANELS.items() if fills(payload)]
    if not names:
        return
    key = f"{place}:{turn.id}:panel"
    default = opened if opened in names else None
    chosen = st.segmented_control("Evidence", names, default=default, key=key, label_visibility="collapsed")
    if chosen:
        PANELS[chosen][1](turn, f"{place}:{turn.id}:{chosen}")


def triplet_rows(payload: Payload) -> list[dict[str, Any]]:
    """The ranked triplets as table rows."""
    return [
        {
            "rank": t["rank"],
            "source": isolated(_label(t["source"])),
            "relationship": t["relationship"],
            "target": isolated(_label(t["target"])),
            "total score": t["score"],
            "source distance": t["distances"]["source"],
            "edge distance": t["distances"]["edge"],
            "target distance": t["distances"]["target"],
            "no vector hit": ", ".join(part for part, hit in t["matched"].items() if not hit),
            "importance (s/e/t)": " / ".join(f"{v:g}" for v in t["importance"].values()),
            "feedback (s/e/t)": " / ".join(f"{v:.2f}" for v in t["feedback"].values()),
            "text": t["edge_text"],
        }
        for t in payload["triplets"]
    ]


def _label(node: Mapping[str, Any]) -> str:
    return node_label(node["name"], node["text"], node["type"])


def _triplets(turn: StoredTurn, key: str) -> None:
    rows = triplet_rows(turn.payload)
    st.caption(
        "Lower is closer. A score adds the three distances, each times (2 - importance); without a hit: the penalty."
    )
    number = {
        name: st.column_config.NumberColumn(format=FRACTION)
        for name in rows[0]
        if "distance" in name or "score" in name
    }
    event = st.dataframe(
        rows, key=key, hide_index=True, on_select="rerun", selection_mode="single-row", column_config=number
    )
    picked = event.selection.rows if hasattr(event, "selection") else []
    st.session_state[f"marked:{turn.id}"] = turn.payload["triplets"][picked[0]]["id"] if picked else ""
    if picked:
        st.caption("The chosen triplet is marked in the Graph panel.")
    _downloads(key, rows, turn.payload["triplets"], "triplets")


def _passages(turn: StoredTurn, key: str) -> None:
    passages = turn.payload["passages"]
    for passage in passages:
        measure = (
            f"distance {passage['distance']:.3f}" if passage["distance"] is not None else f"BM25 {passage['score']:.3f}"
        )
        page = f" · page {passage['page']}" if passage["page"] else ""
        when = f" · {literal(passage['when'])}" if passage.get("when") else ""
        name = passage["document_name"] or "summary or triplet"
        with st.container(border=True, key=f"{key}:{passage['rank']}"):
            st.caption(f"**{passage['rank']}** · {literal(name)}{page}{when} · {measure}")
            st.html(f'<div class="lens-passage">{html_text(passage["text"])}</div>')
    rows = [{k: v for k, v in p.items() if k != "id"} for p in passages]
    _downloads(key, rows, passages, "passages")


def _rows(turn: StoredTurn, key: str) -> None:
    """The rows of a graph query as a table, under the statement that gave them."""
    result = turn.payload["rows"]
    st.code(result["statement"], language="cypher", wrap_lines=True)
    count = len(result["rows"])
    more = ", the first ones; there are more" if result["truncated"] else ""
    st.caption(f"{count:,} row{'' if count == 1 else 's'}{more}")
    if not count:
        return
    rows = [{name: cell(row[name]) for name in result["columns"]} for row in result["rows"]]
    st.dataframe(rows, key=key, hide_index=True)
    _downloads(key, rows, result["rows"], "rows")


def cell(value: Any) -> str | int | float | bool | None:
    """A cell as a table shows it: numbers as they are; a node by its name, an edge by its relationship, lists in one line."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return ", ".join(str(cell(item)) for item in value)
    return _told(value) if isinstance(value, Mapping) else isolated(str(value))


def _told(value: Payload) -> str:
    """A path by its nodes, an edge by its relationship, a node by its name, anything else by its keys and values."""
    if {"nodes", "edges"} == set(value):
        return " → ".join(str(cell(node)) for node in value["nodes"])
    if "relationship" in value and "source" in value:
        return str(value["relationship"])
    if "id" in value and "type" in value:
        return isolated(node_label(str(value.get("name", "")), str(value.get("text", "")), str(value["type"])))
    return ", ".join(f"{name}: {cell(own)}" for name, own in value.items())


def _downloads(key: str, rows: list[dict[str, Any]], objects: object, name: str) -> None:
    with st.container(horizontal=True):
        st.download_button(
            "CSV",
            lambda: export.csv_bytes(rows),
            f"{name}.csv",
            "text/csv",
            key=f"{key}:csv",
            icon=":material/download:",
        )
        st.download_button(
            "JSON",
            lambda: export.json_bytes(objects),
            f"{name}.json",
            "application/json",
            key=f"{key}:json",
            icon=":material/download:",
        )


def _context(turn: StoredTurn, key: str) -> None:
    payload = turn.payload
    left_out = f" · {payload['dropped']} results left out" if payload.get("dropped") else ""
    st.caption(f"The exact text that an answer is made from · {payload['context_tokens']:,} tokens{left_out}")
    st.code(payload["context"], language=None, wrap_lines=True, height=420)


def _graph(turn: StoredTurn, key: str) -> None:
    picture: Any = turn.payload["picture"]
    totals = f"{picture['total_nodes']:,} nodes and {picture['total_edges']:,} connections"
    part = len(picture["nodes"]) < picture["total_nodes"] or len(picture["edges"]) < picture["total_edges"]
    shown = (
        f"Showing the best {len(picture['nodes'])} nodes and {len(picture['edges'])} connections of {totals}."
        if part
        else f"{totals}."
    )
    if turn.payload.get("rows"):
        st.caption(f"The nodes and connections in the rows: {shown}")
    else:
        st.caption(f"The projected memory fragment: {shown} Ranked triplets are strong, the rest faint.")
    look = _look(turn, picture, key)
    nodes, edges = filtered(picture, look)
    if not nodes:
        st.info("The filters leave nothing to draw. Clear one of them.")
        return
    if not edges:
        st.info("No relationships in this result.")
    page = _page(turn.id, look, picture)
    st.iframe(page, height=look.height + 8)
    with st.container(horizontal=True):
        st.download_button("HTML", page, "fragment.html", "text/html", key=f"{key}:html", icon=":material/download:")
        st.download_button(
            "GraphML",
            lambda: export.graphml({"nodes": nodes, "edges": edges}),
            "fragment.graphml",
            "application/xml",
            key=f"{key}:graphml",
            icon=":material/download:",
        )


def _look(turn: StoredTurn, picture: Payload, key: str) -> Look:
    """The filters above the picture; the legend is one of them."""
    types = _legend(picture, key)
    names = sorted({e["relationship"] for e in picture["edges"]})
    with st.container(horizontal=True, vertical_alignment="bottom"):
        relationships = st.multiselect("Relationships", names, key=f"{key}:names", placeholder="All relationships")
        find = st.text_input("Find a node", key=f"{key}:find")
        ranked = st.checkbox("Ranked only", key=f"{key}:ranked")
    most = len(turn.payload["triplets"] or picture["edges"]) if ranked else None
    marked = st.session_state.get(f"marked:{turn.id}", "")
    dark = (st.context.theme.type or "light") == "dark"
    return Look(dark, tuple(types), tuple(relationships), most, find, marked)


def _legend(picture: Payload, key: str) -> list[str]:
    """Types with their colours and counts; a click leaves only the chosen ones."""
    counts, tints = dict(type_counts(picture)), colours(picture)
    place = f"legend-{key.replace(':', '-')}"
    dot = f'.st-key-{place} [data-testid="stButtonGroup"] button'
    rules = "".join(f"{dot}:nth-of-type({n})::before{{background:{tints[kind]}}}" for n, kind in enumerate(counts, 1))
    st.html(
        f"<style>{dot}::before{{content:'';width:.75rem;height:.75rem;border-radius:50%;margin-right:.35rem}}"
        f"{rules}</style>"
    )
    with st.container(key=place):
        return st.pills(
            "Types (choose some to see only those)",
            list(counts),
            format_func=lambda kind: f"{literal(one_line(kind, 40))} {counts[kind]}",
            selection_mode="multi",
            key=f"{key}:types",
        )


@st.cache_data(max_entries=24, show_spinner=False)
def _page(turn_id: str, look: Look, _picture: Payload) -> str:
    """The picture's page; the turn's id is unguessable and belongs to one user."""
    return picture_html(_picture, look)


def _sources(turn: StoredTurn, key: str) -> None:
    grouped: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for source in turn.payload["sources"]:
        grouped[source["document_name"]].append(source)
    for position, (name, sources) in enumerate(grouped.items()):
        count = f"{len(sources)} passage" + ("" if len(sources) == 1 else "s")
        with st.expander(f"{literal(one_line(name, 80))} · {count}", key=f"{key}:{position}"):
            for source in sources:
                page = f" · page {source['page']}" if source["page"] else ""
                st.caption(f"\\[{source['number']}\\] · chunk {source['chunk_index'] + 1}{page}")
                st.html(f'<div class="lens-passage">{html_text(source["text"])}</div>')


def _trace(turn: StoredTurn, key: str) -> None:
    stages = turn.payload["trace"]
    total = sum(s["milliseconds"] for s in stages) or 1.0
    own = sum(s["milliseconds"] for s in stages if not s["model"])
    st.caption(f"{total:.0f} ms in all, {own:.0f} ms outside models (blue); models are orange.")
    offset, bars = 0.0, []
    for stage in stages:
        width, left = 100 * stage["milliseconds"] / total, 100 * offset / total
        kind = ' class="model"' if stage["model"] else ""
        bars.append(
            f'<div class="lens-bar"><span>{html_text(stage["name"])}</span><div>'
            f'<i{kind} style="margin-left:{left:.2f}%;width:{width:.2f}%"></i></div><b>{stage["milliseconds"]:.1f} ms</b></div>'
        )
        offset += stage["milliseconds"]
    st.html("".join(bars))
    counts = [{"stage": s["name"], **s["counts"]} for s in stages if s["counts"]]
    if turn.payload["seeds"]:
        st.caption("Seeds per collection")
        st.dataframe(
            turn.payload["seeds"],
            key=f"{key}:seeds",
            hide_index=True,
            column_config={"nearest": st.column_config.NumberColumn("nearest distance", format=FRACTION)},
        )
    with st.expander("Counts of every stage", key=f"{key}:counts"):
        st.json(counts, expanded=2)


def _payload(turn: StoredTurn, key: str) -> None:
    st.json(dict(turn.payload["result"]), expanded=1)
    st.download_button(
        "JSON",
        lambda: export.json_bytes(turn.payload["result"]),
        "result.json",
        "application/json",
        key=f"{key}:json",
        icon=":material/download:",
    )


Fills = Callable[[Payload], bool]
PANELS: dict[str, tuple[Fills, Callable[[StoredTurn, str], None]]] = {
    "Triplets": (lambda p: bool(p.get("triplets")), _triplets),
    "Passages": (lambda p: bool(p.get("passages")), _passages),
    "Rows": (lambda p: bool(p.get("rows")), _rows),
    "Context": (lambda p: bool(p.get("context")), _context),
    "Graph": (lambda p: bool(p.get("picture")), _graph),
    "Sources": (lambda p: bool(p.get("sources")), _sources),
    "Trace": (lambda p: bool(p.get("trace")), _trace),
    "Payload": (lambda p: bool(p.get("result")), _payload),
}
