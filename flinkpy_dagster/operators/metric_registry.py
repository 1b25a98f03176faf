"""Metrics of one operator in one subtask, in memory; their values are collected when the task ends."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from flinkpy_dagster.operators.functions.metrics import Counter, Distribution, Meter, MetricGroup

MetricValue = int | float | dict[str, int]


class SimpleCounter(Counter):
    """A number."""

    def __init__(self) -> None:
        self._count = 0

    def inc(self, n: int = 1) -> None:
        self._count += n

    def dec(self, n: int = 1) -> None:
        self._count -= n

    def get_count(self) -> int:
        return self._count

    def value(self) -> int:
        """What is reported."""
        return self._count


class SimpleMeter(Meter):
    """Counts events; the rate is a matter of who looks at two reports."""

    def __init__(self) -> None:
        self._count = 0

    def mark_event(self, value: int = 1) -> None:
        self._count += value

    def get_count(self) -> int:
        return self._count

    def value(self) -> int:
        """What is reported."""
        return self._count


class SimpleDistribution(Distribution):
    """Sum, count, smallest and largest of the numbers seen."""

    def __init__(self) -> None:
        self._sum = self._count = 0
        self._min = self._max = 0

    def update(self, value: int) -> None:
        self._min = min(self._min, value) if self._count else value
        self._max = max(self._max, value) if self._count else value
        self._sum += value
        self._count += 1

    def value(self) -> dict[str, int]:
        """What is reported."""
        return {"sum": self._sum, "count": self._count, "min": self._min, "max": self._max}


@dataclass(frozen=True)
class Gauge:
    """A function asked when the task ends."""

    ask: Callable[[], Any]

    def value(self) -> Any:
        """What is reported."""
        return self.ask()


class MetricRegistry(MetricGroup):
    """All metrics of one operator, by name; subgroups prefix the name with theirs and a dot."""

    def __init__(self, prefix: str = "", metrics: dict[str, Any] | None = None):
        self._prefix = prefix
        self._metrics: dict[str, Any] = {} if metrics is None else metrics

    def add_group(self, name: str, extra: str | None = None) -> "MetricRegistry":
        path = name if extra is None else f"{name}.{extra}"
        return MetricRegistry(f"{self._prefix}{path}.", self._metrics)

    def counter(self, name: str) -> SimpleCounter:
        return self._metrics.setdefault(self._prefix + name, SimpleCounter())

    def gauge(self, name: str, obj: Callable[[], int]) -> None:
        self._metrics[self._prefix + name] = Gauge(obj)

    def meter(self, name: str, time_span_in_seconds: int = 60) -> SimpleMeter:
        return self._metrics.setdefault(self._prefix + name, SimpleMeter())

    def distribution(self, name: str) -> SimpleDistribution:
        return self._metrics.setdefault(self._prefix + name, SimpleDistribution())

    def values(self) -> Iterator[tuple[str, MetricValue]]:
        """Name and value of every metric; a gauge that raises reports nothing."""
        for name, metric in self._metrics.items():
            try:
                yield name, metric.value()
            except Exception:  # a broken gauge must not fail a job that is done
                continue


def merge_values(one: MetricValue, other: MetricValue) -> MetricValue:
    """The value of two subtasks together: numbers add up, distributions merge."""
    if isinstance(one, dict) and isinstance(other, dict):
        if not one["count"] or not other["count"]:
            return other if not one["count"] else one
        return {
            "sum": one["sum"] + other["sum"],
            "count": one["count"] + other["count"],
            "min": min(one["min"], other["min"]),
            "max": max(one["max"], other["max"]),
        }
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one + other
    return other


def merged(values: Iterable[tuple[str, MetricValue]]) -> dict[str, MetricValue]:
    """One value per name."""
    totals: dict[str, MetricValue] = {}
    for name, value in values:
        totals[name] = merge_values(totals[name], value) if name in totals else value
    return totals
