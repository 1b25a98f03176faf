"""Timers: registered, deleted, registered again while they fire; watermarks and timestamps that functions see."""

from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction, OutputTag, ProcessFunction, RuntimeExecutionMode

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
VALUES = [("a", 1), ("b", 2), ("a", 5), ("a", 12), ("b", 13), ("a", 6), ("c", 30), ("a", 31)]
ASIDE = OutputTag("aside", Types.STRING())


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def timed(env):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    return env.from_collection(VALUES, PAIR).assign_timestamps_and_watermarks(strategy)


class Story(KeyedProcessFunction):
    def process_element(self, value, ctx):
        timers = ctx.timer_service()
        timers.register_event_time_timer(value[1] + 10)
        if value[1] == 5:
            timers.delete_event_time_timer(11)
        if value[1] == 12:
            timers.register_processing_time_timer(1)
            timers.delete_processing_time_timer(1)
        yield f"{value[0]}@{ctx.timestamp()}"

    def on_timer(self, timestamp, ctx):
        yield f"timer {ctx.get_current_key()} {timestamp} {ctx.time_domain().name}"
        if timestamp < 25:
            ctx.timer_service().register_event_time_timer(timestamp + (1 if timestamp % 2 else 100))
        if timestamp == 12:
            ctx.timer_service().delete_event_time_timer(22)
        yield ASIDE, f"aside {timestamp}"


def any_order_streaming(env):
    told = timed(env).key_by(lambda v: v[0]).process(Story(), Types.STRING())
    return told.get_side_output(ASIDE).union(told)


class Alarms(KeyedProcessFunction):
    def process_element(self, value, ctx):
        timers = ctx.timer_service()
        timers.register_event_time_timer(value[1] + 10)
        if value[1] == 5:
            timers.delete_event_time_timer(11)
        yield f"{value[0]}@{ctx.timestamp()} {timers.current_watermark()}"

    def on_timer(self, timestamp, ctx):
        yield f"timer {ctx.get_current_key()} {timestamp} {ctx.timer_service().current_watermark()}"


def any_order_batch(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    return timed(env).key_by(lambda v: v[0]).process(Alarms(), Types.STRING())


class Reading(ProcessFunction):
    def process_element(self, value, ctx):
        yield f"{value!r} ts={ctx.timestamp()!r} wm={ctx.timer_service().current_watermark()!r}"


def in_order_no_timestamps(env):
    return env.from_collection([1, 2], Types.INT()).process(Reading(), Types.STRING())


class TenTimes(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value * 10 if record_timestamp is None or record_timestamp < 0 else record_timestamp + 1


def in_order_timestamps_assigned_twice(env):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(TenTimes())
    once = env.from_collection([1, 2], Types.INT()).assign_timestamps_and_watermarks(strategy)
    twice = once.map(lambda v: v).assign_timestamps_and_watermarks(strategy)
    return twice.process(Reading(), Types.STRING())


class Past(KeyedProcessFunction):
    def process_element(self, value, ctx):
        timers = ctx.timer_service()
        yield f"{value!r} key={ctx.get_current_key()!r} wm={timers.current_watermark()!r}"
        timers.register_event_time_timer(5)
        timers.register_event_time_timer(5)
        timers.register_processing_time_timer(timers.current_processing_time() + 3_600_000)

    def on_timer(self, timestamp, ctx):
        yield f"timer {timestamp!r} {ctx.get_current_key()!r} {ctx.time_domain().name}"


def any_order_event_timers_without_timestamps(env):
    return env.from_collection([1, 2, 3], Types.INT()).key_by(lambda v: v % 2).process(Past(), Types.STRING())
