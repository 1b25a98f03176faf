"""Windows: assigners, triggers, lateness, merging, evictors, state; and the fast operators against the general one."""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from flinkpy_dagster.operators.functions.output_tag import OutputTag
from flinkpy_dagster.operators.functions.rich_functions import (
    AggregateFunction,
    AllWindowFunction,
    ProcessAllWindowFunction,
    ProcessWindowFunction,
    WindowFunction,
)
from flinkpy_dagster.operators.state.state_descriptors import ValueStateDescriptor
from flinkpy_dagster.operators.windows.windows import (
    ContinuousEventTimeTrigger,
    ContinuousProcessingTimeTrigger,
    CountEvictor,
    CountSlidingWindowAssigner,
    CountTrigger,
    CountTumblingWindowAssigner,
    DeltaEvictor,
    EventTimeSessionWindows,
    GlobalWindows,
    ProcessingTimeSessionWindows,
    PurgingTrigger,
    SlidingEventTimeWindows,
    SlidingProcessingTimeWindows,
    TimeEvictor,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)
from flinkpy_dagster.testing import Harness, window_harness
from flinkpy_dagster.types import Types

LATE = OutputTag("late", Types.INT())


class Content(ProcessWindowFunction):
    def process(self, key: Any, context: Any, elements: Iterable[Any]) -> Iterator[Any]:
        yield context.window().start, context.window().end, list(elements)


class Plain(WindowFunction):
    def apply(self, key: Any, window: Any, inputs: Iterable[Any]) -> Iterator[Any]:
        yield key, list(inputs)


class Mean(AggregateFunction):
    def create_accumulator(self) -> Any:
        return 0, 0

    def add(self, value: int, accumulator: Any) -> Any:
        return accumulator[0] + value, accumulator[1] + 1

    def get_result(self, accumulator: Any) -> Any:
        return accumulator[0] / accumulator[1]

    def merge(self, acc_a: Any, acc_b: Any) -> Any:
        return acc_a[0] + acc_b[0], acc_a[1] + acc_b[1]


def add(one: int, other: int) -> int:
    return one + other


def feed(harness: Harness, times: Iterable[int]) -> None:
    """Elements that are their own event times."""
    harness.process_all([(time, time) for time in times])


def test_tumbling_when_watermark_passes_end_then_fires() -> None:
    with window_harness(TumblingEventTimeWindows.of(10), Content()) as harness:
        feed(harness, [-1, 0, 9, 10])
        harness.advance_watermark(8)
        assert harness.values == [(-10, 0, [-1])]
        harness.advance_watermark(9)
        assert harness.records[1:] == [((0, 10, [0, 9]), 9)]
        harness.end()
        assert harness.values[2:] == [(10, 20, [10])]


def test_tumbling_when_offset_is_negative_then_windows_shift() -> None:
    with window_harness(TumblingEventTimeWindows.of(10, -3), Content()) as harness:
        feed(harness, [6, 7])
        harness.end()
        assert harness.values == [(-3, 7, [6]), (7, 17, [7])]


def test_sliding_when_element_is_in_several_windows_then_each_has_it() -> None:
    with window_harness(SlidingEventTimeWindows.of(10, 4, 1), reduce=add) as harness:
        feed(harness, [0, 5])
        harness.end()
        assert harness.records == [(0, 2), (5, 6), (5, 10), (5, 14)]


def test_sliding_when_slide_is_longer_than_size_then_gaps_drop_elements() -> None:
    with window_harness(SlidingEventTimeWindows.of(2, 5), Content()) as harness:
        feed(harness, [0, 1, 2, 4, 6])
        harness.end()
        assert harness.values == [(0, 2, [0, 1]), (5, 7, [6])]


@pytest.mark.parametrize("trigger", [None, PurgingTrigger.of(ContinuousEventTimeTrigger.of(1_000_000))])
def test_late_element_when_it_is_in_a_gap_between_windows_then_goes_to_the_side(trigger: Any) -> None:
    options = {"late_tag": LATE, "trigger": trigger}
    with window_harness(SlidingEventTimeWindows.of(2, 5), Content(), **options) as harness:
        feed(harness, [3])
        harness.advance_watermark(3)
        feed(harness, [3, 4, 6])
        assert harness.side(LATE) == [3]


@pytest.mark.parametrize("trigger", [None, PurgingTrigger.of(ContinuousEventTimeTrigger.of(1_000_000))])
def test_late_element_when_lateness_is_over_then_goes_to_the_side(trigger: Any) -> None:
    options = {"allowed_lateness_ms": 5, "late_tag": LATE, "trigger": trigger}
    with window_harness(TumblingEventTimeWindows.of(10), Content(), **options) as harness:
        feed(harness, [1])
        harness.advance_watermark(13)
        feed(harness, [2])
        harness.advance_watermark(14)
        feed(harness, [3, 12])
        harness.end()
        fired = [(0, 10, [1]), (0, 10, [1, 2])] if trigger is None else [(0, 10, [1]), (0, 10, [2])]
        assert harness.values == [*fired, (10, 20, [12])]
        assert harness.side(LATE) == [3]


def test_late_element_when_no_side_output_then_is_counted() -> None:
    with window_harness(TumblingEventTimeWindows.of(10), Content()) as harness:
        harness.advance_watermark(100)
        feed(harness, [1, 95, 101])
        assert dict(harness.metrics.values()) == {"numLateRecordsDropped": 2}
        harness.end()
        assert harness.values == [(100, 110, [101])]


def test_window_when_element_has_no_timestamp_then_says_what_to_do() -> None:
    harness = window_harness(TumblingEventTimeWindows.of(10), Content())
    with harness, pytest.raises(ValueError, match="assign_timestamps_and_watermarks"):
        harness.process(1)


def test_aggregate_when_followed_by_a_function_then_function_gets_the_result() -> None:
    with window_harness(
        TumblingEventTimeWindows.of(10), Plain(), aggregate=Mean(), key_by=lambda v: v % 2
    ) as harness:
        feed(harness, [1, 2, 3, 6])
        harness.end()
        assert harness.values == [(1, [2.0]), (0, [4.0])]


def test_all_window_functions_when_called_then_get_no_key() -> None:
    class Size(AllWindowFunction):
        def apply(self, window: Any, inputs: Iterable[Any]) -> Iterator[Any]:
            yield window.start, len(list(inputs))

    class Sum(ProcessAllWindowFunction):
        def process(self, context: Any, elements: Iterable[Any]) -> Iterator[Any]:
            yield context.window().end, sum(elements)

    for function, results in ((Size(), [(0, 2)]), (Sum(), [(10, 3)])):
        with window_harness(TumblingEventTimeWindows.of(10), function) as harness:
            feed(harness, [1, 2])
            harness.end()
            assert harness.values == results


@pytest.mark.parametrize("trigger", [None, CountTrigger.of(100)])
def test_sessions_when_they_touch_then_are_merged(trigger: Any) -> None:
    with window_harness(EventTimeSessionWindows.with_gap(5), Content(), trigger=trigger) as harness:
        feed(harness, [10, 1, 30, 20, 14, 26, 60, 55, 3])
        harness.end()
        if trigger is None:
            sessions = [
                (1, 8, [1, 3]),
                (10, 19, [10, 14]),
                (20, 25, [20]),
                (26, 35, [30, 26]),
                (55, 65, [60, 55]),
            ]
            assert harness.values == sessions
        else:
            assert harness.values == []


def test_sessions_when_an_element_bridges_two_then_contents_are_merged() -> None:
    for spec, merged in (({"reduce": add}, [70.0]), ({"aggregate": Mean()}, [70 / 3]), ({}, [10, 40, 20])):
        with window_harness(EventTimeSessionWindows.with_gap(20), **spec) as harness:
            feed(harness, [10, 40, 20])
            harness.end()
            assert sorted(harness.values) == sorted(merged)


def test_session_when_late_then_goes_to_the_side() -> None:
    with window_harness(EventTimeSessionWindows.with_gap(5), Content(), late_tag=LATE) as harness:
        harness.advance_watermark(20)
        feed(harness, [10, 17])
        harness.end()
        assert (harness.values, harness.side(LATE)) == ([(17, 22, [17])], [10])


def test_count_windows_when_full_then_fire() -> None:
    with window_harness(CountTumblingWindowAssigner.of(2)) as tumbling:
        feed(tumbling, range(5))
        tumbling.end()
        assert tumbling.values == [0, 1, 2, 3]
    with window_harness(CountSlidingWindowAssigner.of(4, 2), reduce=add) as sliding:
        feed(sliding, range(8))
        assert sliding.values == [0 + 1 + 2 + 3, 2 + 3 + 4 + 5, 4 + 5 + 6 + 7]


def test_continuous_trigger_when_time_passes_then_fires_each_interval() -> None:
    trigger = ContinuousEventTimeTrigger.of(10)
    with window_harness(TumblingEventTimeWindows.of(30), reduce=add, trigger=trigger) as harness:
        feed(harness, [1, 12])
        for time in (9, 10, 20, 29):
            harness.advance_watermark(time)
        assert harness.records == [(13, 10), (13, 20), (13, 29)]


def test_processing_time_windows_when_clock_moves_then_fire() -> None:
    for assigner, results in (
        (TumblingProcessingTimeWindows.of(10), [(0, 10, ["a", "b"])]),
        (SlidingProcessingTimeWindows.of(10, 5), [(-5, 5, ["a"]), (0, 10, ["a", "b"])]),
        (ProcessingTimeSessionWindows.with_gap(6), [(3, 13, ["a", "b"])]),
    ):
        with window_harness(assigner, Content()) as harness:
            harness.advance_clock(3)
            harness.process("a")
            harness.advance_clock(7)
            harness.process("b")
            harness.advance_clock(12)
            assert harness.values == results


def test_continuous_processing_time_trigger_when_clock_moves_then_fires() -> None:
    trigger = ContinuousProcessingTimeTrigger.of(10)
    with window_harness(GlobalWindows.create(), reduce=add, trigger=trigger) as harness:
        harness.process(1)
        harness.advance_clock(10)
        harness.process(2)
        harness.advance_clock(25)
        assert harness.values == [1, 3]


def test_window_state_when_window_goes_then_clear_is_called() -> None:
    class Firings(ProcessWindowFunction):
        def process(self, key: Any, context: Any, elements: Iterable[Any]) -> Iterator[Any]:
            here = context.window_state().get_state(ValueStateDescriptor("here", Types.INT()))
            overall = context.global_state().get_state(ValueStateDescriptor("overall", Types.INT()))
            here.update((here.value() or 0) + 1)
            overall.update((overall.value() or 0) + 1)
            yield context.window().start, here.value(), overall.value()

        def clear(self, context: Any) -> None:
            context.window_state().get_state(ValueStateDescriptor("here", Types.INT())).clear()

    with window_harness(TumblingEventTimeWindows.of(10), Firings(), allowed_lateness_ms=10) as harness:
        feed(harness, [1])
        harness.advance_watermark(9)
        feed(harness, [2, 11])
        harness.advance_watermark(19)
        assert harness.values == [(0, 1, 1), (0, 2, 2), (10, 1, 3)]
        assert harness.state("here") == {(0, (10, 20)): 1}


@pytest.mark.parametrize(
    ("evictor", "results"),
    [
        (CountEvictor.of(2), [[1, 4], [4, 2], [2, 9]]),
        (TimeEvictor.of(5), [[1, 4], [1, 4, 2], [9]]),
        (DeltaEvictor.of(3, lambda element, last: abs(element - last)), [[4], [4, 2], [9]]),
        (CountEvictor.of(1, do_evict_after=True), [[1, 4], [4, 2], [2, 9]]),
    ],
)
def test_evictor_when_window_fires_then_removes_elements(evictor: Any, results: list) -> None:
    options = {"trigger": EverySecond(), "evictor": evictor}
    with window_harness(TumblingEventTimeWindows.of(100), Content(), **options) as harness:
        feed(harness, [1, 4, 2, 9])
        assert [content for _, _, content in harness.values] == results


class EverySecond(CountTrigger):
    """Fires for every element but the first."""

    def __init__(self) -> None:
        super().__init__(2)

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> Any:
        result = super().on_element(element, timestamp, window, ctx)
        if result.is_fire():
            ctx.get_partitioned_state(self._count_state_descriptor).add(1)
        return result


def test_evictor_when_window_reduces_then_reduces_what_is_left() -> None:
    options = {"reduce": add, "evictor": CountEvictor.of(2)}
    with window_harness(TumblingEventTimeWindows.of(10), **options) as harness:
        feed(harness, [1, 2, 3])
        harness.end()
        assert harness.values == [5]


def test_batch_mode_when_input_ends_then_windows_fire_in_time_order() -> None:
    for options in ({}, {"trigger": PurgingTrigger.of(ContinuousEventTimeTrigger.of(1_000_000))}):
        harness = window_harness(TumblingEventTimeWindows.of(10), Content(), is_batch=True, **options)
        with harness:
            feed(harness, [12, 5, 1])
            assert harness.values == []
            harness.end()
            assert harness.values == [(0, 10, [1, 5]), (10, 20, [12])]
