"""Refused: FORWARD between different parallelisms."""

from pyflink.common import Types


def build(env):
    env.set_parallelism(2)
    source = env.from_collection([1, 2], type_info=Types.INT())
    return [source.forward().map(lambda v: v, Types.INT())]
