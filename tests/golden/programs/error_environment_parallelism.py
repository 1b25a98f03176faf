"""Refused: a parallelism of zero on the environment."""

from pyflink.common import Types


def build(env):
    env.set_parallelism(0)
    return [env.from_collection([1, 2], type_info=Types.INT()).map(lambda v: v)]
