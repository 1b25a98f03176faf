"""Assigning timestamps and making watermarks (Flink's ``TimestampsAndWatermarksOperator``)."""

from typing import Any

from flinkpy_dagster.operators.batch import MAX_WATERMARK, MIN_TIMESTAMP, Batch
from flinkpy_dagster.operators.field_selectors import field_selector
from flinkpy_dagster.operators.operator import Operator, Setup, callable_of
from flinkpy_dagster.operators.results import timestamps_of
from flinkpy_dagster.operators.time.watermarks import BoundedOutOfOrderness, WatermarkStrategy
from flinkpy_dagster.types import Types
from flinkpy_dagster.types.codec import codec_of
from flinkpy_dagster.types.typed_values import TypedValues, bounds_of


class ExtractTimestampsOperator(Operator):
    """Asks the assigner for the timestamp of each element."""

    def __init__(self, assigner: Any):
        super().__init__()
        self._extract = None if assigner is None else callable_of(assigner, "extract_timestamp")
        self._field = None if self._extract is None else field_selector(self._extract)
        self.takes_columns = self._extract is None or self._field is not None

    def process(self, batch: Batch, input_index: int) -> None:
        extract = self._extract
        if extract is None:
            timestamps = batch.timestamps
        elif self._field and (column := whole_numbers(batch.values, self._field())) is not None:
            timestamps = column
        elif batch.timestamps is None:
            timestamps = _TIMESTAMPS.coerce([extract(value, MIN_TIMESTAMP) for value in batch.values])
        else:
            timestamps = _TIMESTAMPS.coerce(list(map(extract, batch.values, batch.timestamps)))
        self.output.emit(Batch(batch.values, timestamps, batch.keys))


class GenerateWatermarksOperator(Operator):
    """Makes the watermarks of a strategy; those from upstream end here, except the one at the end of the input.

    Watermarks are emitted between batches, when ``pipeline.auto-watermark-interval`` has passed on the clock
    since the last time. In BATCH mode there are none but the last.
    """

    def __init__(self, strategy: WatermarkStrategy):
        super().__init__()
        self._strategy = strategy

    def open(self, setup: Setup) -> None:
        super().open(setup)
        self._generator = None if setup.is_batch else self._strategy.new_generator()
        self.takes_columns = self._generator is None or isinstance(self._generator, BoundedOutOfOrderness)
        self._next_emission_ms = setup.clock.now_ms() + setup.watermark_interval_ms
        self._last_element_ms = setup.clock.now_ms()
        self._is_idle = False

    def process(self, batch: Batch, input_index: int) -> None:
        if not batch.values:
            return
        self._is_idle = False
        self._last_element_ms = self.setup.clock.now_ms()
        generator = self._generator
        if isinstance(generator, BoundedOutOfOrderness):
            if batch.timestamps is not None:
                generator.observe(bounds_of(batch.timestamps)[1])
            self.output.emit(batch)
        elif generator is None:
            self.output.emit(batch)
        else:
            self._process_singly(batch)

    def _process_singly(self, batch: Batch) -> None:
        """Emits watermarks of a custom generator where they belong: right after the element that made them."""
        assert self._generator is not None
        start = 0
        for index, (value, timestamp) in enumerate(zip(batch.values, timestamps_of(batch), strict=True)):
            watermark = self._generator.on_event(value, timestamp)
            if watermark is not None and watermark > self.watermark:
                self.output.emit(batch.part(start, index + 1))
                start = index + 1
                self._emit(watermark)
        if start < len(batch.values):
            self.output.emit(batch.part(start, len(batch.values)))

    def check_clock(self) -> None:
        now = self.setup.clock.now_ms()
        if self._generator is None or now < self._next_emission_ms:
            return
        self._next_emission_ms = now + self.setup.watermark_interval_ms
        self._emit(self._generator.on_periodic_emit())
        timeout = self._strategy.idle_timeout_ms
        if timeout is not None and not self._is_idle and now - self._last_element_ms >= timeout:
            self._is_idle = True
            self.output.emit_idle()

    def end_epoch(self) -> None:
        self._next_emission_ms = MIN_TIMESTAMP
        self.check_clock()

    def snapshot_state(self) -> Any:
        """When the last element came, idleness, and a generator of the user's."""
        is_own = isinstance(self._generator, BoundedOutOfOrderness)
        return self._last_element_ms, self._is_idle, None if is_own else self._generator

    def restore_state(self, states: list[Any]) -> None:
        """The source as a whole is as idle as its liveliest subtask. ``watermark`` is set already."""
        self._last_element_ms = max(last_ms for last_ms, _, _ in states)
        self._is_idle = all(is_idle for _, is_idle, _ in states)
        if isinstance(self._generator, BoundedOutOfOrderness):
            self._generator.reach(self.watermark)
        elif self._generator is not None:
            self._generator = states[self.setup.subtask_index % len(states)][2] or self._generator

    def _emit(self, watermark: int | None) -> None:
        if watermark is not None and watermark > self.watermark:
            self.watermark = watermark
            self.output.emit_watermark(watermark)

    def advance_watermark(self, timestamp: int) -> None:
        if timestamp == MAX_WATERMARK:
            self._emit(timestamp)

    def mark_idle(self) -> None:
        """Idleness of the inputs does not matter: the strategy decides."""


def whole_numbers(values: Any, field: int | None) -> TypedValues | None:
    """The field of each value where values are columns and these are whole numbers."""
    if field is None or not isinstance(values, TypedValues):
        return None
    column = values.field(field)
    is_whole = column is not None and column.codec.type_info in _WHOLE_NUMBERS
    return column if is_whole else None


_TIMESTAMPS = codec_of(Types.LONG())
_WHOLE_NUMBERS = (Types.LONG(), Types.INT(), Types.SHORT(), Types.BYTE())
