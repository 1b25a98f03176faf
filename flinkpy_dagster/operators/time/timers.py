"""Timers of one operator in one subtask: deduplicated, deletable, fired in order of time.

Timers of one time fire in order of registration. As in PyFlink a call of ``due`` takes all timers that are due; those
that user code registers while they fire come in a later call, and deleting one of them is too late.
"""

import heapq
from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

from flinkpy_dagster.operators.time.timer_service import TimerService
from flinkpy_dagster.state.page_content import StoredTimer


class Timer(NamedTuple):
    """``state_key`` finds the state of ``key``; ``namespace`` is a window, or None."""

    timestamp: int
    state_key: Hashable
    key: Any
    namespace: Any


class TimerQueue:
    """Timers by time; within a time by key and token. The token stands for the namespace and is quick to hash."""

    def __init__(self) -> None:
        self._by_time: dict[int, dict[tuple[Hashable, Hashable], tuple[Any, Any]]] = {}
        self._times: list[int] = []

    def add(
        self, timestamp: int, state_key: Hashable, key: Any, namespace: Any = None, token: Hashable = None
    ) -> None:
        """Registers a timer; a second one for the same time, key and token is the same timer."""
        timers = self._by_time.get(timestamp)
        if timers is None:
            timers = self._by_time[timestamp] = {}
            heapq.heappush(self._times, timestamp)
        timers.setdefault((state_key, token), (key, namespace))

    def remove(self, timestamp: int, state_key: Hashable, token: Hashable = None) -> None:
        """Deletes a timer if there is one."""
        timers = self._by_time.get(timestamp)
        if timers is not None:
            timers.pop((state_key, token), None)

    def due(self, time: int) -> list[Timer]:
        """Takes out all timers at or before ``time``."""
        taken: list[Timer] = []
        while self._times and self._times[0] <= time:
            timestamp = heapq.heappop(self._times)
            for (state_key, _), (key, namespace) in self._by_time.pop(timestamp).items():
                taken.append(Timer(timestamp, state_key, key, namespace))
        return taken

    def pending(self) -> list[Timer]:
        """All timers in order, left where they are."""
        return [
            Timer(timestamp, state_key, key, namespace)
            for timestamp in sorted(self._by_time)
            for (state_key, _), (key, namespace) in self._by_time[timestamp].items()
        ]

    def entries(self) -> Iterator[StoredTimer]:
        """All timers, in no particular order."""
        for timestamp, timers in self._by_time.items():
            for (state_key, token), (key, namespace) in timers.items():
                yield timestamp, state_key, key, namespace, token

    def earliest(self) -> int | None:
        """The time of the first timer (or of one that was deleted), None if there is none."""
        return self._times[0] if self._times else None

    def has_any(self) -> bool:
        """May there be a timer?"""
        return bool(self._times)

    def __len__(self) -> int:
        return sum(map(len, self._by_time.values()))


class ClockReading(TimerService):
    """Times without timers, for functions on streams without keys. ``owner`` is the operator."""

    def __init__(self, owner: Any):
        self._owner = owner

    def current_processing_time(self) -> int:
        return self._owner.setup.clock.now_ms()

    def current_watermark(self) -> int:
        return self._owner.watermark

    def register_processing_time_timer(self, timestamp: int) -> None:
        raise RuntimeError("Register timers is only supported on a keyed stream.")

    register_event_time_timer = register_processing_time_timer

    def delete_processing_time_timer(self, timestamp: int) -> None:
        raise RuntimeError("Deleting timers is only supported on a keyed streams.")

    delete_event_time_timer = delete_processing_time_timer


class KeyedTimerService(ClockReading):
    """Times, and timers of the current key. ``owner`` is a keyed operator: its backend, user key and timer queues."""

    def register_event_time_timer(self, timestamp: int) -> None:
        owner = self._owner
        owner.event_timers.add(timestamp, owner.backend.key, owner.current_key)

    def register_processing_time_timer(self, timestamp: int) -> None:
        owner = self._owner
        owner.processing_timers.add(timestamp, owner.backend.key, owner.current_key)

    def delete_event_time_timer(self, timestamp: int) -> None:
        self._owner.event_timers.remove(timestamp, self._owner.backend.key)

    def delete_processing_time_timer(self, timestamp: int) -> None:
        self._owner.processing_timers.remove(timestamp, self._owner.backend.key)
