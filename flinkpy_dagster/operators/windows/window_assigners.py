"""Which windows an element belongs to (``pyflink.datastream.window``)."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from typing import Any, Generic, TypeVar

from flinkpy_dagster.operators.batch import MIN_TIMESTAMP
from flinkpy_dagster.operators.functions.runtime_context import RuntimeContext
from flinkpy_dagster.operators.state.state_descriptors import ValueStateDescriptor
from flinkpy_dagster.operators.time.watermarks import milliseconds_of
from flinkpy_dagster.operators.windows.triggers import (
    CountTrigger,
    EventTimeTrigger,
    NeverTrigger,
    ProcessingTimeTrigger,
    Trigger,
)
from flinkpy_dagster.operators.windows.window_values import (
    CountWindow,
    CountWindowSerializer,
    GlobalWindow,
    GlobalWindowSerializer,
    TimeWindow,
    TimeWindowSerializer,
    TypeSerializer,
)
from flinkpy_dagster.types import Types

T = TypeVar("T")
W = TypeVar("W")
W2 = TypeVar("W2")


class WindowAssigner(ABC, Generic[T, W]):
    """Assigns elements to windows."""

    class WindowAssignerContext(ABC):
        """The clock and the runtime context."""

        @abstractmethod
        def get_current_processing_time(self) -> int:
            """The clock of the task, ms."""

        @abstractmethod
        def get_runtime_context(self) -> RuntimeContext:
            """The runtime context: state of the current key."""

    @abstractmethod
    def assign_windows(
        self, element: T, timestamp: int, context: "WindowAssigner.WindowAssignerContext"
    ) -> Collection[W]:
        """The windows of an element."""

    @abstractmethod
    def get_default_trigger(self, env: Any) -> Trigger:
        """The trigger used when none is set."""

    @abstractmethod
    def get_window_serializer(self) -> TypeSerializer:
        """How windows are written."""

    @abstractmethod
    def is_event_time(self) -> bool:
        """Do windows end by watermarks?"""


class MergingWindowAssigner(WindowAssigner[T, W]):
    """An assigner whose windows can become one."""

    class MergeCallback(ABC, Generic[W2]):
        """Takes the groups of windows to merge."""

        @abstractmethod
        def merge(self, to_be_merged: Iterable[W2], merge_result: W2) -> None:
            """These windows become that one."""

    @abstractmethod
    def merge_windows(self, windows: Iterable[W], callback: "MergingWindowAssigner.MergeCallback[W]") -> None:
        """Calls ``callback`` for each group of windows to merge."""


class TimeWindowAssigner(WindowAssigner[T, TimeWindow]):
    """What aligned time windows share. ``slide_ms`` is the size for tumbling windows."""

    def __init__(self, size_ms: int, slide_ms: int, offset_ms: int):
        self._size = size_ms
        self._slide = slide_ms
        self._offset = offset_ms

    @property
    def size_ms(self) -> int:
        """Length of a window."""
        return self._size

    @property
    def slide_ms(self) -> int:
        """Distance of the starts of two windows."""
        return self._slide

    @property
    def offset_ms(self) -> int:
        """Shift of the starts."""
        return self._offset

    def windows_at(self, timestamp: int) -> list[TimeWindow]:
        """All windows that contain ``timestamp``, latest first."""
        last_start = TimeWindow.get_window_start_with_offset(timestamp, self._offset, self._slide)
        starts = range(last_start, timestamp - self._size, -self._slide)
        return [TimeWindow(start, start + self._size) for start in starts]

    def get_window_serializer(self) -> TypeSerializer:
        return TimeWindowSerializer()


class EventTimeWindowAssigner(TimeWindowAssigner[T]):
    """Aligned windows of event time."""

    def assign_windows(self, element: T, timestamp: int, context: Any) -> Collection[TimeWindow]:
        return self.windows_at(require_timestamp(timestamp))

    def get_default_trigger(self, env: Any) -> Trigger:
        return EventTimeTrigger()

    def is_event_time(self) -> bool:
        return True


class ProcessingTimeWindowAssigner(TimeWindowAssigner[T]):
    """Aligned windows of the clock."""

    def assign_windows(self, element: T, timestamp: int, context: Any) -> Collection[TimeWindow]:
        return self.windows_at(context.get_current_processing_time())

    def get_default_trigger(self, env: Any) -> Trigger:
        return ProcessingTimeTrigger()

    def is_event_time(self) -> bool:
        return False


def require_timestamp(timestamp: int | None) -> int:
    """``timestamp``, unless the element has none, which raises ValueError."""
    if timestamp is None or timestamp <= MIN_TIMESTAMP:
        raise ValueError(
            "Record has Java Long.MIN_VALUE timestamp (= no timestamp marker). Is the time characteristic set to "
            "'ProcessingTime', or did you forget to call 'data_stream.assign_timestamps_and_watermarks(...)'?"
        )
    return timestamp


def offset_of(offset: Any) -> int:
    """Milliseconds of an optional offset."""
    return 0 if offset is None else milliseconds_of(offset)


class TumblingWindows:
    """Declares and shows tumbling windows; mixed in front of the assigner of a time domain."""

    def __init__(self, size: int, offset: int):
        if abs(offset) >= size:
            raise Exception(f"{type(self).__name__} parameters must satisfy abs(offset) < size")
        super().__init__(size, size, offset)  # type: ignore[call-arg]

    @classmethod
    def of(cls, size: Any, offset: Any = None) -> Any:
        """Windows of ``size`` (``Time``), shifted by ``offset``."""
        return cls(milliseconds_of(size), offset_of(offset))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._size}, {self._offset})"  # type: ignore[attr-defined]


class SlidingWindows:
    """Declares and shows sliding windows; mixed in front of the assigner of a time domain."""

    def __init__(self, size: int, slide: int, offset: int):
        if abs(offset) >= slide or size <= 0:
            raise Exception(f"{type(self).__name__} parameters must satisfy abs(offset) < slide and size > 0")
        super().__init__(size, slide, offset)  # type: ignore[call-arg]

    @classmethod
    def of(cls, size: Any, slide: Any, offset: Any = None) -> Any:
        """Windows of ``size`` that start every ``slide`` (``Time``), shifted by ``offset``."""
        return cls(milliseconds_of(size), milliseconds_of(slide), offset_of(offset))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._size}, {self._slide}, {self._offset})"  # type: ignore[attr-defined]


class TumblingEventTimeWindows(TumblingWindows, EventTimeWindowAssigner[T]):
    """Windows of event time side by side."""


class TumblingProcessingTimeWindows(TumblingWindows, ProcessingTimeWindowAssigner[T]):
    """Windows of the clock side by side."""


class SlidingEventTimeWindows(SlidingWindows, EventTimeWindowAssigner[T]):
    """Overlapping windows of event time."""


class SlidingProcessingTimeWindows(SlidingWindows, ProcessingTimeWindowAssigner[T]):
    """Overlapping windows of the clock."""


class GlobalWindows(WindowAssigner[T, GlobalWindow]):
    """Everything in one window that never ends by itself."""

    @staticmethod
    def create() -> "GlobalWindows":
        """The assigner."""
        return GlobalWindows()

    def assign_windows(self, element: T, timestamp: int, context: Any) -> Collection[GlobalWindow]:
        return [GlobalWindow.get()]

    def get_default_trigger(self, env: Any) -> Trigger:
        return NeverTrigger()

    def get_window_serializer(self) -> TypeSerializer:
        return GlobalWindowSerializer()

    def is_event_time(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "GlobalWindows()"


class CountWindowAssigner(WindowAssigner[T, CountWindow]):
    """Windows by the number of the element within its key; the number is keyed state."""

    def __init__(self, window_size: int, state_name: str):
        self._window_size = window_size
        self._count_descriptor = ValueStateDescriptor(state_name, Types.LONG())

    def take_number(self, context: Any) -> int:
        """Counts one more element of the current key and returns how many came before it."""
        state = context.get_runtime_context().get_state(self._count_descriptor)
        number = state.value() or 0
        state.update(number + 1)
        return number

    def get_default_trigger(self, env: Any) -> Trigger:
        return CountTrigger(self._window_size)

    def get_window_serializer(self) -> TypeSerializer:
        return CountWindowSerializer()

    def is_event_time(self) -> bool:
        return False


class CountTumblingWindowAssigner(CountWindowAssigner[T]):
    """Every ``window_size`` elements of a key are a window."""

    def __init__(self, window_size: int):
        super().__init__(window_size, "tumble-count-assigner")

    @staticmethod
    def of(window_size: int) -> "CountTumblingWindowAssigner":
        """Windows of that many elements."""
        return CountTumblingWindowAssigner(window_size)

    def assign_windows(self, element: T, timestamp: int, context: Any) -> Collection[CountWindow]:
        return [CountWindow(self.take_number(context) // self._window_size)]

    def __repr__(self) -> str:
        return f"CountTumblingWindowAssigner({self._window_size})"


class CountSlidingWindowAssigner(CountWindowAssigner[T]):
    """Windows of ``window_size`` elements, a new one every ``window_slide`` elements.

    As in PyFlink a window fires when it is full, so ``count_window(4, 2)`` first fires at the fourth element.
    """

    def __init__(self, window_size: int, window_slide: int):
        super().__init__(window_size, "slide-count-assigner")
        self._window_slide = window_slide

    @staticmethod
    def of(window_size: int, window_slide: int) -> "CountSlidingWindowAssigner":
        """Windows of that many elements, that far apart."""
        return CountSlidingWindowAssigner(window_size, window_slide)

    def assign_windows(self, element: T, timestamp: int, context: Any) -> Collection[CountWindow]:
        number = self.take_number(context)
        last_id = number // self._window_slide
        first_id = max(0, (number - self._window_size) // self._window_slide + 1)
        return [CountWindow(window_id) for window_id in range(last_id, first_id - 1, -1)]

    def __repr__(self) -> str:
        return f"CountSlidingWindowAssigner({self._window_size}, {self._window_slide})"
