"""What flows between operators of one task: batches of elements, watermarks, idleness."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flinkpy_dagster.types.typed_values import TypedValues

MIN_TIMESTAMP = -(2**63)
MAX_WATERMARK = 2**63 - 1


@dataclass(slots=True)
class Batch:
    """Elements in order, column by column.

    ``timestamps`` (event time, ms since the epoch) is None when no element has one; an entry
    ``MIN_TIMESTAMP`` stands for none. ``keys`` is set between the key-by step and the keyed operator, None
    elsewhere. All lists have one length. Each may be ``TypedValues``; nobody changes a list that came in a batch.
    """

    values: Any
    timestamps: Any = None
    keys: Any = None

    def __len__(self) -> int:
        return len(self.values)

    def part(self, start: int, end: int) -> "Batch":
        """The elements from ``start`` up to but not including ``end``."""
        if start == 0 and end >= len(self.values):
            return self

        def cut(column: Any) -> Any:
            return column.part(start, end) if isinstance(column, TypedValues) else column[start:end]

        return self._cut(cut)

    def at(self, positions: Any) -> "Batch":
        """The elements at these positions: a slice, numbers, or what ``TypedValues.positions_by_channel`` gives."""

        def cut(column: Any) -> Any:
            if isinstance(column, TypedValues):
                return column.at(positions)
            if isinstance(positions, slice):
                return column[positions]
            return [column[position] for position in positions]

        return self._cut(cut)

    def _cut(self, cut: Callable[[Any], Any]) -> "Batch":
        values = cut(self.values)

        def beside(column: Any) -> Any:
            if column is None:
                return None
            place = column.place_in(self.values) if isinstance(column, TypedValues) else None
            return cut(column) if place is None else values.field(place)

        return Batch(values, beside(self.timestamps), beside(self.keys))


@dataclass(frozen=True, slots=True)
class Watermark:
    """No element with an event time at or before ``timestamp`` (ms) follows."""

    timestamp: int


@dataclass(frozen=True, slots=True)
class Idle:
    """The sender has nothing to say about event time until its next element."""


@dataclass(frozen=True, slots=True)
class Tick:
    """The sender's clock, ms since the epoch, when it sent what follows.

    Stages may run one after the other where Flink's tasks run side by side. By ticks a task knows when its elements
    would have arrived, so that processing time means the same.
    """

    now_ms: int
