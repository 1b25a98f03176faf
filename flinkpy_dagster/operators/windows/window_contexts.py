"""What window functions, triggers, assigners and evictors are handed. One object of each per operator."""

from typing import Any, NoReturn

from flinkpy_dagster.operators.functions.runtime_context import KeyedStateStore, RuntimeContext
from flinkpy_dagster.operators.functions.window_functions import (
    ProcessAllWindowFunction,
    ProcessWindowFunction,
)
from flinkpy_dagster.operators.metric_registry import MetricRegistry
from flinkpy_dagster.operators.state.keyed_state import Cursor, merge_namespaces
from flinkpy_dagster.operators.state.state_descriptors import StateDescriptor
from flinkpy_dagster.operators.subtask_context import SubtaskContext
from flinkpy_dagster.operators.windows.evictors import Evictor
from flinkpy_dagster.operators.windows.triggers import Trigger
from flinkpy_dagster.operators.windows.window_assigners import WindowAssigner
from flinkpy_dagster.operators.windows.window_values import CountWindow, TimeWindow


def token_of(window: Any) -> Any:
    """A stand-in for a window that is quick to hash."""
    if window.__class__ is TimeWindow:
        return window.start, window.end
    if window.__class__ is CountWindow:
        return window.id
    return window


class OperatorTimes:
    """The clock and the watermark of an operator."""

    def __init__(self, owner: Any):
        self._owner = owner

    def get_current_processing_time(self) -> int:
        """The clock, ms."""
        return self._owner.setup.clock.now_ms()

    def get_current_watermark(self) -> int:
        """The watermark, ms."""
        return self._owner.watermark


class EvictionContext(OperatorTimes, Evictor.EvictorContext):
    """For evictors."""


class AssignmentContext(OperatorTimes, WindowAssigner.WindowAssignerContext):
    """For assigners."""

    def __init__(self, owner: Any, runtime_context: RuntimeContext):
        super().__init__(owner)
        self._runtime_context = runtime_context

    def get_runtime_context(self) -> RuntimeContext:
        return self._runtime_context


class TriggerCallContext(OperatorTimes, Trigger.OnMergeContext):
    """For triggers: timers and state of ``window`` and the current key."""

    def __init__(self, owner: Any):
        super().__init__(owner)
        self._cursor = Cursor()
        self.window: Any = None
        self.merged_windows: list = []

    def point_at(self, window: Any) -> None:
        """Makes ``window`` of the current key the one at hand."""
        self.window = window
        self._cursor.key = (self._owner.backend.key, token_of(window))

    def get_metric_group(self) -> MetricRegistry:
        return self._owner.setup.metrics

    def register_processing_time_timer(self, time: int) -> None:
        owner = self._owner
        key = owner.backend.key
        owner.processing_timers.add(time, key, owner.current_key, self.window, self._cursor.key[1])  # type: ignore[index]

    def register_event_time_timer(self, time: int) -> None:
        owner = self._owner
        key = owner.backend.key
        owner.event_timers.add(time, key, owner.current_key, self.window, self._cursor.key[1])  # type: ignore[index]

    def delete_processing_time_timer(self, time: int) -> None:
        self._owner.processing_timers.remove(time, self._owner.backend.key, self._cursor.key[1])  # type: ignore[index]

    def delete_event_time_timer(self, time: int) -> None:
        self._owner.event_timers.remove(time, self._owner.backend.key, self._cursor.key[1])  # type: ignore[index]

    def get_partitioned_state(self, state_descriptor: StateDescriptor) -> Any:
        return self._owner.backend.state(state_descriptor, self._cursor)

    def merge_partitioned_state(self, state_descriptor: StateDescriptor) -> None:
        state = self.get_partitioned_state(state_descriptor)
        key = self._owner.backend.key
        merge_namespaces(state, self._cursor.key, [(key, token_of(window)) for window in self.merged_windows])


class WindowStateStore(SubtaskContext):
    """State of the current key in the window that ``cursor`` points at."""

    def __init__(self, owner: Any, cursor: Cursor):
        super().__init__(owner.setup, owner.backend)
        self._cursor = cursor

    def _keyed(self, state_descriptor: Any) -> Any:
        assert self._backend is not None
        return self._backend.state(state_descriptor, self._cursor)


class NoWindowState(SubtaskContext):
    """Of windows that merge, which have no state of their own."""

    def _keyed(self, state_descriptor: Any) -> NoReturn:
        raise RuntimeError("Per-window state is not allowed when using merging windows.")


class FunctionContext(ProcessWindowFunction.Context, ProcessAllWindowFunction.Context):
    """For window functions: the window at hand, times and state."""

    def __init__(self, owner: Any, global_state: SubtaskContext, is_merging: bool):
        self._owner = owner
        self._cursor = Cursor()
        self._window: Any = None
        self._token: Any = None
        self._global_state = global_state
        self._window_state: SubtaskContext = (
            NoWindowState(owner.setup) if is_merging else WindowStateStore(owner, self._cursor)
        )

    def point_at(self, window: Any) -> None:
        """Makes ``window`` of the current key the one at hand."""
        if window is not self._window:
            self._window = window
            self._token = token_of(window)
        self._cursor.key = (self._owner.backend.key, self._token)

    def window(self) -> Any:
        return self._window

    def current_processing_time(self) -> int:
        return self._owner.setup.clock.now_ms()

    def current_watermark(self) -> int:
        return self._owner.watermark

    def window_state(self) -> KeyedStateStore:
        return self._window_state

    def global_state(self) -> KeyedStateStore:
        return self._global_state
