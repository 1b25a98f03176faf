"""Aligning the watermarks of all inputs of an operator (Flink's ``StatusWatermarkValve``)."""

from collections.abc import Hashable, Iterable

from flinkpy_dagster.operators.batch import MAX_WATERMARK, MIN_TIMESTAMP


class WatermarkValve:
    """Lets a watermark through when all channels that are not idle have reached it."""

    def __init__(self, channels: Iterable[Hashable]):
        self._watermarks: dict[Hashable, int] = dict.fromkeys(channels, MIN_TIMESTAMP)
        self._idle: set[Hashable] = set()
        self._current = MIN_TIMESTAMP

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
