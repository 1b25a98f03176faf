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
