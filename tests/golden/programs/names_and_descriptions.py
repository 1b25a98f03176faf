"""Names, uids and descriptions on source, operator and sink."""

from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction


def src(env, n=6):
    return env.from_collection(list(range(n)), Types.INT())


class At(TimestampAssigner):
    def extract_timestamp(self, v, ts):
        return v[1] if isinstance(v, tuple) else v


WM = lambda: WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())


class KP(KeyedProcessFunction):
    def process_element(self, v, ctx):
        yield v


def build(env):
    s = src(env).name("S").uid("s").set_description("the source")
    t = s.assign_timestamps_and_watermarks(WM()).name("times")
    k = (
        t.key_by(lambda v: v % 2, Types.INT())
        .process(KP(), Types.INT())
        .name("kp")
        .uid("kp")
        .set_description("keyed thing")
    )
    k.print("o").name("out").uid("out").set_parallelism(1).set_description("the end")
    return [k]
