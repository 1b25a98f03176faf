"""A union of a rebalanced stream and one that is not."""

from pyflink.common import Types


def src(env, n=6):
    return env.from_collection(list(range(n)), Types.INT())


def ident(v):
    return v


def build(env):
    env.set_parallelism(2)
    a, b = (src(env).map(ident, Types.INT()), src(env).map(ident, Types.INT()))
    return [a.rebalance().union(b).map(ident, Types.INT())]
