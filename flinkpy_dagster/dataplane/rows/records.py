"""Typed rows beside the wire rows: what a stored data set holds, and what a table sink is given.

A stored data set has the columns of its values, then ``_timestamp`` (event time, ms), ``_row_kind`` (of rows: +I and
so on, null is +I), ``_key`` (if it is keyed) and ``_channel`` (the subtask that reads the row; -1: all of them).
"""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from flinkpy_dagster.dataplane.rows.arrow_values import ArrowColumns, ArrowValues, joined_batches
from flinkpy_dagster.dataplane.rows.columns import (
    ROW_KIND,
    Column,
    RecordColumns,
    column_of,
    row_kinds,
    set_row_kinds,
)
from flinkpy_dagster.dataplane.rows.key_fields import field_of, field_of_keys
from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.types import RowTypeInfo, TypeInformation
from flinkpy_dagster.types.typed_values import TypedValues

ALL_CHANNELS = -1


class DataSetColumns:
    """Batches of one exchange as columns and back, exactly."""

    def __init__(
        self, value_type: TypeInformation | None, key_type: TypeInformation | None, is_keyed: bool
    ) -> None:
        self._record = RecordColumns(value_type, exact=True)
        self._key = column_of(key_type, exact=True, field="key") if is_keyed else None
        self._columns = ArrowColumns.of(value_type)
        self._has_row_kind = isinstance(value_type, RowTypeInfo)

    @property
    def schema(self) -> pa.Schema:
        """The values, ``_timestamp``, what the type and the key need beside them, ``_channel``."""
        schema = self._record.schema.append(pa.field("_timestamp", pa.int64()))
        if self._has_row_kind:
            schema = schema.append(pa.field(ROW_KIND, pa.string()))
        if self._key is not None:
            schema = schema.append(pa.field("_key_field", pa.int16()))
            schema = schema.append(pa.field("_key", self._key.arrow))
        return schema.append(pa.field("_channel", pa.int32()))

    def encode(self, batch: Batch, channels: list[int]) -> list[pa.Array]:
        """One array per column of ``schema``; ``channels`` has one entry per element."""
        arrays = list(_encoded(self._record, self._columns, batch.values))  # not the values' own list
        timestamps = batch.timestamps
        size = len(batch)
        if isinstance(timestamps, ArrowValues):
            arrays.append(timestamps.arrays[0].cast(pa.int64()))
        else:
            arrays.append(pa.array([None] * size if timestamps is None else timestamps, pa.int64()))
        if self._has_row_kind:
            arrays.append(pa.array(row_kinds(batch.values), pa.string()))
        if self._key is not None:
            arrays += self._encoded_keys(self._key, batch.values, batch.keys or [])
        arrays.append(pa.array(channels, pa.int32()))
        return arrays

    def restored(self, arrays: list[pa.Array], names: Sequence[str], length: int) -> list[pa.Array]:
        """All columns, of those that have been read (``names``) and nulls for the others."""
        read = dict(zip(names, arrays, strict=False))
        return [
            read[field.name] if field.name in read else pa.nulls(length, field.type) for field in self.schema
        ]

    def decode(self, arrays: list[pa.Array], length: int) -> Batch:
        """The batch again; the channel is not looked at."""
        width = len(self._record.names)
        values: Any = None if self._columns is None else self._columns.read(arrays[:width])
        if values is None:
            values = self._record.decode(arrays[:width], length)
        timestamps = None if arrays[width].null_count == length else arrays[width].to_pylist()
        keys = None if self._key is None else self._decoded_keys(self._key, values, arrays[-3], arrays[-2])
        if self._has_row_kind and arrays[width + 1].null_count < length:
            set_row_kinds(values, arrays[width + 1].to_pylist())
        return Batch(values, timestamps, keys)

    def _encoded_keys(self, key: Column, values: Any, keys: Any) -> list[pa.Array]:
        size = len(keys)
        field = keys.place_in(values) if isinstance(keys, TypedValues) else field_of_keys(values, keys)
        if field is None:
            return [pa.nulls(size, pa.int16()), key.encode(keys)]
        return [pa.repeat(pa.scalar(field, pa.int16()), size), pa.nulls(size, key.arrow)]

    def _decoded_keys(self, key: Column, values: Any, fields: pa.Array, keys: pa.Array) -> Any:
        """Rows of several writers may be mixed: some with the key beside them, some with it in one field or another."""
        numbers = fields.unique().to_pylist()
        if numbers == [None]:
            return key.decode(keys)
        if len(numbers) == 1:
            number = numbers[0]
            return values.field(number) if isinstance(values, TypedValues) else list(field_of(values, number))
        beside = key.decode(keys)
        return [
            beside[place] if number is None else values[place][number]
            for place, number in enumerate(fields.to_pylist())
        ]


class TableColumns:
    """Batches for a table sink as columns: the fields of the type, nothing else."""

    def __init__(self, row_type: TypeInformation | None) -> None:
        self._record = RecordColumns(row_type, exact=False)
        self._columns = ArrowColumns.of(row_type)

    @property
    def schema(self) -> pa.Schema:
        """One column per field of the row type."""
        return self._record.schema

    def encode(self, batch: Batch, channels: list[int]) -> list[pa.Array]:
        """One array per column; there are no channels in a table."""
        return _encoded(self._record, self._columns, batch.values)


def _encoded(record: RecordColumns, columns: ArrowColumns | None, values: Any) -> list[pa.Array]:
    """One array per column; those that the values have already."""
    is_encoded = isinstance(values, ArrowValues) and values.columns is columns
    return values.arrays if is_encoded else record.encode(values)


class RecordWriter:
    """Collects what one subtask writes to one data set or table into arrays of some thousand rows."""

    def __init__(self, port: int, columns: DataSetColumns | TableColumns, rows_per_batch: int) -> None:
        self.port = port
        self.rows = 0
        self.filled: set[str] = set()  # columns that are not null throughout
        self._columns = columns
        self._names = columns.schema.names
        self._limit = rows_per_batch
        self._empty()

    def _empty(self) -> None:
        self._batches: list[Batch] = []
        self._channels: list[int] = []

    def write(self, channel: int, batch: Batch) -> list[pa.Array] | None:
        """Takes a batch; gives arrays when enough rows have come together."""
        size = len(batch)
        self.rows += size
        self._batches.append(batch)
        self._channels += [channel] * size
        return self.take() if len(self._channels) >= self._limit else None

    def take(self) -> list[pa.Array] | None:
        """What is pending, None if nothing is."""
        if not self._batches:
            return None
        batch, channels = joined_batches(self._batches), self._channels
        self._empty()
        arrays = self._columns.encode(batch, channels)
        self.filled.update(name for name, array in zip(self._names, arrays) if array.null_count < len(array))
        return arrays


def struct_of(arrays: list[pa.Array], schema: pa.Schema) -> Any:
    """The columns as one struct column."""
    return pa.StructArray.from_arrays(arrays, fields=list(schema))
