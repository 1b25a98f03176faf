"""Config types whose values are looked at once more before there is a run.

The launchpad checks the types of a config while it is typed: numbers, enumerations, keys that do not exist. What those
cannot say (a duration, a range, a savepoint that must be there) is checked when Launch is pressed: Dagster then makes
the execution plan, for which it processes the whole config. An error there is shown, and no run exists.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from dagster import Enum, EnumValue, Field, Noneable, Shape

from flinkpy_dagster.config.option import HIGHEST_MAX_PARALLELISM, ConfigOption
from flinkpy_dagster.config.values import ValueType, integer, text_of
from flinkpy_dagster.errors import ConfigurationError

PARALLELISM = integer(1, HIGHEST_MAX_PARALLELISM)


class Checked(Noneable):
    """Values of ``inner``, or null, that ``check(value)`` raises nothing about; null is not checked."""

    def __init__(self, inner: Any, check: Callable[[Any], Any]):
        super().__init__(inner)
        self._check = check

    def post_process(self, value: Any) -> Any:
        """Called by Dagster, after the types have been found right. Raises what the check raises."""
        if value is not None:
            self._check(value)
        return value


class CheckedShape(Shape):
    """``fields``, whose values ``check(values)`` raises nothing about: for what several of them say together.

    ``description`` tells it from other shapes of the same fields.
    """

    def __new__(
        cls, fields: Mapping[str, Field], check: Callable[[Mapping[str, Any]], Any], description: str
    ) -> Any:
        """Dagster keeps one Shape for all that have the same fields; the check belongs to this one."""
        made = object.__new__(cls)
        made._initialized = False
        return made

    def __init__(
        self, fields: Mapping[str, Field], check: Callable[[Mapping[str, Any]], Any], description: str
    ):
        super().__init__(fields, description)
        self._check = check

    def post_process(self, value: Any) -> Any:
        """As that of ``Checked``; called when each value has been found right by itself."""
        self._check(value)
        return value


def typed(key: str, value_type: ValueType) -> Any:
    """The config type of an option's values. ``key`` is how messages name it."""
    if value_type.choices:
        return enumeration(key, value_type.choices)
    plain = value_type.python_type if value_type.python_type in (bool, int, float) else str
    if plain is bool:
        return bool

    def check(value: Any) -> None:
        try:
            value_type.parse(text_of(value))
        except ValueError as problem:
            raise ConfigurationError(f"Could not parse value '{value}' for key '{key}': {problem}.") from None

    return Checked(plain, check)


@cache
def of_option(option: ConfigOption) -> Any:
    """The config type of an option of the table."""
    return typed(option.key, option.type)


@cache
def enumeration(name: str, choices: tuple[str, ...]) -> Enum:
    """One of these words. Dagster wants one object per name."""
    return Enum(re.sub(r"[^A-Za-z0-9]+", "_", name), [EnumValue(choice) for choice in choices])
