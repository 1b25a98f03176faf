"""One stream read by chained, shuffled and printing branches in turn: names of branching chains."""

from pyflink.common import Types


def build(env):
    env.set_parallelism(1)
    source = env.from_collection([1, 2], type_info=Types.INT())
    source.print("first")
    a = source.map(lambda v: v, Types.INT()).name("a")
    a.print("second")
    b = a.map(lambda v: v, Types.INT()).name("b")
    c = a.filter(lambda v: True).name("c").map(lambda v: v, Types.INT()).name("d")
    b.key_by(lambda v: v).sum().name("sum").print("third")
    b.print("fourth")
    b.rebalance().print("fifth").set_parallelism(2)
    c.print("sixth").name("last")
    return [a, b, c]
