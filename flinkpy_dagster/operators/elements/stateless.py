"""map, flat_map, filter and the steps around keys: whole batches at a time."""

from itertools import chain, repeat
from typing import Any

from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.field_selectors import selected_field
from flinkpy_dagster.operators.operator import Operator, Setup, callable_of, close_function, open_function
from flinkpy_dagster.operators.snapshots import ATOMS, are_alike, is_immutable, snapshot
from flinkpy_dagster.operators.subtask_context import SubtaskContext
from flinkpy_dagster.types.typed_values import TypedValues


class FunctionOperator(Operator):
    """Holds a user function and brackets its life."""

    def __init__(self, function: Any, method: str):
        super().__init__()
        self._function = function
        self._call = callable_of(function, method)

    def open(self, setup: Setup) -> None:
        super().open(setup)
        open_function(self._function, SubtaskContext(setup))

    def close(self) -> None:
        close_function(self._function)


class Freezer:
    """Decides per operator whether results must be copied as they are made (see ``snapshots``).

    The first batch with values that can change is copied; if all of them were objects of their own, the
    function makes new objects and later batches are taken as they are.
    """

    def __init__(self, is_needed: bool):
        self.is_needed = is_needed

    def learn(self, values: list, frozen: list) -> None:
        """Looks at the results before and after copying."""
        self.is_needed = not are_alike(values, frozen)


class MapOperator(FunctionOperator):
    """One result per element."""

    def __init__(self, function: Any):
        super().__init__(function, "map")

    def open(self, setup: Setup) -> None:
        super().open(setup)
        self._freezer = Freezer(not is_immutable(setup.output_type))

    def process(self, batch: Batch, input_index: int) -> None:
        call = self._call
        if not self._freezer.is_needed:
            values = [call(value) for value in batch.values]
        else:
            values = self._frozen(batch.values)
        self.output.emit(Batch(values, batch.timestamps))

    def _frozen(self, values: list) -> list:
        call = self._call
        made: list = []
        frozen: list = []
        for value in values:
            result = call(value)
            made.append(result)
            frozen.append(result if result.__class__ in ATOMS else snapshot(result))
        self._freezer.learn(made, frozen)
        return frozen


class FlatMapOperator(FunctionOperator):
    """Any number of results per element."""

    def __init__(self, function: Any):
        super().__init__(function, "flat_map")

    def open(self, setup: Setup) -> None:
        super().open(setup)
        self._freezer = Freezer(not is_immutable(setup.output_type))

    def process(self, batch: Batch, input_index: int) -> None:
        call = self._call
        if self._freezer.is_needed:
            groups = self._frozen(batch.values)
        elif batch.timestamps is None:
            values = list(chain.from_iterable([call(value) for value in batch.values]))
            self.output.emit(Batch(values))
            return
        else:
            groups = [list(call(value)) for value in batch.values]
        self.output.emit(Batch(list(chain.from_iterable(groups)), spread(batch.timestamps, groups)))

    def _frozen(self, values: list) -> list[list]:
        call = self._call
        made: list = []
        frozen: list[list] = []
        for value in values:
            group = []
            for result in call(value):
                made.append(result)
                group.append(result if result.__class__ in ATOMS else snapshot(result))
            frozen.append(group)
        self._freezer.learn(made, list(chain.from_iterable(frozen)))
        return frozen


def spread(timestamps: list | None, groups: list[list]) -> list | None:
    """The timestamp of each input element, once for each of its results."""
    if timestamps is None:
        return None
    return list(chain.from_iterable(map(repeat, timestamps, map(len, groups))))


class FilterOperator(FunctionOperator):
    """Keeps elements the function is true for."""

    def __init__(self, function: Any):
        super().__init__(function, "filter")

    def process(self, batch: Batch, input_index: int) -> None:
        call = self._call
        if batch.timestamps is None:
            self.output.emit(Batch([value for value in batch.values if call(value)]))
            return
        kept = [pair for pair in zip(batch.values, batch.timestamps, strict=True) if call(pair[0])]
        self.output.emit(Batch([value for value, _ in kept], [timestamp for _, timestamp in kept]))


class KeyByOperator(FunctionOperator):
    """Puts keys beside the values."""

    def __init__(self, selector: Any):
        super().__init__(selector, "get_key")
        self._field = selected_field(self._call)
        self.takes_columns = self._field is not None

    def process(self, batch: Batch, input_index: int) -> None:
        keys: Any = None
        if self._field is not None and isinstance(batch.values, TypedValues):
            keys = batch.values.field(self._field)
        if keys is None:
            call = self._call
            keys = [call(value) for value in batch.values]
        self.output.emit(Batch(batch.values, batch.timestamps, keys))


class DropKeysOperator(Operator):
    """Forgets the keys."""

    takes_columns = True

    def process(self, batch: Batch, input_index: int) -> None:
        self.output.emit(Batch(batch.values, batch.timestamps))


class PassOperator(Operator):
    """Does nothing: steps that only the plan has."""

    takes_columns = True
