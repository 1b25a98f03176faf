"""map, flat_map, filter and rolling reduce on keyed streams."""

from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any

from flinkpy_dagster.operators.batch import MAX_WATERMARK, Batch
from flinkpy_dagster.operators.elements.keyed_operator import KeyedOperator
from flinkpy_dagster.operators.operator import SLICE_SIZE, Setup, callable_of, close_function, open_function
from flinkpy_dagster.operators.results import timestamps_of
from flinkpy_dagster.operators.snapshots import ATOMS, is_immutable, snapshot
from flinkpy_dagster.operators.subtask_context import SubtaskContext
from flinkpy_dagster.types import TypeInformation


class KeyedElementsOperator(KeyedOperator):
    """Calls a function with one element after the other while state points at its key."""

    def __init__(self, function: Any, method: str, key_type: TypeInformation | None):
        super().__init__(key_type)
        self._function = function
        self._call: Callable = callable_of(function, method)

    def open(self, setup: Setup) -> None:
        super().open(setup)
        open_function(self._function, SubtaskContext(setup, self.backend))

    def close(self) -> None:
        close_function(self._function)

    def process(self, batch: Batch, input_index: int) -> None:
        call = self._call
        backend = self.backend
        keys = batch.keys or []
        columns = zip(batch.values, timestamps_of(batch), keys, self.state_keys(keys), strict=True)
        for value, timestamp, self.current_key, backend.key in columns:
            self.take(value, call(value), timestamp)
        self.results.flush()

    def take(self, value: Any, result: Any, timestamp: int) -> None:
        """Takes what the function returned for ``value``."""
        raise NotImplementedError


class KeyedMapOperator(KeyedElementsOperator):
    """One result per element."""

    def __init__(self, function: Any, key_type: TypeInformation | None):
        super().__init__(function, "map", key_type)

    def take(self, value: Any, result: Any, timestamp: int) -> None:
        self.results.take_one(result, timestamp)


class KeyedFlatMapOperator(KeyedElementsOperator):
    """Any number of results per element."""

    def __init__(self, function: Any, key_type: TypeInformation | None):
        super().__init__(function, "flat_map", key_type)

    def take(self, value: Any, result: Any, timestamp: int) -> None:
        self.results.take(result, timestamp)


class KeyedFilterOperator(KeyedElementsOperator):
    """Keeps elements the function is true for."""

    def __init__(self, function: Any, key_type: TypeInformation | None):
        super().__init__(function, "filter", key_type)

    def take(self, value: Any, result: Any, timestamp: int) -> None:
        if result:
            self.results.take_one(value, timestamp)


class ReduceOperator(KeyedOperator):
    """Rolling reduce: STREAMING emits the reduction so far for each element, BATCH once per key at the end.

    Each key is reduced by itself, so BATCH needs no grouping: timestamp order over all keys is timestamp order per key.
    """

    def __init__(self, function: Any, key_type: TypeInformation | None):
        super().__init__(key_type)
        self._function = function
        self._reduce: Callable[[Any, Any], Any] = callable_of(function, "reduce")

    def open(self, setup: Setup) -> None:
        super().open(setup)
        self._is_immutable = is_immutable(setup.output_type)
        self._table: dict = self.backend.tables.setdefault("_reduce_state", {})
        self._waiting: list[Batch] = []
        open_function(self._function, SubtaskContext(setup, self.backend))

    def process(self, batch: Batch, input_index: int) -> None:
        if not self.setup.is_batch:
            reduced = self._rolling(self.state_keys(batch.keys or []), batch.values)
            self.output.emit(Batch(reduced, batch.timestamps))
        elif batch.timestamps is None:
            self._rolling(self.state_keys(batch.keys or []), batch.values)
        else:
            self._waiting.append(batch)

    def _rolling(self, state_keys: list, values: list) -> list:
        """Reduces element by element; the reductions in the order of the elements."""
        table = self._table
        reduce = self._reduce
        reduced: list = []
        append = reduced.append
        get = table.get
        freezes = not (self._is_immutable or self.setup.is_batch)
        for key, value in zip(state_keys, values, strict=True):
            stored = get(key)
            if stored is not None or key in table:
                value = reduce(stored, value)
            table[key] = value
            append(value if not freezes or value.__class__ in ATOMS else snapshot(value))
        return reduced

    def approach(self, timestamp: int) -> Iterator[None]:
        if self.setup.is_batch and timestamp == MAX_WATERMARK:
            yield from self._emit_once_per_key()

    def _emit_once_per_key(self) -> Iterator[None]:
        """One result per key, in order of the keys' first elements."""
        rows: list[tuple] = []
        for batch in self._waiting:
            rows += zip(timestamps_of(batch), self.state_keys(batch.keys or []), batch.values, strict=True)
        self._waiting = []
        rows.sort(key=itemgetter(0))
        self._rolling([row[1] for row in rows], [row[2] for row in rows])
        reduced = list(self._table.values())
        self._table.clear()
        for start in range(0, len(reduced), SLICE_SIZE):
            part = reduced[start : start + SLICE_SIZE]
            # the timestamp of the timer by which PyFlink emits them
            self.output.emit(Batch(part, [MAX_WATERMARK] * len(part)))
            yield

    def close(self) -> None:
        close_function(self._function)
