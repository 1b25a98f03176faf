"""What flows between operators of one task: batches of elements, watermarks, idleness."""

from dataclasses import dataclass

MIN_TIMESTAMP = -(2**63)
MAX_WATERMARK = 2**63 - 1


@dataclass(slots=True)
class Batch:
    """Elements in order, column by column.

    ``timestamps`` (event time, ms since the epoch) is None when no element has one; an entry
    ``MIN_TIMESTAMP`` stands for none. ``keys`` is set between the key-by step and the keyed operator, None
    elsewhere. All lists have one length.
    """

    values: list
    timestamps: list | None = None
    keys: list | None = None

    def __len__(self) -> int:
        return len(self.values)


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
