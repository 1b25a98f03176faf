"""What windows are evaluated with: combinations of reduce, aggregate, apply and process; state and clear."""

from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import AggregateFunction, ProcessWindowFunction, WindowFunction
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.datastream.window import TumblingEventTimeWindows

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
VALUES = [("a", 1), ("b", 2), ("a", 5), ("a", 12), ("b", 13), ("a", 6), ("c", 30), ("a", 31)]


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def windows(env):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    timed = env.from_collection(VALUES, PAIR).assign_timestamps_and_watermarks(strategy)
    return timed.key_by(lambda v: v[0]).window(TumblingEventTimeWindows.of(Time.milliseconds(10)))


class Mean(AggregateFunction):
    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + value[1], accumulator[1] + 1

    def get_result(self, accumulator):
        return accumulator[0] / accumulator[1]

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]


class Show(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"{key} {context.window()!r} {list(elements)!r}"


def any_order_aggregate_and_process(env):
    return windows(env).aggregate(Mean(), Show(), Types.TUPLE([Types.LONG(), Types.LONG()]), Types.STRING())


class Describe(WindowFunction):
    def apply(self, key, window, inputs):
        return [(key, window.start, window.end, window.max_timestamp(), len(list(inputs)))]


def any_order_apply(env):
    return windows(env).apply(Describe())


class Wrap(WindowFunction):
    def apply(self, key, window, inputs):
        return [(key, window.start, list(inputs))]


def any_order_reduce_and_apply(env):
    return windows(env).reduce(lambda a, b: (a[0], a[1] + b[1]), Wrap())


class Counts(ProcessWindowFunction):
    """State of the key outlives windows."""

    def process(self, key, context, elements):
        windows_seen = context.global_state().get_state(ValueStateDescriptor("windows", Types.LONG()))
        windows_seen.update((windows_seen.value() or 0) + 1)
        yield f"{key}: window {windows_seen.value()} has {len(list(elements))}"


def any_order_state_of_the_key(env):
    return windows(env).process(Counts(), Types.STRING())
