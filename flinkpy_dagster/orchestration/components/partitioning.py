"""Partitions of a program as YAML says them."""

from collections.abc import Sequence
from typing import Literal

from dagster import (
    DailyPartitionsDefinition,
    DynamicPartitionsDefinition,
    HourlyPartitionsDefinition,
    Model,
    MonthlyPartitionsDefinition,
    PartitionsDefinition,
    Resolvable,
    StaticPartitionsDefinition,
    WeeklyPartitionsDefinition,
)
from pydantic import Field


class TimePartitions(Model, Resolvable):
    """One partition per hour, day, week or month."""

    type: Literal["hourly", "daily", "weekly", "monthly"]
    start_date: str = Field(description="The first one: 2013-01-01, of hours 2013-01-01-00:00.")
    timezone: str = Field(default="UTC", description="A name like America/New_York.")

    def definition(self) -> PartitionsDefinition:
        kinds = {
            "hourly": HourlyPartitionsDefinition,
            "daily": DailyPartitionsDefinition,
            "weekly": WeeklyPartitionsDefinition,
            "monthly": MonthlyPartitionsDefinition,
        }
        return kinds[self.type](start_date=self.start_date, timezone=self.timezone)


class StaticPartitions(Model, Resolvable):
    """One partition per name."""

    type: Literal["static"]
    keys: Sequence[str] = Field(description="The names.")

    def definition(self) -> PartitionsDefinition:
        return StaticPartitionsDefinition(list(self.keys))


class DynamicPartitions(Model, Resolvable):
    """Partitions that sensors add."""

    type: Literal["dynamic"]
    name: str = Field(description="The name under which Dagster keeps them.")

    def definition(self) -> PartitionsDefinition:
        return DynamicPartitionsDefinition(name=self.name)


Partitions = TimePartitions | StaticPartitions | DynamicPartitions
