"""key_by() takes the parallelism of what it reads, whatever partitioning is in between."""

from pyflink.common import Types


def build(env):
    env.set_parallelism(2)
    source = env.from_collection([1, 2], type_info=Types.INT())
    first = source.rebalance().key_by(lambda v: v, Types.INT()).sum()
    mapped = source.map(lambda v: v, Types.INT()).name("mapped").set_parallelism(3)
    second = mapped.shuffle().key_by(lambda v: v, Types.INT()).max()
    other = env.from_collection([7], type_info=Types.INT())
    third = source.union(other).key_by(lambda v: v).min_by()
    fourth = (
        mapped.key_by(lambda v: v).map(lambda v: v, Types.INT()).key_by(lambda v: -v).filter(lambda v: True)
    )
    return [first, second, third, fourth]
