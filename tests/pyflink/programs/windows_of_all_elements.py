"""window_all, global windows, triggers, BATCH."""

from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import (
    AggregateFunction,
    OutputTag,
    ProcessFunction,
    ProcessWindowFunction,
    RuntimeExecutionMode,
    TimeWindow,
    Trigger,
    TriggerResult,
    WindowAssigner,
)
from pyflink.datastream.functions import AllWindowFunction, ProcessAllWindowFunction
from pyflink.datastream.state import ListStateDescriptor, ValueStateDescriptor
from pyflink.datastream.window import (
    ContinuousEventTimeTrigger,
    CountTrigger,
    CountTumblingWindowAssigner,
    EventTimeSessionWindows,
    EventTimeTrigger,
    GlobalWindows,
    NeverTrigger,
    ProcessingTimeSessionWindows,
    PurgingTrigger,
    SlidingEventTimeWindows,
    SlidingProcessingTimeWindows,
    TimeWindowSerializer,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)


P2 = Types.TUPLE([Types.STRING(), Types.LONG()])


EV = [
    ("a", 0),
    ("b", 2),
    ("a", 1),
    ("a", 10),
    ("b", 12),
    ("a", 4),
    ("a", 11),
    ("b", 31),
    ("a", 25),
    ("c", -1),
]


class At(TimestampAssigner):
    def extract_timestamp(self, v, ts):
        return v[1]


WM = lambda: WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())


def src(env, ev=EV):
    return env.from_collection(ev, P2).assign_timestamps_and_watermarks(WM())


def keyed(env, ev=EV):
    return src(env, ev).key_by(lambda v: v[0], Types.STRING())


ms = Time.milliseconds


class W(ProcessWindowFunction):
    def process(self, key, c, e):
        w = c.window()
        yield (
            "%s %s %s wm=%s"
            % (
                key,
                (w.start, w.end) if hasattr(w, "start") else type(w).__name__,
                [x[1] if isinstance(x, tuple) else x for x in e],
                c.current_watermark() == 2**63 - 1,
            )
        )


class Sum(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, v, a):
        return a + v[1]

    def get_result(self, a):
        return "sum%d" % a

    def merge(self, a, b):
        return a + b


def red(a, b):
    return (a[0], a[1] + b[1])


class PA(ProcessAllWindowFunction):
    def process(self, c, e):
        yield ("%s %s" % ((c.window().start, c.window().end), [x[1] for x in e]))


class AA(AllWindowFunction):
    def apply(self, w, e):
        yield ("%s %s" % (w, len(list(e))))


class Custom(Trigger):
    def on_element(self, e, ts, w, ctx):
        n = ctx.get_partitioned_state(ValueStateDescriptor("n", Types.INT()))
        c = (n.value() or 0) + 1
        n.update(c)
        ctx.register_event_time_timer(w.max_timestamp())
        return TriggerResult.FIRE if c % 2 == 0 else TriggerResult.CONTINUE

    def on_processing_time(self, t, w, ctx):
        return TriggerResult.CONTINUE

    def on_event_time(self, t, w, ctx):
        return TriggerResult.FIRE_AND_PURGE if t == w.max_timestamp() else TriggerResult.CONTINUE

    def on_merge(self, w, ctx):
        ctx.register_event_time_timer(w.max_timestamp())

    def can_merge(self):
        return True

    def clear(self, w, ctx):
        ctx.get_partitioned_state(ValueStateDescriptor("n", Types.INT())).clear()
        ctx.delete_event_time_timer(w.max_timestamp())


class St(ProcessWindowFunction):
    def process(self, key, c, e):
        g = c.global_state().get_state(ValueStateDescriptor("g", Types.INT()))
        w = c.window_state().get_list_state(ListStateDescriptor("w", Types.INT()))
        g.update((g.value() or 0) + 1)
        w.add(len(list(e)))
        yield ("%s %d %s %s" % (key, c.window().start, g.value(), list(w.get())))

    def clear(self, c):
        c.window_state().get_list_state(ListStateDescriptor("w", Types.INT())).clear()


class WA(WindowAssigner):
    def assign_windows(self, e, ts, ctx):
        return [TimeWindow(ts - ts % 7, ts - ts % 7 + 7)]

    def get_default_trigger(self, env):
        return EventTimeTrigger()

    def get_window_serializer(self):
        return TimeWindowSerializer()

    def is_event_time(self):
        return True


def in_order_all_count(env):
    return (
        src(env).window_all(CountTumblingWindowAssigner(3)).process(PA(), Types.STRING()) if False else None
    )


def in_order_all_tumble(env):
    return src(env).window_all(TumblingEventTimeWindows.of(ms(10))).process(PA(), Types.STRING())


def in_order_all_apply(env):
    return src(env).window_all(TumblingEventTimeWindows.of(ms(10))).apply(AA(), Types.STRING())


def in_order_all_reduce(env):
    return src(env).window_all(SlidingEventTimeWindows.of(ms(10), ms(5))).reduce(red)


def in_order_all_agg(env):
    return (
        src(env)
        .window_all(EventTimeSessionWindows.with_gap(ms(5)))
        .aggregate(Sum(), output_type=Types.STRING())
    )


def in_order_all_reduce_fn(env):

    class PR(ProcessAllWindowFunction):
        def process(self, c, e):
            for x in e:
                yield ("%d %s" % (c.window().max_timestamp(), x))

    return src(env).window_all(TumblingEventTimeWindows.of(ms(10))).reduce(red, PR(), Types.STRING())


def in_order_global_none(env):
    return keyed(env).window(GlobalWindows.create()).process(W(), Types.STRING())


def in_order_global_count(env):
    return keyed(env).window(GlobalWindows.create()).trigger(CountTrigger.of(2)).process(W(), Types.STRING())


def in_order_global_continuous(env):
    return (
        keyed(env).window(GlobalWindows.create()).trigger(PurgingTrigger.of(CountTrigger.of(3))).reduce(red)
    )


def any_order_cont_trigger(env):
    return (
        keyed(env)
        .window(TumblingEventTimeWindows.of(ms(20)))
        .trigger(ContinuousEventTimeTrigger.of(ms(5)))
        .process(W(), Types.STRING())
    )


def any_order_purging_event(env):
    return (
        keyed(env)
        .window(TumblingEventTimeWindows.of(ms(10)))
        .trigger(PurgingTrigger.of(EventTimeTrigger.create()))
        .process(W(), Types.STRING())
    )


def in_order_never(env):
    return (
        keyed(env)
        .window(TumblingEventTimeWindows.of(ms(10)))
        .trigger(NeverTrigger())
        .process(W(), Types.STRING())
    )


def any_order_custom(env):
    return (
        keyed(env).window(TumblingEventTimeWindows.of(ms(10))).trigger(Custom()).process(W(), Types.STRING())
    )


def any_order_custom_reduce(env):
    return keyed(env).window(TumblingEventTimeWindows.of(ms(10))).trigger(Custom()).reduce(red)


def in_order_state_ctx(env):
    return (
        keyed(env)
        .window(TumblingEventTimeWindows.of(ms(10)))
        .trigger(CountTrigger.of(1))
        .process(St(), Types.STRING())
    )


def in_order_batch_window_all(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    return src(env).window_all(TumblingEventTimeWindows.of(ms(10))).process(PA(), Types.STRING())


def in_order_batch_count(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    return keyed(env).count_window(2).process(W(), Types.STRING())


def in_order_batch_count_slide(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    return keyed(env).count_window(3, 1).reduce(red)


def in_order_batch_global(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    return keyed(env).window(GlobalWindows.create()).trigger(CountTrigger.of(2)).process(W(), Types.STRING())


def in_order_proc_time(env):
    return keyed(env).window(TumblingProcessingTimeWindows.of(Time.hours(5))).process(W(), Types.STRING())


def in_order_proc_session(env):
    return keyed(env).window(ProcessingTimeSessionWindows.with_gap(Time.hours(5))).reduce(red)


def in_order_proc_slide(env):
    return keyed(env).window(SlidingProcessingTimeWindows.of(Time.hours(6), Time.hours(3))).reduce(red)


def any_order_reduce_timestamp(env):

    class P(ProcessFunction):
        def process_element(self, v, ctx):
            yield (v, ctx.timestamp())

    return keyed(env).window(TumblingEventTimeWindows.of(ms(10))).reduce(red).process(P())


def any_order_side_from_window(env):
    t = OutputTag("side", Types.STRING())

    class F(ProcessWindowFunction):
        def process(self, key, c, e):
            yield key
            yield (t, "side %s" % key)

    w = keyed(env).window(TumblingEventTimeWindows.of(ms(10))).process(F(), Types.STRING())
    w.print("w")
    w.get_side_output(t).print("s")
    env.execute()


def any_order_custom_assigner(env):
    return keyed(env).window(WA()).process(W(), Types.STRING())


def any_order_current_times(env):

    class F(ProcessWindowFunction):
        def process(self, key, c, e):
            yield (key, c.current_processing_time() > 10**12, c.current_watermark())

    return keyed(env).window(TumblingEventTimeWindows.of(ms(10))).process(F())
