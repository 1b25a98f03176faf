"""Two branches of one stream united again."""

from pyflink.common import Types


def src(env, n=6):
    return env.from_collection(list(range(n)), Types.INT())


def ident(v):
    return v


def build(env):
    env.set_parallelism(2)
    m = src(env).map(ident, Types.INT()).name("top")
    a = m.filter(lambda v: v % 2 == 0).name("even")
    b = m.filter(lambda v: v % 2).name("odd")
    return [a.union(b).map(ident, Types.INT()).name("bottom")]
