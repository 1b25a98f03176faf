"""Columns without a declared type: any Python objects, as their pickles.

PyFlink pickles every element on its own, so no two elements ever share a mutable object. Here whole columns are
pickled or copied at once wherever that gives the same result: when all values are immutable, or when no mutable
object occurs twice.
"""

import datetime
import decimal
import pickle
from operator import itemgetter

from flinkpy_dagster.errors import TypeMismatch
from flinkpy_dagster.types.columns import Column, ColumnCodec, flattened, regrouped
from flinkpy_dagster.types.instant import Instant
from flinkpy_dagster.types.pickles_by_value import dumps_by_value, loads_by_value
from flinkpy_dagster.types.row import Row, row_of
from flinkpy_dagster.types.type_information import PickledBytesTypeInfo, TypeInformation

_IMMUTABLE = frozenset(
    (type(None), bool, int, float, complex, str, bytes, Instant)
    + (decimal.Decimal, datetime.date, datetime.time, datetime.datetime, datetime.timedelta)
)
_PROTOCOL = 5
# How a column was packed: first byte of the result.
_TOGETHER, _ONE_BY_ONE, _BY_VALUE = b"t", b"o", b"v"


class PickledColumn(ColumnCodec):
    """PICKLED_BYTE_ARRAY, and streams, states and keys of no declared type."""

    is_nullable = True

    def __init__(self, type_info: TypeInformation | None = None) -> None:
        super().__init__(type_info or PickledBytesTypeInfo())

    def coerce(self, column: Column, where: str) -> Column:
        """The same values; mutable ones as copies of their own."""
        return copied(column, where)

    def pack(self, column: Column) -> bytes:
        if is_free_of_sharing(column):
            try:
                return _TOGETHER + pickle.dumps(column, _PROTOCOL)
            except Exception:  # raised by whatever is inside; the way below finds out which value it is
                pass
        return _dumps_each(column, "")

    def unpack(self, packed: bytes, count: int) -> Column:
        """The values; raises what user classes raise when they are unpickled."""
        if packed[:1] == _BY_VALUE:
            return loads_by_value(packed[1:])
        values: Column = pickle.loads(memoryview(packed)[1:])
        return values if packed[:1] == _TOGETHER else list(map(pickle.loads, values))

    def copies(self, column: Column) -> Column:
        return copied(column, "")


def is_free_of_sharing(column: Column) -> bool:
    """Can all values go through one pickle without two of them becoming one object or staying one?"""
    mutable: list[int] = []
    return _collect_mutable(column, mutable) and len(set(mutable)) == len(mutable)


def _collect_mutable(column: Column, mutable: list[int]) -> bool:
    """Note the ids of lists, dicts, sets and rows, at any depth; False when there is anything unknown."""
    kinds = set(map(type, column))
    for kind in kinds - _IMMUTABLE:
        values = column if len(kinds) == 1 else [value for value in column if type(value) is kind]
        if kind is not tuple and kind is not frozenset:
            mutable.extend(map(id, values))
        inner = _inner_values(kind, values)
        if inner is None or not _collect_mutable(inner, mutable):
            return False
    return True


def _inner_values(kind: type, values: Column) -> Column | None:
    if kind in (list, tuple, set, frozenset):
        return flattened(values)
    if kind is dict:
        return flattened(values) + flattened([value.values() for value in values])
    if kind is Row:
        return flattened([row._values for row in values])
    return None


def copied(column: Column, where: str) -> Column:
    """Equal values that share no mutable object with the given ones or with each other."""
    kinds = set(map(type, column))
    if kinds <= _IMMUTABLE:
        return column
    if len(kinds) == 1:
        rebuild = _REBUILDERS.get(next(iter(kinds)))
        if rebuild is not None:
            return rebuild(column, where)
    return _copied_each(column, kinds, where)


def _copied_tuples(column: Column, where: str) -> Column:
    if len(set(map(len, column))) == 1 and column[0]:
        before = [list(map(itemgetter(index), column)) for index in range(len(column[0]))]
        after = [copied(values, where) for values in before]
        is_same = all(new is old for new, old in zip(after, before, strict=True))
        return column if is_same else list(zip(*after, strict=True))
    elements = flattened(column)
    changed = copied(elements, where)
    return column if changed is elements else list(map(tuple, regrouped(changed, map(len, column))))


def _copied_lists(column: Column, where: str) -> Column:
    return regrouped(copied(flattened(column), where), map(len, column))


def _copied_dicts(column: Column, where: str) -> Column:
    values = flattened([entries.values() for entries in column])
    changed = copied(values, where)
    if changed is values and set(map(type, flattened(column))) <= _IMMUTABLE:
        return list(map(dict.copy, column))
    entries = zip(copied(flattened(column), where), changed, strict=True)
    return [dict(group) for group in regrouped(entries, map(len, column))]


def _copied_rows(column: Column, where: str) -> Column:
    lists = _copied_lists([row._values for row in column], where)
    return [row_of(row._fields, values, row._row_kind) for row, values in zip(column, lists, strict=True)]


_REBUILDERS = {tuple: _copied_tuples, list: _copied_lists, dict: _copied_dicts, Row: _copied_rows}


def _copied_each(column: Column, kinds: set[type], where: str) -> Column:
    """Columns of several types go type by type; values of an unknown type through a pickle of each."""
    if len(kinds) == 1:
        try:
            return [pickle.loads(pickle.dumps(value, _PROTOCOL)) for value in column]
        except Exception:
            return loads_by_value(_dumps_by_value(column, where))
    before = {kind: [value for value in column if type(value) is kind] for kind in kinds}
    after = {kind: copied(values, where) for kind, values in before.items()}
    if all(after[kind] is values for kind, values in before.items()):
        return column
    rest = {kind: iter(values) for kind, values in after.items()}
    return [next(rest[type(value)]) for value in column]


def _dumps_each(column: Column, where: str) -> bytes:
    try:
        packed = pickle.dumps([pickle.dumps(value, _PROTOCOL) for value in column], _PROTOCOL)
        if b"__main__" not in packed:  # the main module of whoever reads this is another one
            return _ONE_BY_ONE + packed
    except Exception:  # classes and functions of the program itself: pickle knows them by name only
        pass
    return _BY_VALUE + _dumps_by_value(column, where)


def _dumps_by_value(column: Column, where: str) -> bytes:
    try:
        return dumps_by_value(column)
    except Exception:
        raise _unpicklable(column, where) from None


def _unpicklable(column: Column, where: str) -> TypeMismatch:
    for value in column:
        try:
            dumps_by_value([value])
        except Exception as error:
            reason = f"{PickledBytesTypeInfo()} (anything that can be pickled; this cannot: {error})"
            return TypeMismatch(where, reason, value)
    return TypeMismatch(where, "PickledByteArrayTypeInfo", column)
