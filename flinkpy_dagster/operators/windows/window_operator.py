"""Windows of any kind: any assigner, trigger and evictor, merging or not (Flink's ``WindowOperator``).

Aligned event time windows with their default trigger, by far the most used, have a faster operator of their own:
``aligned_windows``.
"""

from collections.abc import Iterable
from typing import Any

from flinkpy_dagster.operators.batch import MAX_WATERMARK, Batch
from flinkpy_dagster.operators.elements.keyed_operator import KeyedOperator
from flinkpy_dagster.operators.operator import Setup, close_function, open_function
from flinkpy_dagster.operators.results import timestamps_of
from flinkpy_dagster.operators.specs import Window
from flinkpy_dagster.operators.state.keyed_state import Cursor, merge_namespaces
from flinkpy_dagster.operators.state.states import ListState
from flinkpy_dagster.operators.subtask_context import SubtaskContext
from flinkpy_dagster.operators.time.timer_service import TimeDomain
from flinkpy_dagster.operators.time.timers import Timer
from flinkpy_dagster.operators.windows.evictors import TimestampedValue
from flinkpy_dagster.operators.windows.merging_windows import MergingWindowSet
from flinkpy_dagster.operators.windows.triggers import TriggerResult
from flinkpy_dagster.operators.windows.window_assigners import MergingWindowAssigner
from flinkpy_dagster.operators.windows.window_contents import (
    contents_descriptor,
    evaluation_of_evicted,
    has_clear,
    window_call,
)
from flinkpy_dagster.operators.windows.window_contexts import (
    AssignmentContext,
    EvictionContext,
    FunctionContext,
    TriggerCallContext,
    token_of,
)

LATE_ELEMENTS_DROPPED = "numLateRecordsDropped"


class WindowOperator(KeyedOperator):
    """Assigns elements to windows, keeps their contents, and evaluates windows when the trigger says so."""

    def __init__(self, spec: Window):
        super().__init__(spec.key_type)
        self._spec = spec
        self._assigner = spec.assigner
        self._trigger = spec.trigger if spec.trigger is not None else spec.assigner.get_default_trigger(None)
        self._lateness_ms = spec.allowed_lateness_ms
        self._is_event_time: bool = spec.assigner.is_event_time()
        self._is_merging = isinstance(spec.assigner, MergingWindowAssigner)
        self._call = window_call(spec.function)
        self._wants_clear = has_clear(spec.function)

    def open(self, setup: Setup) -> None:
        super().open(setup)
        runtime_context = SubtaskContext(setup, self.backend)
        self._trigger_context = TriggerCallContext(self)
        self._function_context = FunctionContext(self, runtime_context, self._is_merging)
        self._assignment_context = AssignmentContext(self, runtime_context)
        self._eviction_context = EvictionContext(self)
        self._contents_cursor = Cursor()
        self._contents = self.backend.state(contents_descriptor(self._spec), self._contents_cursor)
        self._merging_sets = self.backend.tables.setdefault("merging-window-set", {})
        self._evaluate_evicted = evaluation_of_evicted(self._spec)
        open_function(self._spec.function, runtime_context)
        for function in (self._spec.reduce, self._spec.aggregate):
            open_function(function, runtime_context)

    def close(self) -> None:
        for function in (self._spec.function, self._spec.reduce, self._spec.aggregate):
            close_function(function)

    # --- elements

    def process(self, batch: Batch, input_index: int) -> None:
        backend = self.backend
        keys = batch.keys or []
        take_element = self._take_into_merging if self._is_merging else self._take
        columns = zip(batch.values, timestamps_of(batch), keys, self.state_keys(keys), strict=True)
        for value, timestamp, self.current_key, backend.key in columns:
            windows = self._assigner.assign_windows(value, timestamp, self._assignment_context)
            if not take_element(windows, value, timestamp) and self._is_element_late(timestamp):
                self._reject(value, timestamp)
        self.results.flush()

    def _take(self, windows: Iterable[Any], value: Any, timestamp: int) -> bool:
        """Adds an element to windows that do not merge; is there one that is not late?"""
        is_taken = False
        for window in windows:
            if not self._is_window_late(window):
                is_taken = True
                self._add(window, window, value, timestamp)
        return is_taken

    def _take_into_merging(self, windows: Iterable[Any], value: Any, timestamp: int) -> bool:
        """Adds an element to windows that merge; is there one that is not late?"""
        is_taken = False
        merging = self._merging_set()
        for new_window in windows:
            window = merging.add(new_window, self._merge)
            if self._is_window_late(window):
                merging.retire(window)
            else:
                is_taken = True
                self._add(window, merging.state_window(window), value, timestamp)
        self._store_merging_set()
        return is_taken

    def _add(self, window: Any, state_window: Any, value: Any, timestamp: int) -> None:
        self._point_contents_at(state_window)
        self._contents.add(value if self._spec.evictor is None else TimestampedValue(value, timestamp))
        context = self._trigger_context
        context.point_at(window)
        self._act(self._trigger.on_element(value, timestamp, window, context), window, timestamp)
        self._register_cleanup(window)

    def _act(self, result: TriggerResult, window: Any, timestamp: int) -> None:
        """Does what the trigger said; results carry ``timestamp``."""
        if result.is_fire():
            self._emit(window, timestamp)
        if result.is_purge():
            self._contents.clear()

    def _reject(self, value: Any, timestamp: int) -> None:
        if self._spec.late_tag is not None:
            self.results.take_aside(self._spec.late_tag.tag_id, value, timestamp)
        else:
            self.setup.metrics.counter(LATE_ELEMENTS_DROPPED).inc()

    # --- timers

    def on_timer(self, timer: Timer, domain: TimeDomain) -> None:
        window = timer.namespace
        merging = self._merging_set() if self._is_merging else None
        state_window = window if merging is None else merging.state_window(window)
        if state_window is None:
            return  # the window was merged into another one
        self._point_contents_at(state_window)
        context = self._trigger_context
        context.point_at(window)
        is_event_time = domain is TimeDomain.EVENT_TIME
        ask = self._trigger.on_event_time if is_event_time else self._trigger.on_processing_time
        self._act(ask(timer.timestamp, window, context), window, timer.timestamp)
        if is_event_time == self._is_event_time and timer.timestamp == self._cleanup_time(window):
            self._forget(window, merging)
        if merging is not None:
            self._store_merging_set()

    def _forget(self, window: Any, merging: MergingWindowSet | None) -> None:
        """Drops contents and state of a window whose time is over."""
        self._contents.clear()
        self._trigger_context.point_at(window)
        self._trigger.clear(window, self._trigger_context)
        if self._wants_clear:
            self._function_context.point_at(window)
            self._spec.function.clear(self._function_context)  # type: ignore[union-attr]
        if merging is not None:
            merging.retire(window)

    # --- evaluation

    def _emit(self, window: Any, timestamp: int) -> None:
        contents = self._contents.get()
        is_list = isinstance(self._contents, ListState)
        if contents is None or (is_list and not contents):
            return
        if self._spec.evictor is not None:
            self._emit_evicting(window, contents, timestamp)
        else:
            self._evaluate(window, contents if is_list else [contents], timestamp)

    def _emit_evicting(self, window: Any, contents: list, timestamp: int) -> None:
        evictor, context = self._spec.evictor, self._eviction_context
        assert evictor is not None
        before = list(evictor.evict_before(contents, len(contents), window, context))
        left = self._evaluate_evicted([element.value for element in before])
        self._evaluate(window, left, timestamp)
        self._contents.update(evictor.evict_after(before, len(before), window, context))

    def _evaluate(self, window: Any, values: list, timestamp: int) -> None:
        self._function_context.point_at(window)
        results = self._call(self.current_key, window, self._function_context, values)
        if results:
            self.results.take(results, timestamp)

    # --- merging

    def _merging_set(self) -> MergingWindowSet:
        return MergingWindowSet(self._assigner, self._merging_sets.setdefault(self.backend.key, {}))

    def _store_merging_set(self) -> None:
        if not self._merging_sets.get(self.backend.key, True):
            del self._merging_sets[self.backend.key]

    def _merge(self, merged_window: Any, windows: set, state_window: Any, moved: list) -> None:
        """Windows become one: the trigger is told, their timers go, their contents are merged."""
        self._check_end_of_merged(merged_window)
        context = self._trigger_context
        context.point_at(merged_window)
        context.merged_windows = list(windows)
        self._trigger.on_merge(merged_window, context)
        for window in windows:
            context.point_at(window)
            self._trigger.clear(window, context)
            self._delete_cleanup(window)
        key = self.backend.key
        sources = [(key, token_of(window)) for window in moved]
        merge_namespaces(self._contents, (key, token_of(state_window)), sources)

    def _check_end_of_merged(self, window: Any) -> None:
        if self._is_event_time:
            if window.max_timestamp() + self._lateness_ms <= self.watermark:
                raise RuntimeError(
                    "The end timestamp of an event-time window cannot become earlier than the current watermark by "
                    f"merging. Current watermark: {self.watermark} window: {window}"
                )
        elif window.max_timestamp() <= self.setup.clock.now_ms():
            raise RuntimeError(
                "The end timestamp of a processing-time window cannot become earlier than the current processing "
                f"time by merging. Current processing time: {self.setup.clock.now_ms()} window: {window}"
            )

    # --- time

    def _point_contents_at(self, state_window: Any) -> None:
        self._contents_cursor.key = (self.backend.key, token_of(state_window))

    def _cleanup_time(self, window: Any) -> int:
        end = window.max_timestamp()
        return min(end + self._lateness_ms, MAX_WATERMARK) if self._is_event_time else end

    def _register_cleanup(self, window: Any) -> None:
        time = self._cleanup_time(window)
        if time == MAX_WATERMARK:
            return
        if self._is_event_time:
            self._trigger_context.register_event_time_timer(time)
        else:
            self._trigger_context.register_processing_time_timer(time)

    def _delete_cleanup(self, window: Any) -> None:
        time = self._cleanup_time(window)
        if self._is_event_time:
            self._trigger_context.delete_event_time_timer(time)
        else:
            self._trigger_context.delete_processing_time_timer(time)

    def _is_window_late(self, window: Any) -> bool:
        return self._is_event_time and self._cleanup_time(window) <= self.watermark

    def _is_element_late(self, timestamp: int) -> bool:
        return self._is_event_time and timestamp + self._lateness_ms <= self.watermark
