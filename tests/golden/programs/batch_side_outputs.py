"""BATCH: side outputs, windows and broadcast state."""

from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.datastream import BroadcastProcessFunction, OutputTag, ProcessFunction, RuntimeExecutionMode
from pyflink.datastream.state import MapStateDescriptor
from pyflink.datastream.window import TumblingEventTimeWindows

ODD = OutputTag("odd", Types.INT())
RULES = MapStateDescriptor("rules", Types.INT(), Types.INT())


class Split(ProcessFunction):
    def process_element(self, value, ctx):
        yield ODD, value
        yield value


class Apply(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value

    def process_broadcast_element(self, value, ctx):
        yield value


def build(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    env.set_parallelism(2)
    source = env.from_collection([1, 2], type_info=Types.INT())
    split = source.process(Split(), Types.INT()).name("split")
    odd = split.get_side_output(ODD)
    timed = split.assign_timestamps_and_watermarks(WatermarkStrategy.for_monotonous_timestamps())
    late = OutputTag("late", Types.INT())
    windowed = timed.key_by(lambda v: v).window(TumblingEventTimeWindows.of(Time.seconds(1)))
    sums = windowed.side_output_late_data(late).reduce(lambda a, b: a + b)
    dropped = sums.get_side_output(late)
    ruled = sums.connect(odd.broadcast(RULES)).process(Apply(), Types.INT())
    after = ruled.map(lambda v: v, Types.INT()).name("after").map(lambda v: v, Types.INT()).name("after that")
    after.print("ruled")
    dropped.print("late")
    return [sums, odd, after]
