"""Values that stay Arrow columns until somebody looks at one: ``TypedValues`` over Arrow."""

import zlib
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy
import pyarrow as pa
import pyarrow.compute

from flinkpy_dagster.dataplane.rows.columns import RecordColumns
from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.types import BasicType, BasicTypeInfo, RowTypeInfo, TupleTypeInfo, TypeInformation
from flinkpy_dagster.types.codec import codec_of
from flinkpy_dagster.types.keys import MULTIPLIER, PRIME
from flinkpy_dagster.types.typed_values import TypedValues

_SCALARS = frozenset(
    (
        BasicType.STRING,
        BasicType.BOOLEAN,
        BasicType.BYTE,
        BasicType.SHORT,
        BasicType.INT,
        BasicType.LONG,
        BasicType.FLOAT,
        BasicType.DOUBLE,
    )
)
"""Types of immutable values that an Arrow column without nulls gives back exactly as they were coerced."""
_REFUSALS = (pa.ArrowException, TypeError, ValueError, OverflowError, IndexError)


class ArrowColumns:
    """The columns of a type: a scalar, or a tuple of scalars; ``of`` gives None for any other."""

    def __init__(self, type_info: TypeInformation) -> None:
        record = RecordColumns(type_info, exact=True)
        self.codec = codec_of(type_info)
        self.schema = record.schema
        fields = type_info.get_field_types() if isinstance(type_info, TupleTypeInfo) else None
        self.fields = None if fields is None else [ArrowColumns(field) for field in fields]
        self._getters = [itemgetter(place) for place in range(len(record.names))]
        self._types = [field.type for field in record.schema]
        self._texts = [place for place, kind in enumerate(self._types) if pa.types.is_string(kind)]

    @staticmethod
    def of(type_info: TypeInformation | None) -> "ArrowColumns | None":
        """The columns of a type, if values of it can be ``ArrowValues``."""
        return None if type_info is None else _known_columns(type_info)

    def read(self, arrays: list[pa.Array]) -> "ArrowValues | None":
        """The values in arrays of the types of ``schema``; None if there are nulls."""
        if any(array.null_count for array in arrays):
            return None
        return ArrowValues(self, arrays)

    def coerced(self, values: Any) -> "ArrowValues | None":
        """See ``TypedColumns``.

        Whatever Arrow takes for a number or a truth value becomes what the codec makes of it (Arrow's own scalars,
        which the codec refuses, apart); of texts it would take bytes too.
        """
        if isinstance(values, ArrowValues):
            return values if values.columns is self else None
        if self.fields is not None and set(map(type, values)) != {tuple}:
            return None
        try:
            columns = self._transposed(values)
            if any(set(map(type, columns[place])) != {str} for place in self._texts):
                return None
            return self.read(list(map(pa.array, columns, self._types)))
        except _REFUSALS:
            return None

    def made_of(self, values: Any) -> "ArrowValues | None":
        """See ``TypedColumns``: neither None nor a text with half a surrogate pair can be in a column."""
        if isinstance(values, ArrowValues):
            return values if values.columns is self else None
        try:
            return self.read(list(map(pa.array, self._transposed(values), self._types)))
        except UnicodeEncodeError:
            return None

    def _transposed(self, values: list) -> list[list]:
        return [values] if self.fields is None else [list(map(getter, values)) for getter in self._getters]

    def loads(self, data: bytes) -> "ArrowValues":
        """The values that ``ArrowValues.dumps`` has packed."""
        return ArrowValues(self, pa.ipc.read_record_batch(data, self.schema).columns)


@lru_cache(maxsize=512)
def _known_columns(type_info: TypeInformation) -> ArrowColumns | None:
    fields = type_info.get_field_types() if isinstance(type_info, TupleTypeInfo) else [type_info]
    return ArrowColumns(type_info) if fields and all(map(_is_scalar, fields)) else None


def gives_rows_as_coerced(type_info: TypeInformation) -> bool:
    """Are rows of the type, read from typed columns, what coercing them would make of them? Fields may be None."""
    return isinstance(type_info, RowTypeInfo) and all(map(_is_scalar, type_info.get_field_types()))


def _is_scalar(type_info: TypeInformation) -> bool:
    return isinstance(type_info, BasicTypeInfo) and type_info.basic_type in _SCALARS


class ArrowValues(TypedValues):
    """Values of the type of ``columns``, without nulls."""

    def __init__(
        self,
        columns: ArrowColumns,
        arrays: list[pa.Array],
        parent: "ArrowValues | None" = None,
        place: int = 0,
    ) -> None:
        self.columns = columns
        self.codec = columns.codec
        self.arrays = arrays
        self.parent: ArrowValues | None = parent
        self.place = place
        # of tuples: their fields, kept here so that these need not hold on to each other
        self._lists: list[list | None] = [None] * len(arrays)
        self._values: list | None = None

    def __len__(self) -> int:
        return len(self.arrays[0])

    def listed(self) -> list[Any]:
        if self.parent is not None:
            return self.parent._listed_field(self.place)
        if self._values is None:
            lists = map(self._listed_field, range(len(self.arrays)))
            self._values = (
                self._listed_field(0) if self.columns.fields is None else list(zip(*lists, strict=True))
            )
        return self._values

    def _listed_field(self, index: int) -> list[Any]:
        values = self._lists[index]
        if values is None:
            values = self._lists[index] = self.arrays[index].to_pylist()
        return values

    def field(self, index: int) -> "ArrowValues | None":
        fields = self.columns.fields
        if fields is None or not -len(fields) <= index < len(fields):
            return None
        index %= len(fields)
        return ArrowValues(fields[index], [self.arrays[index]], self, index)

    def part(self, start: int, end: int) -> "ArrowValues":
        return ArrowValues(self.columns, [array.slice(start, end - start) for array in self.arrays])

    def at(self, positions: Any) -> "ArrowValues":
        if isinstance(positions, slice):
            positions = numpy.arange(*positions.indices(len(self)))
        places = pa.array(positions, pa.int64())
        return ArrowValues(self.columns, [array.take(places) for array in self.arrays])

    def dumps(self) -> bytes:
        """The values as bytes."""
        return pa.record_batch(self.arrays, schema=self.columns.schema).serialize().to_pybytes()

    def bounds(self) -> tuple[Any, Any]:
        both = pa.compute.min_max(self.arrays[0])
        return both["min"].as_py(), both["max"].as_py()

    def positions_by_channel(self, channel_of_group: list[int], channels: int) -> list[Any] | None:
        hashes = _stable_hashes(self.arrays[0]) if self.columns.fields is None else None
        if hashes is None:
            return None
        chosen = numpy.array(channel_of_group)[hashes % len(channel_of_group)]
        return [numpy.flatnonzero(chosen == channel) for channel in range(channels)]


def _stable_hashes(array: pa.Array) -> numpy.ndarray | None:
    """``keys.stable_hash`` of texts and whole numbers; None for others."""
    if pa.types.is_string(array.type):
        codes = map(zlib.crc32, array.view(pa.binary()).to_pylist())
        return numpy.fromiter(codes, numpy.int64, len(array)) % PRIME
    if pa.types.is_integer(array.type):
        return array.to_numpy().astype(numpy.int64) % PRIME * MULTIPLIER % PRIME
    return None


def joined_batches(batches: list[Batch]) -> Batch:
    """Batches of values of one type as one; what is a field of the values in all of them stays one."""
    if len(batches) == 1:
        return batches[0]
    values = _joined_columns([batch.values for batch in batches])

    def beside(columns: list) -> Any:
        fields = {
            column.place_in(batch.values) if isinstance(column, TypedValues) else None
            for column, batch in zip(columns, batches, strict=True)
        }
        index = fields.pop() if len(fields) == 1 else None
        is_field = index is not None and isinstance(values, TypedValues)
        return values.field(index) if is_field else _joined_columns(columns)

    has_timestamps = any(batch.timestamps is not None for batch in batches)
    has_keys = any(batch.keys is not None for batch in batches)
    return Batch(
        values,
        beside([_timestamps_of(batch) for batch in batches]) if has_timestamps else None,
        beside([batch.keys for batch in batches]) if has_keys else None,
    )


def _joined_columns(columns: list) -> Any:
    kinds = {column.columns if isinstance(column, ArrowValues) else None for column in columns}
    if len(kinds) == 1 and None not in kinds:
        return _joined(columns)
    return list(chain.from_iterable(columns))


def _timestamps_of(batch: Batch) -> Any:
    return [None] * len(batch) if batch.timestamps is None else batch.timestamps


def _joined(parts: Sequence[ArrowValues]) -> ArrowValues:
    """Values of one type, one after the other."""
    if len(parts) == 1:
        return parts[0]
    columns = zip(*(part.arrays for part in parts), strict=True)
    return ArrowValues(parts[0].columns, [pa.concat_arrays(arrays) for arrays in columns])
