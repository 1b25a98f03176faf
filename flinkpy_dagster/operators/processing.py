"""Process functions with one or two inputs, with and without keys."""

from typing import Any

from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.element_contexts import KeyedContext, PlainContext
from flinkpy_dagster.operators.keyed_operator import KeyedOperator
from flinkpy_dagster.operators.operator import Operator, Setup, close_function, open_function
from flinkpy_dagster.operators.output_tag import OutputTag
from flinkpy_dagster.operators.results import Results, timestamps_of
from flinkpy_dagster.operators.snapshots import ATOMS
from flinkpy_dagster.operators.subtask_context import SubtaskContext
from flinkpy_dagster.operators.timer_service import TimeDomain
from flinkpy_dagster.operators.timers import ClockReading, KeyedTimerService, Timer
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
        call = self._calls[input_index]
        context, backend, results = self._context, self.backend, self.results
        append, stamp, freeze = results.appenders()
        keys = batch.keys or []
        columns = zip(batch.values, timestamps_of(batch), keys, self.state_keys(keys), strict=True)
        for value, timestamp, self.current_key, backend.key in columns:
            context.element_timestamp = timestamp
            made = call(value, context)
            if made:
                # what Results.take does: the call is worth saving here
                for result in made:
                    if result.__class__ not in ATOMS:
                        if result.__class__ is tuple and result and result[0].__class__ is OutputTag:
                            results.take_aside(result[0].tag_id, result[1], timestamp)
                            continue
                        if freeze is not None:
                            result = freeze(result)
                    append(result)
                    stamp(timestamp)
        results.flush()

    def on_timer(self, timer: Timer, domain: TimeDomain) -> None:
        context = self._timer_context
        context.element_timestamp = timer.timestamp
        context.domain = domain
        results = self._function.on_timer(timer.timestamp, context)
        if results:
            self.results.take(results, timer.timestamp)

    def close(self) -> None:
        close_function(self._function)
