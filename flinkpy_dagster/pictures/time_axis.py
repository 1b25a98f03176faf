"""Times along the bottom of a picture: steps that people count in."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from flinkpy_dagster.pictures.svg import LINE, SOFT, Svg

_STEPS_MS = (
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
    900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000, 86_400_000,
)  # fmt: skip
_MOST_STEPS = 8


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """``first_ms`` is at ``left``, ``last_ms`` at ``right`` (pixels)."""

    first_ms: float
    last_ms: float
    left: float
    right: float

    def x(self, at_ms: float) -> float:
        """Where a time is."""
        span = max(1.0, self.last_ms - self.first_ms)
        return self.left + (self.right - self.left) * (at_ms - self.first_ms) / span

    def steps(self) -> Iterator[float]:
        """Times (ms) to mark, from the beginning."""
        span = max(1.0, self.last_ms - self.first_ms)
        step = next((each for each in _STEPS_MS if span / each <= _MOST_STEPS), _STEPS_MS[-1])
        for count in range(int(span // step) + 1):
            yield self.first_ms + count * step

    def draw(self, svg: Svg, top: float, bottom: float, *, is_clock: bool = False) -> None:
        """Lines from ``top`` to ``bottom`` with their times below: since the beginning, or by the clock."""
        for at_ms in self.steps():
            x = self.x(at_ms)
            svg.line(x, top, x, bottom, LINE, 0.7)
            text = clock_text(at_ms) if is_clock else since_text(at_ms - self.first_ms)
            svg.text(x, bottom + 14, text, 10, SOFT, "middle")


def since_text(duration_ms: float) -> str:
    """``0``, ``250 ms``, ``1.5 s``, ``2:30 min``, ``1:15 h``."""
    if duration_ms == 0:
        return "0"
    if duration_ms < 1000:
        return f"{duration_ms:.0f} ms"
    seconds = duration_ms / 1000
    if seconds < 60:
        return f"{seconds:g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}:{rest:02} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02} h"


def clock_text(at_ms: float) -> str:
    """``13:05:07``, in the zone of this process."""
    return datetime.fromtimestamp(at_ms / 1000).strftime("%H:%M:%S")
