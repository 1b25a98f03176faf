"""When windows are evaluated (``pyflink.datastream.window``)."""

from abc import ABC, abstractmethod
from enum import Enum
from typing import Any, Generic, TypeVar

from flinkpy_dagster.operators.functions.metrics import MetricGroup
from flinkpy_dagster.operators.state.state_descriptors import ReducingStateDescriptor, StateDescriptor
from flinkpy_dagster.operators.state.states import State
from flinkpy_dagster.operators.time.watermarks import milliseconds_of
from flinkpy_dagster.types import Types

T = TypeVar("T")
W = TypeVar("W")


class TriggerResult(Enum):
    """What happens with a window: (is it evaluated, are its contents dropped)."""

    CONTINUE = (False, False)
    FIRE_AND_PURGE = (True, True)
    FIRE = (True, False)
    PURGE = (False, True)

    def __init__(self, fires: bool, purges: bool):
        self._fires = fires
        self._purges = purges

    def is_fire(self) -> bool:
        """Is the window function called?"""
        return self._fires

    def is_purge(self) -> bool:
        """Are the contents dropped?"""
        return self._purges


CONTINUE, FIRE = TriggerResult.CONTINUE, TriggerResult.FIRE


class Trigger(ABC, Generic[T, W]):
    """Decides when a window of a key is evaluated. It keeps no state but what the context gives it."""

    class TriggerContext(ABC):
        """Times, timers and state of the window and key at hand."""

        @abstractmethod
        def get_current_processing_time(self) -> int:
            """The clock of the task, ms."""

        @abstractmethod
        def get_metric_group(self) -> MetricGroup:
            """The metrics of the operator."""

        @abstractmethod
        def get_current_watermark(self) -> int:
            """The watermark of the task, ms."""

        @abstractmethod
        def register_processing_time_timer(self, time: int) -> None:
            """Calls ``on_processing_time`` when the clock has passed ``time``."""

        @abstractmethod
        def register_event_time_timer(self, time: int) -> None:
            """Calls ``on_event_time`` when the watermark has reached ``time``."""

        @abstractmethod
        def delete_processing_time_timer(self, time: int) -> None:
            """Forgets that timer."""

        @abstractmethod
        def delete_event_time_timer(self, time: int) -> None:
            """Forgets that timer."""

        @abstractmethod
        def get_partitioned_state(self, state_descriptor: StateDescriptor) -> State:
            """State of this window and key."""

    class OnMergeContext(TriggerContext):
        """The same for a window that others were merged into."""

        @abstractmethod
        def merge_partitioned_state(self, state_descriptor: StateDescriptor) -> None:
            """Merges that state of the merged windows into that of the new one."""

    @abstractmethod
    def on_element(
        self, element: T, timestamp: int, window: W, ctx: "Trigger.TriggerContext"
    ) -> TriggerResult:
        """Called for each element of the window."""

    @abstractmethod
    def on_processing_time(self, time: int, window: W, ctx: "Trigger.TriggerContext") -> TriggerResult:
        """Called for a processing time timer."""

    @abstractmethod
    def on_event_time(self, time: int, window: W, ctx: "Trigger.TriggerContext") -> TriggerResult:
        """Called for an event time timer."""

    def can_merge(self) -> bool:
        """May windows with this trigger merge?"""
        return False

    @abstractmethod
    def on_merge(self, window: W, ctx: "Trigger.OnMergeContext") -> None:
        """Called when others were merged into ``window``."""

    @abstractmethod
    def clear(self, window: W, ctx: "Trigger.TriggerContext") -> None:
        """Drops timers and state of a window that goes away."""


class EventTimeTrigger(Trigger[T, Any]):
    """Fires when the watermark passes the end of the window, and again for each late element."""

    @staticmethod
    def create() -> "EventTimeTrigger":
        """The trigger."""
        return EventTimeTrigger()

    def on_element(self, element: T, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        end = window.max_timestamp()
        if end <= ctx.get_current_watermark():
            return FIRE
        ctx.register_event_time_timer(end)
        return CONTINUE

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return CONTINUE

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return FIRE if time == window.max_timestamp() else CONTINUE

    def can_merge(self) -> bool:
        return True

    def on_merge(self, window: Any, ctx: Any) -> None:
        end = window.max_timestamp()
        if end > ctx.get_current_watermark():
            ctx.register_event_time_timer(end)

    def clear(self, window: Any, ctx: Any) -> None:
        ctx.delete_event_time_timer(window.max_timestamp())


class ProcessingTimeTrigger(Trigger[T, Any]):
    """Fires when the clock passes the end of the window."""

    @staticmethod
    def create() -> "ProcessingTimeTrigger":
        """The trigger."""
        return ProcessingTimeTrigger()

    def on_element(self, element: T, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        ctx.register_processing_time_timer(window.max_timestamp())
        return CONTINUE

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return FIRE

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return CONTINUE

    def can_merge(self) -> bool:
        return True

    def on_merge(self, window: Any, ctx: Any) -> None:
        end = window.max_timestamp()
        if end > ctx.get_current_processing_time():
            ctx.register_processing_time_timer(end)

    def clear(self, window: Any, ctx: Any) -> None:
        ctx.delete_processing_time_timer(window.max_timestamp())


class ContinuousTrigger(Trigger[T, Any]):
    """What the two continuous triggers share: the next time to fire is state of the window, the earliest wins."""

    def __init__(self, interval: int):
        self.interval = interval
        self.state_desc = ReducingStateDescriptor("fire-time", min, Types.LONG())

    @classmethod
    def of(cls, interval: Any) -> Any:
        """Fires every ``interval`` (``Time``)."""
        return cls(milliseconds_of(interval))

    def can_merge(self) -> bool:
        return True

    def schedule_after(self, time: int, window: Any, ctx: Any, fire_time: Any) -> None:
        """Registers the next time to fire, at the latest the end of the window."""
        next_time = min(time + self.interval, window.max_timestamp())
        fire_time.add(next_time)
        self.register(next_time, ctx)

    def fire_time(self, ctx: Any) -> Any:
        """The state with the next time to fire."""
        return ctx.get_partitioned_state(self.state_desc)

    def register(self, time: int, ctx: Any) -> None:
        """Registers a timer of this trigger's domain."""
        raise NotImplementedError

    def delete(self, time: int, ctx: Any) -> None:
        """Deletes a timer of this trigger's domain."""
        raise NotImplementedError

    def fire_if_due(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        """Fires and schedules the next time if ``time`` is the scheduled one."""
        fire_time = self.fire_time(ctx)
        if fire_time.get() != time:
            return CONTINUE
        fire_time.clear()
        self.schedule_after(time, window, ctx, fire_time)
        return FIRE

    def on_merge(self, window: Any, ctx: Any) -> None:
        ctx.merge_partitioned_state(self.state_desc)
        next_time = self.fire_time(ctx).get()
        if next_time is not None:
            self.register(next_time, ctx)

    def clear(self, window: Any, ctx: Any) -> None:
        fire_time = self.fire_time(ctx)
        next_time = fire_time.get()
        if next_time is not None:
            self.delete(next_time, ctx)
            fire_time.clear()


class ContinuousEventTimeTrigger(ContinuousTrigger[T]):
    """Fires each interval of event time, and at the end of the window."""

    def on_element(self, element: T, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        if window.max_timestamp() <= ctx.get_current_watermark():
            return FIRE
        ctx.register_event_time_timer(window.max_timestamp())
        fire_time = self.fire_time(ctx)
        if fire_time.get() is None:
            self.schedule_after(timestamp - timestamp % self.interval, window, ctx, fire_time)
        return CONTINUE

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return CONTINUE

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        if time == window.max_timestamp():
            return FIRE
        return self.fire_if_due(time, window, ctx)

    def register(self, time: int, ctx: Any) -> None:
        ctx.register_event_time_timer(time)

    def delete(self, time: int, ctx: Any) -> None:
        ctx.delete_event_time_timer(time)


class ContinuousProcessingTimeTrigger(ContinuousTrigger[T]):
    """Fires each interval of the clock."""

    def on_element(self, element: T, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        fire_time = self.fire_time(ctx)
        if fire_time.get() is None:
            now = ctx.get_current_processing_time()
            self.schedule_after(now - now % self.interval, window, ctx, fire_time)
        return CONTINUE

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return self.fire_if_due(time, window, ctx)

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return CONTINUE

    def register(self, time: int, ctx: Any) -> None:
        ctx.register_processing_time_timer(time)

    def delete(self, time: int, ctx: Any) -> None:
        ctx.delete_processing_time_timer(time)


class CountTrigger(Trigger[T, Any]):
    """Fires each time a window has got so many more elements."""

    def __init__(self, window_size: int):
        self._window_size = window_size
        self._count_state_descriptor = ReducingStateDescriptor("count", lambda a, b: a + b, Types.LONG())

    @staticmethod
    def of(window_size: int) -> "CountTrigger":
        """Fires each ``window_size`` elements."""
        return CountTrigger(window_size)

    def on_element(self, element: T, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        count = ctx.get_partitioned_state(self._count_state_descriptor)
        count.add(1)
        if count.get() < self._window_size:
            return CONTINUE
        count.clear()
        return FIRE

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return CONTINUE

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return CONTINUE

    def can_merge(self) -> bool:
        return True

    def on_merge(self, window: Any, ctx: Any) -> None:
        ctx.merge_partitioned_state(self._count_state_descriptor)

    def clear(self, window: Any, ctx: Any) -> None:
        ctx.get_partitioned_state(self._count_state_descriptor).clear()


class NeverTrigger(Trigger[T, Any]):
    """Never fires."""

    def on_element(self, element: T, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        return CONTINUE

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return CONTINUE

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return CONTINUE

    def on_merge(self, window: Any, ctx: Any) -> None:
        """Nothing to merge."""

    def clear(self, window: Any, ctx: Any) -> None:
        """Nothing to clear."""


class PurgingTrigger(Trigger[T, Any]):
    """Fires as another trigger does, and drops the contents each time."""

    def __init__(self, nested_trigger: Trigger):
        self.nested_trigger = nested_trigger

    @staticmethod
    def of(nested_trigger: Trigger) -> "PurgingTrigger":
        """Wraps a trigger."""
        return PurgingTrigger(nested_trigger)

    def on_element(self, element: T, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        return purged(self.nested_trigger.on_element(element, timestamp, window, ctx))

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return purged(self.nested_trigger.on_event_time(time, window, ctx))

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return purged(self.nested_trigger.on_processing_time(time, window, ctx))

    def can_merge(self) -> bool:
        return self.nested_trigger.can_merge()

    def on_merge(self, window: Any, ctx: Any) -> None:
        self.nested_trigger.on_merge(window, ctx)

    def clear(self, window: Any, ctx: Any) -> None:
        self.nested_trigger.clear(window, ctx)


def purged(result: TriggerResult) -> TriggerResult:
    """The result with the contents dropped if the window fires."""
    return TriggerResult.FIRE_AND_PURGE if result.is_fire() else result
