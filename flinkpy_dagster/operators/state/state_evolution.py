"""Going on with values of an older type: fields may be added to rows, wherever in a type the rows are.

What was stored knows its old type only as the text that was written beside it; so the new type is followed through that
text, and where it has a field that the text has not, the field was added.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from flinkpy_dagster.types import (
    ListTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PickledBytesTypeInfo,
    Row,
    RowTypeInfo,
    TupleTypeInfo,
    TypeInformation,
)
from flinkpy_dagster.types.row import row_of

ANY = "any"
"""What is written for values of no declared type."""

Convert = Callable[[Any], Any]
"""From a value that was stored to what would be stored now."""


def only_adds_fields(old: str, kinds: Sequence[TypeInformation | None]) -> bool:
    """Is ``old`` the text of these types, separated by commas, but for fields of rows that it does not have?"""
    return _after_all(old, kinds, "") == ""


def _without(text: str | None, start: str) -> str | None:
    return text[len(start) :] if text is not None and text.startswith(start) else None


def _after(text: str | None, kind: TypeInformation | None) -> str | None:
    """What follows the older form of ``kind`` at the beginning of ``text``; None: something else is there."""
    if kind is None or (isinstance(kind, PickledBytesTypeInfo) and (text or "").startswith(ANY)):
        return _without(text, ANY)
    name = str(kind)[: _head(str(kind))]
    if isinstance(kind, RowTypeInfo) and kind._field_names is not None:
        return _after_fields(_without(text, name), kind)
    if isinstance(kind, RowTypeInfo | TupleTypeInfo):
        return _after_all(_without(text, name), kind.get_field_types(), ")")
    if isinstance(kind, ListTypeInfo | ObjectArrayTypeInfo):
        return _after_all(_without(text, name), [kind.element_type], ">")
    if isinstance(kind, MapTypeInfo):
        return _after_all(_without(text, name), [kind.key_type, kind.value_type], ">")
    return _without(text, str(kind))


def _head(text: str) -> int:
    """How long the name of a type is, with the bracket after it."""
    return next((place + 1 for place, letter in enumerate(text) if letter in "(<"), len(text))


def _after_all(text: str | None, kinds: Sequence[TypeInformation | None], end: str) -> str | None:
    for place, kind in enumerate(kinds):
        text = _after(text if place == 0 else _without(text, ", "), kind)
    return _without(text, end)


def _after_fields(text: str | None, kind: RowTypeInfo) -> str | None:
    """Fields that are new are passed over; all others come in their order."""
    is_first = True
    for name, field in zip(kind.get_field_names(), kind.get_field_types(), strict=True):
        begun = text if is_first else _without(text, ", ")
        rest = _after(_without(begun, f"{name}: "), field)
        if rest is not None:
            text, is_first = rest, False
    return _without(text, ")")


def converter(kind: TypeInformation | None) -> Convert | None:
    """What gives rows in values of a type the fields that the type has now; None if there are no rows in it.

    Values that have all fields stay the same objects, so it may be applied to old and new values alike.
    """
    if isinstance(kind, RowTypeInfo):
        return _row_converter(kind)
    if isinstance(kind, TupleTypeInfo):
        return _tuple_converter(kind)
    if isinstance(kind, ListTypeInfo | ObjectArrayTypeInfo):
        return _of_all(_each, converter(kind.element_type))
    if isinstance(kind, MapTypeInfo):
        return _of_all(_each_value, converter(kind.value_type))
    return None


def _of_all(apply: Callable[[Convert, Any], Any], one: Convert | None) -> Convert | None:
    return None if one is None else partial(apply, one)


def _each(one: Convert, values: Any) -> Any:
    return values if values is None else type(values)(one(value) for value in values)


def _each_value(one: Convert, stored: Any) -> Any:
    return stored if stored is None else {key: one(value) for key, value in stored.items()}


def _row_converter(kind: RowTypeInfo) -> Convert:
    names = kind._field_names
    inner = {
        place: one
        for place, each in enumerate(kind.get_field_types())
        if (one := converter(each)) is not None
    }

    def convert(row: Any) -> Any:
        row = with_fields(row, names) if names is not None else row
        if not isinstance(row, Row) or not inner:
            return row
        values = list(row._values)
        for place, one in inner.items():
            values[place] = one(values[place])
        return row if _same(values, row._values) else row_of(row._fields, values, row._row_kind)

    return convert


def _tuple_converter(kind: TupleTypeInfo) -> Convert | None:
    inner = [converter(each) for each in kind.get_field_types()]
    if not any(inner):
        return None

    def convert(value: Any) -> Any:
        if value is None:
            return None
        made = tuple(one(part) if one is not None else part for one, part in zip(inner, value, strict=True))
        return value if _same(made, value) else made

    return convert


def _same(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return all(left is right for left, right in zip(one, other, strict=True))


def with_fields(row: Any, names: list[str]) -> Any:
    """The row with all these fields, in this order; those it does not have are None."""
    if not isinstance(row, Row) or row._fields is None or list(row._fields) == names:
        return row
    values = dict(zip(row._fields, row._values, strict=True))
    return row_of(names, [values.get(name) for name in names], row._row_kind)
