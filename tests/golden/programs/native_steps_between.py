"""Java steps between Python ones stop the fusing; projections and watermarks chain."""

from pyflink.common import Duration, Types, WatermarkStrategy


def build(env):
    env.set_parallelism(2)
    pair = Types.TUPLE([Types.STRING(), Types.INT()])
    source = env.from_collection([("a", 1)], type_info=pair)
    mapped = source.map(lambda p: p, pair).name("first").map(lambda p: p, pair).name("second")
    projected = mapped.project(1, 0)
    after = projected.map(lambda p: p, pair).name("third").map(lambda p: p, pair).name("fourth")
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(1))
    timed = after.assign_timestamps_and_watermarks(strategy)
    last = timed.filter(lambda p: True).name("fifth").set_parallelism(2)
    direct = source.assign_timestamps_and_watermarks(WatermarkStrategy.no_watermarks()).map(lambda p: p, pair)
    return [projected, last, direct]
