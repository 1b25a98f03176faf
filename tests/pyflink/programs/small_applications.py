"""Small applications."""

from pyflink.common import Duration, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction, MapFunction, ProcessWindowFunction
from pyflink.datastream.state import ListStateDescriptor, ValueStateDescriptor
from pyflink.datastream.window import EventTimeSessionWindows, TumblingEventTimeWindows


class At1(TimestampAssigner):
    def extract_timestamp(self, v, ts):
        return v[1]


WM = lambda: WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(5)).with_timestamp_assigner(
    At1()
)


def in_order_top_n(env):

    class Top(KeyedProcessFunction):
        def open(self, ctx):
            self.best = ctx.get_list_state(
                ListStateDescriptor("best", Types.TUPLE([Types.STRING(), Types.LONG()]))
            )

        def process_element(self, v, ctx):
            best = sorted(list(self.best.get()) + [v], key=lambda x: (-x[1], x[0]))[:2]
            self.best.update(best)
            yield ("%s: %s" % (ctx.get_current_key(), ",".join((n for n, _ in best))))

    return (
        env.from_collection(
            [("ab", 3), ("ac", 9), ("bx", 1), ("ad", 5), ("by", 1), ("aa", 9)],
            Types.TUPLE([Types.STRING(), Types.LONG()]),
        )
        .key_by(lambda v: v[0][0], Types.STRING())
        .process(Top(), Types.STRING())
    )


def in_order_running_average(env):

    class Avg(MapFunction):
        def open(self, ctx):
            self.s = ctx.get_state(ValueStateDescriptor("s", Types.TUPLE([Types.DOUBLE(), Types.INT()])))

        def map(self, v):
            t, n = self.s.value() or (0.0, 0)
            t, n = (t + v[1], n + 1)
            self.s.update((t, n))
            return (v[0], round(t / n, 3))

    return (
        env.from_collection(
            [("a", 1.0), ("b", 2.5), ("a", 2.0), ("a", 4.5)], Types.TUPLE([Types.STRING(), Types.DOUBLE()])
        )
        .key_by(lambda v: v[0], Types.STRING())
        .map(Avg(), Types.TUPLE([Types.STRING(), Types.DOUBLE()]))
    )


def any_order_window_join_by_hand(env):
    env.set_parallelism(2)
    a = env.from_collection(
        [("k", 1, "l"), ("m", 12, "l")], Types.TUPLE([Types.STRING(), Types.LONG(), Types.STRING()])
    )
    b = env.from_collection(
        [("k", 4, "r"), ("k", 15, "r")], Types.TUPLE([Types.STRING(), Types.LONG(), Types.STRING()])
    )

    class J(ProcessWindowFunction):
        def process(self, key, c, e):
            yield ("%s@%d %s" % (key, c.window().start, sorted((x[2] for x in e))))

    return (
        a.union(b)
        .assign_timestamps_and_watermarks(WM())
        .key_by(lambda v: v[0], Types.STRING())
        .window(TumblingEventTimeWindows.of(Time.milliseconds(10)))
        .process(J(), Types.STRING())
    )


def in_order_dedup_window(env):
    t = env.from_collection(
        [("a", 1), ("a", 1), ("b", 4), ("a", 21)], Types.TUPLE([Types.STRING(), Types.LONG()])
    ).assign_timestamps_and_watermarks(WM())
    return (
        t.key_by(lambda v: v, Types.TUPLE([Types.STRING(), Types.LONG()]))
        .count_window(1)
        .reduce(lambda a, b: a)
        .key_by(lambda v: v[0])
        .window(EventTimeSessionWindows.with_gap(Time.milliseconds(5)))
        .reduce(lambda a, b: (a[0], a[1] + b[1]))
    )
