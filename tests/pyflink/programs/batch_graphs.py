"""BATCH: shapes of graphs and their results."""

from pyflink.common import Types, WatermarkStrategy
from pyflink.datastream import KeyedProcessFunction, RuntimeExecutionMode
from pyflink.datastream.connectors import NumberSequenceSource


P2 = Types.TUPLE([Types.INT(), Types.INT()])


def src(env, n=6):
    return env.from_collection(list(range(n)), Types.INT())


def ident(v):
    return v


def batch(env, p=2):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    env.set_parallelism(p)


class KP(KeyedProcessFunction):
    def process_element(self, v, ctx):
        yield v


def any_order_batch_two_keys(env):
    batch(env)
    a = (
        src(env)
        .map(lambda v: (v % 2, v), P2)
        .key_by(lambda t: t[0], Types.INT())
        .reduce(lambda a, b: (a[0], a[1] + b[1]))
    )
    return a.key_by(lambda t: 0, Types.INT()).process(KP(), P2).name("end")


def any_order_batch_sinks(env):
    batch(env)
    m = src(env).map(ident, Types.INT())
    m.print("a")
    m.rebalance().print("b").set_parallelism(1)
    m.filter(lambda v: v > 2).print("c")
    env.execute()


def any_order_batch_partition_shapes(env):
    batch(env)
    m = src(env).map(ident, Types.INT())
    m.rescale().map(ident, Types.INT()).print("rescale")
    m.shuffle().map(ident, Types.INT()).print("shuffle")
    m.broadcast().map(ident, Types.INT()).print("bcast")
    m.forward().map(ident, Types.INT()).print("fwd")
    env.execute()


def any_order_slots_batch(env):
    batch(env)
    m = (
        src(env)
        .map(ident, Types.INT())
        .slot_sharing_group("x")
        .key_by(lambda v: v, Types.INT())
        .reduce(lambda a, b: a)
    )
    m.print("o").slot_sharing_group("y")
    env.execute()


def any_order_max_par_env_batch(env):
    batch(env)
    env.set_max_parallelism(12)
    m = src(env).map(ident, Types.INT()).key_by(lambda v: v, Types.INT()).reduce(lambda a, b: a + b)
    m.print("o")
    env.execute()


def any_order_batch_chain_breaks(env):
    batch(env)
    m = (
        src(env)
        .map(ident, Types.INT())
        .disable_chaining()
        .map(ident, Types.INT())
        .start_new_chain()
        .filter(lambda v: True)
    )
    m.print("o")
    env.execute()


def any_order_automatic(env):
    env.set_runtime_mode(RuntimeExecutionMode.AUTOMATIC)
    env.set_parallelism(2)
    m = src(env).map(ident, Types.INT()).rebalance().map(ident, Types.INT())
    m.print("o")
    env.execute()


def any_order_batch_numbers(env):
    batch(env)
    a = env.from_source(NumberSequenceSource(1, 4), WatermarkStrategy.no_watermarks(), "seq", Types.LONG())
    return a.map(ident, Types.LONG()).key_by(lambda v: v % 2, Types.LONG()).sum()
