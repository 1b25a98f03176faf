"""Refused: a max parallelism of zero."""

from pyflink.common import Types


def build(env):
    return [env.from_collection([1, 2], type_info=Types.INT()).map(lambda v: v).set_max_parallelism(0)]
