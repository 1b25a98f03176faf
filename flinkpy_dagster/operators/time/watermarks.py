"""Where event time comes from: timestamp assigners and watermark strategies (``pyflink.common.watermark_strategy``)."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from flinkpy_dagster.operators.batch import MIN_TIMESTAMP


def milliseconds_of(duration: Any) -> int:
    """Whole milliseconds of a ``Duration``, ``Time``, ``timedelta`` or int (ms)."""
    if isinstance(duration, timedelta):
        return duration // timedelta(milliseconds=1)
    for name in ("to_milliseconds", "to_millis"):
        if hasattr(duration, name):
            return getattr(duration, name)()
    return int(duration)


class TimestampAssigner(ABC):
    """Tells when an element happened."""

    @abstractmethod
    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        """Event time of ``value``, ms; ``record_timestamp`` is the one it has, a negative number if none."""


class WatermarkGenerator(ABC):
    """Says how far event time has come (Flink's ``WatermarkGenerator``; beyond PyFlink's Python API).

    Both methods return a watermark timestamp (ms) or None. Watermarks that do not advance are ignored.
    """

    def on_event(self, value: Any, timestamp: int) -> int | None:
        """Called for each element."""
        return None

    def on_periodic_emit(self) -> int | None:
        """Called every ``pipeline.auto-watermark-interval`` and at the end of the input."""
        return None


class BoundedOutOfOrderness(WatermarkGenerator):
    """The largest timestamp minus a bound minus 1 ms (Flink's ``BoundedOutOfOrdernessWatermarks``)."""

    def __init__(self, bound_ms: int):
        self._bound_ms = bound_ms
        self._max_timestamp = MIN_TIMESTAMP + bound_ms + 1

    def observe(self, timestamp: int) -> None:
        """Takes the largest timestamp of a batch; order within the batch does not matter."""
        if timestamp > self._max_timestamp:
            self._max_timestamp = timestamp

    def reach(self, watermark: int) -> None:
        """Goes on from a watermark of before."""
        self.observe(watermark + self._bound_ms + 1)

    def on_event(self, value: Any, timestamp: int) -> None:
        self.observe(timestamp)

    def on_periodic_emit(self) -> int:
        return self._max_timestamp - self._bound_ms - 1


class WatermarkStrategy:
    """How timestamps are assigned and watermarks made. ``bound_ms`` None means: no watermarks, unless
    ``generator`` is set.
    """

    def __init__(
        self, bound_ms: int | None = None, generator: Callable[[], WatermarkGenerator] | None = None
    ):
        self.bound_ms = bound_ms
        self.generator = generator
        self.idle_timeout_ms: int | None = None
        self._timestamp_assigner: TimestampAssigner | None = None

    @property
    def timestamp_assigner(self) -> TimestampAssigner | None:
        """The assigner, None if elements keep the timestamps they have."""
        return self._timestamp_assigner

    def new_generator(self) -> WatermarkGenerator | None:
        """A generator for one subtask; None if there are no watermarks."""
        if self.generator is not None:
            return self.generator()
        return None if self.bound_ms is None else BoundedOutOfOrderness(self.bound_ms)

    def with_timestamp_assigner(self, timestamp_assigner: TimestampAssigner) -> "WatermarkStrategy":
        """Uses this assigner; changes this strategy, as PyFlink does."""
        self._timestamp_assigner = timestamp_assigner
        return self

    def with_idleness(self, idle_timeout: Any) -> "WatermarkStrategy":
        """A strategy that calls an input idle after a ``Duration`` without elements.

        Unlike PyFlink's, it keeps the timestamp assigner set before.
        """
        strategy = WatermarkStrategy(self.bound_ms, self.generator)
        strategy._timestamp_assigner = self._timestamp_assigner
        strategy.idle_timeout_ms = milliseconds_of(idle_timeout)
        return strategy

    def with_watermark_alignment(
        self, watermark_group: str, max_allowed_watermark_drift: Any, update_interval: Any = None
    ) -> "WatermarkStrategy":
        """Accepted without effect: inputs are read batch by batch, none can run ahead without bound."""
        return self

    @staticmethod
    def for_monotonous_timestamps() -> "WatermarkStrategy":
        """For timestamps that never go down."""
        return WatermarkStrategy(0)

    @staticmethod
    def for_bounded_out_of_orderness(max_out_of_orderness: Any) -> "WatermarkStrategy":
        """For timestamps that lag behind the largest by at most a ``Duration``."""
        bound_ms = milliseconds_of(max_out_of_orderness)
        if bound_ms < 0:
            raise ValueError(f"maxOutOfOrderness cannot be negative: it was {bound_ms} ms.")
        return WatermarkStrategy(bound_ms)

    @staticmethod
    def for_generator(generator: Callable[[], WatermarkGenerator]) -> "WatermarkStrategy":
        """Watermarks by the generators that ``generator()`` makes, one per subtask (beyond PyFlink)."""
        return WatermarkStrategy(generator=generator)

    @staticmethod
    def no_watermarks() -> "WatermarkStrategy":
        """No watermarks at all but the one at the end of the input."""
        return WatermarkStrategy()


class AssignerWithPeriodicWatermarksWrapper:
    """PyFlink's wrapper of a Java assigner: refused."""

    def __init__(self, j_assigner_with_periodic_watermarks: Any):
        raise NotImplementedError(
            "AssignerWithPeriodicWatermarksWrapper wraps a Java class and does not exist here; use WatermarkStrategy."
        )
