"""Refused: key_by() of a union of different parallelisms asks for FORWARD."""

from pyflink.common import Types


def build(env):
    env.set_parallelism(2)
    source = env.from_collection([1, 2], type_info=Types.INT())
    mapped = source.map(lambda v: v, Types.INT())
    return [source.union(mapped).key_by(lambda v: v).sum()]
