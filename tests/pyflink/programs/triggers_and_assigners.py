"""Triggers: continuous, purging, counting, of one's own with state; window assigners of one's own."""

from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import ProcessFunction, ProcessWindowFunction
from pyflink.datastream.functions import ProcessAllWindowFunction
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.datastream.window import (
    ContinuousEventTimeTrigger,
    CountTrigger,
    EventTimeTrigger,
    GlobalWindows,
    PurgingTrigger,
    TimeWindow,
    TimeWindowSerializer,
    Trigger,
    TriggerResult,
    TumblingEventTimeWindows,
    WindowAssigner,
)

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
VALUES = [("a", 1), ("b", 2), ("a", 5), ("a", 12), ("b", 13), ("a", 6), ("c", 30), ("a", 31), ("a", 17), ("a", 44)]


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def timed(env, values):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    return env.from_collection(values, PAIR).assign_timestamps_and_watermarks(strategy)


class Show(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"{key} {context.window()!r} {list(elements)!r}"


class ShowAll(ProcessAllWindowFunction):
    def process(self, context, elements):
        yield f"{context.window()!r} {list(elements)!r}"


class Stamp(ProcessFunction):
    def process_element(self, value, ctx):
        yield f"{value!r} ts={ctx.timestamp()!r}"


def tumbling(env, values, size_ms):
    return timed(env, values).key_by(lambda v: v[0]).window(TumblingEventTimeWindows.of(Time.milliseconds(size_ms)))


def any_order_continuous(env):
    trigger = ContinuousEventTimeTrigger.of(Time.milliseconds(10))
    return tumbling(env, VALUES, 30).trigger(trigger).process(Show(), Types.STRING()).process(Stamp())


def any_order_continuous_and_purging(env):
    trigger = PurgingTrigger.of(ContinuousEventTimeTrigger.of(Time.milliseconds(10)))
    return tumbling(env, VALUES, 30).trigger(trigger).process(Show(), Types.STRING())


def in_order_counting_and_purging(env):
    values = [("a", number) for number in range(7)]
    return tumbling(env, values, 4).trigger(PurgingTrigger.of(CountTrigger.of(2))).process(Show(), Types.STRING())


def in_order_global_window(env):
    numbers = env.from_collection(list(range(7)), Types.INT()).key_by(lambda v: v % 2)
    windows = numbers.window(GlobalWindows.create()).trigger(PurgingTrigger.of(CountTrigger.of(2)))
    return windows.process(Show(), Types.STRING())


class EveryThird(Trigger):
    def on_element(self, element, timestamp, window, ctx):
        count = ctx.get_partitioned_state(ValueStateDescriptor("n", Types.INT()))
        count.update((count.value() or 0) + 1)
        if count.value() % 3 == 0:
            return TriggerResult.FIRE_AND_PURGE
        ctx.register_event_time_timer(window.max_timestamp())
        return TriggerResult.CONTINUE

    def on_processing_time(self, time, window, ctx):
        return TriggerResult.CONTINUE

    def on_event_time(self, time, window, ctx):
        return TriggerResult.FIRE if time == window.max_timestamp() else TriggerResult.CONTINUE

    def on_merge(self, window, ctx):
        pass

    def clear(self, window, ctx):
        ctx.get_partitioned_state(ValueStateDescriptor("n", Types.INT())).clear()


def any_order_trigger_of_ones_own(env):
    values = [("a", number) for number in range(8)] + [("b", 3)]
    return tumbling(env, values, 20).trigger(EveryThird()).process(Show(), Types.STRING())


class ByName(WindowAssigner):
    def assign_windows(self, element, timestamp, context):
        return [TimeWindow(0, 100) if element[0] < "b" else TimeWindow(100, 200)]

    def get_default_trigger(self, env):
        return EventTimeTrigger()

    def get_window_serializer(self):
        return TimeWindowSerializer()

    def is_event_time(self):
        return True


def any_order_assigner_of_ones_own(env):
    return timed(env, VALUES).key_by(lambda v: v[1] % 2).window(ByName()).process(Show(), Types.STRING())


def in_order_assigner_of_ones_own_over_all(env):
    return timed(env, VALUES).window_all(ByName()).process(ShowAll(), Types.STRING())
