"""The contexts handed to process functions. One object per operator, pointed at one element after the other."""

from typing import Any

from flinkpy_dagster.operators.batch import MIN_TIMESTAMP
from flinkpy_dagster.operators.functions.process_functions import (
    BroadcastProcessFunction,
    CoProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    ProcessFunction,
)
from flinkpy_dagster.operators.state.broadcast_state import (
    BroadcastMap,
    BroadcastStateStore,
    ReadOnlyBroadcastMap,
)
from flinkpy_dagster.operators.state.state_descriptors import MapStateDescriptor
from flinkpy_dagster.operators.time.timer_service import TimeDomain, TimerService


class PlainContext(ProcessFunction.Context, CoProcessFunction.Context):
    """On streams without keys."""

    def __init__(self, owner: Any, timers: TimerService):
        self._owner = owner
        self._timers = timers
        self.element_timestamp = MIN_TIMESTAMP

    def timer_service(self) -> TimerService:
        return self._timers

    def timestamp(self) -> int:
        return self.element_timestamp

    def current_processing_time(self) -> int:
        """The clock of the task, ms."""
        return self._timers.current_processing_time()

    def current_watermark(self) -> int:
        """The watermark of the task, ms."""
        return self._timers.current_watermark()


class KeyedContext(PlainContext, KeyedProcessFunction.OnTimerContext, KeyedCoProcessFunction.OnTimerContext):
    """On keyed streams, for elements and for timers."""

    domain = TimeDomain.EVENT_TIME

    def get_current_key(self) -> Any:
        return self._owner.current_key

    def time_domain(self) -> TimeDomain:
        return self.domain


class BroadcastContext(PlainContext, BroadcastProcessFunction.Context, KeyedBroadcastProcessFunction.Context):
    """On the broadcast side."""

    def __init__(self, owner: Any, timers: TimerService, store: BroadcastStateStore):
        super().__init__(owner, timers)
        self._store = store

    def get_broadcast_state(self, state_descriptor: MapStateDescriptor) -> BroadcastMap:
        return self._store.get_broadcast_state(state_descriptor)


class ReadOnlyContext(PlainContext, BroadcastProcessFunction.ReadOnlyContext):
    """Beside a broadcast stream, without keys."""

    def __init__(self, owner: Any, timers: TimerService, store: BroadcastStateStore):
        super().__init__(owner, timers)
        self._store = store

    def get_broadcast_state(self, state_descriptor: MapStateDescriptor) -> ReadOnlyBroadcastMap:
        return self._store.get_read_only(state_descriptor)


class KeyedReadOnlyContext(KeyedContext, KeyedBroadcastProcessFunction.OnTimerContext):
    """Beside a broadcast stream, with keys: for elements and for timers."""

    def __init__(self, owner: Any, timers: TimerService, store: BroadcastStateStore):
        super().__init__(owner, timers)
        self._store = store

    def get_broadcast_state(self, state_descriptor: MapStateDescriptor) -> ReadOnlyBroadcastMap:
        return self._store.get_read_only(state_descriptor)
