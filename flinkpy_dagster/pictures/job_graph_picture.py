"""The JobGraph as a picture: vertices with their chains, how results are shipped, what has flowed."""

from collections.abc import Mapping
from dataclasses import dataclass

from flinkpy_dagster.graph.job_graph import JobEdge, JobGraph, JobVertex
from flinkpy_dagster.pictures.layout import Place, layered
from flinkpy_dagster.pictures.svg import GROUND, INK, LINE, PALETTE, SOFT, Svg, fitted, number, text_width

_MARGIN, _WIDEST, _NARROWEST, _ROW = 20.0, 250.0, 150.0, 18.0
_HEAD, _FOOT, _TITLE = 26.0, 24.0, 40.0
_MOST_OPERATORS = 8


@dataclass(frozen=True, slots=True)
class Flow:
    """What a vertex has read, made and worked."""

    records_in: int = 0
    records_out: int = 0
    busy_ms: int = 0


def job_graph_picture(graph: JobGraph, flows: Mapping[str, Flow] | None = None) -> str:
    """SVG of the graph; with ``flows`` (by vertex id) also of a run of it.

    A solid line is a pipelined result, a dashed one is stored. Boxes of one colour share slots.
    """
    flows = flows or {}
    lines = {vertex.id: _operators(vertex) for vertex in graph.vertices}
    sizes = {
        vertex.id: _size(lines[vertex.id], _foot(vertex), flows.get(vertex.id)) for vertex in graph.vertices
    }
    edges = list(dict.fromkeys((edge.source, edge.target) for edge in graph.edges))
    layout = layered(sizes, edges)
    width = max(layout.width, text_width(graph.name, 15) + 260) + 2 * _MARGIN
    svg = Svg(width, layout.height + 2 * _MARGIN + _TITLE + 22, f"JobGraph of {graph.name}")
    svg.text(_MARGIN, 30, graph.name, 15, weight=600)
    svg.text(
        _MARGIN + text_width(graph.name, 15) + 14, 30, "BATCH" if graph.is_batch else "STREAMING", 11, SOFT
    )
    left, top = _MARGIN, _MARGIN + _TITLE
    for edge in edges:
        _draw_edge(svg, graph, edge, [(x + left, y + top) for x, y in layout.ways[edge]])
    colours = _colours(graph)
    for vertex in graph.vertices:
        place = layout.places[vertex.id]
        moved = Place(place.x + left, place.y + top, place.width, place.height)
        group = vertex.slot_sharing_group
        _draw_vertex(
            svg, vertex, lines[vertex.id], moved, colours[group.name, group.index], flows.get(vertex.id)
        )
    _draw_legend(svg, top + layout.height + _MARGIN + 10, graph)
    return str(svg)


def _operators(vertex: JobVertex) -> list[str]:
    """One line per operator of the chain, indented where it branches."""
    depth = {vertex.head.id: 0}
    children: dict[int, int] = {}
    for edge in vertex.chained_edges:
        children[edge.source] = children.get(edge.source, 0) + 1
    for edge in vertex.chained_edges:
        depth[edge.target] = depth.get(edge.source, 0) + (children[edge.source] > 1)
    lines = ["   " * depth.get(node.id, 0) + node.name for node in vertex.nodes]
    if len(lines) > _MOST_OPERATORS:
        more = len(lines) - _MOST_OPERATORS + 1
        lines = [*lines[: _MOST_OPERATORS - 1], f"… {more} more"]
    return lines


def _foot(vertex: JobVertex) -> str:
    group = vertex.slot_sharing_group
    return f"slots: {group.name}" + (f" {group.index}" if group.index else "")


def _size(lines: list[str], foot: str, flow: Flow | None) -> tuple[float, float]:
    widest = max(*(text_width(line, 12) for line in lines), text_width(foot, 10) + 40, 0)
    height = _HEAD + _ROW * len(lines) + _FOOT + (_ROW if flow is not None else 0)
    return min(max(widest + 26, _NARROWEST if flow is None else 190.0), _WIDEST), height


def _colours(graph: JobGraph) -> dict[tuple[str, int], str]:
    groups = dict.fromkeys(
        (vertex.slot_sharing_group.name, vertex.slot_sharing_group.index) for vertex in graph.vertices
    )
    return {group: PALETTE[place % len(PALETTE)] for place, group in enumerate(groups)}


def _draw_vertex(
    svg: Svg, vertex: JobVertex, lines: list[str], place: Place, colour: str, flow: Flow | None
) -> None:
    x, y, width = place.x, place.y, place.width
    svg.box(x + 1, y + 2, width, place.height, "#0f172a", radius=7, opacity=0.07)
    svg.box(x, y, width, place.height, GROUND, LINE, radius=7, hint=f"{vertex.name}\n{vertex.id}")
    svg.box(x, y, width, 4, colour, radius=2)
    svg.text(x + 12, y + 20, _kind(vertex), 9.5, SOFT, weight=600)
    degree = f"× {vertex.execution_parallelism}"
    pill = text_width(degree, 11) + 14
    svg.box(x + width - pill - 10, y + 9, pill, 17, colour, radius=8)
    svg.text(x + width - pill / 2 - 10, y + 21.5, degree, 11, GROUND, "middle", 600)
    base = y + _HEAD + 14
    for line in lines:
        indent = len(line) - len(line.lstrip())
        offset = 5.0 * indent
        ink = SOFT if line.strip().startswith(("_", "…")) else INK  # what PyFlink adds by itself
        svg.text(x + 12 + offset, base, fitted(line.strip(), 12, width - 24 - offset), 12, ink)
        base += _ROW
    if flow is not None:
        flowed = f"{number(flow.records_in)} in · {number(flow.records_out)} out · {number(flow.busy_ms)} ms"
        svg.text(x + 12, base + 2, flowed, 11, colour, weight=600)
        base += _ROW
    svg.text(x + 12, base + 4, fitted(_foot(vertex), 10, width - 24), 10, SOFT)


def _kind(vertex: JobVertex) -> str:
    has_source = any(node.is_source for node in vertex.nodes)
    has_sink = any(node.is_sink for node in vertex.nodes)
    kinds = [name for name, is_one in (("SOURCE", has_source), ("SINK", has_sink)) if is_one]
    return " · ".join(kinds) or "OPERATOR"


def _draw_edge(svg: Svg, graph: JobGraph, edge: tuple[str, str], points: list[tuple[float, float]]) -> None:
    mine = [each for each in graph.edges if (each.source, each.target) == edge]
    is_stored = all(graph.data_set(each.data_set).result_type.is_blocking for each in mine)
    svg.curve(points, dash="5 4" if is_stored else "")
    label = ", ".join(dict.fromkeys(_label(each) for each in mine))
    (x1, y1), (x2, y2) = points[-2:]
    width = 1.1 * text_width(label, 10) + 14  # bold
    svg.box((x1 + x2) / 2 - width / 2, (y1 + y2) / 2 - 8, width, 16, GROUND, LINE, radius=8)
    svg.text((x1 + x2) / 2, (y1 + y2) / 2 + 3.5, label, 10, SOFT, "middle", 600)


def _label(edge: JobEdge) -> str:
    return edge.ship_strategy.value + (f" ({edge.side_output})" if edge.side_output else "")


def _draw_legend(svg: Svg, y: float, graph: JobGraph) -> None:
    x = _MARGIN
    stored = {each.result_type.is_blocking for each in graph.data_sets}
    for is_stored, words in ((False, "pipelined"), (True, "stored, then read")):
        if is_stored in stored:
            svg.line(x, y - 4, x + 26, y - 4, SOFT, 1.6, "5 4" if is_stored else "")
            svg.text(x + 32, y, words, 10, SOFT)
            x += 52 + text_width(words, 10)
    for words in ("× subtasks", "one colour: slots are shared"):
        svg.text(x, y, words, 10, SOFT)
        x += 20 + text_width(words, 10)
