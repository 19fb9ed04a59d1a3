"""A memory fragment as a PyVis picture: one self-contained HTML page that asks nothing of the network."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from components.literal import node_label, one_line

# Okabe and Ito's palette: told apart with every common colour blindness.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#8C8C8C")
OUTSIDE = re.compile(r"<(?:link|script)[^>]*(?:https?:)?//[^>]*>(?:\s*</script>)?", re.IGNORECASE)
LOADS = re.compile(r"(?:src|href)\s*=\s*[\"'](?:https?:)?//|@import|url\(\s*[\"']?https?:", re.IGNORECASE)
SPREAD = 520
CURVE, MOST_CURVED = 0.18, 0.9
# Ranked nodes stand in the middle, on this part of the picture's radius; what is faint goes around and between them.
INNER = 0.6
LOOP, QUARTER = 22, math.pi / 4
# Above this many nodes only ranked and found ones carry their name; the others say it on hover.
CROWDED = 80


@dataclass(frozen=True, slots=True)
class Look:
    """How the picture is drawn: theme, what is filtered, and what is marked."""

    dark: bool = False
    types: tuple[str, ...] = ()
    relationships: tuple[str, ...] = ()
    most_rank: int | None = None
    find: str = ""
    marked: str = ""
    height: int = 560


def type_counts(picture: Mapping[str, Any]) -> list[tuple[str, int]]:
    """(type, number of nodes), most frequent first; the colours follow this order."""
    return sorted(Counter(n["type"] for n in picture["nodes"]).items(), key=lambda pair: (-pair[1], pair[0]))


def colours(picture: Mapping[str, Any]) -> dict[str, str]:
    """The colour of each type."""
    return {kind: PALETTE[min(i, len(PALETTE) - 1)] for i, (kind, _) in enumerate(type_counts(picture))}


def filtered(picture: Mapping[str, Any], look: Look) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The nodes and edges that the look's filters leave; an edge needs both its ends."""
    nodes = [n for n in picture["nodes"] if not look.types or n["type"] in look.types]
    kept = {n["id"] for n in nodes}
    edges = [
        e
        for e in picture["edges"]
        if {e["source"], e["target"]} <= kept
        and (not look.relationships or e["relationship"] in look.relationships)
        and (look.most_rank is None or (e["rank"] is not None and e["rank"] <= look.most_rank))
    ]
    if look.relationships or look.most_rank is not None:
        used = {end for e in edges for end in (e["source"], e["target"])}
        nodes = [n for n in nodes if n["id"] in used]
    return nodes, edges


def picture_html(picture: Mapping[str, Any], look: Look) -> str:
    """The page: all filtered nodes and edges, parallel, reverse and self edges apart from each other, layout computed."""
    from pyvis.network import Network

    nodes, edges = filtered(picture, look)
    ink, paper = ("#e6ebf0", "#12181f") if look.dark else ("#1b2733", "#ffffff")
    # With font_color here, PyVis would throw away the font of each node.
    net = Network(height=f"{look.height}px", width="100%", directed=True, bgcolor=paper, cdn_resources="in_line")
    ranked_ids = {n["id"] for n in nodes if n["ranked"]}
    places = layout([n["id"] for n in nodes], [(e["source"], e["target"]) for e in edges], ranked_ids)
    # Names shrink with the picture when it is fitted into its frame.
    grown = spread(len(nodes)) / SPREAD
    tints = colours(picture)
    wanted = look.find.strip().casefold()
    crowded = len(nodes) > CROWDED
    for node in nodes:
        label = node_label(node["name"], "", node["type"])
        hit = bool(wanted) and wanted in label.casefold()
        x, y = places[node["id"]]
        net.add_node(
            f"n:{node['id']}",
            label=one_line(label, 28) if node["ranked"] or hit or not crowded else " ",
            title=f"{label}\n{node['type']}",
            shape="dot",
            size=round((22 if hit else 15) * grown**0.5) if hit or node["ranked"] else 8,
            borderWidth=4 if hit else 1,
            color={"background": tints[node["type"]], "border": "#D55E00" if hit else ink},
            opacity=1.0 if node["ranked"] or hit else 0.45,
            font={
                "color": ink,
                "size": round((13 if node["ranked"] or hit else 10) * grown),
                "strokeWidth": 3,
                "strokeColor": paper,
            },
            x=x,
            y=y,
        )
    for edge, bend, loop in zip(edges, _bends(edges), _loops(edges), strict=True):
        ranked, marked = edge["rank"] is not None, edge["id"] == look.marked
        name = one_line(edge["relationship"], 40)
        net.add_edge(
            f"n:{edge['source']}",
            f"n:{edge['target']}",
            id=f"e:{edge['id']}",
            label=name if ranked or marked else "",
            title=f"{name}\nrank {edge['rank']}" if ranked else name,
            color={"color": "#D55E00" if marked else ink, "opacity": 1.0 if ranked or marked else 0.22},
            width=4 if marked else 2 if ranked else 1,
            font={"color": ink, "size": round(9 * grown), "strokeWidth": 3, "strokeColor": paper},
            smooth=bend,
            **({"selfReference": loop} if loop else {}),
        )
    net.set_options(
        '{"physics": {"enabled": false}, "interaction": {"hover": true, "navigationButtons": false, "keyboard": true},'
        ' "nodes": {"scaling": {"label": {"drawThreshold": 3}}},'
        ' "edges": {"scaling": {"label": {"drawThreshold": 3}}, "arrows": {"to": {"enabled": true, "scaleFactor": 0.6}}}}'
    )
    return self_contained(net.generate_html(notebook=False))


def self_contained(page: str) -> str:
    """The page without the tags that load from elsewhere; ValueError if anything else still would."""
    plain = OUTSIDE.sub("", page)
    plain = plain.replace('<div class="card" style="width: 100%">', '<div style="width: 100%">')
    plain = plain.replace(
        "</head>", "<style>html,body{margin:0;overflow:hidden}#mynetwork{border:0!important}</style></head>", 1
    )
    outside = LOADS.search(re.sub(r"<script[^>]*>.*?</script>", "", plain, flags=re.DOTALL | re.IGNORECASE))
    if outside:
        raise ValueError(f"the picture would load from the network: {outside.group()}")
    return plain


def spread(nodes: int) -> float:
    """Half the width of a picture of so many nodes."""
    return SPREAD * max(1.0, (nodes / 40) ** 0.5)


def layout(
    nodes: list[str], edges: Collection[tuple[str, str]], middle: Collection[str] = ()
) -> dict[str, tuple[float, float]]:
    """A place for each node, the same for the same graph; those of `middle` have the middle to themselves."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edge for edge in edges if edge[0] != edge[1])
    if not nodes:
        return {}
    rounds = 60 if len(nodes) <= 120 else 30
    inner = [node for node in nodes if node in middle]
    if 1 < len(inner) < len(nodes):
        within = nx.Graph()  # a subgraph's own order changes from process to process, and the layout with it
        within.add_nodes_from(inner)
        within.add_edges_from((a, b) for a, b in graph.edges if a in within and b in within)
        core = nx.spring_layout(_held_together(within), seed=7, iterations=100, k=2.0, scale=INNER)
        start = _around(nodes, core)
        spread_out = nx.spring_layout(graph, seed=7, iterations=rounds, k=0.12, pos=start, fixed=inner)
        found = {node: place if node in core else _within(place) for node, place in spread_out.items()}
    else:
        found = nx.spring_layout(_held_together(graph), seed=7, iterations=rounds, k=2.0 / len(nodes) ** 0.5)
    wide = spread(len(nodes))
    return {node: (round(float(x) * wide, 1), round(float(y) * wide * 0.62, 1)) for node, (x, y) in found.items()}


def _held_together(graph: Any) -> Any:
    """The graph with its parts tied to the largest one; loose parts would drift away and leave no room for the rest."""
    import networkx as nx

    tied = nx.Graph(graph)
    hubs = [
        max(sorted(part), key=graph.degree)
        for part in sorted(nx.connected_components(graph), key=lambda p: (len(p), min(p)))
    ]
    tied.add_edges_from(((hub, hubs[-1]) for hub in hubs[:-1]), weight=0.3)
    return tied


def _within(place: tuple[float, float]) -> tuple[float, float]:
    """The place drawn in to the picture's radius, in the same direction."""
    x, y = float(place[0]), float(place[1])
    far = math.hypot(x, y)
    if far <= INNER:
        return x, y
    near = 1 - (1 - INNER) * math.exp(-(far - INNER) / (1 - INNER))
    return x * near / far, y * near / far


def _around(nodes: list[str], core: Mapping[str, Any]) -> dict[str, Any]:
    """Where the layout begins: the core in its places, all others evenly on a ring around it."""
    outer = [node for node in nodes if node not in core]
    turn = 2 * math.pi / max(len(outer), 1)
    return {**core, **{node: (math.cos(i * turn), math.sin(i * turn)) for i, node in enumerate(outer)}}


def _bends(edges: list[dict[str, Any]]) -> list[dict[str, Any] | bool]:
    """How each edge is curved: alone it is straight; several between two nodes fan out, each direction to its own side."""
    between = Counter(frozenset((e["source"], e["target"])) for e in edges)
    ways = Counter((e["source"], e["target"]) for e in edges)
    seen: dict[tuple[str, str], int] = defaultdict(int)
    bends: list[dict[str, Any] | bool] = []
    for edge in edges:
        pair, way = frozenset((edge["source"], edge["target"])), (edge["source"], edge["target"])
        seen[way] += 1
        alone = between[pair] == 1 or len(pair) == 1
        step = min(CURVE, MOST_CURVED / ways[way])
        curve = {"enabled": True, "type": "curvedCW", "roundness": round(step * seen[way], 3)}
        bends.append(False if alone else curve)
    return bends


def _loops(edges: list[dict[str, Any]]) -> list[dict[str, float] | None]:
    """How each edge from a node to itself is turned, so that none covers another: around the node, then wider."""
    seen: dict[str, int] = defaultdict(int)
    loops: list[dict[str, float] | None] = []
    for edge in edges:
        own = edge["source"] == edge["target"]
        number = seen[edge["source"]]
        loops.append({"size": LOOP + 10 * (number // 8), "angle": QUARTER * (1 + number % 8)} if own else None)
        seen[edge["source"]] += own
    return loops
