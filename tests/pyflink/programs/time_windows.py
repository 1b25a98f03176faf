"""Tumbling and sliding windows of event time, with offsets, one after the other, over all keys."""

from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import AggregateFunction, ProcessFunction, ProcessWindowFunction
from pyflink.datastream.functions import ProcessAllWindowFunction
from pyflink.datastream.window import SlidingEventTimeWindows, TumblingEventTimeWindows

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
VALUES = [("a", 1), ("b", 2), ("a", 5), ("a", 12), ("b", 13), ("a", 6), ("c", 30), ("a", 31)]


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def timed(env, values):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    return env.from_collection(values, PAIR).assign_timestamps_and_watermarks(strategy)


class Show(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"{key} {context.window()!r} {list(elements)!r} wm={context.current_watermark()}"


class Stamp(ProcessFunction):
    def process_element(self, value, ctx):
        yield f"{value!r} ts={ctx.timestamp()!r}"


class Mean(AggregateFunction):
    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + value[1], accumulator[1] + 1

    def get_result(self, accumulator):
        return accumulator[0] / accumulator[1]

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]


def any_order_tumbling_and_timestamps_of_results(env):
    windows = timed(env, VALUES).key_by(lambda v: v[0]).window(TumblingEventTimeWindows.of(Time.milliseconds(10)))
    return windows.process(Show(), Types.STRING()).process(Stamp())


def any_order_sliding_with_offset(env):
    sliding = SlidingEventTimeWindows.of(Time.milliseconds(10), Time.milliseconds(4), Time.milliseconds(1))
    return timed(env, VALUES).key_by(lambda v: v[0]).window(sliding).aggregate(Mean(), output_type=Types.DOUBLE())


def in_order_negative_times_and_offset(env):
    values = [("a", -25), ("a", -1), ("a", 0), ("a", 24)]
    tumbling = TumblingEventTimeWindows.of(Time.milliseconds(20), Time.milliseconds(-3))
    return timed(env, values).key_by(lambda v: v[0]).window(tumbling).process(Show(), Types.STRING())


def in_order_windows_of_windows(env):
    inner = timed(env, VALUES).key_by(lambda v: v[0]).window(TumblingEventTimeWindows.of(Time.milliseconds(10)))
    sums = inner.reduce(lambda a, b: (a[0], a[1] + b[1]))
    outer = sums.key_by(lambda v: 0).window(TumblingEventTimeWindows.of(Time.milliseconds(20)))
    return outer.reduce(lambda a, b: ("".join(sorted(a[0] + b[0])), a[1] + b[1]))


class ShowAll(ProcessAllWindowFunction):
    def process(self, context, elements):
        yield f"{context.window()!r} {list(elements)!r}"


def in_order_all_keys_reduced(env):
    windows = timed(env, VALUES).window_all(TumblingEventTimeWindows.of(Time.milliseconds(10)))
    return windows.reduce(lambda a, b: (a[0] + b[0], a[1] + b[1]))


def in_order_all_keys_aggregated(env):
    windows = timed(env, VALUES).window_all(TumblingEventTimeWindows.of(Time.milliseconds(10)))
    return windows.aggregate(Mean(), ShowAll(), output_type=Types.STRING())
