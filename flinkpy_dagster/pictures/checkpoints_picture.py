"""How the checkpoints of a job went: duration, size and lag, one below the other over the same times."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flinkpy_dagster.pictures.svg import BAD, GROUND, LINE, PALETTE, SOFT, Svg, text_width
from flinkpy_dagster.pictures.time_axis import TimeAxis, since_text

_WIDTH, _LEFT, _RIGHT, _TOP, _PANEL, _BETWEEN = 900.0, 140.0, 24.0, 56.0, 96.0, 34.0
_LINES = 3


@dataclass(frozen=True, slots=True)
class CheckpointPoint:
    """One checkpoint or savepoint. ``lag_ms``: how far event time is behind, None without event time."""

    id: int
    completed_ms: int
    duration_ms: int = 0
    bytes_full: int = 0
    bytes_written: int = 0
    lag_ms: int | None = None
    is_savepoint: bool = False
    has_failed: bool = False


def checkpoints_picture(title: str, points: Sequence[CheckpointPoint]) -> str:
    """SVG. Failed ones are red ticks; savepoints are ringed."""
    known = sorted(points, key=lambda point: point.completed_ms)
    done = [point for point in known if not point.has_failed]
    has_lag = any(point.lag_ms is not None for point in done)
    panels: list[tuple[str, Callable[[Svg, TimeAxis, float], None]]] = [
        ("duration", lambda svg, axis, y: _bars(svg, axis, y, done)),
        ("state", lambda svg, axis, y: _sizes(svg, axis, y, done)),
    ]
    if has_lag:
        panels.append(("lag", lambda svg, axis, y: _lags(svg, axis, y, done)))
    height = _TOP + len(panels) * (_PANEL + _BETWEEN) + 12
    svg = Svg(_WIDTH, height, f"Checkpoints of {title}")
    svg.text(20, 28, title, 15, weight=600)
    failed = sum(point.has_failed for point in known)
    about = f"{len(done)} checkpoint{'s' * (len(done) != 1)}" + (f", {failed} failed" if failed else "")
    svg.text(20 + text_width(title, 15) + 14, 28, about, 11, SOFT)
    first = known[0].completed_ms if known else 0
    last = known[-1].completed_ms if known else 1
    inset = 10
    axis = TimeAxis(first, max(last, first + 1000), _LEFT + inset, _WIDTH - _RIGHT - inset)
    bottom = _TOP + len(panels) * (_PANEL + _BETWEEN) - _BETWEEN
    axis.draw(svg, _TOP, bottom, is_clock=True)
    y = _TOP
    for name, draw in panels:
        svg.text(20, y + 4, name, 11, SOFT, weight=600)
        draw(svg, axis, y)
        for point in known:
            if point.has_failed:
                x = axis.x(point.completed_ms)
                svg.line(x, y, x, y + _PANEL, BAD, 1.2, "2 3")
        y += _PANEL + _BETWEEN
    return str(svg)


def _bars(svg: Svg, axis: TimeAxis, y: float, points: Sequence[CheckpointPoint]) -> None:
    scale = _Scale.of([point.duration_ms for point in points], y, since_text)
    scale.draw(svg)
    width = min(10.0, max(1.5, (axis.right - axis.left) / max(1, 2 * len(points))))
    for point in points:
        top = scale.y(point.duration_ms)
        hint = f"{'savepoint' if point.is_savepoint else 'checkpoint'} {point.id}: {since_text(point.duration_ms)}"
        colour = PALETTE[4] if point.is_savepoint else PALETTE[0]
        svg.box(
            axis.x(point.completed_ms) - width / 2, top, width, y + _PANEL - top, colour, radius=1, hint=hint
        )


def _sizes(svg: Svg, axis: TimeAxis, y: float, points: Sequence[CheckpointPoint]) -> None:
    scale = _Scale.of([point.bytes_full for point in points], y, bytes_text)
    scale.draw(svg)
    _series(svg, axis, scale, [(point, point.bytes_full) for point in points], PALETTE[1], bytes_text)
    _series(svg, axis, scale, [(point, point.bytes_written) for point in points], PALETTE[2], bytes_text)
    x = 20.0
    for place, (words, colour) in enumerate((("all", PALETTE[1]), ("written", PALETTE[2]))):
        svg.dot(x + 4, y + 20 + 15 * place, 3.5, colour)
        svg.text(x + 12, y + 23.5 + 15 * place, words, 10, SOFT)


def _lags(svg: Svg, axis: TimeAxis, y: float, points: Sequence[CheckpointPoint]) -> None:
    known = [(point, point.lag_ms) for point in points if point.lag_ms is not None]
    scale = _Scale.of([lag for _, lag in known], y, since_text)
    scale.draw(svg)
    _series(svg, axis, scale, known, PALETTE[3], since_text)


def _series(
    svg: Svg,
    axis: TimeAxis,
    scale: "_Scale",
    values: Sequence[tuple[CheckpointPoint, int]],
    colour: str,
    text: Callable[[float], str],
) -> None:
    places = [(axis.x(point.completed_ms), scale.y(value)) for point, value in values]
    if len(places) > 1:
        svg.path(places, colour)
    if len(places) <= 60:
        for (x, y), (point, value) in zip(places, values):
            radius = 4.5 if point.is_savepoint else 2.8
            svg.dot(x, y, radius, colour, f"{point.id}: {text(value)}")
            if point.is_savepoint:
                svg.dot(x, y, 2.2, GROUND)


@dataclass(frozen=True, slots=True)
class _Scale:
    """Values from 0 at the bottom of a panel (``top`` is its y) to ``most`` at its top."""

    most: float
    top: float
    text: Callable[[float], str]

    @staticmethod
    def of(values: Sequence[float], top: float, text: Callable[[float], str]) -> "_Scale":
        return _Scale(_rounded(max([*values, 1])), top, text)

    def y(self, value: float) -> float:
        return self.top + _PANEL * (1 - max(0.0, value) / self.most)

    def draw(self, svg: Svg) -> None:
        for step in range(_LINES + 1):
            value = self.most * step / _LINES
            svg.line(_LEFT, self.y(value), _WIDTH - _RIGHT, self.y(value), LINE, 0.7)
            if step:
                svg.text(_LEFT - 8, self.y(value) + 3.5, self.text(value), 10, SOFT, "end")


def _rounded(most: float) -> float:
    """The next of 3, 6, 12, 30, 60 ... that is as large: a third of it is a number to read."""
    unit = 1.0
    while True:
        for factor in (3, 6, 12):
            if unit * factor >= most:
                return unit * factor
        unit *= 10


def bytes_text(size: float) -> str:
    """``300 B``, ``12 kB``, ``1.5 MB``."""
    for limit, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= limit:
            return f"{size / limit:.3g} {unit}"
    return f"{size:.0f} B"
