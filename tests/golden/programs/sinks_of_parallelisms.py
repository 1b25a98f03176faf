"""Sinks of other parallelisms than what they read."""

from pyflink.common import Types


def src(env, n=6):
    return env.from_collection(list(range(n)), Types.INT())


def ident(v):
    return v


def build(env):
    env.set_parallelism(4)
    m = src(env).map(ident, Types.INT()).set_parallelism(2)
    m.print("a")
    m.print("b").set_parallelism(2)
    m.print("c").set_parallelism(1).name("see")
    return [m]
