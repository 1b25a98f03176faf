"""Windows of all kinds with all kinds of functions."""

from pyflink.common import Row, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import AggregateFunction, ProcessWindowFunction, WindowFunction
from pyflink.datastream.window import (
    CountTrigger,
    EventTimeSessionWindows,
    SessionWindowTimeGapExtractor,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
)


P2 = Types.TUPLE([Types.STRING(), Types.LONG()])


EV = [
    ("a", 0),
    ("b", 2),
    ("a", 1),
    ("a", 10),
    ("b", 12),
    ("a", 4),
    ("a", 11),
    ("b", 31),
    ("a", 25),
    ("c", -1),
]


class At(TimestampAssigner):
    def extract_timestamp(self, v, ts):
        return v[1]


WM = lambda: WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())


def src(env, ev=EV):
    return env.from_collection(ev, P2).assign_timestamps_and_watermarks(WM())


def keyed(env, ev=EV):
    return src(env, ev).key_by(lambda v: v[0], Types.STRING())


ms = Time.milliseconds


class W(ProcessWindowFunction):
    def process(self, key, c, e):
        w = c.window()
        yield (
            "%s %s %s wm=%s"
            % (
                key,
                (w.start, w.end) if hasattr(w, "start") else type(w).__name__,
                [x[1] if isinstance(x, tuple) else x for x in e],
                c.current_watermark() == 2**63 - 1,
            )
        )


class Ap(WindowFunction):
    def apply(self, key, w, e):
        return ["%s %s %s" % (key, w, [x[1] for x in e])]


class Sum(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, v, a):
        return a + v[1]

    def get_result(self, a):
        return "sum%d" % a

    def merge(self, a, b):
        return a + b


def red(a, b):
    return (a[0], a[1] + b[1])


class OC(ProcessWindowFunction):
    def open(self, ctx):
        self.p = "open%d" % ctx.get_index_of_this_subtask()

    def process(self, key, c, e):
        yield (self.p + key)

    def clear(self, c):
        pass


def any_order_tumble_process(env):
    return keyed(env).window(TumblingEventTimeWindows.of(ms(10))).process(W(), Types.STRING())


def any_order_tumble_offset(env):
    return keyed(env).window(TumblingEventTimeWindows.of(ms(10), ms(3))).process(W(), Types.STRING())


def in_order_tumble_neg_offset(env):
    return keyed(env).window(TumblingEventTimeWindows.of(ms(10), ms(-3))).process(W(), Types.STRING())


def any_order_tumble_apply(env):
    return keyed(env).window(TumblingEventTimeWindows.of(ms(10))).apply(Ap(), Types.STRING())


def any_order_tumble_agg(env):
    return keyed(env).window(TumblingEventTimeWindows.of(ms(10))).aggregate(Sum(), output_type=Types.STRING())


def any_order_tumble_agg_window(env):
    return (
        keyed(env)
        .window(TumblingEventTimeWindows.of(ms(10)))
        .aggregate(Sum(), window_function=W(), accumulator_type=Types.LONG(), output_type=Types.STRING())
    )


def any_order_tumble_agg_apply(env):

    class A2(WindowFunction):
        def apply(self, key, w, e):
            yield ("%s %s" % (key, list(e)))

    return (
        keyed(env)
        .window(TumblingEventTimeWindows.of(ms(10)))
        .aggregate(Sum(), A2(), output_type=Types.STRING())
    )


def any_order_tumble_reduce_window(env):
    return keyed(env).window(TumblingEventTimeWindows.of(ms(10))).reduce(red, W(), Types.STRING())


def any_order_sliding_off(env):
    return keyed(env).window(SlidingEventTimeWindows.of(ms(10), ms(5), ms(1))).reduce(red)


def in_order_sliding_gap(env):
    return keyed(env).window(SlidingEventTimeWindows.of(ms(3), ms(7))).process(W(), Types.STRING())


def any_order_sliding_uneven(env):
    return (
        keyed(env)
        .window(SlidingEventTimeWindows.of(ms(10), ms(4)))
        .aggregate(Sum(), output_type=Types.STRING())
    )


def in_order_session(env):
    return keyed(env).window(EventTimeSessionWindows.with_gap(ms(4))).process(W(), Types.STRING())


def in_order_session_reduce(env):
    return keyed(env).window(EventTimeSessionWindows.with_gap(ms(4))).reduce(red)


def in_order_session_agg(env):
    return (
        keyed(env)
        .window(EventTimeSessionWindows.with_gap(ms(4)))
        .aggregate(Sum(), output_type=Types.STRING())
    )


def in_order_session_bridge(env):
    return (
        keyed(env, [("a", 0), ("a", 8), ("a", 4), ("a", 20), ("a", 16), ("a", 12)])
        .window(EventTimeSessionWindows.with_gap(ms(5)))
        .process(W(), Types.STRING())
    )


def in_order_session_dynamic(env):

    class G(SessionWindowTimeGapExtractor):
        def extract(self, e):
            return e[1] % 5 + 1

    return keyed(env).window(EventTimeSessionWindows.with_dynamic_gap(G())).process(W(), Types.STRING())


def in_order_count(env):
    return keyed(env).count_window(2).process(W(), Types.STRING())


def in_order_count_slide(env):
    return keyed(env).count_window(3, 1).process(W(), Types.STRING())


def in_order_count_slide2(env):
    return keyed(env).count_window(2, 3).process(W(), Types.STRING())


def in_order_count_reduce(env):
    return keyed(env).count_window(2).reduce(red)


def in_order_count_agg(env):
    return keyed(env).count_window(2, 1).aggregate(Sum(), output_type=Types.STRING())


def in_order_count_trigger_win(env):
    return (
        keyed(env)
        .window(TumblingEventTimeWindows.of(ms(10)))
        .trigger(CountTrigger.of(2))
        .process(W(), Types.STRING())
    )


def any_order_window_union(env):
    a = src(env)
    b = src(env, [("a", 3), ("z", 14)])
    return (
        a.union(b)
        .key_by(lambda v: v[0], Types.STRING())
        .window(TumblingEventTimeWindows.of(ms(10)))
        .reduce(red)
    )


def any_order_window_no_output_type(env):
    return keyed(env).window(TumblingEventTimeWindows.of(ms(10))).process(W())


def any_order_window_row(env):
    R = Types.ROW_NAMED(["k", "t"], [Types.STRING(), Types.LONG()])
    s = env.from_collection([Row(*e) for e in EV], R).assign_timestamps_and_watermarks(
        WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    )
    return (
        s.key_by(lambda r: r.k, Types.STRING())
        .window(TumblingEventTimeWindows.of(ms(10)))
        .reduce(lambda a, b: Row(k=a.k, t=a.t + b.t))
    )


def any_order_window_row2(env):
    R = Types.ROW_NAMED(["k", "t"], [Types.STRING(), Types.LONG()])
    s = env.from_collection([Row(*e) for e in EV], R).assign_timestamps_and_watermarks(
        WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    )

    class F(ProcessWindowFunction):
        def process(self, key, c, e):
            for r in e:
                yield Row(r.k, r["t"])

    return s.key_by(lambda r: r.k, Types.STRING()).window(TumblingEventTimeWindows.of(ms(10))).process(F(), R)


def in_order_same_ts(env):
    return (
        keyed(env, [("a", 5), ("a", 5), ("a", 9), ("a", 10)])
        .window(TumblingEventTimeWindows.of(ms(5)))
        .process(W(), Types.STRING())
    )


def in_order_window_str(env):

    class F(ProcessWindowFunction):
        def process(self, key, c, e):
            yield ("%r %s" % (c.window(), c.window().max_timestamp()))

    return keyed(env).window(TumblingEventTimeWindows.of(ms(10))).process(F(), Types.STRING())


def any_order_window_open(env):
    return keyed(env).window(TumblingEventTimeWindows.of(ms(10))).process(OC(), Types.STRING())
