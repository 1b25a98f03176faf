"""Who was in which slot, and when: a row per slot, a bar per attempt of a task."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flinkpy_dagster.pictures.svg import BAD, GROUND, INK, PALETTE, SOFT, Svg, fitted, number, text_width
from flinkpy_dagster.pictures.time_axis import TimeAxis, since_text

_LEFT, _RIGHT, _TOP, _LANE, _GAP = 70.0, 24.0, 52.0, 16.0, 8.0
_WIDTH, _MOST_SLOTS = 900.0, 40


@dataclass(frozen=True, slots=True)
class Stay:
    """One attempt of a task in its slots. ``end_ms`` None: it goes on. ``state``: of Flink's ``ExecutionState``."""

    task: str
    slots: tuple[int, ...]
    start_ms: int
    end_ms: int | None = None
    attempt: int = 0
    state: str = "FINISHED"


def slots_picture(title: str, stays: Iterable[Stay], total: int, now_ms: int) -> str:
    """SVG. Tasks that share a slot lie one below the other in its row; failed and canceled attempts are marked.

    ``total``: slots that there are.
    """
    known = sorted(stays, key=lambda stay: (stay.start_ms, stay.task))
    used = sorted({slot for stay in known for slot in stay.slots})
    lanes = {
        slot: _lanes([stay for stay in known if slot in stay.slots], now_ms) for slot in used[:_MOST_SLOTS]
    }
    heights = {slot: _LANE * max(lanes[slot].values(), default=0) + _LANE + _GAP for slot in lanes}
    colours = {
        task: PALETTE[place % len(PALETTE)]
        for place, task in enumerate(dict.fromkeys(stay.task for stay in known))
    }
    legend = _legend_rows(colours)
    bottom = _TOP + sum(heights.values())
    svg = Svg(_WIDTH, bottom + 34 + 18 * len(legend), f"Slots of {title}")
    first = min((stay.start_ms for stay in known), default=now_ms)
    last = max((_end(stay, now_ms) for stay in known), default=now_ms)
    svg.text(20, 28, title, 15, weight=600)
    shown = f"{number(len(used))} of {number(total)} slots used, {since_text(max(0, last - first))}"
    svg.text(20 + text_width(title, 15) + 14, 28, shown, 11, SOFT)
    axis = TimeAxis(first, max(last, first + 1), _LEFT, _WIDTH - _RIGHT)
    axis.draw(svg, _TOP - 6, bottom)
    y = _TOP
    for place, slot in enumerate(lanes):
        if place % 2 == 0:
            svg.box(12, y - _GAP / 2, _WIDTH - 24, heights[slot], "#f1f5f9", radius=3, opacity=0.7)
        svg.text(20, y + 12, f"slot {slot}", 11, SOFT)
        for stay, lane in lanes[slot].items():
            _draw_stay(svg, axis, stay, y + lane * _LANE, colours[stay.task], now_ms)
        y += heights[slot]
    if len(used) > _MOST_SLOTS:
        svg.text(_LEFT, bottom - 2, f"… and {len(used) - _MOST_SLOTS} more slots", 10, SOFT)
    _draw_legend(svg, legend, bottom + 34, colours)
    return str(svg)


def _lanes(stays: Sequence[Stay], now_ms: int) -> dict[Stay, int]:
    """The first lane that is free, for each."""
    free_at: list[int] = []
    lanes: dict[Stay, int] = {}
    for stay in stays:
        lane = next((place for place, at in enumerate(free_at) if at <= stay.start_ms), len(free_at))
        if lane == len(free_at):
            free_at.append(0)
        free_at[lane] = _end(stay, now_ms)
        lanes[stay] = lane
    return lanes


def _end(stay: Stay, now_ms: int) -> int:
    return now_ms if stay.end_ms is None else stay.end_ms


def _draw_stay(svg: Svg, axis: TimeAxis, stay: Stay, y: float, colour: str, now_ms: int) -> None:
    x, end = axis.x(stay.start_ms), axis.x(_end(stay, now_ms))
    width = max(2.0, end - x)
    is_bad = stay.state in ("FAILED", "CANCELED")
    attempt = f", attempt {stay.attempt}" if stay.attempt else ""
    lasted = since_text(_end(stay, now_ms) - stay.start_ms)
    hint = f"{stay.task}{attempt}: {stay.state}, {lasted}"
    svg.box(x, y, width, _LANE - 2, colour, radius=3, hint=hint, opacity=0.45 if is_bad else 1)
    if is_bad:
        svg.box(end - 3, y, 3, _LANE - 2, BAD, radius=1, hint=hint)
    label = stay.task + (f" #{stay.attempt}" if stay.attempt else "")
    if width > 40:
        svg.text(x + 5, y + 10.5, fitted(label, 10, width - 10), 10, INK if is_bad else GROUND, weight=500)


def _legend_rows(colours: dict[str, str]) -> list[list[str]]:
    rows: list[list[str]] = [[]]
    x = _LEFT
    for task in colours:
        width = _entry_width(task)
        if x + width > _WIDTH - _RIGHT and rows[-1]:
            rows.append([])
            x = _LEFT
        rows[-1].append(task)
        x += width
    return rows


def _entry_width(task: str) -> float:
    return text_width(fitted(task, 10, 240), 10) + 32


def _draw_legend(svg: Svg, rows: list[list[str]], y: float, colours: dict[str, str]) -> None:
    for row in rows:
        x = _LEFT
        for task in row:
            svg.box(x, y - 9, 10, 10, colours[task], radius=2)
            svg.text(x + 15, y, fitted(task, 10, 240), 10, SOFT)
            x += _entry_width(task)
        y += 18
