"""BATCH: the environment's max parallelism."""

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
    env.set_max_parallelism(12)
    m = src(env).map(ident, Types.INT()).key_by(lambda v: v, Types.INT()).reduce(lambda a, b: a + b)
    m.print("o")
    return [m]
