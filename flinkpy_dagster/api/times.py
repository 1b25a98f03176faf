"""Lengths of time as programs write them (``pyflink.common.time``)."""

from datetime import timedelta
from functools import total_ordering

_NANOS_PER_MILLI = 1_000_000


class Duration:
    """A length of time, to the nanosecond (Java's ``java.time.Duration``)."""

    def __init__(self, nanos: int) -> None:
        self._nanos = nanos

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
        return Duration(millis * _NANOS_PER_MILLI)

    @staticmethod
    def of_nanos(nanos: int) -> "Duration":
        return Duration(nanos)

    def to_millis(self) -> int:
        """Whole milliseconds."""
        return self._nanos // _NANOS_PER_MILLI

    def to_timedelta(self) -> timedelta:
        return timedelta(microseconds=self._nanos // 1000)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Duration) and self._nanos == other._nanos

    def __hash__(self) -> int:
        return hash(self._nanos)

    def __repr__(self) -> str:
        return f"Duration({self.to_timedelta()})"


@total_ordering
class Time:
    """A length of time in milliseconds: sizes, slides and gaps of windows, timeouts."""

    def __init__(self, milliseconds: int) -> None:
        self._milliseconds = milliseconds

    def to_milliseconds(self) -> int:
        return self._milliseconds

    @staticmethod
    def milliseconds(milliseconds: int) -> "Time":
        return Time(milliseconds)

    @staticmethod
    def seconds(seconds: int) -> "Time":
        return Time.milliseconds(seconds * 1000)

    @staticmethod
    def minutes(minutes: int) -> "Time":
        return Time.seconds(minutes * 60)

    @staticmethod
    def hours(hours: int) -> "Time":
        return Time.minutes(hours * 60)

    @staticmethod
    def days(days: int) -> "Time":
        return Time.hours(days * 24)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Time) and self._milliseconds == other._milliseconds

    def __lt__(self, other: "Time") -> bool:
        return self._milliseconds < other._milliseconds

    def __hash__(self) -> int:
        return hash(self._milliseconds)

    def __str__(self) -> str:
        return f"{self._milliseconds} ms"

    __repr__ = __str__


def timedelta_of(duration: "Duration | Time | timedelta | int") -> timedelta:
    """The same length of time; an int is milliseconds."""
    if isinstance(duration, timedelta):
        return duration
    if isinstance(duration, Duration):
        return duration.to_timedelta()
    return timedelta(milliseconds=duration.to_milliseconds() if isinstance(duration, Time) else duration)
