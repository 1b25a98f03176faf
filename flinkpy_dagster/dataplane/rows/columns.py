"""Values as Arrow columns and back: one ``Column`` per type.

Two mappings. The *exact* one (stored results that the job reads again) gives back equal values of equal types,
whatever they are. The *open* one (tables for others, rows that Spark reads for us) prefers the column type anybody
would expect.

========================  =========================  ==========================
type                      exact                      open
========================  =========================  ==========================
BIG_INT                   string                     decimal(38, 0)
BIG_DEC                   string                     decimal(38, 18), half up
INSTANT                   struct(seconds, nanos)     timestamp (UTC, us)
no type, PICKLED          binary (pickle)            binary (pickle)
========================  =========================  ==========================

All others are the same in both: numbers as numbers, SQL_TIMESTAMP as timestamp without zone, SQL_TIME as ISO text
(Spark stores no times), ROW and TUPLE as structs, in the exact mapping with the kind of the row in it.
"""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from datetime import time
from decimal import ROUND_HALF_UP, Decimal, localcontext
from operator import attrgetter, itemgetter
from typing import Any

import pyarrow as pa

from flinkpy_dagster.dataplane.rows.pickled_cells import dumps_each
from flinkpy_dagster.errors import TypeMismatch
from flinkpy_dagster.types import (
    BasicArrayTypeInfo,
    BasicType,
    BasicTypeInfo,
    DateTypeInfo,
    ExternalTypeInfo,
    Instant,
    ListTypeInfo,
    LocalTimeTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PickledBytesTypeInfo,
    PrimitiveArrayTypeInfo,
    RowKind,
    RowTypeInfo,
    TimestampTypeInfo,
    TimeTypeInfo,
    TupleTypeInfo,
    TypeInformation,
)
from flinkpy_dagster.types.row import row_of


@dataclass(frozen=True, slots=True)
class Column:
    """``encode`` makes an Arrow array of Python values (None is null), ``decode`` makes the values again."""

    arrow: pa.DataType
    encode: Callable[[list], pa.Array]
    decode: Callable[[pa.Array], list]


_CONVERSION_ERRORS = (pa.ArrowException, TypeError, ValueError, OverflowError)


def column_of(type_info: TypeInformation | None, *, exact: bool, field: str = "") -> Column:
    """The column for values of a type; ``field`` names it in a TypeMismatch."""
    if isinstance(type_info, ExternalTypeInfo):
        return column_of(type_info.inner_type, exact=exact, field=field)
    if type_info is None or isinstance(type_info, PickledBytesTypeInfo):
        return _pickled()
    if isinstance(type_info, BasicTypeInfo):
        return _basic(type_info, exact, field)
    if isinstance(type_info, RowTypeInfo | TupleTypeInfo):
        return _struct(type_info, exact, field)
    if isinstance(type_info, MapTypeInfo):
        return _map(type_info, exact, field)
    if isinstance(type_info, PrimitiveArrayTypeInfo) and type_info.element_type == BasicTypeInfo(
        BasicType.BYTE
    ):
        return _plain(pa.binary(), type_info, field)
    if isinstance(
        type_info, PrimitiveArrayTypeInfo | BasicArrayTypeInfo | ObjectArrayTypeInfo | ListTypeInfo
    ):
        return _list(column_of(type_info.element_type, exact=exact, field=_below(field, "[]")))
    return _temporal(type_info, field)


def _below(field: str, name: str) -> str:
    return f"{field}.{name}" if field and not name.startswith("[") else field + name


def _plain(arrow: pa.DataType, type_info: TypeInformation, field: str) -> Column:
    """A column whose Arrow type takes and gives the Python values as they are."""

    def encode(values: list) -> pa.Array:
        try:
            return pa.array(values, arrow)
        except _CONVERSION_ERRORS:
            raise TypeMismatch(field, type_info.describe(), _culprit(values, arrow)) from None

    return Column(arrow, encode, pa.Array.to_pylist)


def _culprit(values: list, arrow: pa.DataType) -> Any:
    for value in values:
        try:
            pa.array([value], arrow)
        except _CONVERSION_ERRORS:
            return value
    return values


_NUMBERS_AND_TEXT = {
    BasicType.STRING: pa.string(),
    BasicType.CHAR: pa.string(),
    BasicType.BOOLEAN: pa.bool_(),
    BasicType.BYTE: pa.int8(),
    BasicType.SHORT: pa.int16(),
    BasicType.INT: pa.int32(),
    BasicType.LONG: pa.int64(),
    BasicType.FLOAT: pa.float32(),
    BasicType.DOUBLE: pa.float64(),
}


def _basic(type_info: BasicTypeInfo, exact: bool, field: str) -> Column:
    basic_type = type_info.basic_type
    if basic_type in _NUMBERS_AND_TEXT:
        return _plain(_NUMBERS_AND_TEXT[basic_type], type_info, field)
    if basic_type is BasicType.INSTANT:
        return _exact_instant() if exact else _open_instant()
    of_text, scale = (int, 0) if basic_type is BasicType.BIG_INT else (Decimal, 18)
    return _as_text(of_text) if exact else _decimal(of_text, scale, type_info, field)


def _temporal(type_info: TypeInformation, field: str) -> Column:
    kind = type_info._time_type if isinstance(type_info, LocalTimeTypeInfo) else None
    if isinstance(type_info, DateTypeInfo) or kind is LocalTimeTypeInfo.TimeType.LOCAL_DATE:
        return _plain(pa.date32(), type_info, field)
    if isinstance(type_info, TimeTypeInfo) or kind is LocalTimeTypeInfo.TimeType.LOCAL_TIME:
        return _mapped(pa.string(), time.isoformat, time.fromisoformat)
    if isinstance(type_info, TimestampTypeInfo) or kind is LocalTimeTypeInfo.TimeType.LOCAL_DATE_TIME:
        return _plain(pa.timestamp("us"), type_info, field)
    raise TypeError(f"There is no column type for {type_info}.")


def _mapped(arrow: pa.DataType, to_stored: Callable[[Any], Any], to_value: Callable[[Any], Any]) -> Column:
    """A column of what ``to_stored`` makes of each value."""

    def encode(values: list) -> pa.Array:
        return pa.array([None if value is None else to_stored(value) for value in values], arrow)

    def decode(array: pa.Array) -> list:
        return [None if stored is None else to_value(stored) for stored in array.to_pylist()]

    return Column(arrow, encode, decode)


def _as_text(of_text: Callable[[str], Any]) -> Column:
    return _mapped(pa.string(), str, of_text)


def _decimal(of_number: Callable[[Any], Any], scale: int, type_info: TypeInformation, field: str) -> Column:
    arrow = pa.decimal128(38, scale)
    unit = Decimal(1).scaleb(-scale)

    def encode(values: list) -> pa.Array:
        with localcontext() as context:
            context.prec = 76
            try:
                rounded = [
                    None if value is None else Decimal(value).quantize(unit, ROUND_HALF_UP)
                    for value in values
                ]
                return pa.array(rounded, arrow)
            except (ArithmeticError, *_CONVERSION_ERRORS):
                worst = max((value for value in values if value is not None), key=abs)
                raise TypeMismatch(field, f"{type_info.describe()} of at most 38 digits", worst) from None

    def decode(array: pa.Array) -> list:
        return [None if value is None else of_number(value) for value in array.to_pylist()]

    return Column(arrow, encode, decode)


def _exact_instant() -> Column:
    arrow = pa.struct([("seconds", pa.int64()), ("nanos", pa.int32())])
    return _mapped(
        arrow,
        lambda instant: {"seconds": instant.seconds, "nanos": instant.nanos},
        lambda stored: Instant(stored["seconds"], stored["nanos"]),
    )


def _open_instant() -> Column:
    micros = _mapped(
        pa.int64(),
        lambda instant: instant.seconds * 1_000_000 + instant.nanos // 1000,
        lambda stored: Instant(stored // 1_000_000, stored % 1_000_000 * 1000),
    )
    arrow = pa.timestamp("us", tz="UTC")
    return Column(
        arrow,
        lambda values: micros.encode(values).cast(arrow),
        lambda array: micros.decode(array.cast(pa.int64())),
    )


def _pickled() -> Column:
    """Every value its own pickle, None included."""

    def encode(values: list) -> pa.Array:
        return pa.array(dumps_each(values), pa.binary())

    def decode(array: pa.Array) -> list:
        loads = pickle.loads
        return [None if stored is None else loads(stored) for stored in array.to_pylist()]

    return Column(pa.binary(), encode, decode)


def _struct(type_info: RowTypeInfo | TupleTypeInfo, exact: bool, field: str) -> Column:
    record = RecordColumns(type_info, exact=exact, field=field)
    keeps_kinds = exact and isinstance(type_info, RowTypeInfo)
    fields = [pa.field(name, column.arrow) for name, column in zip(record.names, record.columns)]
    arrow = pa.struct([*fields, pa.field(ROW_KIND, pa.string())] if keeps_kinds else fields)
    nulls = [None] * len(record.names)
    filler: Any = row_of(record.names, nulls) if isinstance(type_info, RowTypeInfo) else tuple(nulls)

    def parts(values: list) -> list[pa.Array]:
        kinds = [pa.array(row_kinds(values), pa.string())] if keeps_kinds else []
        return record.encode(values) + kinds

    def encode(values: list) -> pa.Array:
        if not any(value is None for value in values):
            return pa.StructArray.from_arrays(parts(values), fields=list(arrow))
        mask = pa.array([value is None for value in values])
        filled = [filler if value is None else value for value in values]
        return pa.StructArray.from_arrays(parts(filled), fields=list(arrow), mask=mask)

    def decode(array: pa.Array) -> list:
        values = record.decode([array.field(index) for index in range(len(fields))], len(array))
        if keeps_kinds:
            set_row_kinds(values, array.field(len(fields)).to_pylist())
        if array.null_count == 0:
            return values
        return [value if valid else None for value, valid in zip(values, array.is_valid().to_pylist())]

    return Column(arrow, encode, decode)


def _list(element: Column) -> Column:
    arrow = pa.list_(element.arrow)

    def encode(values: list) -> pa.Array:
        offsets, flat = _flattened(values)
        return pa.ListArray.from_arrays(offsets, element.encode(flat), type=arrow)

    def decode(array: pa.Array) -> list:
        return [
            None if items is None else list(items) for items in _sliced(array, element.decode, array.values)
        ]

    return Column(arrow, encode, decode)


def _map(type_info: MapTypeInfo, exact: bool, field: str) -> Column:
    key = column_of(type_info.key_type, exact=exact, field=_below(field, "key"))
    value = column_of(type_info.value_type, exact=exact, field=_below(field, "value"))
    arrow = pa.map_(key.arrow, value.arrow)

    def encode(values: list) -> pa.Array:
        offsets, keys = _flattened(values)
        items = [item for mapping in values if mapping is not None for item in mapping.values()]
        return pa.MapArray.from_arrays(offsets, key.encode(keys), value.encode(items), type=arrow)

    def decode(array: pa.Array) -> list:
        keys, items = _sliced(array, key.decode, array.keys), _sliced(array, value.decode, array.items)
        return [None if names is None else dict(zip(names, cells)) for names, cells in zip(keys, items)]

    return Column(arrow, encode, decode)


def _flattened(values: list) -> tuple[pa.Array, list]:
    """Arrow's offsets (null where a list is None) and all elements in one list."""
    offsets: list[int | None] = []
    flat: list = []
    for items in values:
        offsets.append(None if items is None else len(flat))
        if items is not None:
            flat.extend(items)
    return pa.array([*offsets, len(flat)], pa.int32()), flat


def _sliced(array: pa.Array, decode: Callable[[pa.Array], list], children: pa.Array) -> list:
    """The decoded children of each entry, None for a null entry."""
    offsets = array.offsets.to_pylist()
    first = offsets[0]
    flat = decode(children.slice(first, offsets[-1] - first))
    slices = [flat[start - first : end - first] for start, end in zip(offsets, offsets[1:])]
    if array.null_count == 0:
        return slices
    return [cells if valid else None for cells, valid in zip(slices, array.is_valid().to_pylist())]


ROW_KIND = "_row_kind"
"""The column, or part of a struct, that says of what kind a row is; null for +I."""

_KINDS = {str(kind): kind for kind in RowKind}


def row_kinds(rows: list) -> list[str | None]:
    """What ``ROW_KIND`` holds for these rows."""
    insert = RowKind.INSERT
    return [None if row._row_kind is insert else str(row._row_kind) for row in rows]


def set_row_kinds(rows: list, kinds: list[str | None]) -> None:
    """Gives rows the kinds that ``row_kinds`` told."""
    for row, kind in zip(rows, kinds):
        if kind is not None:
            row.set_row_kind(_KINDS[kind])


_values_of = attrgetter("_values")


class RecordColumns:
    """The columns a stream of ``type_info`` has as a table: a ROW's or TUPLE's fields, else one called ``value``."""

    def __init__(self, type_info: TypeInformation | None, *, exact: bool, field: str = "") -> None:
        while isinstance(type_info, ExternalTypeInfo):
            type_info = type_info.inner_type
        self._row_names = type_info.get_field_names() if isinstance(type_info, RowTypeInfo) else None
        self._is_single = not isinstance(type_info, RowTypeInfo | TupleTypeInfo)
        if isinstance(type_info, RowTypeInfo | TupleTypeInfo):
            types: list[TypeInformation | None] = list(type_info.get_field_types())
            self.names = self._row_names or [f"f{index}" for index in range(len(types))]
        else:
            types, self.names = [type_info], ["value"]
        self._fields = [itemgetter(index) for index in range(len(self.names))]
        below = [field if self._is_single else _below(field, name) for name in self.names]
        self.columns = [column_of(of, exact=exact, field=path) for of, path in zip(types, below)]

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([pa.field(name, column.arrow) for name, column in zip(self.names, self.columns)])

    def encode(self, values: list) -> list[pa.Array]:
        """One array per column."""
        if self._is_single:
            return [self.columns[0].encode(values)]
        rows = values if self._row_names is None else list(map(_values_of, values))
        return [
            column.encode(list(map(field, rows)))
            for column, field in zip(self.columns, self._fields, strict=True)
        ]

    def decode(self, arrays: list[pa.Array], length: int) -> list:
        """The values again; ``length`` counts where there is no column at all."""
        if self._is_single:
            return self.columns[0].decode(arrays[0])
        cells = [column.decode(array) for column, array in zip(self.columns, arrays)]
        rows = list(zip(*cells)) if cells else [()] * length
        names = self._row_names
        return rows if names is None else [row_of(names, list(row)) for row in rows]
