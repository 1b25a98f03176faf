"""Refused: nothing reads the source."""

from pyflink.common import Types


def build(env):
    return [env.from_collection([1, 2], type_info=Types.INT())]
