"""Wall-clock time behind an interface, so that tests and harnesses can set it."""

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""


class SystemClock:
    """The clock of the machine."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        return time.time_ns() // 1_000_000


class ManualClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now_ms: int = 0):
        self._now_ms = now_ms

    def now_ms(self) -> int:
        """Milliseconds since the epoch, as set."""
        return self._now_ms

    def advance_to(self, now_ms: int) -> None:
        """Sets the time; raises ValueError if that would turn it back."""
        if now_ms < self._now_ms:
            raise ValueError(f"The clock stands at {self._now_ms} ms and cannot go back to {now_ms} ms.")
        self._now_ms = now_ms


class ReplayingClock:
    """Shows the time at which what is being processed arrived, or would have arrived, plus the time spent on it.

    ``hear`` takes the sender's time. ``pause`` and ``resume`` bracket waiting for input, which takes no time here.
    Before the first ``hear`` it shows the time of the clock below.
    """

    def __init__(self, below: Clock):
        self._below = below
        self._offset_ms = 0
        self._is_replaying = False
        self._paused_at_ms: int | None = None

    def now_ms(self) -> int:
        """Milliseconds since the epoch; never goes back once a sender was heard."""
        below = self._below.now_ms() if self._paused_at_ms is None else self._paused_at_ms
        return below + self._offset_ms

    def hear(self, now_ms: int) -> None:
        """A sender said what time it was; the latest time counts."""
        behind_ms = now_ms - self.now_ms()
        if behind_ms > 0 or not self._is_replaying:
            self._offset_ms += behind_ms
            self._is_replaying = True

    def pause(self) -> None:
        """Waiting begins."""
        if self._is_replaying:
            self._paused_at_ms = self._below.now_ms()

    def resume(self) -> None:
        """Waiting is over."""
        if self._paused_at_ms is not None:
            self._offset_ms -= self._below.now_ms() - self._paused_at_ms
            self._paused_at_ms = None
