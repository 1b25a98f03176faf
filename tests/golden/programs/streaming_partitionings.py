"""STREAMING: every partitioning of one stream."""

from pyflink.common import Types


def src(env, n=6):
    return env.from_collection(list(range(n)), Types.INT())


def ident(v):
    return v


def build(env):
    env.set_parallelism(2)
    m = src(env).map(ident, Types.INT())
    m.rescale().map(ident, Types.INT()).print("rescale")
    m.shuffle().map(ident, Types.INT()).print("shuffle")
    m.broadcast().map(ident, Types.INT()).print("bcast")
    m.forward().map(ident, Types.INT()).print("fwd")
    m.rebalance().map(ident, Types.INT()).print("reb")
    return [m]
