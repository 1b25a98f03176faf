"""Columns of dates, times of day and points in time.

As in PyFlink, a time zone is dropped (the clock's reading stays) and SQL times keep milliseconds. Unlike PyFlink,
timestamps before 1970 and after 2038 keep their value.
"""

from datetime import date, datetime, time
from typing import Any

from flinkpy_dagster.types.columns import Column
from flinkpy_dagster.types.instant import Instant
from flinkpy_dagster.types.scalars import ScalarColumn
from flinkpy_dagster.types.type_information import TypeInformation


class DateColumn(ScalarColumn):
    """``datetime.date``; of a ``datetime`` the day."""

    def _fits(self, column: Column) -> bool:
        return set(map(type, column)) <= {date}

    def _converted(self, value: Any) -> date:
        return date.fromordinal(value.toordinal())


class TimeColumn(ScalarColumn):
    """``datetime.time`` cut to ``step`` microseconds."""

    def __init__(self, type_info: TypeInformation, step: int) -> None:
        super().__init__(type_info)
        self._step = step

    def _fits(self, column: Column) -> bool:
        step = self._step
        return set(map(type, column)) <= {time} and not any(
            value.microsecond % step or value.tzinfo is not None or value.fold for value in column
        )

    def _converted(self, value: Any) -> time:
        hour = value.hour  # first, as in PyFlink: the error of a value without is the same
        microsecond = value.microsecond - value.microsecond % self._step
        return time(hour, value.minute, value.second, microsecond)


class SqlTimeColumn(TimeColumn):
    """SQL_TIME: to the millisecond, collected to the second."""

    def __init__(self, type_info: TypeInformation) -> None:
        super().__init__(type_info, 1000)

    def present(self, column: Column) -> Column:
        return [value.replace(microsecond=0) if value.microsecond else value for value in column]


class TimestampColumn(ScalarColumn):
    """``datetime.datetime`` cut to ``step`` microseconds, without time zone."""

    def __init__(self, type_info: TypeInformation, step: int) -> None:
        super().__init__(type_info)
        self._step = step

    def _fits(self, column: Column) -> bool:
        step = self._step
        return set(map(type, column)) <= {datetime} and not any(
            value.microsecond % step or value.tzinfo is not None or value.fold for value in column
        )

    def _converted(self, value: Any) -> datetime:
        microsecond = value.microsecond - value.microsecond % self._step
        return datetime(
            value.year, value.month, value.day, value.hour, value.minute, value.second, microsecond
        )


class InstantColumn(ScalarColumn):
    """``Instant`` to the nanosecond."""

    def _fits(self, column: Column) -> bool:
        return set(map(type, column)) <= {Instant}

    def _converted(self, value: Any) -> Instant:
        if not isinstance(value, Instant):
            raise AttributeError(f"'{type(value).__name__}' object has no attribute 'seconds'")
        return Instant(value.seconds, value.nanos)

    def admit(self, value: Any) -> Any:
        """``from_collection`` hands instants over in milliseconds (InstantTypeInfo.to_internal_type)."""
        return Instant.of_epoch_milli(value.to_epoch_milli()) if isinstance(value, Instant) else value
