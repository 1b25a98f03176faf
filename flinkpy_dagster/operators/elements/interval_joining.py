"""Joining elements of two keyed streams that are close in event time (Flink's ``IntervalJoinOperator``)."""

from bisect import bisect_left, bisect_right, insort
from typing import Any

from flinkpy_dagster.operators.batch import MIN_TIMESTAMP, Batch
from flinkpy_dagster.operators.elements.keyed_operator import KeyedOperator
from flinkpy_dagster.operators.functions.window_functions import ProcessJoinFunction
from flinkpy_dagster.operators.operator import Setup, close_function, open_function
from flinkpy_dagster.operators.results import timestamps_of
from flinkpy_dagster.operators.specs import IntervalJoin
from flinkpy_dagster.operators.subtask_context import SubtaskContext
from flinkpy_dagster.operators.time.timer_service import TimeDomain
from flinkpy_dagster.operators.time.timers import Timer

LEFT, RIGHT = 0, 1


class PairContext(ProcessJoinFunction.Context):
    """Times of the pair at hand."""

    left_timestamp = right_timestamp = MIN_TIMESTAMP

    def get_left_timestamp(self) -> int:
        return self.left_timestamp

    def get_right_timestamp(self) -> int:
        return self.right_timestamp

    def get_timestamp(self) -> int:
        return max(self.left_timestamp, self.right_timestamp)


class SideBuffer:
    """The elements of one side of one key that may still find a partner, by timestamp."""

    __slots__ = ("_by_time", "_times")

    def __init__(self) -> None:
        self._by_time: dict[int, list] = {}
        self._times: list[int] = []

    def add(self, timestamp: int, value: Any) -> None:
        """Keeps an element."""
        if timestamp in self._by_time:
            self._by_time[timestamp].append(value)
        else:
            self._by_time[timestamp] = [value]
            insort(self._times, timestamp)

    def between(self, lower: int, upper: int) -> list[tuple[int, Any]]:
        """Elements from ``lower`` to ``upper``, both included, in order of time."""
        times = self._times[bisect_left(self._times, lower) : bisect_right(self._times, upper)]
        return [(time, value) for time in times for value in self._by_time[time]]

    def remove(self, timestamp: int) -> None:
        """Forgets the elements of that time."""
        if self._by_time.pop(timestamp, None) is not None:
            del self._times[bisect_left(self._times, timestamp)]

    def __len__(self) -> int:
        return len(self._times)


class IntervalJoinOperator(KeyedOperator):
    """Pairs each left element at t with the right ones from t + lower to t + upper, whichever comes first."""

    def __init__(self, spec: IntervalJoin):
        super().__init__(spec.key_type)
        self._function = spec.function
        self._lower = spec.lower_ms if spec.is_lower_inclusive else spec.lower_ms + 1
        self._upper = spec.upper_ms if spec.is_upper_inclusive else spec.upper_ms - 1
        self._late_tags = (spec.left_late_tag, spec.right_late_tag)

    def open(self, setup: Setup) -> None:
        super().open(setup)
        tables = self.backend.tables
        self._buffers: tuple[dict, dict] = (
            tables.setdefault("left-buffer", {}),
            tables.setdefault("right-buffer", {}),
        )
        self._context = PairContext()
        open_function(self._function, SubtaskContext(setup, self.backend))

    def close(self) -> None:
        close_function(self._function)

    def process(self, batch: Batch, input_index: int) -> None:
        keys = batch.keys or []
        columns = zip(batch.values, timestamps_of(batch), keys, self.state_keys(keys), strict=True)
        for value, timestamp, self.current_key, self.backend.key in columns:
            if timestamp == MIN_TIMESTAMP:
                raise ValueError(
                    "An element without a timestamp reached an interval join; "
                    "call assign_timestamps_and_watermarks(...) on both streams."
                )
            if timestamp < self.watermark:
                self._reject(input_index, value, timestamp)
            else:
                self._join(input_index, value, timestamp)
        self.results.flush()

    def _reject(self, side: int, value: Any, timestamp: int) -> None:
        tag = self._late_tags[side]
        if tag is not None:
            self.results.take_aside(tag.tag_id, value, timestamp)

    def _join(self, side: int, value: Any, timestamp: int) -> None:
        key = self.backend.key
        own, others = self._buffers[side], self._buffers[1 - side]
        if key not in own:
            own[key] = SideBuffer()
        own[key].add(timestamp, value)
        lower, upper = self._bounds(side)
        if key in others:
            for other_timestamp, other in others[key].between(timestamp + lower, timestamp + upper):
                if side == LEFT:
                    self._emit(value, other, timestamp, other_timestamp)
                else:
                    self._emit(other, value, other_timestamp, timestamp)
        cleanup_time = timestamp + max(upper, 0)
        self.event_timers.add(cleanup_time, key, self.current_key, (side, timestamp), (side, timestamp))

    def _bounds(self, side: int) -> tuple[int, int]:
        """How far before and after an element of that side its partners may be."""
        return (self._lower, self._upper) if side == LEFT else (-self._upper, -self._lower)

    def _emit(self, left: Any, right: Any, left_timestamp: int, right_timestamp: int) -> None:
        context = self._context
        context.left_timestamp, context.right_timestamp = left_timestamp, right_timestamp
        results = self._function.process_element(left, right, context)
        if results:
            self.results.take(results, context.get_timestamp())

    def on_timer(self, timer: Timer, domain: TimeDomain) -> None:
        side, timestamp = timer.namespace
        buffers = self._buffers[side]
        buffer = buffers.get(timer.state_key)
        if buffer is not None:
            buffer.remove(timestamp)
            if not buffer:
                del buffers[timer.state_key]
