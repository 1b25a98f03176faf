"""Windows of all kinds and ways to evaluate them, with what follows them."""

from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.datastream import AggregateFunction, ProcessWindowFunction, ReduceFunction, WindowFunction
from pyflink.datastream.functions import AllWindowFunction, ProcessAllWindowFunction
from pyflink.datastream.window import (
    ContinuousEventTimeTrigger,
    CountTrigger,
    EventTimeSessionWindows,
    GlobalWindows,
    ProcessingTimeSessionWindows,
    PurgingTrigger,
    SlidingEventTimeWindows,
    SlidingProcessingTimeWindows,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)


class Sum(ReduceFunction):
    def reduce(self, value1, value2):
        return value1 + value2


class Mean(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + value

    def get_result(self, accumulator):
        return accumulator

    def merge(self, a, b):
        return a + b


class Apply(WindowFunction):
    def apply(self, key, window, inputs):
        return inputs


class Process(ProcessWindowFunction):
    def process(self, key, context, elements):
        return elements


class ApplyAll(AllWindowFunction):
    def apply(self, window, inputs):
        return inputs


class ProcessAll(ProcessAllWindowFunction):
    def process(self, context, elements):
        return elements


def build(env):
    env.set_parallelism(2)
    source = env.from_collection([1, 2], type_info=Types.INT()).assign_timestamps_and_watermarks(
        WatermarkStrategy.for_monotonous_timestamps()
    )
    keyed = source.key_by(lambda v: v, Types.INT())
    second = Time.seconds(1)
    streams = [
        keyed.window(TumblingEventTimeWindows.of(second, Time.milliseconds(5))).reduce(Sum()),
        keyed.window(SlidingEventTimeWindows.of(second, Time.milliseconds(500))).aggregate(Mean(), Apply()),
        keyed.window(EventTimeSessionWindows.with_gap(second)).aggregate(Mean(), output_type=Types.INT()),
        keyed.window(TumblingProcessingTimeWindows.of(second)).apply(Apply(), Types.INT()),
        keyed.window(SlidingProcessingTimeWindows.of(second, second)).process(Process()),
        keyed.window(ProcessingTimeSessionWindows.with_gap(second)).reduce(lambda a, b: a, Process()),
        keyed.window(GlobalWindows.create())
        .trigger(PurgingTrigger.of(CountTrigger.of(3)))
        .process(Process()),
        keyed.window(TumblingEventTimeWindows.of(second))
        .trigger(ContinuousEventTimeTrigger.of(second))
        .reduce(Sum()),
        keyed.count_window(4).reduce(Sum()),
        keyed.count_window(4, 2).apply(Apply()),
        source.window_all(TumblingEventTimeWindows.of(second)).reduce(Sum(), ApplyAll()),
        source.window_all(GlobalWindows.create()).trigger(CountTrigger.of(2)).apply(ApplyAll(), Types.INT()),
        keyed.window_all(EventTimeSessionWindows.with_gap(second)).aggregate(Mean(), ProcessAll()),
    ]
    streams[0].map(lambda v: v, Types.INT()).print("fused")
    streams[9].name("renamed").filter(lambda v: True).set_parallelism(1)
    return streams
