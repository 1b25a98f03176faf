"""sum, min, max, min_by, max_by and reduce, on tuples and rows, in both runtime modes."""

from pyflink.common import Row, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import ProcessFunction, RuntimeExecutionMode

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
TRIPLE = Types.TUPLE([Types.STRING(), Types.LONG(), Types.INT()])
NAMED = Types.ROW_NAMED(["k", "n", "x"], [Types.STRING(), Types.INT(), Types.DOUBLE()])
ROWS = [Row("a", 1, 2.5), Row("b", 7, 1.5), Row("a", 7, 1.5), Row("a", 3, 9.5), Row("a", 7, 0.0), Row("b", 7, 2.5)]
TUPLES = [("a", 5, 1), ("a", 3, 2), ("b", 8, 9), ("a", 4, 3), ("a", 3, 7)]


def rows(env):
    return env.from_collection(ROWS, NAMED).key_by(lambda row: row.k)


def tuples(env):
    return env.from_collection(TUPLES, TRIPLE).key_by(lambda value: value[0])


def in_order_sum_of_rows(env):
    return rows(env).sum("n")


def in_order_max_by_of_rows(env):
    return rows(env).max_by("n")


def in_order_min_by_of_rows(env):
    return rows(env).min_by("x")


def in_order_min_of_tuples(env):
    return tuples(env).min(1)


def in_order_max_of_tuples(env):
    return tuples(env).max(1)


def any_order_sum_in_batch(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    return tuples(env).sum(1)


def any_order_max_by_in_batch(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    return rows(env).max_by("n")


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Stamp(ProcessFunction):
    def process_element(self, value, ctx):
        yield f"{value!r} ts={ctx.timestamp()!r}"


def any_order_reduce_in_batch_and_its_timestamps(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    values = [("a", 5), ("b", 1), ("a", 3), ("a", 4), ("b", 2), ("c", 9)]
    timed = env.from_collection(values, PAIR).assign_timestamps_and_watermarks(strategy)
    return timed.key_by(lambda v: v[0]).reduce(lambda a, b: (a[0], a[1] * 10 + b[1])).process(Stamp())
