"""One keyed stream read by three operators."""

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction


def src(env, n=6):
    return env.from_collection(list(range(n)), Types.INT())


def ident(v):
    return v


class KP(KeyedProcessFunction):
    def process_element(self, v, ctx):
        yield v


def build(env):
    env.set_parallelism(2)
    k = src(env).map(ident, Types.INT()).key_by(lambda v: v % 2, Types.INT())
    k.process(KP(), Types.INT()).print("a")
    k.reduce(lambda a, b: a + b).print("b")
    k.map(ident, Types.INT()).print("c")
    return [k]
