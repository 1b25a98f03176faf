"""A keyed window between timestamps and a map."""

from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream.window import TumblingEventTimeWindows


P2 = Types.TUPLE([Types.INT(), Types.INT()])


def src(env, n=6):
    return env.from_collection(list(range(n)), Types.INT())


class At(TimestampAssigner):
    def extract_timestamp(self, v, ts):
        return v[1] if isinstance(v, tuple) else v


WM = lambda: WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())


def build(env):
    env.set_parallelism(2)
    t = src(env).map(lambda v: (v, v), P2).assign_timestamps_and_watermarks(WM())
    return [
        t.key_by(lambda v: v[0], Types.INT())
        .window(TumblingEventTimeWindows.of(Time.milliseconds(2)))
        .reduce(lambda a, b: a)
        .map(lambda t: t[0], Types.INT())
    ]
