"""What a row of the mapping is: one of Flink's options, the targets that have a use for it, what Spark gets."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from flinkpy_dagster.config.configuration import Configuration
from flinkpy_dagster.config.targets.names import TargetKind
from flinkpy_dagster.config.targets.specification import ClusterSpecification
from flinkpy_dagster.errors import ConfigurationError

Settings = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a conversion is given: ``value`` is that of the row's option, typed, or None if it has none."""

    value: Any
    configuration: Configuration
    kind: TargetKind
    specification: ClusterSpecification

    def get(self, key: str) -> Any:
        """Another option."""
        return self.configuration.get(key)


Conversion = Callable[[Request], Settings]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """``settings``: names of the Spark settings that ``convert`` gives, ``*`` for what the value says.

    ``is_always``: it is carried out also where the option is not set, by its default. ``how`` is for people.
    """

    option: str
    targets: frozenset[TargetKind]
    settings: tuple[str, ...]
    convert: Conversion
    how: str
    is_always: bool = False


# -- conversions that many rows have ---------------------------------------------------------------------


def as_text(*settings: str) -> Conversion:
    """The value as it was written."""
    return lambda request: dict.fromkeys(settings, str(request.value))


def unless_negative(setting: str) -> Conversion:
    """A number; -1 is Flink's word for not set."""
    return lambda request: {} if request.value < 0 else {setting: str(request.value)}


def with_commas(setting: str) -> Conversion:
    """A list, as Spark writes one."""
    return lambda request: {setting: ",".join(request.value)}


def seconds(*settings: str) -> Conversion:
    """A duration; Spark counts these in whole seconds."""

    def convert(request: Request) -> Settings:
        whole = math.ceil(request.value / timedelta(seconds=1))
        return dict.fromkeys(settings, f"{whole}s")

    return convert


def by_name(prefix: str) -> Conversion:
    """A map: one setting for each of its names."""
    return lambda request: {f"{prefix}{name}": value for name, value in request.value.items()}


def list_of_maps(key: str, text: str, names: Iterable[str]) -> list[dict[str, str]]:
    """``a:1,b:2;a:3`` as Flink's List<Map>. Raises ConfigurationError for a name that is not among ``names``."""
    allowed = tuple(names)
    found = []
    for item in filter(None, (each.strip() for each in text.split(";"))):
        pairs = dict(pair.strip().partition(":")[::2] for pair in item.split(","))
        if unknown := [name for name in pairs if name not in allowed]:
            raise ConfigurationError(
                f"'{unknown[0]}' of option '{key}' is unknown: in '{item}' there may be {', '.join(allowed)}."
            )
        found.append(pairs)
    return found
