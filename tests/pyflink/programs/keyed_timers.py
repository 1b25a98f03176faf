"""Event-time and processing-time timers, timers beside two inputs and side outputs."""

from pyflink.common import Duration, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import (
    CoFlatMapFunction,
    CoMapFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    OutputTag,
    RuntimeExecutionMode,
)
from pyflink.datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor


T3 = Types.TUPLE([Types.STRING(), Types.INT(), Types.STRING()])


DATA = [("a", 5, "v1"), ("b", 4, "v2"), ("a", 3, "v3"), ("a", 9, "v4"), ("b", 4, "v5"), ("a", 3, "v6")]


def tup(env):
    return env.from_collection(DATA, T3)


def batch(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)


def k0(v):
    return v[0]


class At(TimestampAssigner):
    def extract_timestamp(self, v, ts):
        return v[1]


class At1(TimestampAssigner):
    def extract_timestamp(self, v, ts):
        return v[1]


def timed(s):
    return s.assign_timestamps_and_watermarks(
        WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    )


WM = lambda: WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(5)).with_timestamp_assigner(
    At1()
)


class PT(KeyedProcessFunction):
    def process_element(self, v, ctx):
        ctx.timer_service().register_processing_time_timer(5)
        yield ("e%s" % v[2])

    def on_timer(self, ts, ctx):
        yield ("t%s %d %s" % (ctx.get_current_key(), ts, ctx.time_domain()))


class KC(KeyedCoProcessFunction):
    def open(self, ctx):
        self.s = ctx.get_list_state(ListStateDescriptor("s", Types.STRING()))

    def process_element1(self, v, ctx):
        self.s.add("l%d" % v[1])
        ctx.timer_service().register_event_time_timer(v[1] + 100)

    def process_element2(self, v, ctx):
        self.s.add("r%d" % v[1])
        ctx.timer_service().register_event_time_timer(v[1] + 100)

    def on_timer(self, ts, ctx):
        yield ("%s %d %s" % (ctx.get_current_key(), ts, sorted(self.s.get())))


class KCM(CoMapFunction):
    def open(self, ctx):
        self.s = ctx.get_state(ValueStateDescriptor("s", Types.INT()))

    def map1(self, v):
        self.s.update((self.s.value() or 0) + 1)
        return "l %s" % (v,)

    def map2(self, v):
        self.s.update((self.s.value() or 0) + 1)
        return "r %s" % (v,)


class KCF(CoFlatMapFunction):
    def open(self, ctx):
        self.s = ctx.get_state(ValueStateDescriptor("s", Types.INT()))

    def flat_map1(self, v):
        self.s.update((self.s.value() or 0) + 1)
        if v[1] > 4:
            yield ("l%d" % v[1])

    def flat_map2(self, v):
        yield ("r%s" % v[2])


class Timers(KeyedProcessFunction):
    def process_element(self, v, ctx):
        t = ctx.timer_service()
        t.register_event_time_timer(v[1] + 10)
        t.register_event_time_timer(v[1] + 10)
        t.register_event_time_timer(v[1] + 3)
        t.delete_event_time_timer(v[1] + 3)
        t.delete_event_time_timer(999)
        yield ("%s %s" % (v[0], ctx.timestamp()))

    def on_timer(self, ts, ctx):
        yield (
            "%s@%d %s %s %s"
            % (
                ctx.get_current_key(),
                ts,
                ctx.timestamp(),
                ctx.time_domain(),
                ctx.timer_service().current_watermark(),
            )
        )


class Chain(KeyedProcessFunction):
    def process_element(self, v, ctx):
        ctx.timer_service().register_event_time_timer(v[1])

    def on_timer(self, ts, ctx):
        yield ("%s@%d" % (ctx.get_current_key(), ts))
        if ts < 14:
            ctx.timer_service().register_event_time_timer(ts + 4)


def in_order_timers(env):
    return timed(tup(env)).key_by(k0, Types.STRING()).process(Timers(), Types.STRING())


def any_order_timers_batch(env):
    batch(env)
    return timed(tup(env)).key_by(k0, Types.STRING()).process(Timers(), Types.STRING())


def in_order_timer_chain(env):
    return timed(tup(env)).key_by(k0, Types.STRING()).process(Chain(), Types.STRING())


def any_order_proc_timer_past(env):
    return tup(env).key_by(k0, Types.STRING()).process(PT(), Types.STRING())


def any_order_proc_timer_past_batch(env):
    batch(env)
    return tup(env).key_by(k0, Types.STRING()).process(PT(), Types.STRING())


def any_order_coprocess_timers(env):
    return (
        timed(tup(env))
        .connect(timed(env.from_collection([("a", 7, "q"), ("z", 1, "q")], T3)))
        .key_by(k0, k0, Types.STRING())
        .process(KC(), Types.STRING())
    )


def any_order_keyed_comap(env):
    return tup(env).connect(tup(env)).key_by(k0, k0, Types.STRING()).map(KCM(), Types.STRING())


def any_order_keyed_coflat(env):
    return tup(env).connect(tup(env)).key_by(k0, k0, Types.STRING()).flat_map(KCF(), Types.STRING())


def any_order_keyed_bcast_apply(env):
    d = MapStateDescriptor("m", Types.STRING(), Types.INT())

    class B(KeyedBroadcastProcessFunction):
        def open(self, ctx):
            self.vd = ValueStateDescriptor("v", Types.INT())
            self.v = ctx.get_state(self.vd)

        def process_element(self, v, ctx):
            self.v.update(v[1])
            yield ("e %s %s" % (ctx.get_current_key(), ctx.timestamp()))

        def process_broadcast_element(self, v, ctx):
            s = ctx.get_broadcast_state(d)
            s.put(v, len(v))
            yield ("b %s %s" % (v, sorted(s.items())))

    return (
        tup(env)
        .key_by(k0, Types.STRING())
        .connect(env.from_collection(["x", "yy"], Types.STRING()).broadcast(d))
        .process(B(), Types.STRING())
    )


def in_order_side_from_timer(env):
    t = OutputTag("late", Types.STRING())

    class P(KeyedProcessFunction):
        def process_element(self, v, ctx):
            ctx.timer_service().register_event_time_timer(v[1])
            yield v[2]

        def on_timer(self, ts, ctx):
            yield (t, "%s%d" % (ctx.get_current_key(), ts))

    m = timed(tup(env)).key_by(k0, Types.STRING()).process(P(), Types.STRING())
    m.print("main")
    m.get_side_output(t).print("late")
    env.execute()


def in_order_inactivity(env):

    class Quiet(KeyedProcessFunction):
        def open(self, ctx):
            self.t = ctx.get_state(ValueStateDescriptor("t", Types.LONG()))

        def process_element(self, v, ctx):
            old = self.t.value()
            if old is not None:
                ctx.timer_service().delete_event_time_timer(old)
            self.t.update(ctx.timestamp() + 10)
            ctx.timer_service().register_event_time_timer(ctx.timestamp() + 10)
            yield ("see %s %d" % v)

        def on_timer(self, ts, ctx):
            self.t.clear()
            yield ("quiet %s at %d" % (ctx.get_current_key(), ts))

    return (
        env.from_collection(
            [("a", 1), ("b", 3), ("a", 8), ("c", 30), ("a", 50)], Types.TUPLE([Types.STRING(), Types.LONG()])
        )
        .assign_timestamps_and_watermarks(WM())
        .key_by(lambda v: v[0], Types.STRING())
        .process(Quiet(), Types.STRING())
    )


def in_order_batch_sessions(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)

    class F(KeyedProcessFunction):
        def open(self, ctx):
            self.s = ctx.get_state(ValueStateDescriptor("s", Types.STRING()))

        def process_element(self, v, ctx):
            self.s.update((self.s.value() or "") + "%d;" % v[1])
            ctx.timer_service().register_event_time_timer(10**6)

        def on_timer(self, ts, ctx):
            yield (ctx.get_current_key() + ":" + self.s.value())

    return (
        env.from_collection(
            [("a", 5), ("b", 1), ("a", 2), ("b", 9), ("a", 3)], Types.TUPLE([Types.STRING(), Types.LONG()])
        )
        .assign_timestamps_and_watermarks(WM())
        .key_by(lambda v: v[0], Types.STRING())
        .process(F(), Types.STRING())
    )
