"""BATCH mode: keyed input is processed key by key, each key in timestamp order (Flink's ``SortingDataInput``).

The watermark stays at its minimum while a key is processed; at the end of the key all timers fire and its state goes.
Inputs without keys (broadcast streams) are processed as they come, before all others.
"""

from collections.abc import Iterator
from typing import Any

from flinkpy_dagster.operators.batch import MAX_WATERMARK, MIN_TIMESTAMP, Batch
from flinkpy_dagster.operators.keyed_operator import KeyedOperator
from flinkpy_dagster.operators.operator import Operator, Output, Setup
from flinkpy_dagster.operators.results import timestamps_of

Row = tuple[int, int, Any, Any]
"""Timestamp, input, value, key as the user made it."""


class KeyByKeyInput(Operator):
    """Stands before a keyed operator and holds its keyed input back until it is complete."""

    def __init__(self, operator: KeyedOperator):
        super().__init__()
        self.operator = operator
        self._rows: dict[Any, list[Row]] = {}

    @property
    def output(self) -> Output:  # type: ignore[override]
        """Where the operator behind it pushes its results."""
        return self.operator.output

    @output.setter
    def output(self, output: Output) -> None:
        self.operator.output = output

    def open(self, setup: Setup) -> None:
        super().open(setup)
        self.operator.open(setup)

    def process(self, batch: Batch, input_index: int) -> None:
        if batch.keys is None:
            self.operator.process(batch, input_index)
            return
        rows = self._rows
        state_keys = self.operator.state_keys(batch.keys)
        for state_key, timestamp, value, key in zip(
            state_keys, timestamps_of(batch), batch.values, batch.keys, strict=True
        ):
            row = (timestamp, input_index, value, key)
            if state_key in rows:
                rows[state_key].append(row)
            else:
                rows[state_key] = [row]

    def advance_watermark(self, timestamp: int) -> None:
        if timestamp < MAX_WATERMARK:
            return
        rows, self._rows = self._rows, {}
        for of_key in rows.values():
            for batch, input_index in batches_of_key(of_key):
                self.operator.process(batch, input_index)
            self.operator.end_key()
        self.watermark = timestamp
        self.output.emit_watermark(timestamp)

    def mark_idle(self) -> None:
        """In BATCH nothing is said about event time before the end."""

    def finish(self) -> None:
        self.operator.finish()

    def close(self) -> None:
        self.operator.close()


def batches_of_key(rows: list[Row]) -> Iterator[tuple[Batch, int]]:
    """The elements of one key in timestamp order, as batches of one input each."""
    run: list[Row] = []
    for row in in_timestamp_order(rows):
        if run and run[0][1] != row[1]:
            yield as_batch(run), run[0][1]
            run = []
        run.append(row)
    yield as_batch(run), run[0][1]


def in_timestamp_order(rows: list[Row]) -> list[Row]:
    """Rows by timestamp. Of two inputs with equal timestamps the one comes first that was not read last, as in Flink."""
    if len({row[1] for row in rows}) == 1:
        return rows if is_sorted(rows) else sorted(rows, key=timestamp_of_row)
    first = sorted((row for row in rows if row[1] == 0), key=timestamp_of_row)
    second = sorted((row for row in rows if row[1] == 1), key=timestamp_of_row)
    merged: list[Row] = []
    reads_first = True
    at = [0, 0]
    while at[0] < len(first) and at[1] < len(second):
        one, other = first[at[0]], second[at[1]]
        takes_first = reads_first if one[0] == other[0] else one[0] < other[0]
        merged.append(one if takes_first else other)
        at[0 if takes_first else 1] += 1
        reads_first = not takes_first
    return merged + first[at[0] :] + second[at[1] :]


def timestamp_of_row(row: Row) -> int:
    """What rows are sorted by."""
    return row[0]


def is_sorted(rows: list[Row]) -> bool:
    """Are the timestamps already in order?"""
    return all(one[0] <= other[0] for one, other in zip(rows, rows[1:], strict=False))


def as_batch(rows: list[Row]) -> Batch:
    """Rows of one input as columns."""
    timestamps = [row[0] for row in rows]
    has_none = timestamps.count(MIN_TIMESTAMP) == len(timestamps)
    return Batch([row[2] for row in rows], None if has_none else timestamps, [row[3] for row in rows])
