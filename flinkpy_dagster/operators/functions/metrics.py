"""Metrics user functions register (``pyflink.metrics``)."""

from abc import ABC, abstractmethod
from collections.abc import Callable


class Metric(ABC):
    """Base of all metrics."""


class Counter(Metric, ABC):
    """A count that goes up and down."""

    @abstractmethod
    def inc(self, n: int = 1) -> None:
        """Adds ``n``."""

    @abstractmethod
    def dec(self, n: int = 1) -> None:
        """Takes ``n`` away."""

    @abstractmethod
    def get_count(self) -> int:
        """The count."""


class Meter(Metric, ABC):
    """How often something happens."""

    @abstractmethod
    def mark_event(self, value: int = 1) -> None:
        """It happened ``value`` times."""

    @abstractmethod
    def get_count(self) -> int:
        """How often it has happened."""


class Distribution(Metric, ABC):
    """Statistics of a number: sum, count, smallest and largest."""

    @abstractmethod
    def update(self, value: int) -> None:
        """Takes one observation."""


class MetricGroup(ABC):
    """A named container of metrics and further groups."""

    @abstractmethod
    def add_group(self, name: str, extra: str | None = None) -> "MetricGroup":
        """The subgroup ``name``, or with ``extra`` the value group ``extra`` below the key group ``name``."""

    @abstractmethod
    def counter(self, name: str) -> Counter:
        """The counter of that name."""

    @abstractmethod
    def gauge(self, name: str, obj: Callable[[], int]) -> None:
        """Registers a function whose result is shown."""

    @abstractmethod
    def meter(self, name: str, time_span_in_seconds: int = 60) -> Meter:
        """The meter of that name."""

    @abstractmethod
    def distribution(self, name: str) -> Distribution:
        """The distribution of that name."""
