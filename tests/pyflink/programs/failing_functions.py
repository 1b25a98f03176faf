"""User functions that raise, or ask for what they cannot have."""

import threading
from pyflink.common import Row, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import (
    AggregateFunction,
    CoMapFunction,
    KeyedProcessFunction,
    MapFunction,
    ProcessFunction,
    ProcessWindowFunction,
    WindowFunction,
)
from pyflink.datastream.state import MapStateDescriptor, ValueStateDescriptor
from pyflink.datastream.window import TumblingEventTimeWindows


def src(env):
    return env.from_collection([1, 2, 3], Types.INT())


class At(TimestampAssigner):
    def extract_timestamp(self, v, ts):
        return v


def timed(env):
    return src(env).assign_timestamps_and_watermarks(
        WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    )


def fails_sum_bad_pos(env):
    return (
        env.from_collection([("a", 1), ("a", 2)], Types.TUPLE([Types.STRING(), Types.INT()]))
        .key_by(lambda v: v[0])
        .sum(5)
    )


def fails_sum_bad_name(env):
    return (
        env.from_collection([("a", 1), ("a", 2)], Types.TUPLE([Types.STRING(), Types.INT()]))
        .key_by(lambda v: v[0])
        .sum("zz")
    )


def fails_sum_row_name_missing(env):
    return (
        env.from_collection([Row(a=1), Row(a=2)], Types.ROW_NAMED(["a"], [Types.INT()]))
        .key_by(lambda v: 1)
        .sum("b")
    )


def fails_window_no_ts(env):

    class P(ProcessWindowFunction):
        def process(self, k, c, e):
            yield k

    return src(env).key_by(lambda v: v).window(TumblingEventTimeWindows.of(Time.seconds(1))).process(P())


def fails_count_zero(env):

    class P(WindowFunction):
        def apply(self, k, w, e):
            yield k

    return src(env).key_by(lambda v: v).count_window(0).apply(P())


def fails_timer_nonkeyed(env):

    class P(ProcessFunction):
        def process_element(self, v, ctx):
            ctx.timer_service().register_event_time_timer(5)
            yield v

    return src(env).process(P())


def fails_state_map(env):

    class M(MapFunction):
        def open(self, ctx):
            self.s = ctx.get_state(ValueStateDescriptor("a", Types.INT()))

        def map(self, v):
            return v

    return src(env).map(M())


def fails_state_map_used(env):

    class M(MapFunction):
        def open(self, ctx):
            self.s = ctx.get_map_state(MapStateDescriptor("a", Types.INT(), Types.INT()))

        def map(self, v):
            self.s.put(1, 1)
            return v

    return src(env).map(M())


def fails_open_raises(env):

    class M(MapFunction):
        def open(self, ctx):
            raise RuntimeError("cannot open")

        def map(self, v):
            return v

    return src(env).map(M())


def fails_timer_raises(env):

    class P(KeyedProcessFunction):
        def process_element(self, v, ctx):
            ctx.timer_service().register_event_time_timer(v)

        def on_timer(self, ts, ctx):
            raise KeyError("at %d" % ts)

    return timed(env).key_by(lambda v: v).process(P())


def fails_assigner_raises(env):

    class B(TimestampAssigner):
        def extract_timestamp(self, v, ts):
            raise LookupError("no time")

    return (
        src(env)
        .assign_timestamps_and_watermarks(
            WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(B())
        )
        .map(lambda v: v)
    )


def fails_assigner_str(env):

    class B(TimestampAssigner):
        def extract_timestamp(self, v, ts):
            return "5"

    return (
        src(env)
        .assign_timestamps_and_watermarks(
            WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(B())
        )
        .map(lambda v: v)
    )


def fails_key_raises(env):
    return src(env).key_by(lambda v: 1 // (v - 2)).reduce(lambda a, b: a)


def fails_key_wrong_type(env):
    return src(env).key_by(lambda v: "k", Types.INT()).reduce(lambda a, b: a)


def fails_reduce_raises(env):
    return src(env).key_by(lambda v: 1).reduce(lambda a, b: a / 0)


def fails_filter_raises(env):
    return src(env).filter(lambda v: v.nothing)


def fails_flat_raises(env):

    def f(v):
        yield v
        raise OSError("disk %d" % v)

    return src(env).flat_map(f, Types.INT())


def fails_process_not_generator(env):

    class P(ProcessFunction):
        def process_element(self, v, ctx):
            return v

    return src(env).process(P())


def fails_map_generator(env):

    def g(v):
        yield v

    return src(env).map(g, Types.INT())


def fails_map_generator_untyped(env):

    def g(v):
        yield v

    return src(env).map(g)


def fails_unpicklable_result(env):
    return src(env).map(lambda v: threading.Lock())


def fails_assert(env):

    def f(v):
        assert v < 3, "too big: %d" % v
        return v

    return src(env).map(f, Types.INT())


def fails_chained_exc(env):

    def f(v):
        try:
            {}["k"]
        except KeyError as e:
            raise ValueError("outer") from e

    return src(env).map(f, Types.INT())


def fails_recursion(env):

    def f(v):
        return f(v)

    return src(env).map(f, Types.INT())


def fails_state_desc_bad(env):
    return ValueStateDescriptor("s", int)


def fails_comap_raises(env):

    class M(CoMapFunction):
        def map1(self, v):
            raise ValueError("one %d" % v)

        def map2(self, v):
            return v

    return src(env).connect(src(env)).map(M(), Types.INT())


def fails_agg_raises(env):

    class A(AggregateFunction):
        def create_accumulator(self):
            return 0

        def add(self, v, a):
            return a + v

        def get_result(self, a):
            raise ArithmeticError("no result")

        def merge(self, a, b):
            return a + b

    return src(env).key_by(lambda v: 1).count_window(3).aggregate(A())


def fails_window_raises(env):

    class P(ProcessWindowFunction):
        def process(self, k, c, e):
            raise ValueError("window of %s" % k)

    return timed(env).key_by(lambda v: 1).window(TumblingEventTimeWindows.of(Time.seconds(1))).process(P())


def fails_partitioner_range(env):
    src(env).partition_custom(lambda k, n: 7, lambda v: v).map(lambda v: v, Types.INT()).set_parallelism(
        2
    ).print("p")
    env.execute()


def fails_partitioner_raises(env):

    def f(k, n):
        raise ValueError("nowhere")

    src(env).partition_custom(f, lambda v: v).map(lambda v: v, Types.INT()).set_parallelism(2).print("p")
    env.execute()


def fails_print_unprintable(env):

    class Bad:
        def __str__(self):
            raise ValueError("no text")

    src(env).map(lambda v: Bad()).print("x")
    env.execute()


def fails_sum_overflow(env):
    return (
        env.from_collection([("a", 2**31 - 1), ("a", 1)], Types.TUPLE([Types.STRING(), Types.INT()]))
        .key_by(lambda v: v[0])
        .sum(1)
    )
