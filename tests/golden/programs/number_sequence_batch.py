"""A parallel source in BATCH mode."""

from pyflink.common import Duration, Types, WatermarkStrategy
from pyflink.datastream import RuntimeExecutionMode
from pyflink.datastream.connectors.number_seq import NumberSequenceSource


def build(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    env.set_parallelism(2)
    numbers = env.from_source(
        NumberSequenceSource(1, 10),
        WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(1)),
        "numbers",
        Types.LONG(),
    )
    doubled = numbers.map(lambda v: v * 2, Types.LONG()).name("double")
    narrow = env.from_source(
        NumberSequenceSource(1, 3), WatermarkStrategy.no_watermarks(), "few", Types.LONG()
    )
    narrow.set_parallelism(1).uid("few-uid")
    sums = doubled.key_by(lambda v: v % 3, Types.LONG()).reduce(lambda a, b: a + b)
    sums.union(narrow).print()
    return [numbers, sums]
