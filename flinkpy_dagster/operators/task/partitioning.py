"""Which channel of an exchange each element takes: Flink's stream partitioners.

All are deterministic: round robin starts at the sender's own index, ``shuffle`` is seeded by edge and sender.
"""

import random
from collections.abc import Iterator
from typing import Any

from flinkpy_dagster.graph.job_graph import JobEdge
from flinkpy_dagster.graph.stream_graph import ShipStrategy
from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.operator import callable_of, close_function, open_function
from flinkpy_dagster.operators.specs import CustomPartition
from flinkpy_dagster.types.keys import KeyRouter
from flinkpy_dagster.types.typed_values import TypedValues

Parts = Iterator[tuple[int, Batch]]
"""Channel and the elements for it, in order; no batch is empty."""


def connected_channels(strategy: ShipStrategy, sender: int, senders: int, channels: int) -> list[int]:
    """The channels a sender can write to; all but those of pointwise strategies connect everyone to everyone.

    Pointwise: Flink's ``computeVertexInputInfoForPointwise``.
    """
    if not strategy.is_pointwise:
        return list(range(channels))
    if senders >= channels:
        return [
            channel
            for channel in range(channels)
            if channel * senders // channels <= sender < (channel + 1) * senders // channels
        ]
    return [channel for channel in range(channels) if channel * senders // channels == sender]


def connected_senders(strategy: ShipStrategy, channel: int, senders: int, channels: int) -> list[int]:
    """The senders that can write to a channel."""
    return [
        sender
        for sender in range(senders)
        if channel in connected_channels(strategy, sender, senders, channels)
    ]


class Partitioner:
    """Base: everything to one channel. ``channels`` are those the sender is connected to."""

    def __init__(self, channels: list[int], sender: int):
        self.channels = channels
        self._sender = sender

    def open(self, runtime_context: Any) -> None:
        """Called once before the first batch."""

    def close(self) -> None:
        """Called once at the end."""

    def split(self, batch: Batch) -> Parts:
        """Cuts a batch into what each channel gets."""
        yield self.channels[0], batch


class BroadcastPartitioner(Partitioner):
    """Everything to every channel."""

    def split(self, batch: Batch) -> Parts:
        for channel in self.channels:
            yield channel, batch


class RoundRobinPartitioner(Partitioner):
    """One element after the other to the next channel."""

    def __init__(self, channels: list[int], sender: int):
        super().__init__(channels, sender)
        self._next = sender % len(channels)

    def split(self, batch: Batch) -> Parts:
        count = len(self.channels)
        for position, channel in enumerate(self.channels):
            first = (position - self._next) % count
            if first < len(batch.values):
                yield channel, batch.at(slice(first, None, count))
        self._next = (self._next + len(batch.values)) % count


class ChoosingPartitioner(Partitioner):
    """A channel for each element by some rule."""

    def choose(self, batch: Batch) -> list[int]:
        """The channel of each element."""
        raise NotImplementedError

    def split(self, batch: Batch) -> Parts:
        if len(self.channels) == 1:
            yield self.channels[0], batch
        else:
            yield from by_channel(batch, self.choose(batch), len(self.channels))


class HashPartitioner(ChoosingPartitioner):
    """By key group."""

    def __init__(self, channels: list[int], sender: int, max_parallelism: int, edge: JobEdge):
        super().__init__(channels, sender)
        self._router = KeyRouter(len(channels), max_parallelism, edge.key_type)

    def split(self, batch: Batch) -> Parts:
        keys = batch.keys
        positions = None
        if len(self.channels) > 1 and isinstance(keys, TypedValues):
            positions = keys.positions_by_channel(self._router.channel_of_group, len(self.channels))
        if positions is None:
            yield from super().split(batch)
            return
        for channel, places in enumerate(positions):
            if len(places):
                yield channel, batch.at(places)

    def choose(self, batch: Batch) -> list[int]:
        return self._router.channels(batch.keys or [])


class ShufflePartitioner(ChoosingPartitioner):
    """At random, the same each time a task runs."""

    def __init__(self, channels: list[int], sender: int, seed: int):
        super().__init__(channels, sender)
        self._random = random.Random(seed * 1_000_003 + sender)

    def choose(self, batch: Batch) -> list[int]:
        return self._random.choices(self.channels, k=len(batch.values))


class CustomPartitioner(ChoosingPartitioner):
    """By the user's partitioner; raises ValueError for a channel that does not exist."""

    def __init__(self, channels: list[int], sender: int, payload: CustomPartition):
        super().__init__(channels, sender)
        self._functions = (payload.partitioner, payload.key_selector)
        self._partition = callable_of(payload.partitioner, "partition")
        self._key_of = callable_of(payload.key_selector, "get_key")

    def open(self, runtime_context: Any) -> None:
        for function in self._functions:
            open_function(function, runtime_context)

    def close(self) -> None:
        for function in self._functions:
            close_function(function)

    def split(self, batch: Batch) -> Parts:
        # also with one channel: user code is called for every element, and may raise
        yield from by_channel(batch, self.choose(batch), len(self.channels))

    def choose(self, batch: Batch) -> list[int]:
        partition, key_of, count = self._partition, self._key_of, len(self.channels)
        chosen = [partition(key_of(value), count) for value in batch.values]
        for channel in set(chosen):
            if not 0 <= channel < count:
                raise ValueError(
                    f"The partitioner chose channel {channel}: Index {channel} out of bounds for length {count}."
                )
        return chosen


def by_channel(batch: Batch, chosen: list[int], count: int) -> Parts:
    """Cuts a batch by the channel chosen for each element."""
    if len(set(chosen)) == 1:
        yield chosen[0], batch
        return
    rows: list[list[int]] = [[] for _ in range(count)]
    for index, channel in enumerate(chosen):
        rows[channel].append(index)
    for channel, indices in enumerate(rows):
        if indices:
            yield channel, batch.at(indices)


def partitioner_of(
    edge: JobEdge, sender: int, senders: int, channels: int, max_parallelism: int
) -> Partitioner:
    """The partitioner of an edge for one of its ``senders``; ``max_parallelism`` is the reader's."""
    strategy = edge.ship_strategy
    connected = connected_channels(strategy, sender, senders, channels)
    if strategy is ShipStrategy.HASH:
        return HashPartitioner(connected, sender, max_parallelism, edge)
    if strategy is ShipStrategy.BROADCAST:
        return BroadcastPartitioner(connected, sender)
    if strategy is ShipStrategy.SHUFFLE:
        return ShufflePartitioner(connected, sender, edge.id)
    if strategy is ShipStrategy.CUSTOM:
        assert isinstance(edge.partitioner, CustomPartition)
        return CustomPartitioner(connected, sender, edge.partitioner)
    if strategy is ShipStrategy.GLOBAL:
        return Partitioner(connected, sender)
    # FORWARD between different parallelisms is what Flink calls RESCALE
    return RoundRobinPartitioner(connected, sender)
