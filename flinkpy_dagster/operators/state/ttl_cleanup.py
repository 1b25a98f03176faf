"""Drops expired state that is not met again: looks at some entries now and then (``cleanup_incrementally``).

As in Flink's heap backend (``TtlIncrementalCleanup``) the work is done while state is used, a share of it with every
few uses, and goes round and round through the keys. Unlike there a round starts only when something can have expired.
"""

from collections.abc import Callable, Hashable, Iterator
from itertools import islice

from flinkpy_dagster.clock import Clock

USES_PER_STEP = 32

Prune = Callable[[dict, Hashable, int], int | None]
"""Drops from a key what was used at or before a time, ms; gives the earliest time of use that is left, if any."""


class IncrementalCleanup:
    """The cleanup of one state. ``size``: entries to look at for each use of the state."""

    def __init__(self, table: dict, prune: Prune, clock: Clock, ttl_ms: int, size: int):
        self._table = table
        self._prune = prune
        self._clock = clock
        self._ttl_ms = ttl_ms
        self._step_size = size * USES_PER_STEP
        self._uses = 0
        self._round: Iterator[Hashable] | None = None
        self._oldest_ms = self._due_ms = clock.now_ms()

    def on_use(self) -> None:
        """The state was read or written."""
        self._uses += 1
        if self._uses >= USES_PER_STEP:
            self._uses = 0
            self._step(self._clock.now_ms())

    def _step(self, now_ms: int) -> None:
        if self._round is None:
            if now_ms < self._due_ms:
                return
            self._round = iter(list(self._table))
            self._oldest_ms = now_ms
        looked_at = 0
        for key in islice(self._round, self._step_size):
            looked_at += 1
            left_ms = self._prune(self._table, key, now_ms - self._ttl_ms)
            if left_ms is not None and left_ms < self._oldest_ms:
                self._oldest_ms = left_ms
        if looked_at < self._step_size:
            self._round = None
            self._due_ms = self._oldest_ms + self._ttl_ms  # what came or was used since then lives longer


class NoCleanup:
    """Expired state goes when it is met, as ``disable_cleanup_in_background`` asks."""

    def on_use(self) -> None:
        """Nothing."""


def prune_value(table: dict, key: Hashable, dead_ms: int) -> int | None:
    """For one stamped value per key."""
    stamped = table.get(key)
    if stamped is None:
        return None
    if stamped[1] <= dead_ms:
        del table[key]
        return None
    return stamped[1]


def prune_list(table: dict, key: Hashable, dead_ms: int) -> int | None:
    """For a list of stamped values."""
    stored = table.get(key, ())
    kept = [stamped for stamped in stored if stamped[1] > dead_ms]
    if not kept:
        table.pop(key, None)
    elif len(kept) < len(stored):
        table[key] = kept
    return min((stamped[1] for stamped in kept), default=None)


def prune_map(table: dict, key: Hashable, dead_ms: int) -> int | None:
    """For a dict of stamped values."""
    stored = table.get(key, {})
    for entry in [entry for entry, stamped in stored.items() if stamped[1] <= dead_ms]:
        del stored[entry]
    if not stored:
        table.pop(key, None)
    return min((stamped[1] for stamped in stored.values()), default=None)
