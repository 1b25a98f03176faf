"""Removing elements from a window around its evaluation: Flink's Java ``Evictor`` and its three kinds, beyond
PyFlink.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from flinkpy_dagster.operators.time.watermarks import milliseconds_of

T = TypeVar("T")
W = TypeVar("W")


@dataclass(frozen=True, slots=True)
class TimestampedValue(Generic[T]):
    """An element of a window with its event time, ms (None if it has none)."""

    value: T
    timestamp: int | None

    def get_value(self) -> T:
        """The element."""
        return self.value

    def get_timestamp(self) -> int | None:
        """Its event time."""
        return self.timestamp

    def has_timestamp(self) -> bool:
        """Has it an event time?"""
        return self.timestamp is not None


class Evictor(ABC, Generic[T, W]):
    """Removes elements of a window. Both methods return those that stay, in order."""

    class EvictorContext(ABC):
        """Times, ms."""

        @abstractmethod
        def get_current_processing_time(self) -> int:
            """The clock of the task."""

        @abstractmethod
        def get_current_watermark(self) -> int:
            """The watermark of the task."""

    @abstractmethod
    def evict_before(
        self, elements: list[TimestampedValue[T]], size: int, window: W, ctx: "Evictor.EvictorContext"
    ) -> list[TimestampedValue[T]]:
        """Called before the window function."""

    @abstractmethod
    def evict_after(
        self, elements: list[TimestampedValue[T]], size: int, window: W, ctx: "Evictor.EvictorContext"
    ) -> list[TimestampedValue[T]]:
        """Called after the window function."""


class OneSidedEvictor(Evictor[T, W]):
    """Evicts by one rule, before or after the window function."""

    def __init__(self, do_evict_after: bool):
        self._do_evict_after = do_evict_after

    def evict(self, elements: list[TimestampedValue[T]], size: int) -> list[TimestampedValue[T]]:
        """The elements that stay."""
        raise NotImplementedError

    def evict_before(self, elements: list, size: int, window: W, ctx: Evictor.EvictorContext) -> list:
        return elements if self._do_evict_after else self.evict(elements, size)

    def evict_after(self, elements: list, size: int, window: W, ctx: Evictor.EvictorContext) -> list:
        return self.evict(elements, size) if self._do_evict_after else elements


class CountEvictor(OneSidedEvictor[T, W]):
    """Keeps the last ``max_count`` elements."""

    def __init__(self, max_count: int, do_evict_after: bool = False):
        super().__init__(do_evict_after)
        self._max_count = max_count

    @staticmethod
    def of(max_count: int, do_evict_after: bool = False) -> "CountEvictor":
        """Keeps the last ``max_count`` elements."""
        return CountEvictor(max_count, do_evict_after)

    def evict(self, elements: list, size: int) -> list:
        return elements[size - self._max_count :] if size > self._max_count else elements


class TimeEvictor(OneSidedEvictor[T, W]):
    """Keeps elements whose timestamp is later than the largest minus a time."""

    def __init__(self, window_size_ms: int, do_evict_after: bool = False):
        super().__init__(do_evict_after)
        self._window_size_ms = window_size_ms

    @staticmethod
    def of(window_size: Any, do_evict_after: bool = False) -> "TimeEvictor":
        """Keeps what is younger than ``window_size`` (``Time``), seen from the latest element."""
        return TimeEvictor(milliseconds_of(window_size), do_evict_after)

    def evict(self, elements: list, size: int) -> list:
        if not elements or elements[0].timestamp is None:
            return elements
        cutoff = max(element.timestamp for element in elements) - self._window_size_ms
        return [element for element in elements if element.timestamp > cutoff]


class DeltaEvictor(OneSidedEvictor[T, W]):
    """Keeps elements whose distance from the last one is below a threshold."""

    def __init__(
        self, threshold: float, delta_function: Callable[[Any, Any], float], do_evict_after: bool = False
    ):
        super().__init__(do_evict_after)
        self._threshold = threshold
        self._delta: Callable[[Any, Any], float] = getattr(delta_function, "get_delta", delta_function)

    @staticmethod
    def of(
        threshold: float, delta_function: Callable[[Any, Any], float], do_evict_after: bool = False
    ) -> "DeltaEvictor":
        """``delta_function(element, last)`` gives the distance."""
        return DeltaEvictor(threshold, delta_function, do_evict_after)

    def evict(self, elements: list, size: int) -> list:
        if not elements:
            return elements
        last = elements[-1].value
        return [element for element in elements if self._delta(element.value, last) < self._threshold]
