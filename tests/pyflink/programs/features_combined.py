"""Applications that need several features at once: joins with clean-up, alerts, rankings, triggers with state."""

import heapq
import json

from pyflink.common import Row, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import (
    AggregateFunction,
    FilterFunction,
    FlatMapFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    OutputTag,
    ProcessWindowFunction,
    WindowFunction,
)
from pyflink.datastream.functions import ProcessAllWindowFunction
from pyflink.datastream.state import (
    AggregatingStateDescriptor,
    MapStateDescriptor,
    ListStateDescriptor,
    ReducingStateDescriptor,
    ValueStateDescriptor,
)
from pyflink.datastream.window import (
    EventTimeSessionWindows,
    GlobalWindows,
    PurgingTrigger,
    SessionWindowTimeGapExtractor,
    SlidingEventTimeWindows,
    Trigger,
    TriggerResult,
    TumblingEventTimeWindows,
)

LEFT = [
    ("a", 5, 1000),
    ("b", 4, 2000),
    ("a", 3, 500),
    ("a", 9, 3000),
    ("b", 4, 1500),
    ("a", 3, 3000),
    ("a", 1, 7200),
    ("b", 8, 12999),
    ("a", 2, 13000),
    ("c", 6, -5),
]
RIGHT = [("a", 50, 900), ("b", 40, 2600), ("a", 30, 3100), ("d", 20, 3000), ("b", 10, 13500), ("a", 60, 2999)]


def visits():
    """Types that functions use are made where they are used: PyFlink cannot pickle one that Java has seen."""
    return Types.TUPLE([Types.STRING(), Types.INT(), Types.LONG()])


class Third(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[2]


def source(env, values=LEFT):
    return env.from_collection(values, visits())


def timed(env, values=LEFT):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Third())
    return source(env, values).assign_timestamps_and_watermarks(strategy)


def keyed(env, values=LEFT):
    return timed(env, values).key_by(lambda v: v[0], Types.STRING())


class IntervalJoin(KeyedCoProcessFunction):
    """Pairs at most 600 ms apart; what found none goes to a side output when its time is over."""

    def open(self, runtime_context):
        def by_time(name):
            return MapStateDescriptor(name, Types.LONG(), Types.LIST(Types.INT()))

        self.left = runtime_context.get_map_state(by_time("left"))
        self.right = runtime_context.get_map_state(by_time("right"))
        self.hit = runtime_context.get_map_state(MapStateDescriptor("hit", Types.LONG(), Types.BOOLEAN()))

    def process_element1(self, value, ctx):
        moment = ctx.timestamp()
        self.left.put(moment, (self.left.get(moment) or []) + [value[1]])
        ctx.timer_service().register_event_time_timer(moment + 600)
        for other, numbers in sorted(self.right.items()):
            if abs(other - moment) <= 600:
                self.hit.put(moment, True)
                for number in numbers:
                    yield "%s %d %d %d" % (value[0], value[1], number, other - moment)

    def process_element2(self, value, ctx):
        moment = ctx.timestamp()
        self.right.put(moment, (self.right.get(moment) or []) + [value[1]])
        for other, numbers in sorted(self.left.items()):
            if abs(other - moment) <= 600:
                self.hit.put(other, True)
                for number in numbers:
                    yield "%s %d %d %d" % (value[0], number, value[1], moment - other)

    def on_timer(self, timestamp, ctx):
        moment = timestamp - 600
        if not self.hit.contains(moment):
            yield OutputTag("alone", Types.STRING()), "%s %s" % (ctx.get_current_key(), self.left.get(moment))
        self.left.remove(moment)


def any_order_interval_join(env):
    joined = keyed(env).connect(keyed(env, RIGHT)).process(IntervalJoin(), Types.STRING())
    return joined.get_side_output(OutputTag("alone", Types.STRING())).union(joined.map(str, Types.STRING()))


def rules():
    return MapStateDescriptor("rules", Types.STRING(), Types.INT())


class Alerts(KeyedBroadcastProcessFunction):
    def open(self, runtime_context):
        total = ReducingStateDescriptor("total", lambda a, b: a + b, Types.INT())
        named = Types.ROW_NAMED(["n", "t"], [Types.INT(), Types.LONG()])
        self.total = runtime_context.get_reducing_state(total)
        self.seen = runtime_context.get_list_state(ListStateDescriptor("seen", named))

    def process_element(self, value, ctx):
        self.total.add(value[1])
        self.seen.add(Row(n=value[1], t=value[2]))
        ctx.timer_service().register_event_time_timer(20000)

    def process_broadcast_element(self, value, ctx):
        state = ctx.get_broadcast_state(rules())
        state.put(value[0], value[1])
        if value[1] == 10:
            state.remove("a")
        yield "rule %s %s" % (value[0], sorted(state.items()))

    def on_timer(self, timestamp, ctx):
        key = ctx.get_current_key()
        seen = sorted((row[0], row[1]) for row in self.seen)
        yield "%s %s %s %s" % (key, self.total.get(), ctx.get_broadcast_state(rules()).get(key), seen)
        self.total.clear()
        self.seen.clear()
        yield "%s then %s" % (key, self.total.get())


def any_order_alerts_by_rules_that_change(env):
    return keyed(env).connect(timed(env, RIGHT).broadcast(rules())).process(Alerts(), Types.STRING())


class Sum(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + value[1]

    def get_result(self, accumulator):
        return accumulator

    def merge(self, a, b):
        return a + b


class WithEnd(WindowFunction):
    def apply(self, key, window, inputs):
        return [(key, list(inputs)[0], window.end)]


class Ranked(KeyedProcessFunction):
    def open(self, runtime_context):
        self.sums = runtime_context.get_list_state(ListStateDescriptor("sums", visits()))

    def process_element(self, value, ctx):
        self.sums.add(value)
        ctx.timer_service().register_event_time_timer(value[2] + 1)

    def on_timer(self, timestamp, ctx):
        yield "%d %s" % (timestamp, sorted(((v[1], v[0]) for v in self.sums), reverse=True))
        self.sums.clear()


def any_order_hot_items_by_state_and_timers(env):
    windows = SlidingEventTimeWindows.of(Time.seconds(6), Time.seconds(3))
    sums = keyed(env).window(windows).aggregate(Sum(), WithEnd(), output_type=visits())
    return sums.key_by(lambda v: v[2], Types.LONG()).process(Ranked(), Types.STRING())


class Best(ProcessAllWindowFunction):
    def process(self, context, elements):
        for place, best in enumerate(heapq.nlargest(2, elements, key=lambda e: e[1])):
            yield "%d #%d %s %d" % (context.window().end, place + 1, best[0], best[1])


def any_order_best_of_windows_of_windows(env):
    five = TumblingEventTimeWindows.of(Time.seconds(5))
    sums = keyed(env).window(five).aggregate(Sum(), WithEnd(), output_type=visits())
    return sums.window_all(TumblingEventTimeWindows.of(Time.seconds(5))).process(Best(), Types.STRING())


class Show(ProcessWindowFunction):
    def process(self, key, context, elements):
        window = context.window()
        times = context.global_state().get_state(ValueStateDescriptor("times", Types.INT()))
        times.update((times.value() or 0) + 1)
        span = (window.start, window.end) if hasattr(window, "start") else type(window).__name__
        yield "%s %s %s %d" % (key, span, sorted(e[1] for e in elements), times.value())


class EachSecond(Trigger):
    """Fires at every second element of a window, counted in state that merges with the window, and at its end."""

    COUNT = ReducingStateDescriptor("n", lambda a, b: a + b, Types.LONG())

    def on_element(self, element, timestamp, window, ctx):
        ctx.register_event_time_timer(window.max_timestamp())
        count = ctx.get_partitioned_state(self.COUNT)
        count.add(1)
        if count.get() >= 2:
            count.clear()
            return TriggerResult.FIRE
        return TriggerResult.CONTINUE

    def on_processing_time(self, time, window, ctx):
        return TriggerResult.CONTINUE

    def on_event_time(self, time, window, ctx):
        return TriggerResult.FIRE_AND_PURGE if time >= window.max_timestamp() else TriggerResult.CONTINUE

    def can_merge(self):
        return True

    def on_merge(self, window, ctx):
        ctx.merge_partitioned_state(self.COUNT)

    def clear(self, window, ctx):
        ctx.get_partitioned_state(self.COUNT).clear()
        ctx.delete_event_time_timer(window.max_timestamp())


def any_order_counting_trigger_of_tumbling_windows(env):
    windows = keyed(env).window(TumblingEventTimeWindows.of(Time.seconds(4)))
    return windows.trigger(EachSecond()).process(Show(), Types.STRING())


def any_order_counting_trigger_of_sessions(env):
    windows = keyed(env).window(EventTimeSessionWindows.with_gap(Time.seconds(2)))
    return windows.trigger(EachSecond()).process(Show(), Types.STRING())


def any_order_counting_trigger_that_purges_sessions(env):
    windows = keyed(env).window(EventTimeSessionWindows.with_gap(Time.seconds(9)))
    return windows.trigger(PurgingTrigger.of(EachSecond())).aggregate(Sum(), output_type=Types.LONG())


class AtTimes(Trigger):
    """Of a global window: fires or purges ten milliseconds after each element, by its time."""

    def on_element(self, element, timestamp, window, ctx):
        ctx.register_event_time_timer(timestamp + 10)
        return TriggerResult.CONTINUE

    def on_processing_time(self, time, window, ctx):
        return TriggerResult.CONTINUE

    def on_event_time(self, time, window, ctx):
        return TriggerResult.FIRE if time % 20 == 10 else TriggerResult.PURGE

    def on_merge(self, window, ctx):
        pass

    def clear(self, window, ctx):
        pass


def any_order_global_window_with_timers(env):
    return keyed(env).window(GlobalWindows.create()).trigger(AtTimes()).process(Show(), Types.STRING())


class ByNumber(SessionWindowTimeGapExtractor):
    def extract(self, element):
        return element[1] * 200


def any_order_sessions_of_dynamic_gaps_reduced_and_shown(env):
    windows = keyed(env).window(EventTimeSessionWindows.with_dynamic_gap(ByNumber()))
    return windows.reduce(lambda a, b: (a[0], a[1] + b[1], max(a[2], b[2])), Show(), Types.STRING())


class AsRow(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield Row(key=key, end=context.window().end, total=list(elements)[0])


def any_order_rows_of_windows_as_json(env):
    windows = keyed(env).window(SlidingEventTimeWindows.of(Time.seconds(6), Time.seconds(3), Time.seconds(1)))
    named = Types.ROW_NAMED(["key", "end", "total"], [Types.STRING(), Types.LONG(), Types.INT()])
    rows = windows.aggregate(Sum(), AsRow(), Types.INT(), named)
    return rows.map(lambda row: json.dumps(row.as_dict(), sort_keys=True), Types.STRING())


class Once(FilterFunction):
    def open(self, runtime_context):
        self.is_seen = runtime_context.get_state(ValueStateDescriptor("seen", Types.BOOLEAN()))

    def filter(self, value):
        before = self.is_seen.value()
        self.is_seen.update(True)
        return not before


class Sums(FlatMapFunction):
    def open(self, runtime_context):
        self.sum = runtime_context.get_aggregating_state(
            AggregatingStateDescriptor("sum", Sum(), Types.LONG())
        )

    def flat_map(self, value):
        self.sum.add(value)
        yield value[0], self.sum.get()
        yield value[0], -self.sum.get()


def in_order_three_keys_one_after_the_other(env):
    once = source(env).key_by(lambda v: (v[0], v[1])).filter(Once())
    sums = once.key_by(lambda v: v[0]).flat_map(Sums(), Types.TUPLE([Types.STRING(), Types.INT()]))
    return sums.key_by(lambda v: v[0]).max(1)
