"""Columns of tuples, rows, lists, arrays and maps: the fields and elements are columns in turn.

Rows, lists and dicts always come back as new objects: as in PyFlink, who changes one after handing it on changes
his own copy.
"""

from array import array
from collections.abc import Mapping
from operator import attrgetter, itemgetter
from typing import Any

from flinkpy_dagster.types import java_maps
from flinkpy_dagster.types.columns import Column, ColumnCodec, flattened, nullable, regrouped
from flinkpy_dagster.types.row import Row, RowKind, row_of
from flinkpy_dagster.types.type_information import RowTypeInfo, TupleTypeInfo, TypeInformation

_KINDS = tuple(RowKind)
_kind_of = attrgetter("_row_kind")


def _path(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


class TupleColumn(ColumnCodec):
    """TUPLE: fields beyond the declared ones are dropped, as in PyFlink; missing ones are an error."""

    def __init__(self, type_info: TupleTypeInfo, fields: list[ColumnCodec]) -> None:
        super().__init__(type_info)
        self._fields = fields
        self._getters = [itemgetter(index) for index in range(len(fields))]

    def coerce(self, column: Column, where: str) -> Column:
        """Field by field; the same list if no field changes."""
        is_exact = set(map(type, column)) <= {tuple} and set(map(len, column)) <= {len(self._fields)}
        if not is_exact:
            self._check_shape(column, where)
        before = self._columns(column)
        after = [
            field.coerce(values, _path(where, f"f{index}"))
            for index, (field, values) in enumerate(zip(self._fields, before, strict=True))
        ]
        if is_exact and all(map(_is, before, after)):
            return column
        return self._tuples(after, len(column))

    def _check_shape(self, column: Column, where: str) -> None:
        for value in column:
            if not isinstance(value, tuple):
                raise self.mismatch(value, where, f"TypeError: Expected tuple, got {type(value).__name__}")
            if len(value) < len(self._fields):
                raise self.mismatch(value, where, f"{len(value)} fields instead of {len(self._fields)}")

    def _columns(self, column: Column) -> list[Column]:
        return [list(map(getter, column)) for getter in self._getters]

    def _tuples(self, columns: list[Column], count: int) -> Column:
        return list(zip(*columns, strict=True)) if columns else [()] * count

    def pack(self, column: Column) -> Any:
        return [field.pack(values) for field, values in zip(self._fields, self._columns(column), strict=True)]

    def unpack(self, packed: Any, count: int) -> Column:
        columns = [field.unpack(part, count) for field, part in zip(self._fields, packed, strict=True)]
        return self._tuples(columns, count)

    def copies(self, column: Column) -> Column:
        return self._mapped("copies", column)

    def present(self, column: Column) -> Column:
        return self._mapped("present", column)

    def _mapped(self, method: str, column: Column) -> Column:
        before = self._columns(column)
        after = [getattr(field, method)(values) for field, values in zip(self._fields, before, strict=True)]
        return column if all(map(_is, before, after)) else self._tuples(after, len(column))

    def admit(self, value: Any) -> Any:
        """``from_collection`` takes lists and rows for tuples."""
        if not isinstance(value, (tuple, list, Row)):
            return value
        if len(value) != len(self._fields):
            raise self.mismatch(value, "", _wrong_width("tuple", len(self._fields), len(value)))
        return tuple(field.admit(item) for field, item in zip(self._fields, value, strict=True))


def _is(left: object, right: object) -> bool:
    return left is right


def _wrong_width(what: str, wanted: int, given: int) -> str:
    return (
        f"Input {what} doesn't have expected number of values required by the schema. "
        f"{wanted} fields are required while {given} values are provided."
    )


def _without_attribute(value: object, attribute: str) -> AttributeError:
    return AttributeError(f"'{type(value).__name__}' object has no attribute '{attribute}'")


class RowColumn(ColumnCodec):
    """ROW: named rows are put into the declared order, positional ones get the declared names, fields may be None."""

    def __init__(self, type_info: RowTypeInfo, fields: list[ColumnCodec]) -> None:
        super().__init__(type_info)
        self._names = type_info.get_field_names()
        self._fields = [nullable(field) for field in fields]
        self._getters = [itemgetter(index) for index in range(len(fields))]

    def coerce(self, column: Column, where: str) -> Column:
        """New rows, named and ordered as declared."""
        columns = [
            field.coerce(values, _path(where, name))
            for field, name, values in zip(
                self._fields, self._names, self._columns(column, where), strict=True
            )
        ]
        return self._rows(columns, list(map(_kind_of, column)))

    def _columns(self, column: Column, where: str) -> list[Column]:
        names, width = self._names, len(self._fields)
        if not set(map(type, column)) <= {Row}:
            for value in column:
                if not isinstance(value, Row):
                    raise self.mismatch(value, where, _without_attribute(value, "get_fields_by_names"))
        try:
            lists = [
                row._values if row._fields is None or row._fields == names else row.get_fields_by_names(names)
                for row in column
            ]
        except (KeyError, IndexError):
            lists = [self._values_of(row, where) for row in column]
        if not set(map(len, lists)) <= {width}:
            lists = [self._values_of(row, where)[:width] for row in column]
        return [list(map(getter, lists)) for getter in self._getters]

    def _values_of(self, row: Row, where: str) -> list[Any]:
        try:
            values = row.get_fields_by_names(self._names)
        except (KeyError, IndexError):
            given = row._fields or []
            missing = [name for name in self._names if name not in given]
            raise self.mismatch(row, where, f"Field names {missing} not exist in {given}.") from None
        if len(values) < len(self._fields):
            raise self.mismatch(row, where, f"{len(values)} fields instead of {len(self._fields)}")
        return values

    def _rows(self, columns: list[Column], kinds: list[RowKind]) -> Column:
        names = self._names
        lists = list(map(list, zip(*columns, strict=True))) if columns else [[] for _ in kinds]
        if kinds.count(RowKind.INSERT) == len(kinds):
            return [row_of(names, values) for values in lists]
        return [row_of(names, values, kind) for values, kind in zip(lists, kinds, strict=True)]

    def pack(self, column: Column) -> Any:
        """The kinds as bytes (None if all are inserts) and the packed fields."""
        kinds = list(map(_kind_of, column))
        is_plain = kinds.count(RowKind.INSERT) == len(kinds)
        marks = None if is_plain else bytes([kind.value for kind in kinds])
        return marks, [
            field.pack(values) for field, values in zip(self._fields, self._columns(column, ""), strict=True)
        ]

    def unpack(self, packed: Any, count: int) -> Column:
        """New rows."""
        marks, parts = packed
        kinds = [RowKind.INSERT] * count if marks is None else list(map(_KINDS.__getitem__, marks))
        return self._rows(
            [field.unpack(part, count) for field, part in zip(self._fields, parts, strict=True)], kinds
        )

    def copies(self, column: Column) -> Column:
        columns = [
            field.copies(values)
            for field, values in zip(self._fields, self._columns(column, ""), strict=True)
        ]
        return self._rows(columns, list(map(_kind_of, column)))

    def present(self, column: Column) -> Column:
        columns = [
            field.present(values)
            for field, values in zip(self._fields, self._columns(column, ""), strict=True)
        ]
        return self._rows(columns, list(map(_kind_of, column)))

    def admit(self, value: Any) -> Any:
        """``from_collection`` takes tuples, lists, dicts and objects with attributes for rows."""
        kind = value.get_row_kind() if isinstance(value, Row) else RowKind.INSERT
        values = self._values_in_order(value)
        if values is None:
            return value
        if len(values) != len(self._fields):
            raise self.mismatch(value, "", _wrong_width("row", len(self._fields), len(values)))
        return row_of(
            self._names, [field.admit(item) for field, item in zip(self._fields, values, strict=True)], kind
        )

    def _values_in_order(self, value: Any) -> list[Any] | None:
        if isinstance(value, Row):
            return list(value) if len(value) != len(self._fields) else self._values_of(value, "")
        if isinstance(value, dict):
            return [value.get(name) for name in self._names]
        if isinstance(value, (tuple, list)):
            return list(value)
        attributes = getattr(value, "__dict__", None)
        return None if attributes is None else [attributes.get(name) for name in self._names]


class ListColumn(ColumnCodec):
    """LIST and the arrays: ``list`` of values of one type."""

    def __init__(self, type_info: TypeInformation, element: ColumnCodec) -> None:
        super().__init__(type_info)
        self._element = element

    def coerce(self, column: Column, where: str) -> Column:
        """New lists."""
        if not set(map(type, column)) <= {list}:
            for value in column:
                if not isinstance(value, list):
                    raise self.mismatch(value, where, f"TypeError: Expected list, got {type(value).__name__}")
        return self._rebuilt(column, self._element.coerce(flattened(column), f"{where}[]"))

    def _rebuilt(self, column: Column, elements: Column) -> Column:
        return regrouped(elements, map(len, column))

    def pack(self, column: Column) -> Any:
        return array("q", map(len, column)).tobytes(), self._element.pack(flattened(column))

    def unpack(self, packed: Any, count: int) -> Column:
        sizes = array("q", packed[0])
        return regrouped(self._element.unpack(packed[1], sum(sizes)), sizes)

    def copies(self, column: Column) -> Column:
        return self._rebuilt(column, self._element.copies(flattened(column)))

    def present(self, column: Column) -> Column:
        """The same lists unless an element is presented as something else."""
        elements = flattened(column)
        presented = self._element.present(elements)
        return column if presented is elements else self._rebuilt(column, presented)

    def admit(self, value: Any) -> Any:
        """``from_collection`` takes tuples for lists."""
        return [self._element.admit(item) for item in value] if isinstance(value, (list, tuple)) else value


class BytesColumn(ColumnCodec):
    """An array or list of BYTE: ``bytes`` for user code, a list of signed numbers when collected."""

    def coerce(self, column: Column, where: str) -> Column:
        """``bytes``; also of a ``bytearray``."""
        if set(map(type, column)) <= {bytes}:
            return column
        for value in column:
            if not isinstance(value, (bytes, bytearray)):
                raise self.mismatch(value, where, f"TypeError: expected bytes, {type(value).__name__} found")
        return list(map(bytes, column))

    def present(self, column: Column) -> Column:
        return [array("b", value).tolist() for value in column]


class MapColumn(ColumnCodec):
    """MAP: ``dict``; values may be None."""

    def __init__(self, type_info: TypeInformation, key: ColumnCodec, value: ColumnCodec) -> None:
        super().__init__(type_info)
        self._key = key
        self._value = nullable(value)
        self._hash = java_maps.hash_of(key.type_info)

    def coerce(self, column: Column, where: str) -> Column:
        """New dicts, in Java's order."""
        if not set(map(type, column)) <= {dict}:
            for value in column:
                if not isinstance(value, Mapping):
                    reason = f"TypeError: object of type '{type(value).__name__}' has no len()"
                    raise self.mismatch(value, where, reason)
        keys, values = self._parts(column)
        coerced = self._rebuilt(
            column,
            self._key.coerce(keys, _path(where, "key")),
            self._value.coerce(values, _path(where, "value")),
        )
        if self._hash is None:
            return coerced
        return [java_maps.as_encoded(entries, self._hash) for entries in coerced]

    def _parts(self, column: Column) -> tuple[Column, Column]:
        return flattened(column), flattened([entries.values() for entries in column])

    def _rebuilt(self, column: Column, keys: Column, values: Column) -> Column:
        return [dict(entries) for entries in regrouped(zip(keys, values, strict=True), map(len, column))]

    def pack(self, column: Column) -> Any:
        keys, values = self._parts(column)
        return array("q", map(len, column)).tobytes(), self._key.pack(keys), self._value.pack(values)

    def unpack(self, packed: Any, count: int) -> Column:
        """New dicts."""
        sizes = array("q", packed[0])
        total = sum(sizes)
        entries = zip(self._key.unpack(packed[1], total), self._value.unpack(packed[2], total), strict=True)
        return [dict(group) for group in regrouped(entries, sizes)]

    def copies(self, column: Column) -> Column:
        keys, values = self._parts(column)
        return self._rebuilt(column, self._key.copies(keys), self._value.copies(values))

    def present(self, column: Column) -> Column:
        keys, values = self._parts(column)
        return self._rebuilt(column, self._key.present(keys), self._value.present(values))

    def admit(self, value: Any) -> Any:
        """Any mapping."""
        if not isinstance(value, Mapping):
            return value
        admitted = {self._key.admit(key): self._value.admit(item) for key, item in value.items()}
        try:
            return admitted if self._hash is None else java_maps.as_unpickled(admitted, self._hash)
        except (TypeError, ValueError, AttributeError):  # a key of another type, which coerce() will refuse
            return admitted
