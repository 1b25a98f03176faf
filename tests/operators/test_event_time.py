"""Timestamps, watermark generators, and their alignment over inputs."""

from typing import Any

from flinkpy_dagster.clock import ManualClock
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.batch import MAX_WATERMARK, Batch
from flinkpy_dagster.operators.functions.rich_functions import MapFunction
from flinkpy_dagster.operators.time.watermark_valve import WatermarkValve
from flinkpy_dagster.operators.time.watermarks import TimestampAssigner, WatermarkGenerator, WatermarkStrategy
from flinkpy_dagster.testing import Harness


class At(TimestampAssigner):
    def extract_timestamp(self, value: int, record_timestamp: int) -> int:
        return value if record_timestamp < 0 else record_timestamp + 1


class Punctual(WatermarkGenerator):
    def on_event(self, value: Any, timestamp: int) -> int | None:
        return timestamp if value == "mark" else None


def test_assigner_when_asked_then_gets_the_timestamp_so_far() -> None:
    with Harness(specs.ExtractTimestamps(assigner=At())) as harness:
        harness.process_all([(7, None), (7, 3)])
        assert harness.records == [(7, 7), (7, 4)]


def test_bounded_generator_when_interval_passes_then_emits_largest_minus_bound() -> None:
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(10)
    with Harness(specs.GenerateWatermarks(strategy=strategy), clock=ManualClock(1000)) as harness:
        harness.process_all([("a", 50), ("b", 40)])
        assert harness.watermarks == []
        harness.advance_clock(1200)
        harness.advance_clock(1500)
        harness.process("c", 45)
        harness.advance_watermark(5)
        harness.end()
        assert harness.watermarks == [39, MAX_WATERMARK]


def test_idleness_when_restored_then_the_source_is_as_idle_as_its_liveliest_subtask() -> None:
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_idleness(500)
    clock = ManualClock(1000)
    told: list[int] = []
    harness = Harness(specs.GenerateWatermarks(strategy=strategy), clock=clock)
    with harness:
        harness._recorder.emit_idle = lambda: told.append(clock.now_ms())  # type: ignore[method-assign]
        harness._operator.restore_state([(0, True, None), (900, False, None)])
        for now in (1200, 1400, 1600):
            harness.advance_clock(now)
    assert told == [1400]  # 500 ms after the last element of any subtask, and it is told at all


def test_custom_generator_when_it_speaks_per_event_then_watermark_follows_the_element() -> None:
    strategy = WatermarkStrategy.for_generator(Punctual)
    seen: list[Any] = []
    harness = Harness(specs.GenerateWatermarks(strategy=strategy))
    with harness:
        harness._recorder.emit = lambda batch: seen.append(batch.values)  # type: ignore[method-assign]
        harness._recorder.emit_watermark = lambda time: seen.append(time)  # type: ignore[method-assign]
        harness._operator.process(Batch(["x", "mark", "y"], [1, 2, 3]), 0)
        assert seen == [["x", "mark"], 2, ["y"]]


def test_batch_mode_when_input_ends_then_only_the_last_watermark() -> None:
    strategy = WatermarkStrategy.for_monotonous_timestamps()
    with Harness(specs.GenerateWatermarks(strategy=strategy), is_batch=True) as harness:
        harness.process("a", 50)
        harness.advance_clock(10_000)
        harness.end()
        assert harness.watermarks == [MAX_WATERMARK]


def test_strategy_when_idleness_is_added_then_keeps_its_assigner() -> None:
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At()).with_idleness(50)
    assert isinstance(strategy.timestamp_assigner, At)
    assert strategy.idle_timeout_ms == 50


def test_valve_when_channels_differ_then_lets_the_smallest_through() -> None:
    valve = WatermarkValve(["a", "b"])
    assert [valve.advance("a", 5), valve.advance("b", 3), valve.advance("b", 9), valve.advance("a", 4)] == [
        None,
        3,
        5,
        None,
    ]


def test_valve_when_a_channel_is_idle_then_does_not_wait_for_it() -> None:
    valve = WatermarkValve(["a", "b"])
    assert valve.advance("a", 5) is None
    assert valve.mark_idle("b") == 5
    valve.mark_active("b")
    assert valve.advance("a", 9) is None
    assert (valve.complete(), valve.complete()) == (MAX_WATERMARK, None)


def test_map_function_when_it_has_no_open_then_is_fine() -> None:
    class Twice(MapFunction):
        def map(self, value: int) -> int:
            return 2 * value

    with Harness(specs.Map(function=Twice())) as harness:
        harness.process(2)
        assert harness.values == [4]
