"""Operator chaining disabled on the environment: Python operators still fuse."""

from pyflink.common import Types


def build(env):
    env.disable_operator_chaining()
    env.set_parallelism(2)
    source = env.from_collection([1, 2], type_info=Types.INT())
    out = source.map(lambda v: v, Types.INT()).filter(lambda v: True).key_by(lambda v: v, Types.INT()).sum()
    out.print("out")
    return [out]
