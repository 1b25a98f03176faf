"""Custom partitioning, whose helper steps go with their neighbours."""

from pyflink.common import Types


def build(env):
    env.set_parallelism(2)
    source = env.from_collection([1, 2], type_info=Types.INT())
    spread = source.partition_custom(lambda key, n: key % n, lambda v: v)
    first = spread.map(lambda v: v, Types.INT()).name("first").set_parallelism(3)
    mapped = source.map(lambda v: v, Types.INT()).name("mapped")
    second = mapped.partition_custom(lambda key, n: 0, lambda v: v)
    second.print("second")
    return [first, second]
