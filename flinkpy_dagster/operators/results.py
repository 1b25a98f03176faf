"""Collecting what user functions yield: values with their timestamps, and side outputs."""

from collections.abc import Iterable
from operator import itemgetter
from typing import Any

from flinkpy_dagster.operators.batch import MIN_TIMESTAMP, Batch
from flinkpy_dagster.operators.functions.output_tag import OutputTag
from flinkpy_dagster.operators.operator import Output
from flinkpy_dagster.operators.snapshots import ATOMS, is_immutable, snapshot
from flinkpy_dagster.types import TypeInformation


class Results:
    """Takes results one call of a user function at a time and emits them as batches.

    Results that cannot change and that go nowhere but to the main output are taken without a look at each. Those for
    side outputs that nobody reads are then among them until they are emitted.
    """

    __slots__ = ("_is_immutable", "_is_plain", "_output", "_sides", "_timestamps", "_values", "least")

    def __init__(self, output: Output, output_type: TypeInformation | None):
        self._output = output
        self._is_immutable = is_immutable(output_type)
        self._is_plain = self._is_immutable and not output.has_side_readers
        self._values: list = []
        self._timestamps: list = []
        self._sides: dict[str, Batch] = {}
        self.least = 0

    def take(self, results: Iterable[Any], timestamp: int) -> None:
        """Takes all of ``results``, which carry ``timestamp``; a tuple of an OutputTag and a value goes to the side."""
        values = self._values
        timestamps = self._timestamps
        if self._is_plain:
            values.extend(results)
            timestamps += [timestamp] * (len(values) - len(timestamps))
            return
        must_copy = not self._is_immutable
        for result in results:
            kind = result.__class__
            # ``is_for_the_side``, written out for speed
            if kind is tuple and len(result) == 2 and result[0].__class__ is OutputTag:
                self.take_aside(result[0].tag_id, result[1], timestamp)
                continue
            if must_copy and kind not in ATOMS:
                result = snapshot(result)
            values.append(result)
            timestamps.append(timestamp)

    def columns(self) -> tuple[list, list] | None:
        """Where values and timestamps may be put as they are, for hot loops: good until ``flush``.

        None if ``take`` has to look at each.
        """
        return (self._values, self._timestamps) if self._is_plain else None

    def take_one(self, result: Any, timestamp: int) -> None:
        """Takes one result, which cannot be for the side."""
        self._values.append(result if self._is_immutable else snapshot(result))
        self._timestamps.append(timestamp)

    def take_all(self, results: list, timestamp: int) -> None:
        """Takes results that cannot be for the side and are nobody else's."""
        self._values += results
        self._timestamps += [timestamp] * len(results)

    def take_aside(self, tag_id: str, value: Any, timestamp: int) -> None:
        """Takes one result for a side output."""
        side = self._sides.get(tag_id)
        if side is None:
            side = self._sides[tag_id] = Batch([], [])
        side.values.append(snapshot(value))
        side.timestamps.append(timestamp)

    def flush(self) -> None:
        """Emits what has been taken, unless there are fewer than ``least`` results: small batches cost time."""
        if len(self._values) < self.least:
            return
        if self._values:
            batch = Batch(self._values, timestamps_or_none(self._timestamps))
            self._values, self._timestamps = [], []
            self._output.emit(without_tagged(batch) if self._is_plain else batch)
        if self._sides:
            sides, self._sides = self._sides, {}
            for tag_id, side in sides.items():
                self._output.emit_side(tag_id, Batch(side.values, timestamps_or_none(timestamps_of(side))))

    def __len__(self) -> int:
        return len(self._values)


def is_for_the_side(result: Any) -> bool:
    """Is it a tuple of an OutputTag and a value?"""
    return result.__class__ is tuple and len(result) == 2 and result[0].__class__ is OutputTag


def without_tagged(batch: Batch) -> Batch:
    """A batch without what is for the side; the same batch if nothing is."""
    values = batch.values
    try:
        may_be_tagged = values[0].__class__ is tuple and OutputTag in set(map(type, map(_FIRST, values)))
    except (LookupError, TypeError):  # not all are tuples with something in them
        may_be_tagged = True
    if not may_be_tagged:
        return batch
    return batch.at([place for place, value in enumerate(values) if not is_for_the_side(value)])


_FIRST = itemgetter(0)


def timestamps_or_none(timestamps: list) -> list | None:
    """The column, or None if no element has a timestamp."""
    if timestamps[0] == MIN_TIMESTAMP and timestamps.count(MIN_TIMESTAMP) == len(timestamps):
        return None
    return timestamps


def timestamps_of(batch: Batch) -> list:
    """The timestamps of a batch as a column even if there are none: user functions see -2**63 then, as in Flink."""
    return batch.timestamps if batch.timestamps is not None else [MIN_TIMESTAMP] * len(batch.values)
