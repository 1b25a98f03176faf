"""BATCH with shuffles that are not stored."""

from pyflink.common import Types
from pyflink.datastream import RuntimeExecutionMode

CONFIGURATION = {"execution.batch-shuffle-mode": "ALL_EXCHANGES_PIPELINED"}


def build(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    env.set_parallelism(2)
    source = env.from_collection([1, 2], type_info=Types.INT()).map(lambda v: v, Types.INT())
    keyed = source.key_by(lambda v: v, Types.INT())
    sums, maxima = keyed.sum(), keyed.max()
    sums.union(maxima).print("out")
    return [sums]
