"""Refused: one uid twice."""

from pyflink.common import Types


def build(env):
    env.set_parallelism(1)
    source = env.from_collection([1, 2], type_info=Types.INT()).uid("same")
    return [source.key_by(lambda v: v).sum().uid("same")]
