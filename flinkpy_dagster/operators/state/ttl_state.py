"""Keyed state whose values expire (Flink's ``TtlStateFactory`` and the classes it makes).

Stored are pairs of value and time of last use, ms; for lists one pair per element, for maps one per entry.
"""

from collections.abc import Callable, Iterable
from typing import Any

from flinkpy_dagster.clock import Clock
from flinkpy_dagster.operators.state.state_descriptors import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateDescriptor,
    ValueStateDescriptor,
)
from flinkpy_dagster.operators.state.state_ttl import StateTtlConfig, StateVisibility, UpdateType
from flinkpy_dagster.operators.state.states import (
    AggregatingState,
    ListState,
    MapState,
    ReducingState,
    ValueState,
)
from flinkpy_dagster.operators.state.ttl_cleanup import (
    IncrementalCleanup,
    NoCleanup,
    Prune,
    prune_list,
    prune_map,
    prune_value,
)
from flinkpy_dagster.operators.time.watermarks import milliseconds_of

Stamped = tuple[Any, int]


class TimeToLive:
    """The rules of a ``StateTtlConfig`` and the clock they go by."""

    def __init__(self, config: StateTtlConfig, clock: Clock):
        self.ttl_ms = milliseconds_of(config.get_ttl())
        self._clock = clock
        self.renews_on_read = config.get_update_type() is UpdateType.OnReadAndWrite
        self._shows_expired = config.get_state_visibility() is StateVisibility.ReturnExpiredIfNotCleanedUp
        self._incremental = config.get_cleanup_strategies().get_incremental_cleanup_strategy()

    @property
    def is_cleaned_up(self) -> bool:
        """Does what has expired go in the background?"""
        return self._incremental is not None

    def cleanup_of(self, table: dict, prune: Prune) -> IncrementalCleanup | NoCleanup:
        """What drops expired entries of a table."""
        if self._incremental is None:
            return NoCleanup()
        size = self._incremental.get_cleanup_size()
        return IncrementalCleanup(table, prune, self._clock, self.ttl_ms, size)

    def stamp(self, value: Any) -> Stamped:
        """``value`` as written now."""
        return value, self._clock.now_ms()

    def is_expired(self, stamped: Stamped) -> bool:
        """Is its time over?"""
        return stamped[1] + self.ttl_ms <= self._clock.now_ms()

    def is_visible(self, stamped: Stamped) -> bool:
        """May it be seen? An expired value that was not removed yet may, if so configured."""
        return self._shows_expired or not self.is_expired(stamped)


class TtlState:
    """One stamped value per key."""

    prune: Prune = staticmethod(prune_value)

    def __init__(self, cursor: Any, table: dict, ttl: TimeToLive):
        self._cursor = cursor
        self._table = table
        self._ttl = ttl
        self._on_use = ttl.cleanup_of(table, self.prune).on_use

    @property
    def table(self) -> dict:
        """What is stored, by key."""
        return self._table

    @property
    def ttl_ms(self) -> int:
        """How long values live."""
        return self._ttl.ttl_ms

    @property
    def is_cleaned_up(self) -> bool:
        """Does what has expired go by itself?"""
        return self._ttl.is_cleaned_up

    def clear(self) -> None:
        """Forgets what is stored for the current key."""
        self._table.pop(self._cursor.key, None)

    def read(self) -> Any:
        """The value, None if there is none; an expired one is removed, and seen this once if so configured."""
        self._on_use()
        key = self._cursor.key
        stamped = self._table.get(key)
        if stamped is None:
            return None
        if self._ttl.is_expired(stamped):
            del self._table[key]
        elif self._ttl.renews_on_read:
            self._table[key] = self._ttl.stamp(stamped[0])
        return stamped[0] if self._ttl.is_visible(stamped) else None

    def live(self) -> Any:
        """The value unless it has expired; reading it renews nothing."""
        stamped = self._table.get(self._cursor.key)
        return None if stamped is None or self._ttl.is_expired(stamped) else stamped[0]

    def write(self, value: Any) -> None:
        """Stores a value, or removes it if it is None."""
        self._on_use()
        if value is None:
            self.clear()
        else:
            self._table[self._cursor.key] = self._ttl.stamp(value)


class TtlValue(TtlState, ValueState):
    """A value that expires."""

    def value(self) -> Any:
        return self.read()

    def update(self, value: Any) -> None:
        self.write(value)


class TtlReduction(TtlState, ReducingState):
    """A reduction that expires as a whole."""

    def __init__(self, cursor: Any, table: dict, ttl: TimeToLive, reduce: Callable[[Any, Any], Any]):
        super().__init__(cursor, table, ttl)
        self._reduce = reduce

    def get(self) -> Any:
        return self.read()

    def add(self, value: Any) -> None:
        stored = self.live()
        self.write(value if stored is None else self._reduce(stored, value))


class TtlAggregation(TtlState, AggregatingState):
    """An accumulator that expires as a whole."""

    def __init__(self, cursor: Any, table: dict, ttl: TimeToLive, aggregate: Any):
        super().__init__(cursor, table, ttl)
        self._aggregate = aggregate

    def get(self) -> Any:
        stored = self.read()
        return None if stored is None else self._aggregate.get_result(stored)

    def add(self, value: Any) -> None:
        stored = self.live()
        accumulator = self._aggregate.create_accumulator() if stored is None else stored
        self.write(self._aggregate.add(value, accumulator))


class TtlList(TtlState, ListState):
    """A list whose elements expire one by one."""

    prune = staticmethod(prune_list)

    def get(self) -> list:
        stored = self._table.get(self._cursor.key, [])
        visible = [stamped[0] for stamped in stored if self._ttl.is_visible(stamped)]
        kept = [stamped for stamped in stored if not self._ttl.is_expired(stamped)]
        self._store([self._ttl.stamp(stamped[0]) for stamped in kept] if self._ttl.renews_on_read else kept)
        return visible

    def add(self, value: Any) -> None:
        self.add_all([value])

    def add_all(self, values: Iterable[Any]) -> None:
        self._store(self._table.get(self._cursor.key, []) + [self._ttl.stamp(value) for value in values])

    def update(self, values: Iterable[Any]) -> None:
        self._store([self._ttl.stamp(value) for value in values])

    def _store(self, stamped: list[Stamped]) -> None:
        self._on_use()
        if stamped:
            self._table[self._cursor.key] = stamped
        else:
            self.clear()


class TtlMap(TtlState, MapState):
    """A map whose entries expire one by one."""

    prune = staticmethod(prune_map)

    def get(self, key: Any) -> Any:
        self._on_use()
        stored = self._table.get(self._cursor.key, {})
        stamped = stored.get(key)
        if stamped is None:
            return None
        if self._ttl.is_expired(stamped):
            self.remove(key)
        elif self._ttl.renews_on_read:
            stored[key] = self._ttl.stamp(stamped[0])
        return stamped[0] if self._ttl.is_visible(stamped) else None

    def put(self, key: Any, value: Any) -> None:
        self._on_use()
        self._table.setdefault(self._cursor.key, {})[key] = self._ttl.stamp(value)

    def put_all(self, dict_value: Any) -> None:
        for key, value in dict(dict_value).items():
            self.put(key, value)

    def remove(self, key: Any) -> None:
        stored = self._table.get(self._cursor.key, {})
        stored.pop(key, None)
        if not stored:
            self.clear()

    def contains(self, key: Any) -> bool:
        stamped = self._visible(key)
        return stamped is not None and stamped[0] is not None

    def _visible(self, key: Any) -> Stamped | None:
        self._on_use()
        stamped = self._table.get(self._cursor.key, {}).get(key)
        return stamped if stamped is not None and self._ttl.is_visible(stamped) else None

    def items(self) -> list:
        keys = list(self._table.get(self._cursor.key, ()))
        return [(key, self.get(key)) for key in keys if self._visible(key) is not None]

    def keys(self) -> list:
        return [key for key, _ in self.items()]

    def values(self) -> list:
        return [value for _, value in self.items()]

    def is_empty(self) -> bool:
        return not any(self._visible(key) is not None for key in self._table.get(self._cursor.key, ()))


def ttl_state(descriptor: StateDescriptor, cursor: Any, table: dict, clock: Clock) -> Any:
    """A state object for a descriptor with a time to live; raises TypeError for one it does not know."""
    assert descriptor.ttl_config is not None
    ttl = TimeToLive(descriptor.ttl_config, clock)
    if isinstance(descriptor, ValueStateDescriptor):
        return TtlValue(cursor, table, ttl)
    if isinstance(descriptor, ListStateDescriptor):
        return TtlList(cursor, table, ttl)
    if isinstance(descriptor, MapStateDescriptor):
        return TtlMap(cursor, table, ttl)
    if isinstance(descriptor, ReducingStateDescriptor):
        return TtlReduction(cursor, table, ttl, descriptor.reduce)
    if isinstance(descriptor, AggregatingStateDescriptor):
        return TtlAggregation(cursor, table, ttl, descriptor.get_agg_function())
    raise TypeError(f"Unsupported state descriptor: {type(descriptor).__name__}")
