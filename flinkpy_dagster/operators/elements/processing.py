"""Process functions with one or two inputs, with and without keys."""

from collections.abc import Callable
from typing import Any

from flinkpy_dagster.operators.batch import MIN_TIMESTAMP, Batch
from flinkpy_dagster.operators.elements.element_contexts import KeyedContext, PlainContext
from flinkpy_dagster.operators.elements.keyed_operator import KeyedOperator
from flinkpy_dagster.operators.operator import Operator, Setup, close_function, open_function
from flinkpy_dagster.operators.results import Results, timestamps_of
from flinkpy_dagster.operators.subtask_context import SubtaskContext
from flinkpy_dagster.operators.time.timer_service import TimeDomain
from flinkpy_dagster.operators.time.timers import ClockReading, KeyedTimerService, Timer
from flinkpy_dagster.types import TypeInformation


class ProcessOperator(Operator):
    """A (Co)ProcessFunction: ``methods`` names what is called for elements of each input."""

    def __init__(self, function: Any, methods: tuple[str, ...] = ("process_element",)):
        super().__init__()
        self._function = function
        self._calls = [getattr(function, method) for method in methods]

    def open(self, setup: Setup) -> None:
        super().open(setup)
        self._results = Results(self.output, setup.output_type)
        self._context = PlainContext(self, ClockReading(self))
        open_function(self._function, SubtaskContext(setup))

    def process(self, batch: Batch, input_index: int) -> None:
        call = self._calls[input_index]
        context = self._context
        take = self._results.take
        for value, timestamp in zip(batch.values, timestamps_of(batch), strict=True):
            context.element_timestamp = timestamp
            results = call(value, context)
            if results:
                take(results, timestamp)
        self._results.flush()

    def close(self) -> None:
        close_function(self._function)


class KeyedProcessOperator(KeyedOperator):
    """A Keyed(Co)ProcessFunction: ``methods`` names what is called for elements of each input."""

    context_kind = KeyedContext

    def __init__(
        self,
        function: Any,
        key_type: TypeInformation | None,
        methods: tuple[str, ...] = ("process_element",),
    ):
        super().__init__(key_type)
        self._function = function
        self._calls = [getattr(function, method) for method in methods]

    def open(self, setup: Setup) -> None:
        super().open(setup)
        self._context = KeyedContext(self, KeyedTimerService(self))
        self._timer_context = KeyedContext(self, KeyedTimerService(self))
        open_function(self._function, SubtaskContext(setup, self.backend))

    def process(self, batch: Batch, input_index: int) -> None:
        columns = self.results.columns()
        if columns is None:
            self._process_carefully(batch, self._calls[input_index])
        elif batch.timestamps is None:
            self._process_untimed(batch, self._calls[input_index], *columns)
        else:
            self._process_timed(batch, self._calls[input_index], *columns)
        self.results.flush()

    # Three loops, for this is where time is spent: each does per element what ``_process_carefully`` does, and
    # leaves out what does not matter in its case.

    def _process_carefully(self, batch: Batch, call: Callable) -> None:
        context, backend, take = self._context, self.backend, self.results.take
        keys = batch.keys or []
        columns = zip(batch.values, timestamps_of(batch), keys, self.state_keys(keys), strict=True)
        for value, timestamp, self.current_key, backend.key in columns:
            context.element_timestamp = timestamp
            made = call(value, context)
            if made:
                take(made, timestamp)

    def _process_timed(self, batch: Batch, call: Callable, values: list, timestamps: list) -> None:
        context, backend, extend = self._context, self.backend, values.extend
        keys = batch.keys or []
        columns = zip(batch.values, batch.timestamps, keys, self.state_keys(keys), strict=True)
        for value, timestamp, self.current_key, backend.key in columns:
            context.element_timestamp = timestamp
            made = call(value, context)
            if made:
                extend(made)
                timestamps += [timestamp] * (len(values) - len(timestamps))

    def _process_untimed(self, batch: Batch, call: Callable, values: list, timestamps: list) -> None:
        context, backend, extend = self._context, self.backend, values.extend
        context.element_timestamp = MIN_TIMESTAMP
        keys = batch.keys or []
        columns = zip(batch.values, keys, self.state_keys(keys), strict=True)
        for value, self.current_key, backend.key in columns:
            made = call(value, context)
            if made:
                extend(made)
        timestamps += [MIN_TIMESTAMP] * (len(values) - len(timestamps))

    def on_timer(self, timer: Timer, domain: TimeDomain) -> None:
        context = self._timer_context
        context.element_timestamp = timer.timestamp
        context.domain = domain
        results = self._function.on_timer(timer.timestamp, context)
        if results:
            self.results.take(results, timer.timestamp)

    def close(self) -> None:
        close_function(self._function)
