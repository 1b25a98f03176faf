"""What reaches a subtask: rows of Spark as the arrivals of its task.

Three kinds of input, one per kind of stage: a stage whose sources make their elements themselves gets one row with
its index, one with a Spark-side source gets that source's rows, all others get what was sent to them (wire rows and
stored records).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy
import pyarrow as pa

from flinkpy_dagster.dataplane.rows.arrow_values import ArrowColumns, gives_rows_as_coerced
from flinkpy_dagster.dataplane.rows.columns import RecordColumns
from flinkpy_dagster.dataplane.rows.records import DataSetColumns
from flinkpy_dagster.dataplane.rows.wire import OUTPUT_PORT, ChunkCodec, End, WireRow
from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.departures import Arrival
from flinkpy_dagster.types import TypeInformation
from flinkpy_dagster.types.codec import CoercedValues, codec_of

MARKER_PORT = -2  # a row that only tells a subtask its index


def marked(subtask_index: int) -> int:
    """A subtask index as the number of a row that tells only this, and back."""
    return -1 - subtask_index


class StageInput(Protocol):
    """Read by one subtask, once. ``forward`` takes rows that are on their way to the driver."""

    def read(
        self, batches: Iterator[pa.RecordBatch], forward: Callable[[WireRow], None]
    ) -> tuple[int | None, Iterator[Arrival]]:
        """The subtask's index, None if nothing tells it, and the arrivals."""


@dataclass(frozen=True, slots=True)
class NoInput:
    """One row per subtask: column ``id`` is its index."""

    def read(
        self, batches: Iterator[pa.RecordBatch], forward: Callable[[WireRow], None]
    ) -> tuple[int | None, Iterator[Arrival]]:
        """See ``StageInput.read``."""
        first, _ = _first(batches)
        return (None if first is None else first.column(0)[0].as_py()), iter(())


@dataclass(frozen=True, slots=True)
class SourceInput:
    """Rows of one Spark-side source: its columns, then ``_subtask``; where that is negative, a marker."""

    port: int
    row_type: TypeInformation

    def read(
        self, batches: Iterator[pa.RecordBatch], forward: Callable[[WireRow], None]
    ) -> tuple[int | None, Iterator[Arrival]]:
        """See ``StageInput.read``."""
        first, all_batches = _first(batches)
        if first is None:
            return None, iter(())
        subtask = first.column(first.num_columns - 1)[0].as_py()
        return (subtask if subtask >= 0 else marked(subtask)), self._arrivals(all_batches)

    def _arrivals(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Arrival]:
        columns = ArrowColumns.of(self.row_type)
        record = RecordColumns(self.row_type, exact=False)
        codec = codec_of(self.row_type) if gives_rows_as_coerced(self.row_type) else None
        for batch in _without_markers(batches):
            arrays = batch.columns[:-1]
            values: Any = None if columns is None else columns.read(arrays)
            if values is None:
                values = record.decode(arrays, batch.num_rows)
            if codec is not None:
                values = CoercedValues(values, codec)
            yield Arrival(self.port, 0, Batch(values))


@dataclass(frozen=True, slots=True)
class StoredInput:
    """The records of one stored data set and nothing else, ``_subtask`` last; where that is negative, a marker."""

    port: "StoredPort"

    def read(
        self, batches: Iterator[pa.RecordBatch], forward: Callable[[WireRow], None]
    ) -> tuple[int | None, Iterator[Arrival]]:
        """See ``StageInput.read``."""
        first, all_batches = _first(batches)
        if first is None:
            return None, iter(())
        channel = first.column(first.num_columns - 1)[0].as_py()
        return (channel if channel >= 0 else marked(channel)), self._arrivals(all_batches)

    def _arrivals(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Arrival]:
        batch_of = self.port.batches()
        for batch in _without_markers(batches):
            yield Arrival(self.port.edge, 0, batch_of(batch.columns[:-1], batch.num_rows))


@dataclass(frozen=True, slots=True)
class ExchangePort:
    """One exchange into the stage: how many senders it has, and what its chunks hold."""

    edge: int
    senders: int
    value_type: TypeInformation | None
    key_type: TypeInformation | None


@dataclass(frozen=True, slots=True)
class StoredPort:
    """One stored data set that the stage reads; its rows are the struct column ``column`` of the input, or all of it.

    ``names``: the columns that are read.
    """

    edge: int
    column: int
    names: tuple[str, ...]
    value_type: TypeInformation | None
    key_type: TypeInformation | None
    is_keyed: bool

    def batches(self) -> Callable[[list[pa.Array], int], Batch]:
        """What makes batches of the columns."""
        columns = DataSetColumns(self.value_type, self.key_type, self.is_keyed)

        def batch_of(arrays: list[pa.Array], length: int) -> Batch:
            return columns.decode(columns.restored(arrays, self.names, length), length)

        return batch_of


@dataclass(frozen=True, slots=True)
class ShuffledInput:
    """Wire rows and stored records that were sent to this subtask."""

    exchanges: tuple[ExchangePort, ...]
    stored: tuple[StoredPort, ...]

    def read(
        self, batches: Iterator[pa.RecordBatch], forward: Callable[[WireRow], None]
    ) -> tuple[int | None, Iterator[Arrival]]:
        """See ``StageInput.read``."""
        first, all_batches = _first(batches)
        if first is None:
            return None, iter(())
        return first.column(0)[0].as_py(), _Unpacking(self, forward).arrivals(all_batches)


class _Unpacking:
    """Arrivals out of one partition, and the check that nothing is missing."""

    def __init__(self, source: ShuffledInput, forward: Callable[[WireRow], None]) -> None:
        self._codecs = {port.edge: ChunkCodec(port.value_type, port.key_type) for port in source.exchanges}
        self._open = {(port.edge, sender): 0 for port in source.exchanges for sender in range(port.senders)}
        self._stored = {port.edge: (port.column, port.batches()) for port in source.stored}
        self._forward = forward

    def arrivals(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Arrival]:
        for batch in batches:
            if self._stored:
                yield from self._mixed(batch)
            else:
                yield from self._wire(batch)
        if self._open:
            edge, sender = next(iter(self._open))
            raise RuntimeError(
                f"Exchange {edge} lost rows: subtask {sender} of the producer never said it was done."
            )

    def _mixed(self, batch: pa.RecordBatch) -> Iterator[Arrival]:
        """Rows of one port in a row are taken together."""
        ports = batch.column(1).to_numpy()
        starts = [0, *(numpy.flatnonzero(numpy.diff(ports)) + 1).tolist(), len(ports)]
        for start, end in zip(starts, starts[1:]):
            port = int(ports[start])
            part = batch.slice(start, end - start)
            if port in self._stored:
                yield from self._records(port, part)
            elif port != MARKER_PORT:
                yield from self._wire(part)

    def _records(self, port: int, batch: pa.RecordBatch) -> Iterator[Arrival]:
        index, batch_of = self._stored[port]
        yield Arrival(port, 0, batch_of(_fields(batch.column(index)), len(batch)))

    def _wire(self, batch: pa.RecordBatch) -> Iterator[Arrival]:
        for row in zip(*(batch.column(index).to_pylist() for index in range(4))):
            _, port, sender, chunk = row
            if port == OUTPUT_PORT:
                self._forward(row)
                continue
            self._open[port, sender] += 1
            for content in self._codecs[port].loads(chunk):
                if isinstance(content, End):
                    self._close(port, sender, content.chunks)
                else:
                    yield Arrival(port, sender, content)

    def _close(self, port: int, sender: int, sent: int) -> None:
        received = self._open.pop((port, sender)) - 1
        if received != sent:
            raise RuntimeError(
                f"Exchange {port} lost rows: {received} of {sent} chunks of subtask {sender} arrived."
            )


def _without_markers(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches that have rows whose last column is not negative, with nothing but those."""
    for batch in batches:
        if batch.num_rows:
            channels = batch.column(batch.num_columns - 1).to_numpy()
            if channels.min() < 0:
                batch = batch.filter(pa.array(channels >= 0))
        if batch.num_rows:
            yield batch


def _first(batches: Iterator[pa.RecordBatch]) -> tuple[pa.RecordBatch | None, Iterable[pa.RecordBatch]]:
    """The first batch that has rows, and all of them."""
    for batch in batches:
        if batch.num_rows:
            return batch, _chained(batch, batches)
    return None, ()


def _chained(first: pa.RecordBatch, rest: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from rest


def _fields(rows: pa.StructArray) -> list[pa.Array]:
    return [rows.field(index) for index in range(rows.type.num_fields)]
