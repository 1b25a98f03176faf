"""Connected streams, a parallelism of their own."""

from pyflink.common import Types
from pyflink.datastream import CoMapFunction


def src(env, n=6):
    return env.from_collection(list(range(n)), Types.INT())


def ident(v):
    return v


def build(env):
    env.set_parallelism(2)

    class C(CoMapFunction):
        def map1(self, v):
            return v

        def map2(self, v):
            return -v

    return [
        src(env)
        .map(ident, Types.INT())
        .connect(src(env))
        .map(C(), Types.INT())
        .set_parallelism(3)
        .map(ident, Types.INT())
    ]
