"""Session windows: fixed and dynamic gaps, merging in odd orders, triggers that fire before the end.

Sessions that an element joins are compared by their elements only: with reduce and aggregate PyFlink keeps what one of
them had and loses the other.
"""

from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import AggregateFunction, ProcessWindowFunction
from pyflink.datastream.window import CountTrigger, EventTimeSessionWindows, SessionWindowTimeGapExtractor

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def keyed(env, values):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    return env.from_collection(values, PAIR).assign_timestamps_and_watermarks(strategy).key_by(lambda v: v[0])


class Show(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"{key} {context.window()!r} {list(elements)!r}"


def of_s(*times):
    return [("s", time) for time in times]


def in_order_fixed_gap(env):
    values = of_s(10, 1, 30, 20, 14, 26, 60, 55, 3)
    windows = keyed(env, values).window(EventTimeSessionWindows.with_gap(Time.milliseconds(5)))
    return windows.process(Show(), Types.STRING())


def in_order_sessions_joined_by_late_comers(env):
    values = of_s(100, 0, 50, 75, 25, 12, 37, 62, 87)
    windows = keyed(env, values).window(EventTimeSessionWindows.with_gap(Time.milliseconds(13)))
    return windows.process(Show(), Types.STRING())


def in_order_count_trigger(env):
    values = of_s(10, 1, 30, 20, 14, 26, 60, 55, 3)
    windows = keyed(env, values).window(EventTimeSessionWindows.with_gap(Time.milliseconds(5)))
    return windows.trigger(CountTrigger.of(2)).process(Show(), Types.STRING())


class GapOfKey(SessionWindowTimeGapExtractor):
    def extract(self, element):
        return 3 if element[0] == "a" else 30


class Mean(AggregateFunction):
    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + value[1], accumulator[1] + 1

    def get_result(self, accumulator):
        return accumulator[0] / accumulator[1]

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]


def any_order_dynamic_gap(env):
    values = [("a", 1), ("a", 4), ("a", 20), ("b", 2), ("b", 31), ("b", 62)]
    windows = keyed(env, values).window(EventTimeSessionWindows.with_dynamic_gap(GapOfKey()))
    return windows.aggregate(Mean(), output_type=Types.DOUBLE())
