"""Two inputs: co-map, co-flat-map, keyed co-process functions with timers in both runtime modes."""

from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import CoFlatMapFunction, CoMapFunction, KeyedCoProcessFunction, RuntimeExecutionMode
from pyflink.datastream.state import ReducingStateDescriptor, ValueStateDescriptor

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
LEFT = [("a", 1), ("b", 2), ("a", 5), ("a", 12), ("b", 13), ("a", 6), ("c", 30)]
RIGHT = [("a", 1), ("b", 2), ("a", 7)]


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def timed(env, values):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    return env.from_collection(values, PAIR).assign_timestamps_and_watermarks(strategy)


class Cases(CoMapFunction):
    def map1(self, value):
        return value[0]

    def map2(self, value):
        return None if value[1] % 2 else value[0].upper()


def any_order_co_map(env):
    return env.from_collection(LEFT, PAIR).connect(env.from_collection(RIGHT, PAIR)).map(Cases(), Types.STRING())


class Repeats(CoFlatMapFunction):
    def flat_map1(self, value):
        for number in range(value[1] % 3):
            yield f"L{value[0]}{number}"

    def flat_map2(self, value):
        return None if value[1] % 2 else [f"R{value[0]}"]


def any_order_co_flat_map(env):
    return env.from_collection(LEFT, PAIR).connect(env.from_collection(RIGHT, PAIR)).flat_map(Repeats(), Types.STRING())


class Totals(CoFlatMapFunction):
    def open(self, context):
        self.left = context.get_reducing_state(ReducingStateDescriptor("l", lambda a, b: a + b, Types.LONG()))
        self.right = context.get_reducing_state(ReducingStateDescriptor("r", lambda a, b: a * b, Types.LONG()))

    def flat_map1(self, value):
        self.left.add(value[1])
        yield f"left {value[0]} {self.left.get()}"

    def flat_map2(self, value):
        self.right.add(value[1])
        yield f"right {value[0]} {self.right.get()}"


def any_order_keyed_co_flat_map(env):
    left, right = env.from_collection(LEFT, PAIR), env.from_collection(RIGHT, PAIR)
    keyed = left.connect(right).key_by(lambda v: v[0], lambda v: v[0], Types.STRING())
    return keyed.flat_map(Totals(), Types.STRING())


class Sums(KeyedCoProcessFunction):
    """Both inputs add to one state, a timer tells: the order of the inputs does not matter."""

    def open(self, context):
        self.sum = context.get_state(ValueStateDescriptor("sum", Types.LONG()))

    def process_element1(self, value, ctx):
        self.sum.update((self.sum.value() or 0) + value[1])
        ctx.timer_service().register_event_time_timer(50)
        yield f"first {ctx.get_current_key()}@{ctx.timestamp()}"

    def process_element2(self, value, ctx):
        self.sum.update((self.sum.value() or 0) + 100 * value[1])
        ctx.timer_service().register_event_time_timer(60)
        yield f"second {ctx.get_current_key()}@{ctx.timestamp()}"

    def on_timer(self, timestamp, ctx):
        yield f"timer {timestamp} {ctx.get_current_key()} {self.sum.value()} {ctx.time_domain().name}"
        if timestamp == 60:
            ctx.timer_service().register_event_time_timer(70)


def any_order_keyed_co_process(env):
    keyed = timed(env, LEFT).connect(timed(env, RIGHT)).key_by(lambda v: v[0], lambda v: v[0], Types.STRING())
    return keyed.process(Sums(), Types.STRING())


def any_order_keyed_co_process_in_batch(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    return any_order_keyed_co_process(env)
