"""What users write or choose themselves for windows: assigners, triggers with state, gaps; purging and firing again."""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from flinkpy_dagster.operators.functions.output_tag import OutputTag
from flinkpy_dagster.operators.functions.rich_functions import ProcessWindowFunction
from flinkpy_dagster.operators.state.state_descriptors import ReducingStateDescriptor
from flinkpy_dagster.operators.windows.windows import (
    CountTrigger,
    EventTimeSessionWindows,
    EventTimeTrigger,
    GlobalWindows,
    NeverTrigger,
    ProcessingTimeSessionWindows,
    PurgingTrigger,
    SessionWindowTimeGapExtractor,
    TimeWindow,
    TimeWindowSerializer,
    Trigger,
    TriggerResult,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
    WindowAssigner,
)
from flinkpy_dagster.testing import window_harness
from flinkpy_dagster.types import Types

COUNT = ReducingStateDescriptor("count", lambda one, other: one + other, Types.INT())
ODD = OutputTag("odd", Types.INT())


class Content(ProcessWindowFunction):
    def process(self, key: Any, context: Any, elements: Iterable[Any]) -> Iterator[Any]:
        yield context.window().start, context.window().end, list(elements)


class EveryThird(Trigger):
    """Counts in a state that can merge; fires without waiting for the end."""

    def __init__(self, log: list[str]) -> None:
        self.log = log

    def on_element(self, element: Any, timestamp: int, window: Any, ctx: Any) -> TriggerResult:
        count = ctx.get_partitioned_state(COUNT)
        count.add(1)
        return TriggerResult.FIRE if count.get() % 3 == 0 else TriggerResult.CONTINUE

    def on_processing_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return TriggerResult.CONTINUE

    def on_event_time(self, time: int, window: Any, ctx: Any) -> TriggerResult:
        return TriggerResult.CONTINUE

    def can_merge(self) -> bool:
        return True

    def on_merge(self, window: Any, ctx: Any) -> None:
        self.log.append(f"merge {window.start}..{window.end}")
        ctx.merge_partitioned_state(COUNT)

    def clear(self, window: Any, ctx: Any) -> None:
        self.log.append(f"clear {window.start}..{window.end}")
        ctx.get_partitioned_state(COUNT).clear()


def test_own_trigger_when_sessions_merge_then_its_state_does() -> None:
    log: list[str] = []
    options = {"trigger": EveryThird(log)}
    with window_harness(EventTimeSessionWindows.with_gap(5), Content(), **options) as harness:
        harness.process_all([(time, time) for time in (10, 18)])
        assert harness.values == []
        harness.process(14, 14)
        [(start, end, elements)] = harness.values
        assert (start, end, sorted(elements)) == (10, 23, [10, 14, 18])
        assert log[0] == "merge 10..23"
        assert sorted(log[1:]) == ["clear 10..15", "clear 18..23"]
        harness.end()
        assert log[-1] == "clear 10..23"
        assert harness.state("count") == {}


class Decades(WindowAssigner):
    """Every element in its decade and in the first one."""

    def assign_windows(self, element: int, timestamp: int, context: Any) -> list[TimeWindow]:
        start = element - element % 10
        return [TimeWindow(start, start + 10), TimeWindow(0, 1000)]

    def get_default_trigger(self, env: Any) -> Trigger:
        return EventTimeTrigger()

    def get_window_serializer(self) -> Any:
        return TimeWindowSerializer()

    def is_event_time(self) -> bool:
        return True


def test_own_assigner_when_it_names_several_windows_then_elements_are_in_each() -> None:
    with window_harness(Decades(), Content()) as harness:
        harness.process_all([(11, 11), (25, 25)])
        harness.advance_watermark(29)
        assert harness.take() == [(10, 20, [11]), (20, 30, [25])]
        harness.end()
        assert harness.values == [(0, 1000, [11, 25])]


class OwnGap(SessionWindowTimeGapExtractor):
    def extract(self, element: int) -> int:
        return element


def test_dynamic_gap_when_elements_choose_it_then_sessions_differ() -> None:
    with window_harness(EventTimeSessionWindows.with_dynamic_gap(OwnGap()), Content()) as harness:
        harness.process_all([(5, 0), (2, 6), (10, 30), (1, 35)])
        harness.end()
        assert harness.values == [(0, 5, [5]), (6, 8, [2]), (30, 40, [10, 1])]


def test_dynamic_gap_when_of_the_clock_then_follows_it() -> None:
    with window_harness(ProcessingTimeSessionWindows.with_dynamic_gap(OwnGap()), Content()) as harness:
        harness.process(5)
        harness.advance_clock(3)
        harness.process(4)
        harness.advance_clock(5)
        assert harness.values == []
        harness.advance_clock(6)
        assert harness.values == [(0, 7, [5, 4])]


@pytest.mark.parametrize("is_purging", [False, True])
def test_late_but_allowed_element_when_trigger_purges_then_fires_alone(is_purging: bool) -> None:
    trigger = PurgingTrigger.of(EventTimeTrigger()) if is_purging else None
    options = {"allowed_lateness_ms": 10, "trigger": trigger}
    with window_harness(TumblingEventTimeWindows.of(10), Content(), **options) as harness:
        harness.process(1, 1)
        harness.advance_watermark(9)
        harness.process(2, 2)
        assert harness.values == [(0, 10, [1]), (0, 10, [2] if is_purging else [1, 2])]


def test_global_window_when_trigger_never_fires_then_keeps_quiet() -> None:
    for trigger in (None, NeverTrigger()):
        with window_harness(GlobalWindows.create(), Content(), trigger=trigger) as harness:
            harness.process(1, 1)
            harness.end()
            assert harness.values == []


def test_count_trigger_when_window_ends_first_then_what_is_left_goes_unseen() -> None:
    options = {"trigger": CountTrigger.of(2)}
    with window_harness(TumblingEventTimeWindows.of(10), Content(), **options) as harness:
        harness.process_all([(1, 1), (2, 2), (3, 3), (11, 11)])
        harness.end()
        assert harness.values == [(0, 10, [1, 2])]
        assert harness.state("window-contents") == {}


def test_processing_time_window_when_input_ends_before_it_then_has_no_result() -> None:
    with window_harness(TumblingProcessingTimeWindows.of(10), Content()) as harness:
        harness.process(1)
        harness.end()
        assert harness.values == []


def test_window_function_when_it_yields_a_tag_then_value_goes_to_the_side() -> None:
    class Split(ProcessWindowFunction):
        def process(self, key: Any, context: Any, elements: Iterable[int]) -> Iterator[Any]:
            for element in elements:
                yield (ODD, element) if element % 2 else element

    with window_harness(TumblingEventTimeWindows.of(10), Split()) as harness:
        harness.process_all([(1, 1), (2, 2), (3, 3)])
        harness.end()
        assert (harness.values, harness.side(ODD)) == ([2], [1, 3])


def test_window_function_when_asked_for_time_then_knows_watermark_and_clock() -> None:
    class Times(ProcessWindowFunction):
        def process(self, key: Any, context: Any, elements: Iterable[int]) -> Iterator[Any]:
            yield context.current_watermark(), context.current_processing_time()

    with window_harness(TumblingEventTimeWindows.of(10), Times()) as harness:
        harness.advance_clock(77)
        harness.process(1, 1)
        harness.advance_watermark(12)
        assert harness.records == [((12, 77), 9)]
