"""All kinds of keyed state, in both runtime modes; mutable values; state in map and filter functions."""

from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import (
    AggregateFunction,
    FilterFunction,
    KeyedProcessFunction,
    MapFunction,
    RuntimeExecutionMode,
)
from pyflink.datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
VALUES = [("a", 1), ("b", 2), ("a", 5), ("a", 12), ("b", 13), ("a", 6), ("c", 30), ("a", 31)]


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Mean(AggregateFunction):
    def create_accumulator(self):
        return 0, 0

    def add(self, value, accumulator):
        return accumulator[0] + value[1], accumulator[1] + 1

    def get_result(self, accumulator):
        return accumulator[0] / accumulator[1]

    def merge(self, a, b):
        return a[0] + b[0], a[1] + b[1]


class AllKinds(KeyedProcessFunction):
    def open(self, context):
        self.sum = context.get_reducing_state(ReducingStateDescriptor("s", lambda a, b: a + b, Types.LONG()))
        self.mean = context.get_aggregating_state(
            AggregatingStateDescriptor("m", Mean(), Types.PICKLED_BYTE_ARRAY())
        )
        self.map = context.get_map_state(MapStateDescriptor("map", Types.STRING(), Types.LONG()))
        self.list = context.get_list_state(ListStateDescriptor("list", Types.LONG()))

    def process_element(self, value, ctx):
        self.sum.add(value[1])
        self.mean.add(value)
        self.map.put(f"k{value[1] % 3}", value[1])
        self.list.add(value[1])
        if value[1] == 12:
            self.map.remove("k0")
            self.list.update([7, 8])
        if value[1] == 6:
            for state in (self.sum, self.mean, self.map, self.list):
                state.clear()
        yield f"{value[0]} sum={self.sum.get()!r} mean={self.mean.get()!r}"
        yield f"map {sorted(self.map.items())!r} {sorted(self.map.keys())!r} {sorted(self.map.values())!r}"
        yield "map has {!r} {!r} {!r}".format(self.map.contains("k1"), self.map.get("zz"), self.map.is_empty())
        yield f"list {list(self.list.get())!r} {list(self.list)!r}"


def in_order_all_kinds(env):
    return env.from_collection(VALUES, PAIR).key_by(lambda v: v[0]).process(AllKinds(), Types.STRING())


def any_order_all_kinds_in_batch(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    timed = env.from_collection(VALUES, PAIR).assign_timestamps_and_watermarks(strategy)
    return timed.key_by(lambda v: v[0]).process(AllKinds(), Types.STRING())


class Growing(KeyedProcessFunction):
    """Hands out the very list it goes on changing."""

    def open(self, context):
        self.seen = context.get_state(ValueStateDescriptor("seen", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value, ctx):
        seen = self.seen.value() or []
        seen.append(value[1])
        self.seen.update(seen)
        yield seen


def in_order_mutable_values(env):
    return env.from_collection(VALUES, PAIR).key_by(lambda v: v[0]).process(Growing())


class Numbered(MapFunction):
    def open(self, context):
        self.count = context.get_state(ValueStateDescriptor("n", Types.INT()))

    def map(self, value):
        self.count.update((self.count.value() or 0) + 1)
        return value[0], self.count.value()


class Firsts(FilterFunction):
    def open(self, context):
        self.seen = context.get_state(ValueStateDescriptor("seen", Types.INT()))

    def filter(self, value):
        is_first = self.seen.value() is None
        self.seen.update(1)
        return is_first


def in_order_filter_and_map_with_state(env):
    firsts = env.from_collection(VALUES, PAIR).key_by(lambda v: v[0]).filter(Firsts())
    return firsts.key_by(lambda v: 1).map(Numbered())


class Lasting(KeyedProcessFunction):
    def open(self, context):
        descriptor = ValueStateDescriptor("n", Types.LONG())
        descriptor.enable_time_to_live(StateTtlConfig.new_builder(Time.hours(1)).cleanup_incrementally(2, True).build())
        self.count = context.get_state(descriptor)

    def process_element(self, value, ctx):
        before = self.count.value()
        self.count.update((before or 0) + 1)
        yield value[0], before


def in_order_time_to_live(env):
    return env.from_collection(VALUES, PAIR).key_by(lambda v: v[0]).process(Lasting())
