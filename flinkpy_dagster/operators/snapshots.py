"""Freezing what user functions emit.

PyFlink encodes every result the moment it is emitted. Here results wait in a batch, so a list that the function
keeps and changes later must be copied at that moment. Immutable values, by far the most, are passed on as they are.
"""

import copy
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from flinkpy_dagster.types import (
    BasicTypeInfo,
    Instant,
    LocalTimeTypeInfo,
    Row,
    SqlTimeTypeInfo,
    TupleTypeInfo,
    TypeInformation,
)
from flinkpy_dagster.types.row import row_of

ATOMS = frozenset(
    {
        int,
        str,
        float,
        bool,
        type(None),
        bytes,
        complex,
        date,
        datetime,
        time,
        timedelta,
        Decimal,
        Instant,
        frozenset,
    }
)


def snapshot(value: Any) -> Any:
    """``value`` itself if nothing in it can change, else a deep copy."""
    kind = value.__class__
    if kind in ATOMS:
        return value
    if kind is tuple:
        for item in value:
            if item.__class__ not in ATOMS:
                return tuple([snapshot(item) for item in value])
        return value
    if kind is Row:
        return row_of(value._fields, [snapshot(item) for item in value._values], value._row_kind)
    if kind is list:
        return [snapshot(item) for item in value]
    if kind is dict:
        return {key: snapshot(item) for key, item in value.items()}
    if kind is set:
        return set(value)
    return copy.deepcopy(value)


def is_immutable(type_info: TypeInformation | None) -> bool:
    """Can no value of that type change?"""
    if isinstance(type_info, TupleTypeInfo):
        return all(is_immutable(field) for field in type_info.get_field_types())
    return isinstance(type_info, BasicTypeInfo | SqlTimeTypeInfo | LocalTimeTypeInfo)


def are_alike(values: list, frozen: list) -> bool:
    """Did freezing change nothing but the identity of separate objects, so that it is not needed?"""
    moved = [value for value, copied in zip(values, frozen, strict=True) if value is not copied]
    return len(set(map(id, moved))) == len(moved)


__all__ = ["ATOMS", "Row", "are_alike", "is_immutable", "snapshot"]
