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
