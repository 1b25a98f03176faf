"""Sources that the task reads itself, over several epochs: each goes on where the epoch before stopped."""

from collections.abc import Iterator
from typing import Any

from flinkpy_dagster.errors import UnsupportedFeature
from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.specs import CollectionSource, NumberSequence
from flinkpy_dagster.types import TypeInformation
from flinkpy_dagster.types.codec import codec_of

Positions = list[tuple[int, int]]
"""What is still to be read: half-open ranges of places in a collection, or of numbers."""


class LocalSourceEpoch:
    """What one subtask reads of a source in one epoch; ``remaining`` is what it leaves for later ones."""

    def __init__(self, spec: Any, value_type: TypeInformation | None, batch_size: int):
        self._spec = spec
        self._codec = codec_of(value_type)
        self._batch_size = batch_size
        self.remaining: Positions = []

    def begin(self, subtask_index: int, parallelism: int) -> None:
        """Nothing has been read yet."""
        first, end = all_positions(self._spec)
        self.remaining = share_of([(first, end)], subtask_index, parallelism)

    def go_on(self, states: list[Positions], subtask_index: int, parallelism: int) -> None:
        """Takes a share of what all subtasks of the epoch before left."""
        left = [positions for state in states for positions in state]
        if len(states) == parallelism:
            self.remaining = list(states[subtask_index])
        else:
            self.remaining = share_of(left, subtask_index, parallelism)

    def batches(self, limit: int | None) -> Iterator[Batch]:
        """At most ``limit`` elements, in batches; ``remaining`` is right whenever a batch has been taken."""
        while self.remaining and (limit is None or limit > 0):
            start, end = self.remaining[0]
            size = self._batch_size if limit is None else min(self._batch_size, limit)
            until = min(start + size, end)
            self.remaining[:1] = [(until, end)] if until < end else []
            if limit is not None:
                limit -= until - start
            yield self._batch(start, until)

    def _batch(self, start: int, end: int) -> Batch:
        if isinstance(self._spec, CollectionSource):
            return Batch(self._codec.copies(list(self._spec.values[start:end])))
        return Batch(list(range(start, end)))


def all_positions(spec: Any) -> tuple[int, int]:
    """All that a source has; raises UnsupportedFeature for sources without places."""
    if isinstance(spec, CollectionSource):
        return 0, len(spec.values)
    if isinstance(spec, NumberSequence):
        return spec.start, max(spec.end + 1, spec.start)
    raise UnsupportedFeature(f"a source of type {type(spec).__name__} in an unbounded job")


def share_of(ranges: Positions, subtask_index: int, parallelism: int) -> Positions:
    """The part of some ranges that a subtask reads: contiguous, all parts of about one size."""
    count = sum(end - start for start, end in ranges)
    first, last = count * subtask_index // parallelism, count * (subtask_index + 1) // parallelism
    share: Positions = []
    at = 0
    for start, end in ranges:
        low, high = max(first - at, 0), min(last - at, end - start)
        if low < high:
            share.append((start + low, start + high))
        at += end - start
    return share
