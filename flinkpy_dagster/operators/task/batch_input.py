"""BATCH mode: keyed input is processed key by key, each key in timestamp order (Flink's ``SortingDataInput``).

The watermark stays at its minimum while a key is processed; at the end of the key all timers fire and its state goes.
Inputs without keys (broadcast streams) are processed as they come, before all others.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from flinkpy_dagster.operators.batch import MAX_WATERMARK, Batch
from flinkpy_dagster.operators.elements.keyed_input import KeyedInput
from flinkpy_dagster.operators.elements.keyed_operator import KeyedOperator
from flinkpy_dagster.operators.operator import SLICE_SIZE
from flinkpy_dagster.operators.results import timestamps_of, timestamps_or_none

RESULTS_PER_BATCH = 1000


@dataclass
class HeldBack:
    """The elements of one input until it is complete, and where those of each key are."""

    values: list = field(default_factory=list)
    timestamps: list = field(default_factory=list)
    keys: list = field(default_factory=list)
    positions: dict[Hashable, list[int]] = field(default_factory=dict)

    def add(self, batch: Batch, state_keys: list) -> None:
        """Takes a batch."""
        positions = self.positions
        for position, state_key in enumerate(state_keys, len(self.values)):
            if state_key in positions:
                positions[state_key].append(position)
            else:
                positions[state_key] = [position]
        self.values += batch.values
        self.timestamps += timestamps_of(batch)
        self.keys += batch.keys or []

    def in_timestamp_order(self, state_key: Hashable) -> list[int]:
        """The positions of a key's elements."""
        positions = self.positions.get(state_key, [])
        if len(positions) > 1:
            positions.sort(key=self.timestamps.__getitem__)
        return positions

    def batch(self, positions: list[int]) -> Batch:
        """The elements at these positions."""
        values, keys, timestamps = self.values, self.keys, self.timestamps
        times = [timestamps[position] for position in positions]
        return Batch(
            [values[position] for position in positions],
            timestamps_or_none(times),
            [keys[position] for position in positions],
        )


class KeyByKeyInput(KeyedInput):
    """Stands before a keyed operator and holds its keyed inputs back until they are complete."""

    def __init__(self, operator: KeyedOperator):
        super().__init__(operator)
        self._inputs = (HeldBack(), HeldBack())

    def process(self, batch: Batch, input_index: int) -> None:
        if batch.keys is None:
            self.operator.process(batch, input_index)
        else:
            self._inputs[input_index].add(batch, self.operator.state_keys(batch.keys))

    def advance_watermark(self, timestamp: int) -> None:
        if timestamp == MAX_WATERMARK:
            super().advance_watermark(timestamp)

    def approach(self, timestamp: int) -> Iterator[None]:
        """All keys, at the end of the inputs."""
        if timestamp < MAX_WATERMARK:
            return
        inputs, self._inputs = self._inputs, (HeldBack(), HeldBack())
        results = self.operator.results
        results.least = RESULTS_PER_BATCH
        done = 0
        for state_key in {**inputs[0].positions, **inputs[1].positions}:
            for input_index, run in runs_of_key(inputs, state_key):
                for start in range(0, len(run), SLICE_SIZE):
                    positions = run[start : start + SLICE_SIZE]
                    self.operator.process(inputs[input_index].batch(positions), input_index)
                    done += len(positions)
                    if done >= SLICE_SIZE:
                        done = 0
                        yield
            self.operator.end_key()
        results.least = 0
        results.flush()

    def mark_idle(self) -> None:
        """In BATCH nothing is said about event time before the end."""


def runs_of_key(inputs: tuple[HeldBack, HeldBack], state_key: Hashable) -> Iterator[tuple[int, list[int]]]:
    """The elements of one key in timestamp order, as runs of one input each: input and positions.

    Of two inputs with equal timestamps the one comes first that was not read last, as in Flink.
    """
    waiting = [held.in_timestamp_order(state_key) for held in inputs]
    at = [0, 0]
    run: list[int] = []
    reads = 0
    while at[0] < len(waiting[0]) and at[1] < len(waiting[1]):
        heads = [inputs[index].timestamps[waiting[index][at[index]]] for index in (0, 1)]
        preferred = 1 - reads if run else 0
        chosen = preferred if heads[0] == heads[1] else heads.index(min(heads))
        if run and chosen != reads:
            yield reads, run
            run = []
        reads = chosen
        run.append(waiting[chosen][at[chosen]])
        at[chosen] += 1
    if run:
        yield reads, run
    for index in (0, 1):
        if at[index] < len(waiting[index]):
            yield index, waiting[index][at[index] :]
