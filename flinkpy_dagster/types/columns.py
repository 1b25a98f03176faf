"""What every column codec can do, and columns with holes (None).

A column codec works on a list of values of one declared type at a time, because checking and packing a whole list
runs at C speed. ``Codec`` (in ``codec``) is the outer face; the codecs of fields nest in each other like the types.
"""

from collections.abc import Callable, Iterable
from itertools import chain, islice
from typing import Any

from flinkpy_dagster.errors import TypeMismatch
from flinkpy_dagster.types.type_information import TypeInformation

Column = list[Any]


class ColumnCodec:
    """Coerces, packs, copies and presents a list of values of one type. ``where`` is the path of the field.

    ``pack`` takes coerced values and gives something picklable in which no two elements share a mutable object;
    ``unpack(pack(column), len(column))`` equals the column.
    """

    is_nullable = False  # may a value be None where the type around it does not allow None?

    def __init__(self, type_info: TypeInformation) -> None:
        self.type_info = type_info

    def coerce(self, column: Column, where: str) -> Column:
        """The column after an encoding and decoding; the same list when nothing changes."""
        raise NotImplementedError

    def pack(self, column: Column) -> Any:
        return column

    def unpack(self, packed: Any, count: int) -> Column:
        column: Column = packed
        return column

    def copies(self, column: Column) -> Column:
        """The same values, sharing no mutable object with the argument."""
        return column

    def present(self, column: Column) -> Column:
        """What the user gets from ``execute_and_collect`` for coerced values."""
        return column

    def admit(self, value: Any) -> Any:
        """One element of ``from_collection``, where PyFlink takes more shapes than between operators."""
        return value

    def mismatch(self, value: Any, where: str, reason: str | Exception = "") -> TypeMismatch:
        """The error about ``value``; ``reason`` is what PyFlink's coder says about it."""
        if isinstance(reason, Exception):
            reason = f"{type(reason).__name__}: {reason}"
        return TypeMismatch(where, self.type_info.describe(), value, reason=reason)


_NONE_TYPE = type(None)


def has_none(column: Column) -> bool:
    return _NONE_TYPE in set(map(type, column))


def around_none(function: Callable[[Column], Column], column: Column) -> Column:
    """``function`` applied to what is not None; the same column when it changes nothing."""
    if not has_none(column):
        return function(column)
    present = [value for value in column if value is not None]
    changed = function(present)
    return column if changed is present else with_none(changed, [value is not None for value in column])


def with_none(values: Iterable[Any], is_present: Iterable[Any]) -> Column:
    """``values`` spread over the true places of ``is_present``, None in the others."""
    rest = iter(values)
    return [next(rest) if flag else None for flag in is_present]


class NullableColumn(ColumnCodec):
    """A column whose values may be None: fields of rows, elements of object arrays, values of maps."""

    is_nullable = True

    def __init__(self, inner: ColumnCodec) -> None:
        super().__init__(inner.type_info)
        self._inner = inner

    def coerce(self, column: Column, where: str) -> Column:
        return around_none(lambda present: self._inner.coerce(present, where), column)

    def pack(self, column: Column) -> Any:
        """What is not None, after a byte per value that says which are not; no bytes if all are."""
        if not has_none(column):
            return None, self._inner.pack(column)
        mask = bytes([value is not None for value in column])
        return mask, self._inner.pack([value for value in column if value is not None])

    def unpack(self, packed: Any, count: int) -> Column:
        """The values with None back in its places."""
        mask, inner = packed
        if mask is None:
            return self._inner.unpack(inner, count)
        return with_none(self._inner.unpack(inner, sum(mask)), mask)

    def copies(self, column: Column) -> Column:
        return around_none(self._inner.copies, column)

    def present(self, column: Column) -> Column:
        return around_none(self._inner.present, column)

    def admit(self, value: Any) -> Any:
        return None if value is None else self._inner.admit(value)


def nullable(codec: ColumnCodec) -> ColumnCodec:
    return codec if codec.is_nullable else NullableColumn(codec)


def flattened(column: Column) -> Column:
    """The elements of all containers of a column, one after the other."""
    return list(chain.from_iterable(column))


def regrouped(elements: Iterable[Any], sizes: Iterable[int]) -> Column:
    """The inverse of ``flattened``: lists of the given sizes."""
    rest = iter(elements)
    return [list(islice(rest, size)) for size in sizes]
