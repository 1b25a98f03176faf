"""STREAMING: shapes of graphs and their results."""

from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import (
    CoMapFunction,
    KeyedProcessFunction,
    OutputTag,
    ProcessFunction,
    RuntimeExecutionMode,
)
from pyflink.datastream.connectors import NumberSequenceSource
from pyflink.datastream.functions import ProcessAllWindowFunction
from pyflink.datastream.window import SlidingEventTimeWindows, TumblingEventTimeWindows


P2 = Types.TUPLE([Types.INT(), Types.INT()])


def src(env, n=6):
    return env.from_collection(list(range(n)), Types.INT())


def ident(v):
    return v


class At(TimestampAssigner):
    def extract_timestamp(self, v, ts):
        return v[1] if isinstance(v, tuple) else v


WM = lambda: WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())


def batch(env, p=2):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    env.set_parallelism(p)


class KP(KeyedProcessFunction):
    def process_element(self, v, ctx):
        yield v


def any_order_stream_partition_shapes(env):
    env.set_parallelism(2)
    m = src(env).map(ident, Types.INT())
    m.rescale().map(ident, Types.INT()).print("rescale")
    m.shuffle().map(ident, Types.INT()).print("shuffle")
    m.broadcast().map(ident, Types.INT()).print("bcast")
    m.forward().map(ident, Types.INT()).print("fwd")
    m.rebalance().map(ident, Types.INT()).print("reb")
    env.execute()


def any_order_rescale_par(env):
    env.set_parallelism(4)
    return (
        src(env)
        .rebalance()
        .map(ident, Types.INT())
        .set_parallelism(2)
        .rescale()
        .map(ident, Types.INT())
        .filter(lambda v: v)
        .rescale()
        .map(ident, Types.INT())
        .set_parallelism(1)
    )


def in_order_start_new_chain_variants(env):
    a = src(env).map(ident, Types.INT()).start_new_chain().name("a")
    b = a.filter(lambda v: True).start_new_chain().name("b")
    c = b.map(ident, Types.INT()).disable_chaining().name("c")
    d = c.map(ident, Types.INT()).name("d").start_new_chain()
    d.print("o").disable_chaining()
    env.execute()


def in_order_env_chaining_off(env):
    env.disable_operator_chaining()
    m = src(env).map(ident, Types.INT()).filter(lambda v: v > 1)
    m.print("o")
    env.execute()


def any_order_union_three_par(env):
    env.set_parallelism(2)
    a, b, c = (
        src(env).map(ident, Types.INT()),
        src(env).map(ident, Types.INT()).set_parallelism(1),
        src(env),
    )
    return a.union(b, c).map(ident, Types.INT()).name("u")


def any_order_union_rebalance(env):
    env.set_parallelism(2)
    a, b = (src(env).map(ident, Types.INT()), src(env).map(ident, Types.INT()))
    return a.rebalance().union(b).map(ident, Types.INT())


def any_order_union_keyed(env):
    env.set_parallelism(2)
    a, b = (src(env).map(ident, Types.INT()).key_by(lambda v: v), src(env).map(ident, Types.INT()))
    return b.union(a).map(ident, Types.INT())


def any_order_union_keyed2(env):
    env.set_parallelism(2)
    a, b = (
        src(env).map(ident, Types.INT()).key_by(lambda v: v, Types.INT()),
        src(env).map(ident, Types.INT()).key_by(lambda v: v, Types.INT()),
    )
    return a.union(b).map(ident, Types.INT())


def any_order_union_then_key(env):
    env.set_parallelism(2)
    a, b = (src(env).map(ident, Types.INT()), src(env).map(ident, Types.INT()))
    return a.union(b).key_by(lambda v: v % 2, Types.INT()).reduce(lambda a, b: a + b)


def any_order_key_chain(env):
    env.set_parallelism(2)
    return (
        src(env)
        .key_by(lambda v: v % 2, Types.INT())
        .map(lambda v: v + 1, Types.INT())
        .key_by(lambda v: v % 3, Types.INT())
        .filter(lambda v: v)
        .key_by(lambda v: 0, Types.INT())
        .process(KP(), Types.INT())
    )


def any_order_key_from_source_par1(env):
    env.set_parallelism(1)
    return (
        src(env)
        .key_by(lambda v: v % 2, Types.INT())
        .process(KP(), Types.INT())
        .map(ident, Types.INT())
        .filter(lambda v: True)
    )


def any_order_key_split(env):
    env.set_parallelism(2)
    k = src(env).map(ident, Types.INT()).key_by(lambda v: v % 2, Types.INT())
    k.process(KP(), Types.INT()).print("a")
    k.reduce(lambda a, b: a + b).print("b")
    k.map(ident, Types.INT()).print("c")
    env.execute()


def any_order_side_plan(env):
    env.set_parallelism(2)
    t = OutputTag("t", Types.INT())
    u = OutputTag("u", Types.STRING())

    class P(ProcessFunction):
        def process_element(self, v, ctx):
            yield v
            yield (t, v)
            yield (u, str(v))

    m = src(env).process(P(), Types.INT()).name("split")
    m.get_side_output(t).map(ident, Types.INT()).print("t")
    m.get_side_output(u).print("u")
    m.get_side_output(t).key_by(lambda v: v, Types.INT()).process(KP(), Types.INT()).print("k")
    m.print("m")
    env.execute()


def any_order_side_batch(env):
    batch(env)
    t = OutputTag("t", Types.INT())

    class P(ProcessFunction):
        def process_element(self, v, ctx):
            yield v
            yield (t, v)

    m = src(env).process(P(), Types.INT()).name("split")
    m.get_side_output(t).print("t")
    m.print("m")
    env.execute()


def any_order_side_only(env):
    t = OutputTag("t", Types.INT())

    class P(ProcessFunction):
        def process_element(self, v, ctx):
            yield v
            yield (t, v)

    m = src(env).process(P(), Types.INT()).name("split")
    return m.get_side_output(t)


def any_order_slots_union(env):
    a = src(env).map(ident, Types.INT()).slot_sharing_group("a")
    b = src(env).map(ident, Types.INT()).slot_sharing_group("b")
    return a.union(b).map(ident, Types.INT()).name("u")


def any_order_slots_same(env):
    a = src(env).map(ident, Types.INT()).slot_sharing_group("a")
    b = src(env).map(ident, Types.INT()).slot_sharing_group("a")
    return a.union(b).map(ident, Types.INT()).name("u")


def any_order_slots_source(env):
    s = src(env).slot_sharing_group("s")
    m = s.map(ident, Types.INT()).name("m")
    m.print("o")
    env.execute()


def any_order_slots_key(env):
    env.set_parallelism(2)
    m = (
        src(env)
        .map(ident, Types.INT())
        .slot_sharing_group("x")
        .key_by(lambda v: v, Types.INT())
        .reduce(lambda a, b: a)
        .slot_sharing_group("y")
        .map(ident, Types.INT())
    )
    m.print("o")
    env.execute()


def in_order_names_everywhere(env):
    s = src(env).name("S").uid("s").set_description("the source")
    t = s.assign_timestamps_and_watermarks(WM()).name("times")
    k = (
        t.key_by(lambda v: v % 2, Types.INT())
        .process(KP(), Types.INT())
        .name("kp")
        .uid("kp")
        .set_description("keyed thing")
    )
    k.print("o").name("out").uid("out").set_parallelism(1).set_description("the end")
    env.execute()


def any_order_max_par(env):
    env.set_parallelism(2)
    m = (
        src(env)
        .map(ident, Types.INT())
        .set_max_parallelism(4)
        .filter(lambda v: True)
        .set_max_parallelism(4)
        .map(ident, Types.INT())
    )
    return m.key_by(lambda v: v, Types.INT()).map(ident, Types.INT()).set_max_parallelism(10)


def any_order_sink_par(env):
    env.set_parallelism(4)
    m = src(env).map(ident, Types.INT()).set_parallelism(2)
    m.print("a")
    m.print("b").set_parallelism(2)
    m.print("c").set_parallelism(1).name("see")
    env.execute()


def any_order_window_plan(env):
    env.set_parallelism(2)
    t = src(env).map(lambda v: (v, v), P2).assign_timestamps_and_watermarks(WM())
    return (
        t.key_by(lambda v: v[0], Types.INT())
        .window(TumblingEventTimeWindows.of(Time.milliseconds(2)))
        .reduce(lambda a, b: a)
        .map(lambda t: t[0], Types.INT())
    )


def any_order_window_all_plan(env):
    env.set_parallelism(2)
    t = src(env).assign_timestamps_and_watermarks(WM())

    class A(ProcessAllWindowFunction):
        def process(self, c, e):
            yield sum(e)

    return (
        t.window_all(SlidingEventTimeWindows.of(Time.milliseconds(4), Time.milliseconds(2)))
        .process(A(), Types.INT())
        .map(ident, Types.INT())
        .name("after")
    )


def any_order_two_sources_same_chain(env):
    a = env.from_source(NumberSequenceSource(1, 4), WatermarkStrategy.no_watermarks(), "seq", Types.LONG())
    b = env.from_source(NumberSequenceSource(5, 6), WM(), "seq2", Types.LONG())
    return a.union(b).map(ident, Types.LONG())


def any_order_source_par(env):
    env.set_parallelism(3)
    a = env.from_source(
        NumberSequenceSource(1, 4), WatermarkStrategy.no_watermarks(), "seq", Types.LONG()
    ).set_parallelism(2)
    return a.map(ident, Types.LONG())


def any_order_partition_custom(env):
    env.set_parallelism(2)
    m = src(env).partition_custom(lambda k, n: k % n, lambda v: v).map(ident, Types.INT())
    m.print("o")
    env.execute()


def any_order_connect_par(env):
    env.set_parallelism(2)

    class C(CoMapFunction):
        def map1(self, v):
            return v

        def map2(self, v):
            return -v

    return (
        src(env)
        .map(ident, Types.INT())
        .connect(src(env))
        .map(C(), Types.INT())
        .set_parallelism(3)
        .map(ident, Types.INT())
    )


def any_order_connect_keyed_fuse(env):
    env.set_parallelism(2)

    class C(CoMapFunction):
        def map1(self, v):
            return v

        def map2(self, v):
            return -v

    return (
        src(env)
        .connect(src(env))
        .key_by(ident, ident, Types.INT())
        .map(C(), Types.INT())
        .map(ident, Types.INT())
        .filter(lambda v: True)
    )


def any_order_diamond(env):
    env.set_parallelism(2)
    m = src(env).map(ident, Types.INT()).name("top")
    a = m.filter(lambda v: v % 2 == 0).name("even")
    b = m.filter(lambda v: v % 2).name("odd")
    return a.union(b).map(ident, Types.INT()).name("bottom")
