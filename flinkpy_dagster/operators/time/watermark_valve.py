"""Aligning the watermarks of all inputs of an operator (Flink's ``StatusWatermarkValve``)."""

from collections.abc import Callable, Hashable, Iterable

from flinkpy_dagster.operators.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flinkpy_dagster.operators.time.source_clocks import clock_of


class WatermarkValve:
    """Lets a watermark through when all channels that are not idle have reached it."""

    def __init__(self, channels: Iterable[Hashable], current: int = MIN_TIMESTAMP):
        self._watermarks: dict[Hashable, int] = dict.fromkeys(channels, MIN_TIMESTAMP)
        self._idle: set[Hashable] = set()
        self._current = current

    @property
    def current(self) -> int:
        """The last aligned watermark."""
        return self._current

    def advance(self, channel: Hashable, timestamp: int) -> int | None:
        """A watermark arrived; the new aligned watermark, None if it has not changed."""
        self._idle.discard(channel)
        if timestamp > self._watermarks.get(channel, MIN_TIMESTAMP):
            self._watermarks[channel] = timestamp
        return self._aligned()

    def mark_idle(self, channel: Hashable) -> int | None:
        """A channel has nothing to say for now; the new aligned watermark, None if it has not changed."""
        self._idle.add(channel)
        return self._aligned()

    def mark_active(self, channel: Hashable) -> None:
        """Elements arrived."""
        if self._idle:
            self._idle.discard(channel)

    def complete(self) -> int | None:
        """All inputs have ended; the last watermark, None if it has been let through already."""
        for channel in self._watermarks:
            self._watermarks[channel] = MAX_WATERMARK
        self._idle.clear()
        return self._aligned()

    def settle(self, source_of: Callable[[Hashable], Hashable]) -> int | None:
        """The epoch has ended, all channels have told theirs: the new aligned watermark, None if it has not changed.

        ``source_of`` gives channels from the subtasks of one source one name; the clock of that source counts once.
        """
        told: dict[Hashable, list[int]] = {}
        for channel, time in self._watermarks.items():
            if channel not in self._idle:
                told.setdefault(source_of(channel), []).append(time)
        aligned = min(map(clock_of, told.values()), default=MIN_TIMESTAMP)
        if aligned <= self._current:
            return None
        self._current = aligned
        return aligned

    @property
    def is_idle(self) -> bool:
        """Are all channels idle?"""
        return bool(self._idle) and len(self._idle) == len(self._watermarks)

    def _aligned(self) -> int | None:
        active = [time for channel, time in self._watermarks.items() if channel not in self._idle]
        if not active or min(active) <= self._current:
            return None
        self._current = min(active)
        return self._current
