"""Keyed state in memory: one table per state, from key to what is stored for it.

States look up the *current key* of their cursor. The operator moves the cursor once per element; the state
objects stay the same, so that functions can keep them. A window operator uses a second cursor whose keys are
pairs of key and window.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import chain
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
from flinkpy_dagster.operators.state.state_evolution import Convert
from flinkpy_dagster.operators.state.state_types import conversion, evolved_type
from flinkpy_dagster.operators.state.states import (
    AggregatingState,
    ListState,
    MapState,
    ReducingState,
    ValueState,
)
from flinkpy_dagster.operators.state.ttl_cleanup import Prune
from flinkpy_dagster.operators.state.ttl_state import TtlState, ttl_state

ABSENT = object()


class Cursor:
    """Holds the current key of some states."""

    __slots__ = ("key",)

    def __init__(self) -> None:
        self.key: Hashable = None


class StoredState:
    """A table and the cursor into it."""

    __slots__ = ("_cursor", "_table")

    def __init__(self, cursor: Cursor, table: dict):
        self._cursor = cursor
        self._table = table

    def clear(self) -> None:
        """Forgets what is stored for the current key."""
        self._table.pop(self._cursor.key, None)


class StoredValue(StoredState, ValueState):
    """A value as it is; None is never stored."""

    __slots__ = ("_get",)

    def __init__(self, cursor: Cursor, table: dict):
        super().__init__(cursor, table)
        self._get = table.get

    def value(self) -> Any:
        return self._get(self._cursor.key)

    def update(self, value: Any) -> None:
        if value is None:
            self._table.pop(self._cursor.key, None)
        else:
            self._table[self._cursor.key] = value


class StoredList(StoredState, ListState):
    """A Python list; an empty one is never stored."""

    __slots__ = ()

    def get(self) -> list:
        """A copy, so that the state can be changed while it is read."""
        return list(self._table.get(self._cursor.key, ()))

    def add(self, value: Any) -> None:
        stored = self._table.get(self._cursor.key)
        if stored is None:
            self._table[self._cursor.key] = [value]
        else:
            stored.append(value)

    def add_all(self, values: Iterable[Any]) -> None:
        added = list(values)
        if added:
            self._table.setdefault(self._cursor.key, []).extend(added)

    def update(self, values: Iterable[Any]) -> None:
        replaced = list(values)
        if replaced:
            self._table[self._cursor.key] = replaced
        else:
            self.clear()


class StoredMap(StoredState, MapState):
    """A Python dict; an empty one is never stored."""

    __slots__ = ()

    def get(self, key: Any) -> Any:
        stored = self._table.get(self._cursor.key)
        return None if stored is None else stored.get(key)

    def put(self, key: Any, value: Any) -> None:
        stored = self._table.get(self._cursor.key)
        if stored is None:
            self._table[self._cursor.key] = {key: value}
        else:
            stored[key] = value

    def put_all(self, dict_value: Any) -> None:
        added = dict(dict_value)
        if added:
            self._table.setdefault(self._cursor.key, {}).update(added)

    def remove(self, key: Any) -> None:
        stored = self._table.get(self._cursor.key)
        if stored is not None and stored.pop(key, ABSENT) is not ABSENT and not stored:
            self.clear()

    def contains(self, key: Any) -> bool:
        stored = self._table.get(self._cursor.key)
        return stored is not None and stored.get(key) is not None

    def items(self) -> list:
        """A copy, so that the state can be changed while it is read."""
        return list(self._table.get(self._cursor.key, {}).items())

    def keys(self) -> list:
        """A copy, so that the state can be changed while it is read."""
        return list(self._table.get(self._cursor.key, ()))

    def values(self) -> list:
        """A copy, so that the state can be changed while it is read."""
        return list(self._table.get(self._cursor.key, {}).values())

    def is_empty(self) -> bool:
        return self._cursor.key not in self._table


class StoredReduction(StoredState, ReducingState):
    """The reduction so far."""

    __slots__ = ("_reduce",)

    def __init__(self, cursor: Cursor, table: dict, reduce: Callable[[Any, Any], Any]):
        super().__init__(cursor, table)
        self._reduce = reduce

    def get(self) -> Any:
        return self._table.get(self._cursor.key)

    def add(self, value: Any) -> None:
        key = self._cursor.key
        stored = self._table.get(key, ABSENT)
        self._table[key] = value if stored is ABSENT else self._reduce(stored, value)


class StoredAggregation(StoredState, AggregatingState):
    """The accumulator so far."""

    __slots__ = ("_aggregate",)

    def __init__(self, cursor: Cursor, table: dict, aggregate: Any):
        super().__init__(cursor, table)
        self._aggregate = aggregate

    def get(self) -> Any:
        stored = self._table.get(self._cursor.key, ABSENT)
        return None if stored is ABSENT else self._aggregate.get_result(stored)

    def add(self, value: Any) -> None:
        key = self._cursor.key
        stored = self._table.get(key, ABSENT)
        if stored is ABSENT:
            stored = self._aggregate.create_accumulator()
        self._table[key] = self._aggregate.add(value, stored)


class KeyedStateBackend(Cursor):
    """All keyed state of one operator in one subtask; itself the cursor of states without namespace.

    ``tables`` maps the name of a state to its table, from key to what is stored; ``namespaced`` the same for states at
    other cursors, from pairs of key and token of a namespace.
    """

    __slots__ = (
        "_clock",
        "_operator_name",
        "_restored_types",
        "_states",
        "conversions",
        "namespaced",
        "tables",
        "types",
    )

    def __init__(
        self, clock: Clock, restored_types: Mapping[str, str] | None = None, operator_name: str = ""
    ):
        super().__init__()
        self._clock = clock
        self._restored_types = restored_types or {}
        self._operator_name = operator_name
        self.types: dict[str, str] = {}
        self.conversions: dict[str, Convert] = {}
        self._states: dict[tuple[str, int], Any] = {}
        self.tables: dict[str, dict] = {}
        self.namespaced: dict[str, dict] = {}

    def state(self, descriptor: StateDescriptor, cursor: Cursor | None = None) -> Any:
        """The state that ``descriptor`` names, at ``cursor`` or at the current key; the same object each time."""
        owner = self if cursor is None else cursor
        known = self._states.get((descriptor.name, id(owner)))
        if known is None:
            tables = self.tables if cursor is None else self.namespaced
            table = tables.setdefault(descriptor.name, {})
            self._declare(descriptor, table)
            known = self._states[descriptor.name, id(owner)] = make_state(
                descriptor, owner, table, self._clock
            )
        elif not isinstance(known, kind := _KINDS[type(descriptor)]):
            raise ValueError(
                f"The state name '{descriptor.name}' is already in use and not a {kind.__name__}."
            )
        return known

    def _declare(self, descriptor: StateDescriptor, table: dict) -> None:
        """Notes the type; values of an older one, those in memory and those fetched later, are made to fit."""
        name = descriptor.name
        before = self._restored_types.get(name)
        if before is not None and name not in self.types:
            convert = conversion(descriptor, before, self._operator_name)
            if convert is not None:
                self.conversions[name] = convert
                table.update([(key, convert(value)) for key, value in table.items()])
        self.types[name] = evolved_type(descriptor, is_evolved=name in self.conversions)

    def expiring(self) -> list[tuple[str, dict, Prune, int]]:
        """Name, table, way to prune and time to live (ms) of the states whose values expire and are cleaned up."""
        return [
            (name, state.table, state.prune, state.ttl_ms)
            for (name, _), state in self._states.items()
            if isinstance(state, TtlState) and state.is_cleaned_up
        ]

    def drop_all(self) -> None:
        """Forgets everything stored, for all keys (BATCH mode: after each key)."""
        for table in chain(self.tables.values(), self.namespaced.values()):
            table.clear()


_KINDS: dict[type[StateDescriptor], type] = {
    ValueStateDescriptor: ValueState,
    ListStateDescriptor: ListState,
    MapStateDescriptor: MapState,
    ReducingStateDescriptor: ReducingState,
    AggregatingStateDescriptor: AggregatingState,
}


def make_state(descriptor: StateDescriptor, cursor: Cursor, table: dict, clock: Clock) -> Any:
    """A state object for a descriptor; raises TypeError for one it does not know."""
    if descriptor.ttl_config is not None:
        return ttl_state(descriptor, cursor, table, clock)
    if isinstance(descriptor, ValueStateDescriptor):
        return StoredValue(cursor, table)
    if isinstance(descriptor, ListStateDescriptor):
        return StoredList(cursor, table)
    if isinstance(descriptor, MapStateDescriptor):
        return StoredMap(cursor, table)
    if isinstance(descriptor, ReducingStateDescriptor):
        return StoredReduction(cursor, table, descriptor.reduce)
    if isinstance(descriptor, AggregatingStateDescriptor):
        return StoredAggregation(cursor, table, descriptor.get_agg_function())
    raise TypeError(f"Unsupported state descriptor: {type(descriptor).__name__}")


def merge_namespaces(state: Any, target: Hashable, sources: Iterable[Hashable]) -> None:
    """Merges what a reducing, aggregating or list state has stored at ``sources`` into ``target``; drops the
    sources.
    """
    table = state._table
    for source in sources:
        moved = table.pop(source, ABSENT)
        if moved is ABSENT:
            continue
        stored = table.get(target, ABSENT)
        table[target] = moved if stored is ABSENT else merged(state, stored, moved)


def merged(state: Any, stored: Any, moved: Any) -> Any:
    """Two stored contents of one state as one; raises TypeError for states that cannot merge."""
    if isinstance(state, StoredList):
        return stored + moved
    if isinstance(state, StoredReduction):
        return state._reduce(stored, moved)
    if isinstance(state, StoredAggregation):
        return state._aggregate.merge(stored, moved)
    raise TypeError("The given state descriptor does not refer to a mergeable state (MergingState)")
