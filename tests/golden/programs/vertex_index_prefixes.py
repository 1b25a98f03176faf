"""Numbers before the names of vertices: depth first from the sources, what joins others after all of them."""

from pyflink.common import Types

CONFIGURATION = {"pipeline.vertex-name-include-index-prefix": "true"}
PAIR = Types.TUPLE([Types.STRING(), Types.INT()])


def build(env):
    env.set_parallelism(2)
    first = env.from_collection([("a", 1)], PAIR).map(lambda v: v, PAIR)
    second = env.from_collection([("b", 1)], PAIR).filter(lambda v: True)
    joined = first.union(second).key_by(lambda v: v[0]).map(lambda v: v, PAIR).name("joined")
    apart = first.rebalance().map(lambda v: v, PAIR).name("apart")
    sums = joined.key_by(lambda v: v[0]).sum(1)
    apart.union(sums).key_by(lambda v: v[0]).max(1).print()
    apart.print()
    return [joined]
