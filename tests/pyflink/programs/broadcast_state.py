"""Broadcast state, keyed and not, in both runtime modes.

In STREAMING nothing orders the two inputs, so results there do not depend on it.
"""

from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import (
    BroadcastProcessFunction,
    KeyedBroadcastProcessFunction,
    OutputTag,
    RuntimeExecutionMode,
)
from pyflink.datastream.state import MapStateDescriptor, ValueStateDescriptor

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
VALUES = [("a", 1), ("b", 2), ("a", 5), ("a", 12), ("b", 13), ("a", 6), ("c", 30), ("a", 31)]
RULES = MapStateDescriptor("rules", Types.STRING(), Types.LONG())
ASIDE = OutputTag("aside", Types.STRING())


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def timed(env, values):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    return env.from_collection(values, PAIR).assign_timestamps_and_watermarks(strategy)


class Rules(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield f"element {value!r} {sorted(ctx.get_broadcast_state(RULES).items())!r}"
        yield ASIDE, f"aside {value!r}"

    def process_broadcast_element(self, value, ctx):
        rules = ctx.get_broadcast_state(RULES)
        rules.put(value[0], value[1])
        if value[1] == 12:
            rules.remove("b")
        yield "rule {!r} {!r} {!r} {!r}".format(value, rules.contains("b"), rules.get("a"), rules.is_empty())
        yield ASIDE, f"aside rule {value!r}"


def any_order_batch(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    rules = env.from_collection(VALUES[:4], PAIR).broadcast(RULES)
    made = env.from_collection(VALUES, PAIR).connect(rules).process(Rules(), Types.STRING())
    return made.union(made.get_side_output(ASIDE))


class Apart(Rules):
    """Elements do not look at the rules."""

    def process_element(self, value, ctx):
        yield f"element {value!r}"
        yield ASIDE, f"aside {value!r}"


def any_order_streaming_with_side_output(env):
    rules = env.from_collection(VALUES[:4], PAIR).broadcast(RULES)
    made = env.from_collection(VALUES, PAIR).connect(rules).process(Apart(), Types.STRING())
    return made.union(made.get_side_output(ASIDE))


class Counted(KeyedBroadcastProcessFunction):
    def open(self, context):
        self.count = context.get_state(ValueStateDescriptor("n", Types.LONG()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        if self.count.value() == 1:  # in BATCH PyFlink fires a timer twice that is registered twice
            ctx.timer_service().register_event_time_timer(100)
        yield f"element {value!r} {self.count.value()!r}"

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put(value[0], value[1])
        yield f"rule {value!r} {ctx.timestamp()!r}"

    def on_timer(self, timestamp, ctx):
        rules = sorted(ctx.get_broadcast_state(RULES).keys())
        yield f"timer {ctx.get_current_key()!r} {timestamp!r} {self.count.value()!r} {rules!r}"


def any_order_keyed_batch(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    return any_order_keyed_streaming(env)


def any_order_keyed_streaming(env):
    rules = timed(env, VALUES[:4]).broadcast(RULES)
    return timed(env, VALUES).key_by(lambda v: v[0]).connect(rules).process(Counted(), Types.STRING())
