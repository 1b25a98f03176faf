"""Keys that are fields of their values: most are, and then they need not be sent or stored beside them.

Only of immutable keys: who changes a value must not change its key.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal
from operator import attrgetter, is_, itemgetter
from typing import Any

from flinkpy_dagster.types import Instant, Row

_IMMUTABLE = frozenset((str, int, bool, float, bytes, Decimal, date, datetime, time, Instant))
_values_of = attrgetter("_values")


def field_of_keys(values: list, keys: list) -> int | None:
    """Which field of its tuple or row every key is, as the very same object; None if there is none."""
    kinds = set(map(type, values))
    if (kinds != {tuple} and kinds != {Row}) or not _IMMUTABLE.issuperset(map(type, keys)):
        return None
    for index, field in enumerate(values[0]):
        if field is keys[0]:
            with suppress(IndexError):  # tuples of no declared type may differ in length
                return index if all(map(is_, keys, field_of(values, index))) else None
    return None


def field_of(values: list, index: int) -> Iterator[Any]:
    """A field of each tuple or row."""
    return map(itemgetter(index), values if type(values[0]) is tuple else map(_values_of, values))
