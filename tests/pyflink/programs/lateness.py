"""Late elements: a paced source lets the watermark pass, so windows fire, fire again, and then reject."""

import time

from pyflink.common import Configuration, Duration, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import OutputTag, ProcessFunction, ProcessWindowFunction
from pyflink.datastream.window import EventTimeSessionWindows, TumblingEventTimeWindows

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def wait(value):
    time.sleep(0.6)
    return value


def paced(env, times):
    one_by_one = Configuration()
    one_by_one.set_string("python.fn-execution.bundle.size", "1")
    env.configure(one_by_one)
    env.get_config().set_auto_watermark_interval(20)
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(1)).with_timestamp_assigner(At())
    source = env.from_collection([("s", moment) for moment in times], PAIR)
    return source.map(wait, PAIR).name("pace").disable_chaining().assign_timestamps_and_watermarks(strategy)


class Content(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"{key}@{context.window().start} {[moment for _, moment in elements]}"


def any_order_tumbling(env):
    late_tag = OutputTag("late", Types.TUPLE([Types.STRING(), Types.LONG()]))  # PAIR was used: it cannot be pickled
    keyed = paced(env, [1, 5, 12, 6, 26, 7, 13, 40, 27, 8]).key_by(lambda v: v[0], Types.STRING())
    windows = keyed.window(TumblingEventTimeWindows.of(Time.milliseconds(10)))
    fired = windows.allowed_lateness(8).side_output_late_data(late_tag).process(Content(), Types.STRING())
    return fired.union(fired.get_side_output(late_tag).map(lambda late: f"late {late!r}", Types.STRING()))


def any_order_sessions(env):
    late_tag = OutputTag("late", Types.TUPLE([Types.STRING(), Types.LONG()]))  # PAIR was used: it cannot be pickled
    keyed = paced(env, [1, 5, 40, 9, 44, 2, 90, 41]).key_by(lambda v: v[0], Types.STRING())
    windows = keyed.window(EventTimeSessionWindows.with_gap(Time.milliseconds(10)))
    fired = windows.allowed_lateness(30).side_output_late_data(late_tag).process(Content(), Types.STRING())
    return fired.union(fired.get_side_output(late_tag).map(lambda late: f"late {late!r}", Types.STRING()))


class IsLate(ProcessFunction):
    def process_element(self, value, ctx):
        yield f"{value[1]} {ctx.timestamp() <= ctx.timer_service().current_watermark()}"


def in_order_watermarks_between_elements(env):
    return paced(env, [10, 20, 15, 19, 30, 28]).process(IsLate(), Types.STRING())
