"""BATCH: slot sharing groups of an operator and a sink."""

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
    m = (
        src(env)
        .map(ident, Types.INT())
        .slot_sharing_group("x")
        .key_by(lambda v: v, Types.INT())
        .reduce(lambda a, b: a)
    )
    m.print("o").slot_sharing_group("y")
    return [m]
