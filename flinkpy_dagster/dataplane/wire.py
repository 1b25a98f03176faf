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
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from flinkpy_dagster.operators.batch import Batch, Idle, Watermark
from flinkpy_dagster.types import TypeInformation
from flinkpy_dagster.types.codec import codec_of

OUTPUT_PORT = -1
WIRE_SCHEMA = pa.schema(
    [("channel", pa.int32()), ("port", pa.int32()), ("sender", pa.int32()), ("chunk", pa.binary())]
)

WireRow = tuple[int, int, int, bytes]


@dataclass(frozen=True, slots=True)
class End:
    """The sender is done with this channel, after ``chunks`` chunks."""

    chunks: int


class ChunkCodec:
    """Batches and signals of one exchange as bytes and back."""

    def __init__(self, value_type: TypeInformation | None, key_type: TypeInformation | None) -> None:
        self._values = codec_of(value_type)
        self._keys = codec_of(key_type)

    def dumps(self, batch: Batch) -> bytes:
        """The values have been coerced at the end of their operator; keys come as the selector gave them."""
        timestamps = None if batch.timestamps is None else _packed(batch.timestamps)
        keys = None if batch.keys is None else self._keys.dumps(batch.keys)
        return pickle.dumps((self._values.dumps_coerced(batch.values), timestamps, keys), 5)

    def loads(self, chunk: bytes) -> Batch | Watermark | Idle | End:
        content = pickle.loads(chunk)
        if not isinstance(content, tuple):
            return content
        values, timestamps, keys = content
        return Batch(
            self._values.loads(values),
            None if timestamps is None else list(timestamps),
            None if keys is None else self._keys.loads(keys),
        )


def signal_chunk(signal: Watermark | Idle | End) -> bytes:
    """A chunk that is no batch."""
    return pickle.dumps(signal, 5)


def _packed(timestamps: list) -> Any:
    return timestamps if None in timestamps else array("q", timestamps)


def wire_batch(rows: list[WireRow]) -> list[pa.Array]:
    """The four columns of ``WIRE_SCHEMA``."""
    channels, ports, senders, chunks = zip(*rows)
    return [
        pa.array(channels, pa.int32()),
        pa.array(ports, pa.int32()),
        pa.array(senders, pa.int32()),
        pa.array(chunks, pa.binary()),
    ]


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
        self._pending: list[Batch | None] = [None] * channels
        self._chunks = [0] * channels
        self._rows: list[WireRow] = []

    def write(self, channel: int, content: Batch | Watermark | Idle) -> None:
        """Takes one emission of the task."""
        if isinstance(content, Batch):
            self.elements += len(content)
            self._append(channel, content)
        else:
            self._flush(channel)
            self._send(channel, signal_chunk(content))

    def finish(self) -> None:
        """Sends what is pending, and the ends."""
        for channel in range(len(self._pending)):
            self._flush(channel)
            self._rows.append((channel, self.port, self._sender, signal_chunk(End(self._chunks[channel]))))

    def take(self) -> list[WireRow]:
        """Rows that are ready since the last call."""
        rows, self._rows = self._rows, []
        return rows

    def _append(self, channel: int, batch: Batch) -> None:
        pending = self._pending[channel]
        if pending is None:
            if not len(batch):
                return
            pending = self._pending[channel] = Batch(
                list(batch.values), _copied(batch.timestamps), _copied(batch.keys)
            )
        else:
            _extend(pending, batch)
        if len(pending) >= self._limit:
            self._flush(channel)

    def _flush(self, channel: int) -> None:
        pending, self._pending[channel] = self._pending[channel], None
        if pending is None:
            return
        if len(pending) <= 2 * self._limit:
            self._send(channel, self._codec.dumps(pending))
            return
        for start in range(0, len(pending), self._limit):
            self._send(channel, self._codec.dumps(_part(pending, start, start + self._limit)))

    def _send(self, channel: int, chunk: bytes) -> None:
        self._chunks[channel] += 1
        self._rows.append((channel, self.port, self._sender, chunk))


def _copied(column: list | None) -> list | None:
    return None if column is None else list(column)


def _extend(pending: Batch, batch: Batch) -> None:
    if pending.timestamps is not None or batch.timestamps is not None:
        before = pending.timestamps or [None] * len(pending)
        pending.timestamps = before
        before += batch.timestamps or [None] * len(batch)
    pending.values += batch.values
    if pending.keys is not None:
        pending.keys += batch.keys or []


def _part(batch: Batch, start: int, end: int) -> Batch:
    timestamps = None if batch.timestamps is None else batch.timestamps[start:end]
    keys = None if batch.keys is None else batch.keys[start:end]
    return Batch(batch.values[start:end], timestamps, keys)
