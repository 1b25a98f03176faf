"""The harness over restarts: a snapshot taken in one and restored in another."""

import pytest

from flinkpy_dagster.api import (
    CountTrigger,
    EventTimeSessionWindows,
    KeyedBroadcastProcessFunction,
    KeyedProcessFunction,
    MapStateDescriptor,
    SlidingEventTimeWindows,
    Time,
    TumblingEventTimeWindows,
    Types,
    ValueStateDescriptor,
)
from flinkpy_dagster.testing import harness_of, window_harness


class Count(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        ctx.timer_service().register_event_time_timer(100)

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), self.count.value()


RULES = MapStateDescriptor("rules", Types.STRING(), Types.LONG())


class Ruled(KeyedBroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value, ctx.get_broadcast_state(RULES).get("rule")

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put("rule", value)


def test_state_timers_and_event_time_go_on():
    with harness_of(Count(), key_by=lambda value: value[0]) as harness:
        harness.process_all([(("a", 1), 5), (("b", 1), 6)])
        harness.advance_watermark(50)
        saved = harness.snapshot()
    with harness_of(Count(), key_by=lambda value: value[0]) as harness:
        harness.restore(saved)
        assert harness.event_timers == [(100, "a"), (100, "b")]
        harness.process(("a", 2), 60)
        harness.advance_watermark(100)
        assert harness.values == [("a", 2), ("b", 1)]


def test_broadcast_state_goes_on():
    options = {"broadcast_states": [RULES], "key_by": (lambda value: value, None)}
    with harness_of(Ruled(), **options) as harness:
        harness.process(7, input_index=1)
        saved = harness.snapshot()
    with harness_of(Ruled(), **options) as harness:
        harness.restore(saved)
        harness.process("x")
        assert harness.values == [("x", 7)]


WINDOWS = {
    "tumbling": TumblingEventTimeWindows.of(Time.milliseconds(10)),
    "sliding": SlidingEventTimeWindows.of(Time.milliseconds(10), Time.milliseconds(5)),
    "sessions": EventTimeSessionWindows.with_gap(Time.milliseconds(6)),
}
ELEMENTS = [((f"k{number % 3}", number), number) for number in range(0, 40, 3)]


@pytest.mark.parametrize("assigner", WINDOWS.values(), ids=WINDOWS)
@pytest.mark.parametrize("trigger", [None, CountTrigger.of(2)], ids=["default", "count"])
@pytest.mark.parametrize("at", [0, 1, 5, 9])
def test_windows_go_on(assigner, trigger, at):
    options = {"key_by": lambda value: value[0], "reduce": lambda one, other: (one[0], one[1] + other[1])}
    if trigger is not None:
        options["trigger"] = trigger

    def run(harness, elements):
        for value, timestamp in elements:
            harness.process(value, timestamp)
            harness.advance_watermark(timestamp - 4)

    with window_harness(assigner, **options) as harness:
        run(harness, ELEMENTS)
        harness.end()
        expected = harness.records
    with window_harness(assigner, **options) as before:
        run(before, ELEMENTS[:at])
        saved = before.snapshot()
    with window_harness(assigner, **options) as after:
        after.restore(saved)
        run(after, ELEMENTS[at:])
        after.end()
        assert before.records + after.records == expected
