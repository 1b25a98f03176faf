"""Lengths of time as PyFlink programs write them (``pyflink.common.time``)."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True, slots=True, repr=False)
class Time:
    """Whole milliseconds."""

    _milliseconds: int

    def to_milliseconds(self) -> int:
        """The length, ms."""
        return self._milliseconds

    @staticmethod
    def milliseconds(milliseconds: int) -> "Time":
        return Time(milliseconds)

    @staticmethod
    def seconds(seconds: int) -> "Time":
        return Time(seconds * 1000)

    @staticmethod
    def minutes(minutes: int) -> "Time":
        return Time(minutes * 60_000)

    @staticmethod
    def hours(hours: int) -> "Time":
        return Time(hours * 3_600_000)

    @staticmethod
    def days(days: int) -> "Time":
        return Time(days * 86_400_000)

    def __str__(self) -> str:
        return f"{self._milliseconds} ms"

    __repr__ = __str__


@dataclass(frozen=True, order=True, slots=True)
class Duration:
    """Whole nanoseconds, as ``java.time.Duration``."""

    nanos: int

    def to_milliseconds(self) -> int:
        """The length, ms, rounded down."""
        return self.nanos // 1_000_000

    @staticmethod
    def of_days(days: int) -> "Duration":
        return Duration.of_hours(days * 24)

    @staticmethod
    def of_hours(hours: int) -> "Duration":
        return Duration.of_minutes(hours * 60)

    @staticmethod
    def of_minutes(minutes: int) -> "Duration":
        return Duration.of_seconds(minutes * 60)

    @staticmethod
    def of_seconds(seconds: int) -> "Duration":
        return Duration.of_millis(seconds * 1000)

    @staticmethod
    def of_millis(millis: int) -> "Duration":
        return Duration(millis * 1_000_000)

    @staticmethod
    def of_nanos(nanos: int) -> "Duration":
        return Duration(nanos)
