"""From a declared type to what becomes of values of it: ``codec_of`` and ``Codec``.

The rules are PyFlink 2.3's (``fn_execution/coders.py``): values take their declared type where they leave a
Python operator, not inside of fused ones.
"""

import pickle
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from flinkpy_dagster.types.columns import Column, ColumnCodec, nullable
from flinkpy_dagster.types.composites import BytesColumn, ListColumn, MapColumn, RowColumn, TupleColumn
from flinkpy_dagster.types.moments import (
    DateColumn,
    InstantColumn,
    SqlTimeColumn,
    TimeColumn,
    TimestampColumn,
)
from flinkpy_dagster.types.pickles import PickledColumn
from flinkpy_dagster.types.printing import print_text
from flinkpy_dagster.types.scalars import SCALARS
from flinkpy_dagster.types.type_information import (
    BasicArrayTypeInfo,
    BasicType,
    BasicTypeInfo,
    DateTypeInfo,
    ExternalTypeInfo,
    ListTypeInfo,
    LocalTimeTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PickledBytesTypeInfo,
    PrimitiveArrayTypeInfo,
    RowTypeInfo,
    TimestampTypeInfo,
    TimeTypeInfo,
    TupleTypeInfo,
    TypeInformation,
)
from flinkpy_dagster.types.typed_values import TypedValues

__all__ = ["Codec", "codec_of", "print_text"]

_PROTOCOL = 5


class CoercedValues(list[Any]):
    """New values that ``codec`` would give back as they are, on their way to where they are coerced."""

    def __init__(self, values: list, codec: "Codec") -> None:
        super().__init__(values)
        self.codec = codec


class Codec:
    """Coerces, encodes, copies and presents lists of values of one declared type."""

    def __init__(self, column: ColumnCodec) -> None:
        self._column = column

    @property
    def type_info(self) -> TypeInformation:
        return self._column.type_info

    def coerce(self, values: Column) -> Column:
        """What the values are after PyFlink encoded and decoded them; the same list when nothing changes.

        Rows, lists, dicts and other mutable values come back as copies of their own. Raises ``TypeMismatch``
        naming the field, the type and the value.
        """
        if isinstance(values, TypedValues) and values.codec is self:
            return values
        if isinstance(values, CoercedValues) and values.codec is self:
            return list(values)  # once: whoever gets them now may change what is in them
        return self._column.coerce(values, "")

    def coerce_collection(self, values: Column) -> Column:
        """``coerce`` for the elements of ``from_collection``.

        There PyFlink also takes lists and rows for tuples; tuples, lists, dicts and objects for rows; tuples for
        lists; and anything for a STRING.
        """
        return self._column.coerce([self._column.admit(value) for value in values], "")

    def dumps(self, values: Column) -> bytes:
        """The values, coerced, as bytes."""
        return self.dumps_coerced(self._column.coerce(values, ""))

    def dumps_coerced(self, values: Column) -> bytes:
        """Values that ``coerce`` has given, as bytes; no check is made."""
        return pickle.dumps((len(values), self._column.pack(values)), _PROTOCOL)

    def loads(self, data: bytes) -> Column:
        """The values that were dumped, as objects nobody else holds."""
        count, packed = pickle.loads(data)
        return self._column.unpack(packed, count)

    def copies(self, values: Column) -> Column:
        """Coerced values for one more reader: mutable ones are copied, the same list if there are none."""
        if isinstance(values, TypedValues):
            return values
        return self._column.copies(values)

    def present(self, values: Column) -> Column:
        """What ``execute_and_collect`` hands the user for coerced values, e.g. 0.1 for a FLOAT."""
        return self._column.present(values)


def codec_of(type_info: TypeInformation | None) -> Codec:
    """The codec of a declared type; None means pickled. Raises TypeError for an unknown type."""
    if type_info is None:
        return _PICKLED
    # Row types are equal whatever their fields are called, so the text has to be part of the key.
    return _cached_codec(type_info, type_info.describe())


def key_codec_of(type_info: TypeInformation | None) -> Codec:
    """The codec of keys of a declared type: whatever it is, None is a key, too."""
    return _PICKLED if type_info is None else _cached_key_codec(type_info, type_info.describe())


@lru_cache(maxsize=512)
def _cached_key_codec(type_info: TypeInformation, description: str) -> Codec:
    return Codec(nullable(_column_of(type_info)))


@lru_cache(maxsize=512)
def _cached_codec(type_info: TypeInformation, description: str) -> Codec:
    return Codec(_column_of(type_info))


def _column_of(type_info: TypeInformation) -> ColumnCodec:
    for kind, make in _MAKERS.items():
        if isinstance(type_info, kind):
            return make(type_info)
    raise TypeError(f"{type_info!r} is no type that values of a stream can have: use one of Types.")


def _of_basic(type_info: BasicTypeInfo) -> ColumnCodec:
    if type_info.basic_type is BasicType.INSTANT:
        return nullable(InstantColumn(type_info))
    column = SCALARS[type_info.basic_type](type_info)
    return nullable(column) if type_info.basic_type is BasicType.BIG_DEC else column


def _of_local_time(type_info: LocalTimeTypeInfo) -> ColumnCodec:
    if type_info.time_type is LocalTimeTypeInfo.TimeType.LOCAL_DATE:
        return nullable(DateColumn(type_info))
    if type_info.time_type is LocalTimeTypeInfo.TimeType.LOCAL_TIME:
        return nullable(TimeColumn(type_info, 1))
    return nullable(TimestampColumn(type_info, 1))


def _of_sequence(type_info: PrimitiveArrayTypeInfo | ListTypeInfo) -> ColumnCodec:
    element = type_info.element_type
    if isinstance(element, BasicTypeInfo) and element.basic_type is BasicType.BYTE:
        return BytesColumn(type_info)
    return ListColumn(type_info, _column_of(element))


def _of_object_array(type_info: BasicArrayTypeInfo | ObjectArrayTypeInfo) -> ColumnCodec:
    return ListColumn(type_info, nullable(_column_of(type_info.element_type)))


def _of_map(type_info: MapTypeInfo) -> ColumnCodec:
    return MapColumn(type_info, _column_of(type_info.key_type), _column_of(type_info.value_type))


_MAKERS: dict[type[TypeInformation], Callable[[Any], ColumnCodec]] = {
    BasicTypeInfo: _of_basic,
    TupleTypeInfo: lambda info: TupleColumn(info, list(map(_column_of, info.get_field_types()))),
    RowTypeInfo: lambda info: RowColumn(info, list(map(_column_of, info.get_field_types()))),
    PickledBytesTypeInfo: PickledColumn,
    DateTypeInfo: DateColumn,
    TimeTypeInfo: SqlTimeColumn,
    TimestampTypeInfo: lambda info: TimestampColumn(info, 1000),
    LocalTimeTypeInfo: _of_local_time,
    PrimitiveArrayTypeInfo: _of_sequence,
    ListTypeInfo: _of_sequence,
    BasicArrayTypeInfo: _of_object_array,
    ObjectArrayTypeInfo: _of_object_array,
    MapTypeInfo: _of_map,
    ExternalTypeInfo: lambda info: _column_of(info.inner_type),
}
_PICKLED = Codec(PickledColumn())
