"""Custom partitioning in BATCH mode."""

from pyflink.common import Types
from pyflink.datastream import RuntimeExecutionMode


def build(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    env.set_parallelism(2)
    mapped = env.from_collection([1, 2], type_info=Types.INT()).map(lambda v: v, Types.INT()).name("mapped")
    spread = mapped.partition_custom(lambda key, n: 0, lambda v: v)
    out = spread.map(lambda v: v, Types.INT()).name("out")
    return [out]
