"""Values that stay Arrow columns until somebody looks at one: ``TypedValues`` over Arrow."""

import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy
import pyarrow as pa
import pyarrow.compute

from flinkpy_dagster.dataplane.columns import RecordColumns
from flinkpy_dagster.errors import TypeMismatch
from flinkpy_dagster.types import BasicType, BasicTypeInfo, TupleTypeInfo, TypeInformation
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


class ArrowColumns:
    """The columns of a type: a scalar, or a tuple of scalars; ``of`` gives None for any other."""

    def __init__(self, type_info: TypeInformation) -> None:
        record = RecordColumns(type_info, exact=True)
        self.codec = codec_of(type_info)
        self.schema = record.schema
        fields = type_info.get_field_types() if isinstance(type_info, TupleTypeInfo) else None
        self.fields = None if fields is None else [ArrowColumns(field) for field in fields]
        self._encode = record.encode

    @staticmethod
    def of(type_info: TypeInformation | None) -> "ArrowColumns | None":
        """The columns of a type, if values of it can be ``ArrowValues``."""
        return None if type_info is None else _known_columns(type_info)

    def read(self, arrays: list[pa.Array]) -> "ArrowValues | None":
        """The values in arrays of the types of ``schema``; None if there are nulls."""
        if any(array.null_count for array in arrays):
            return None
        return ArrowValues(self, arrays)

    def made_of(self, values: Any) -> "ArrowValues | None":
        """Coerced values as columns; None if one has half a surrogate pair, which no column takes."""
        if isinstance(values, ArrowValues):
            return values
        try:
            return ArrowValues(self, self._encode(values))
        except TypeMismatch:
            return None

    def loads(self, data: bytes) -> "ArrowValues":
        """The values that ``ArrowValues.dumps`` has packed."""
        return ArrowValues(self, pa.ipc.read_record_batch(data, self.schema).columns)


@lru_cache(maxsize=512)
def _known_columns(type_info: TypeInformation) -> ArrowColumns | None:
    fields = type_info.get_field_types() if isinstance(type_info, TupleTypeInfo) else [type_info]
    is_known = all(isinstance(field, BasicTypeInfo) and field.basic_type in _SCALARS for field in fields)
    return ArrowColumns(type_info) if is_known and fields else None


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


def joined(parts: Sequence[ArrowValues]) -> ArrowValues:
    """Values of one type, one after the other."""
    if len(parts) == 1:
        return parts[0]
    columns = zip(*(part.arrays for part in parts), strict=True)
    return ArrowValues(parts[0].columns, [pa.concat_arrays(arrays) for arrays in columns])
