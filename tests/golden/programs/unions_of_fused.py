"""Unions of streams whose last steps fuse: the fused ones go last; a fused stream united with itself."""

from pyflink.common import Types


def build(env):
    env.set_parallelism(2)
    a = env.from_collection([1], type_info=Types.INT()).map(lambda v: v, Types.INT()).name("a")
    b = a.map(lambda v: v, Types.INT()).name("b")
    c = env.from_collection([2], type_info=Types.INT()).map(lambda v: v, Types.INT()).name("c")
    d = c.map(lambda v: v, Types.INT()).name("d")
    e = env.from_collection([3], type_info=Types.INT())
    three = b.union(e, d).map(lambda v: v, Types.INT()).name("three")
    x = env.from_collection([4], type_info=Types.INT()).map(lambda v: v, Types.INT()).name("x")
    y = x.map(lambda v: v, Types.INT()).name("y")
    twice = y.union(y).map(lambda v: v, Types.INT()).name("twice").set_parallelism(1)
    p = env.from_collection([5], type_info=Types.INT()).map(lambda v: v, Types.INT()).name("p")
    q = p.map(lambda v: v, Types.INT()).name("q")
    after = q.union(three).key_by(lambda v: v, Types.INT()).sum().name("after")
    return [three, twice, after]
