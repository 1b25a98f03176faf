"""Operators with different max parallelisms that must not chain."""

from pyflink.common import Types

CONFIGURATION = {"pipeline.operator-chaining.chain-operators-with-different-max-parallelism": "false"}


def build(env):
    env.set_parallelism(1)
    source = env.from_collection([1, 2], type_info=Types.INT())
    a = source.map(lambda v: v, Types.INT()).name("a").set_max_parallelism(8)
    b = a.map(lambda v: v, Types.INT()).name("b").set_max_parallelism(8)
    c = b.map(lambda v: v, Types.INT()).name("c").set_max_parallelism(16)
    c.print("out")
    return [c]
