"""Windows that end after a gap without elements (``pyflink.datastream.window``)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

from flinkpy_dagster.operators.time.watermarks import milliseconds_of
from flinkpy_dagster.operators.windows.triggers import EventTimeTrigger, ProcessingTimeTrigger, Trigger
from flinkpy_dagster.operators.windows.window_assigners import MergingWindowAssigner, require_timestamp
from flinkpy_dagster.operators.windows.window_values import TimeWindow, TimeWindowSerializer, TypeSerializer

T = TypeVar("T")


class SessionWindowTimeGapExtractor(ABC):
    """Finds the gap after an element."""

    @abstractmethod
    def extract(self, element: Any) -> int:
        """The gap, ms, greater than zero."""


class SessionWindows(MergingWindowAssigner[T, TimeWindow]):
    """What session windows share: windows that overlap or touch become one."""

    def gap_of(self, element: T) -> int:
        """The gap after an element, ms."""
        raise NotImplementedError

    def merge_windows(self, windows: Iterable[TimeWindow], callback: Any) -> None:
        TimeWindow.merge_windows(windows, callback)

    def get_window_serializer(self) -> TypeSerializer:
        return TimeWindowSerializer()


class EventTimeSessions(SessionWindows[T]):
    """Sessions of event time."""

    def assign_windows(self, element: T, timestamp: int, context: Any) -> Collection[TimeWindow]:
        start = require_timestamp(timestamp)
        return [TimeWindow(start, start + self.gap_of(element))]

    def get_default_trigger(self, env: Any) -> Trigger:
        return EventTimeTrigger()

    def is_event_time(self) -> bool:
        return True


class ProcessingTimeSessions(SessionWindows[T]):
    """Sessions of the clock."""

    def assign_windows(self, element: T, timestamp: int, context: Any) -> Collection[TimeWindow]:
        start = context.get_current_processing_time()
        return [TimeWindow(start, start + self.gap_of(element))]

    def get_default_trigger(self, env: Any) -> Trigger:
        return ProcessingTimeTrigger()

    def is_event_time(self) -> bool:
        return False


class FixedGap:
    """One gap for all elements; mixed in front of the sessions of a time domain."""

    def __init__(self, session_gap: int):
        if session_gap <= 0:
            raise Exception(f"{type(self).__name__} parameters must satisfy 0 < size")
        self._session_gap = session_gap

    @classmethod
    def with_gap(cls, size: Any) -> Any:
        """Sessions that end after ``size`` (``Time``) without elements."""
        return cls(milliseconds_of(size))

    def gap_of(self, element: Any) -> int:
        """The gap."""
        return self._session_gap

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._session_gap})"


class DynamicGap:
    """A gap by element; mixed in front of the sessions of a time domain."""

    def __init__(
        self, session_window_time_gap_extractor: SessionWindowTimeGapExtractor | Callable[[Any], int]
    ):
        self._session_gap = 0
        extractor: Any = session_window_time_gap_extractor
        self._extract: Callable[[Any], int] = getattr(extractor, "extract", extractor)

    @classmethod
    def with_dynamic_gap(cls, extractor: SessionWindowTimeGapExtractor) -> Any:
        """Sessions that end after the gap that ``extractor`` finds in each element."""
        return cls(extractor)

    def gap_of(self, element: Any) -> int:
        """The gap of that element; raises an Exception unless it is greater than zero."""
        gap = self._extract(element)
        if gap <= 0:
            raise Exception("Dynamic session time gap must satisfy 0 < gap")
        return gap

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._session_gap})"


class DynamicEventTimeSessionWindows(DynamicGap, EventTimeSessions[T]):
    """Sessions of event time with a gap by element."""


class DynamicProcessingTimeSessionWindows(DynamicGap, ProcessingTimeSessions[T]):
    """Sessions of the clock with a gap by element."""


class EventTimeSessionWindows(FixedGap, EventTimeSessions[T]):
    """Sessions of event time."""

    @staticmethod
    def with_dynamic_gap(extractor: SessionWindowTimeGapExtractor) -> DynamicEventTimeSessionWindows:
        """Sessions that end after the gap that ``extractor`` finds in each element."""
        return DynamicEventTimeSessionWindows(extractor)


class ProcessingTimeSessionWindows(FixedGap, ProcessingTimeSessions[T]):
    """Sessions of the clock."""

    @staticmethod
    def with_dynamic_gap(extractor: SessionWindowTimeGapExtractor) -> DynamicProcessingTimeSessionWindows:
        """Sessions that end after the gap that ``extractor`` finds in each element."""
        return DynamicProcessingTimeSessionWindows(extractor)
