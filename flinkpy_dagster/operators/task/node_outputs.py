"""Where the results of a node go: to nodes of the same task, and to exchanges."""

from collections.abc import Callable
from typing import Any, Protocol

from flinkpy_dagster.clock import Clock
from flinkpy_dagster.errors import TypeMismatch
from flinkpy_dagster.graph.job_graph import JobEdge
from flinkpy_dagster.operators.batch import Batch, Idle, Tick, Watermark
from flinkpy_dagster.operators.departures import Emission
from flinkpy_dagster.operators.operator import Operator
from flinkpy_dagster.operators.task.partitioning import Partitioner
from flinkpy_dagster.types import TypeInformation
from flinkpy_dagster.types.codec import Codec, codec_of, key_codec_of
from flinkpy_dagster.types.typed_values import ColumnsOf, no_columns

TICK_MS = 10
"""How exactly the readers of an exchange know the time."""
FEW = 64
"""Fewer values than that stay a list: columns of them would take longer to make than they save."""


class Consumer(Protocol):
    """One reader of a node's results. ``takes_columns``: see ``Operator``."""

    @property
    def takes_columns(self) -> bool: ...

    def take(self, batch: Batch) -> None:
        """Results; the batch belongs to the consumer."""

    def take_watermark(self, timestamp: int) -> None:
        """Event time has come so far."""

    def take_idle(self) -> None:
        """Nothing to say about event time."""


class ExchangeConsumer:
    """Sends results over an exchange. ``clock`` is set in STREAMING: then it says what time it is, now and then."""

    takes_columns = True

    def __init__(
        self, edge: JobEdge, partitioner: Partitioner, depart: Callable[[Emission], None], clock: Clock | None
    ):
        self._edge_id = edge.id
        self.partitioner = partitioner
        self._depart = depart
        self._clock = clock
        self._told_ms = 0

    def take(self, batch: Batch) -> None:
        self._tell_time()
        for channel, part in self.partitioner.split(batch):
            self._depart(Emission(self._edge_id, channel, part))

    def take_watermark(self, timestamp: int) -> None:
        self._tell_time()
        self._send_to_all(Watermark(timestamp))

    def take_idle(self) -> None:
        self._send_to_all(Idle())

    def _tell_time(self) -> None:
        if self._clock is None:
            return
        now = self._clock.now_ms()
        if now - self._told_ms >= TICK_MS:
            self._told_ms = now
            self._send_to_all(Tick(now))

    def _send_to_all(self, signal: Watermark | Idle | Tick) -> None:
        for channel in self.partitioner.channels:
            self._depart(Emission(self._edge_id, channel, signal))


class SideOutput:
    """The readers of one side output and its type."""

    def __init__(self, value_type: TypeInformation | None):
        self._codec = codec_of(value_type)
        self._consumers: list[Consumer] = []

    def add(self, consumer: Consumer) -> None:
        """One more reader."""
        self._consumers.append(consumer)

    def take(self, batch: Batch, node_name: str) -> int:
        """Hands results to all readers; returns how many results there were."""
        batch = Batch(coerced(self._codec, batch.values, node_name), batch.timestamps)
        share(batch, self._consumers, self._codec)
        return len(batch.values)


class NodeOutput:
    """The end of a node: values take their declared type, then each consumer gets them.

    Watermarks go to the readers of side outputs too, once to each consumer.
    """

    def __init__(
        self,
        name: str,
        output_type: TypeInformation | None,
        key_type: TypeInformation | None,
        columns_of: ColumnsOf = no_columns,
    ):
        self._name = name
        self._columns = columns_of(output_type)
        self._key_columns = columns_of(key_type)
        self._codec = codec_of(output_type)
        self._key_codec = key_codec_of(key_type)
        self._consumers: list[Consumer] = []
        self._sides: dict[str, SideOutput] = {}
        self._all: list[Consumer] = []
        self._is_typed = False
        self._gives_columns = False
        self.elements = 0

    def open(self) -> None:
        """Called once when all readers are there and open."""
        self._gives_columns = self._columns is not None and self.takes_columns

    @property
    def takes_columns(self) -> bool:
        """Do all readers?"""
        return all(consumer.takes_columns for consumer in self._consumers)

    def add(self, consumer: Consumer) -> None:
        """One more reader of the main output."""
        self._consumers.append(consumer)
        self._all.append(consumer)

    def add_side(self, tag_id: str, value_type: TypeInformation | None, consumer: Consumer) -> None:
        """One more reader of a side output."""
        self._sides.setdefault(tag_id, SideOutput(value_type)).add(consumer)
        self._all.append(consumer)

    def watch(self, consumer: Consumer) -> None:
        """One more who wants to know about event time only."""
        self._all.append(consumer)

    def values_are_typed(self) -> None:
        """The node passes on values as they come, and they come in its type."""
        self._is_typed = True

    def emit(self, batch: Batch) -> None:
        """Results of the main output."""
        if not batch.values:
            return
        self.elements += len(batch.values)
        if not self._consumers:
            return
        batch.values = self._typed(batch.values)
        if batch.keys is not None:
            batch.keys = self._typed_keys(batch.keys)
        share(batch, self._consumers, self._codec)

    def _typed(self, values: Any) -> Any:
        """Values in their declared type; as columns if all readers take them."""
        gives_columns = self._gives_columns and len(values) >= FEW
        if self._is_typed:
            columns = self._columns.made_of(values) if gives_columns and self._columns else None
            return values if columns is None else columns
        columns = self._columns.coerced(values) if gives_columns and self._columns else None
        return coerced(self._codec, values, self._name) if columns is None else columns

    def _typed_keys(self, keys: Any) -> Any:
        keys = coerced(self._key_codec, keys, self._name)
        gives_columns = self._gives_columns and len(keys) >= FEW
        columns = self._key_columns.made_of(keys) if gives_columns and self._key_columns else None
        return keys if columns is None else columns

    @property
    def has_side_readers(self) -> bool:
        """Does anybody read a side output?"""
        return bool(self._sides)

    def emit_side(self, tag_id: str, batch: Batch) -> None:
        """Results for a side output; dropped if nobody reads it."""
        side = self._sides.get(tag_id)
        if side is not None and batch.values:
            self.elements += side.take(batch, self._name)

    def emit_watermark(self, timestamp: int) -> None:
        """To all readers."""
        for consumer in self._all:
            consumer.take_watermark(timestamp)

    def emit_idle(self) -> None:
        """To all readers."""
        for consumer in self._all:
            consumer.take_idle()


class ChainLink:
    """Between two operators of one node: no types are applied, as PyFlink does not within fused operators."""

    def __init__(self, operator: Operator, node_output: NodeOutput):
        self._operator = operator
        self._node_output = node_output

    def emit(self, batch: Batch) -> None:
        """Results go on at once."""
        if batch.values:
            self._operator.process(batch, 0)

    @property
    def has_side_readers(self) -> bool:
        """Does anybody read a side output of the node?"""
        return self._node_output.has_side_readers

    def emit_side(self, tag_id: str, batch: Batch) -> None:
        """Side outputs leave the node."""
        self._node_output.emit_side(tag_id, batch)

    def emit_watermark(self, timestamp: int) -> None:
        """On to the next operator."""
        self._operator.advance_watermark(timestamp)

    def emit_idle(self) -> None:
        """On to the next operator."""
        self._operator.mark_idle()


def coerced(codec: Codec, values: Any, node_name: str) -> Any:
    """Values in their declared type; raises TypeMismatch naming the node."""
    try:
        return codec.coerce(values)
    except TypeMismatch as mismatch:
        raise mismatch.with_operator(node_name) from None


def share(batch: Batch, consumers: list[Consumer], codec: Codec) -> None:
    """Gives a batch to all consumers; each but the last gets copies of values that can change."""
    for consumer in consumers[:-1]:
        consumer.take(Batch(codec.copies(batch.values), batch.timestamps, batch.keys))
    if consumers:
        consumers[-1].take(batch)
