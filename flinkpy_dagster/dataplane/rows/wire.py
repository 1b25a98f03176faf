"""Rows between passes: one wide row per channel and some thousand elements.

========  ====================================================================================
channel   the subtask that receives the row
port      JobEdge.id of the exchange; ``OUTPUT_PORT`` for what is on its way to the driver
sender    subtask index of the producer
chunk     a pickled batch, control signal or sink output
========  ====================================================================================

Every sender ends every channel with an ``End`` that says how many chunks went before: no subtask is without a row,
so each knows its index, and none that got less than was sent passes for complete.
"""

import pickle
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import pyarrow as pa

from flinkpy_dagster.dataplane.rows.arrow_values import ArrowColumns, joined_batches
from flinkpy_dagster.dataplane.rows.key_fields import field_of, field_of_keys
from flinkpy_dagster.operators.batch import Batch, Idle, Tick, Watermark
from flinkpy_dagster.types import TypeInformation
from flinkpy_dagster.types.codec import Codec, codec_of, key_codec_of
from flinkpy_dagster.types.typed_values import TypedValues

OUTPUT_PORT = -1
WIRE_SCHEMA = pa.schema(
    [("channel", pa.int32()), ("port", pa.int32()), ("sender", pa.int32()), ("chunk", pa.binary())]
)

WireRow = tuple[int, int, int, bytes]


Signal = Watermark | Idle | Tick
Marks = list[tuple[int, Signal]]
"""Signals and how many elements of the chunk come before each."""


@dataclass(frozen=True, slots=True)
class End:
    """The sender is done with this channel, after ``chunks`` chunks."""

    chunks: int


class ChunkCodec:
    """What one exchange carries as bytes and back: elements, and the signals between them."""

    def __init__(self, value_type: TypeInformation | None, key_type: TypeInformation | None) -> None:
        self._values = _ValuesCodec(value_type, codec_of(value_type))
        self._keys = _ValuesCodec(key_type, key_codec_of(key_type))

    def dumps(self, batch: Batch, marks: Marks) -> bytes:
        """Values and keys have been coerced at the end of their operator."""
        values = self._values.dumps(batch.values)
        return pickle.dumps((values, _packed_timestamps(batch), self._packed_keys(batch), marks), 5)

    def loads(self, chunk: bytes) -> Iterator[Batch | Signal | End]:
        """Batches and signals in their order."""
        content = pickle.loads(chunk)
        if isinstance(content, End):
            yield content
            return
        packed, timestamps, keys, marks = content
        values = self._values.loads(packed)
        batch = Batch(values, _unpacked_timestamps(timestamps, values), self._unpacked_keys(keys, values))
        yield from _between(batch, marks) if marks else (batch,)

    def _packed_keys(self, batch: Batch) -> Any:
        """The keys; if each is a field of its value, the very same object, which field that is."""
        keys, values = batch.keys, batch.values
        if keys is None:
            return None
        index = keys.place_in(values) if isinstance(keys, TypedValues) else field_of_keys(values, keys)
        return self._keys.dumps(keys) if index is None else index

    def _unpacked_keys(self, packed: Any, values: Any) -> Any:
        if packed is None:
            return None
        return _column(values, packed) if isinstance(packed, int) else self._keys.loads(packed)


class _ValuesCodec:
    """Coerced values of one type as something to be pickled, and back: as Arrow columns if that can be."""

    def __init__(self, type_info: TypeInformation | None, codec: Codec) -> None:
        self._columns = ArrowColumns.of(type_info)
        self._codec = codec

    def dumps(self, values: Any) -> tuple[bool, bytes]:
        """Is it columns, and the bytes."""
        typed = None if self._columns is None else self._columns.made_of(values)
        return (False, self._codec.dumps_coerced(values)) if typed is None else (True, typed.dumps())

    def loads(self, packed: tuple[bool, bytes]) -> Any:
        """The values again."""
        is_columns, data = packed
        return self._columns.loads(data) if is_columns and self._columns else self._codec.loads(data)


def end_chunk(chunks: int) -> bytes:
    """The last chunk of a channel."""
    return pickle.dumps(End(chunks), 5)


def _between(batch: Batch, marks: Marks) -> Iterator[Batch | Signal]:
    start = 0
    for end, signal in marks:
        if end > start:
            yield batch.part(start, end)
        yield signal
        start = end
    if start < len(batch):
        yield batch.part(start, len(batch))


def _packed_timestamps(batch: Batch) -> Any:
    timestamps = batch.timestamps
    if timestamps is None:
        return None
    place = timestamps.place_in(batch.values) if isinstance(timestamps, TypedValues) else None
    if place is not None:
        return place
    return list(timestamps) if None in timestamps else array("q", timestamps)


def _unpacked_timestamps(packed: Any, values: Any) -> Any:
    if packed is None:
        return None
    return _column(values, packed) if isinstance(packed, int) else list(packed)


def _column(values: Any, index: int) -> Any:
    """A field of each value."""
    return values.field(index) if isinstance(values, TypedValues) else list(field_of(values, index))


def wire_batch(rows: list[WireRow]) -> list[pa.Array]:
    """The four columns of ``WIRE_SCHEMA``."""
    channels, ports, senders, chunks = zip(*rows)
    return [
        pa.array(channels, pa.int32()),
        pa.array(ports, pa.int32()),
        pa.array(senders, pa.int32()),
        _chunk_column(chunks),
    ]


def _chunk_column(chunks: tuple[bytes, ...]) -> pa.Array:
    """What ``pa.array`` gives, without growing a buffer step by step: that took as long as all the packing."""
    offsets = array("i", accumulate(map(len, chunks), initial=0))
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(chunks))]
    return pa.Array.from_buffers(pa.binary(), len(chunks), buffers)


class ExchangeWriter:
    """Collects what one subtask sends over one exchange into chunks, channel by channel, in order."""

    def __init__(
        self, port: int, sender: int, channels: int, codec: ChunkCodec, elements_per_chunk: int
    ) -> None:
        self.port = port
        self.elements = 0
        self._sender = sender
        self._codec = codec
        self._limit = elements_per_chunk
        self._pending: list[list[Batch]] = [[] for _ in range(channels)]
        self._sizes = [0] * channels
        self._marks: list[Marks] = [[] for _ in range(channels)]
        self._chunks = [0] * channels
        self._rows: list[WireRow] = []

    def write(self, channel: int, content: Batch | Signal) -> None:
        """Takes one emission of the task."""
        if isinstance(content, Batch):
            self.elements += len(content)
            self._append(channel, content)
            return
        self._marks[channel].append((self._sizes[channel], content))
        if len(self._marks[channel]) >= self._limit:
            self._flush(channel)

    def finish(self) -> None:
        """Sends what is pending, and the ends."""
        for channel in range(len(self._pending)):
            self._flush(channel)
            self._rows.append((channel, self.port, self._sender, end_chunk(self._chunks[channel])))

    def take(self) -> list[WireRow]:
        """Rows that are ready since the last call."""
        rows, self._rows = self._rows, []
        return rows

    def _append(self, channel: int, batch: Batch) -> None:
        self._pending[channel].append(batch)
        self._sizes[channel] += len(batch)
        if self._sizes[channel] >= self._limit:
            self._flush(channel)

    def _flush(self, channel: int) -> None:
        """Sends what is pending; in parts if an operator has emitted very much at once."""
        pending, self._pending[channel], self._sizes[channel] = joined_batches(self._pending[channel]), [], 0
        marks, self._marks[channel] = self._marks[channel], []
        if len(pending) <= 2 * self._limit:
            if len(pending) or marks:
                self._send(channel, pending, marks)
            return
        for start in range(0, len(pending), self._limit):
            end = start + self._limit
            is_last = end >= len(pending)
            own = [
                (place - start, signal)
                for place, signal in marks
                if start <= place and (place < end or is_last)
            ]
            self._send(channel, pending.part(start, end), own)

    def _send(self, channel: int, batch: Batch, marks: Marks) -> None:
        self._chunks[channel] += 1
        self._rows.append((channel, self.port, self._sender, self._codec.dumps(batch, marks)))
