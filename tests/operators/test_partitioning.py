"""Which channel elements take."""

import pytest

from flinkpy_dagster.graph.job_graph import JobEdge
from flinkpy_dagster.graph.stream_graph import ShipStrategy
from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.specs import CustomPartition
from flinkpy_dagster.operators.task.partitioning import connected_channels, connected_senders, partitioner_of
from flinkpy_dagster.types.keys import KeyRouter


def edge(strategy: ShipStrategy, partitioner: object = None) -> JobEdge:
    return JobEdge(
        id=1,
        data_set="d",
        source="s",
        target="t",
        source_node=1,
        target_node=2,
        input_index=0,
        ship_strategy=strategy,
        partitioner=partitioner,
    )


def split(
    strategy: ShipStrategy, values: list, sender: int = 0, senders: int = 1, channels: int = 3, **more
) -> dict:
    partitioner = partitioner_of(edge(strategy, **more), sender, senders, channels, 128)
    parts: dict[int, list] = {}
    for start in range(0, len(values), 2):  # two elements per batch
        batch = Batch(values[start : start + 2], None, values[start : start + 2])
        for channel, part in partitioner.split(batch):
            parts.setdefault(channel, []).extend(part.values)
    return parts


def test_rebalance_when_batches_follow_then_goes_on_where_it_was() -> None:
    assert split(ShipStrategy.REBALANCE, list(range(7))) == {0: [0, 3, 6], 1: [1, 4], 2: [2, 5]}
    assert split(ShipStrategy.REBALANCE, list(range(4)), sender=2, senders=3) == {2: [0, 3], 0: [1], 1: [2]}


def test_hash_when_split_then_follows_the_key_groups() -> None:
    values = [f"key {number}" for number in range(50)]
    expected = KeyRouter(3, 128).channels(values)
    for channel, part in split(ShipStrategy.HASH, values).items():
        assert part == [value for value, chosen in zip(values, expected, strict=True) if chosen == channel]


def test_broadcast_global_and_forward_when_split_then_reach_their_channels() -> None:
    assert split(ShipStrategy.BROADCAST, [1, 2, 3]) == dict.fromkeys(range(3), [1, 2, 3])
    assert split(ShipStrategy.GLOBAL, [1, 2, 3]) == {0: [1, 2, 3]}
    assert split(ShipStrategy.FORWARD, [1, 2], sender=2, senders=3) == {2: [1, 2]}


def test_shuffle_when_done_twice_then_is_the_same() -> None:
    first = split(ShipStrategy.SHUFFLE, list(range(100)))
    assert first == split(ShipStrategy.SHUFFLE, list(range(100)))
    assert sorted(value for part in first.values() for value in part) == list(range(100))


def test_custom_when_partitioner_chooses_then_follows_it() -> None:
    payload = CustomPartition(
        partitioner=lambda key, count: key % count, key_selector=lambda value: value + 1
    )
    assert split(ShipStrategy.CUSTOM, [0, 1, 2, 3], partitioner=payload) == {1: [0, 3], 2: [1], 0: [2]}


def test_custom_when_channel_does_not_exist_then_says_so() -> None:
    payload = CustomPartition(partitioner=lambda key, count: 9, key_selector=lambda value: value)
    with pytest.raises(ValueError, match="Index 9 out of bounds for length 3"):
        split(ShipStrategy.CUSTOM, [0], partitioner=payload)


@pytest.mark.parametrize(("senders", "channels"), [(1, 4), (4, 1), (2, 4), (4, 2), (3, 2), (2, 3), (5, 5)])
def test_rescale_when_connected_then_nobody_is_left_alone(senders: int, channels: int) -> None:
    strategy = ShipStrategy.RESCALE
    outgoing = [connected_channels(strategy, sender, senders, channels) for sender in range(senders)]
    incoming = [connected_senders(strategy, channel, senders, channels) for channel in range(channels)]
    assert all(outgoing)
    assert all(incoming)
    assert max(map(len, outgoing)) <= -(-channels // senders)
