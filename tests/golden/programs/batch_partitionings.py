"""BATCH: every partitioning; who only reads broadcast data."""

from pyflink.common import Types
from pyflink.datastream import RuntimeExecutionMode


def src(env, n=6):
    return env.from_collection(list(range(n)), Types.INT())


def ident(v):
    return v


def batch(env, p=2):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    env.set_parallelism(p)


def build(env):
    batch(env)
    m = src(env).map(ident, Types.INT())
    m.rescale().map(ident, Types.INT()).print("rescale")
    m.shuffle().map(ident, Types.INT()).print("shuffle")
    m.broadcast().map(ident, Types.INT()).print("bcast")
    m.forward().map(ident, Types.INT()).print("fwd")
    return [m]
