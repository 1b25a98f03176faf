"""Where the boxes of a layered graph go: from left to right, each after all that it reads.

The steps are Sugiyama's: ranks by the longest way from a source, bends for edges that pass ranks, an order in each
rank by the middle of the neighbours, and places as near to them as boxes allow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Node = Any  # hashable
_SWEEPS = 12
_BEND_HEIGHT = 14.0


@dataclass(frozen=True, slots=True)
class Place:
    """The upper left corner and the size of a box, in pixels."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Layout:
    """``places`` by node; ``ways``: the points of each edge, from the right of its source to the left of its target."""

    places: Mapping[Node, Place]
    ways: Mapping[tuple[Node, Node], tuple[tuple[float, float], ...]]
    width: float
    height: float


def layered(
    sizes: Mapping[Node, tuple[float, float]],
    edges: Sequence[tuple[Node, Node]],
    gap_x: float = 110,
    gap_y: float = 26,
) -> Layout:
    """``sizes``: width and height by node, in topological order; ``edges`` go forward in it, each pair once."""
    ranks = _ranks(sizes, edges)
    chains = {edge: _chain(edge, ranks) for edge in edges}
    heights: dict[Node, float] = {node: size[1] for node, size in sizes.items()}
    rows: list[list[Node]] = [[] for _ in range(max(ranks.values(), default=-1) + 1)]
    for node, rank in ranks.items():
        rows[rank].append(node)
    for (source, _), chain in chains.items():
        for step, bend in enumerate(chain[1:-1], start=1):
            rows[ranks[source] + step].append(bend)
            heights[bend] = _BEND_HEIGHT
    links = [pair for chain in chains.values() for pair in zip(chain, chain[1:])]
    neighbours = _neighbours(links)
    _order(rows, neighbours)
    middles = _middles(rows, heights, neighbours, gap_y)
    return _placed(rows, sizes, heights, middles, chains, gap_x)


def _ranks(sizes: Mapping[Node, tuple[float, float]], edges: Sequence[tuple[Node, Node]]) -> dict[Node, int]:
    ranks: dict[Node, int] = {}
    for node in sizes:
        ranks[node] = 1 + max((ranks[source] for source, target in edges if target == node), default=-1)
    for node in reversed(list(sizes)):  # a source stands right before its first reader
        readers = [ranks[target] for source, target in edges if source == node]
        is_source = all(target != node for _, target in edges)
        if readers and is_source:
            ranks[node] = min(readers) - 1
    return ranks


def _chain(edge: tuple[Node, Node], ranks: Mapping[Node, int]) -> list[Node]:
    """Source, bends, target."""
    source, target = edge
    return [source, *(("bend", edge, rank) for rank in range(ranks[source] + 1, ranks[target])), target]


def _neighbours(links: Sequence[tuple[Node, Node]]) -> tuple[dict[Node, list[Node]], dict[Node, list[Node]]]:
    """Those before, and those after."""
    before: dict[Node, list[Node]] = {}
    after: dict[Node, list[Node]] = {}
    for source, target in links:
        before.setdefault(target, []).append(source)
        after.setdefault(source, []).append(target)
    return before, after


def _order(rows: list[list[Node]], neighbours: tuple[dict[Node, list[Node]], dict[Node, list[Node]]]) -> None:
    for sweep in range(_SWEEPS):
        looks_back = sweep % 2 == 0
        for row in rows if looks_back else reversed(rows):
            places = {node: place for each in rows for place, node in enumerate(each)}
            near = neighbours[0] if looks_back else neighbours[1]
            means = {
                node: _mean([places[other] for other in near.get(node, ())], places[node]) for node in row
            }
            row.sort(key=means.__getitem__)


def _middles(
    rows: list[list[Node]],
    heights: Mapping[Node, float],
    neighbours: tuple[dict[Node, list[Node]], dict[Node, list[Node]]],
    gap_y: float,
) -> dict[Node, float]:
    middles: dict[Node, float] = {}
    for row in rows:
        y = -sum(heights[node] + gap_y for node in row) / 2
        for node in row:
            middles[node] = y + heights[node] / 2
            y += heights[node] + gap_y
    before, after = neighbours
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = [
                _mean(
                    [middles[other] for other in (*before.get(node, ()), *after.get(node, ()))], middles[node]
                )
                for node in row
            ]
            apart = [(heights[one] + heights[other]) / 2 + gap_y for one, other in zip(row, row[1:])]
            middles |= zip(row, _apart(wanted, apart))
    return middles


def _apart(wanted: Sequence[float], distances: Sequence[float]) -> list[float]:
    """The places nearest to the wanted ones (least squares) that keep the distances: pools of neighbours."""
    offsets = [0.0]
    for distance in distances:
        offsets.append(offsets[-1] + distance)
    pools: list[tuple[float, int]] = []  # mean and count
    for target, offset in zip(wanted, offsets):
        mean, count = target - offset, 1
        while pools and pools[-1][0] > mean:
            other, others = pools.pop()
            mean, count = (mean * count + other * others) / (count + others), count + others
        pools.append((mean, count))
    means = [mean for mean, count in pools for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets)]


def _placed(
    rows: list[list[Node]],
    sizes: Mapping[Node, tuple[float, float]],
    heights: Mapping[Node, float],
    middles: Mapping[Node, float],
    chains: Mapping[tuple[Node, Node], list[Node]],
    gap_x: float,
) -> Layout:
    top = min((middles[node] - heights[node] / 2 for node in middles), default=0.0)
    places: dict[Node, Place] = {}
    x = 0.0
    for row in rows:
        width = max((sizes[node][0] for node in row if node in sizes), default=0.0)
        for node in row:
            own = sizes[node][0] if node in sizes else width
            y = middles[node] - heights[node] / 2 - top
            places[node] = Place(x + (width - own) / 2 if node in sizes else x, y, own, heights[node])
        x += width + gap_x
    ways = {}
    for edge, chain in chains.items():
        points = []
        for place, node in enumerate(chain):
            found = places[node]
            if place > 0:
                points.append((found.x, found.middle))
            if place < len(chain) - 1:
                points.append((found.x + found.width, found.middle))
        ways[edge] = tuple(points)
    height = max((place.y + place.height for place in places.values()), default=0.0)
    boxes = {node: place for node, place in places.items() if node in sizes}
    return Layout(boxes, ways, max(0.0, x - gap_x), height)


def _mean(values: Sequence[float], default: float) -> float:
    return sum(values) / len(values) if values else default
