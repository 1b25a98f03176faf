"""How often a run that may last for months tells the same kind of thing: its event log must not grow for ever as fast.

An event takes about 8 kB of Dagster's storage (on SQLite: the run's log and the index). Every ten seconds in the first
hour, once a minute from then on, is 3 MB, and 12 MB for each further day.
"""

import time
from collections.abc import Callable

FIRST_SECONDS = 10.0
FIRST_EVENTS = 360
LATER_SECONDS = 60.0


class ReportRate:
    """Of one kind of event. ``clock`` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._told = 0
        self._next_at = clock()

    @property
    def is_due(self) -> bool:
        """May the next one be told now?"""
        return self._clock() >= self._next_at

    def told(self) -> None:
        """One has been."""
        self._told += 1
        self._next_at = self._clock() + (FIRST_SECONDS if self._told < FIRST_EVENTS else LATER_SECONDS)
