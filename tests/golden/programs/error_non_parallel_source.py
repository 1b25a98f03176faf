"""Refused: a collection read by two subtasks."""

from pyflink.common import Types


def build(env):
    source = env.from_collection([1, 2], type_info=Types.INT()).set_parallelism(2)
    return [source.map(lambda v: v)]
