"""The clock: sessions and timers of processing time with pauses far longer than what a busy machine delays."""

import time

from pyflink.common import Configuration, Time, Types
from pyflink.datastream import KeyedProcessFunction, ProcessWindowFunction
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.datastream.window import ProcessingTimeSessionWindows, TumblingProcessingTimeWindows

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])


def wait(value):
    time.sleep(value[1] / 1000)
    return value


def paced(env, values):
    """Elements one by one, each so many milliseconds after the one before as it says."""
    one_by_one = Configuration()
    one_by_one.set_string("python.fn-execution.bundle.size", "1")
    env.configure(one_by_one)
    return env.from_collection(values, PAIR).map(wait, PAIR).name("pace").disable_chaining()


class Pauses(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key, [element[1] for element in elements]


def any_order_sessions(env):
    values = [("a", 100), ("a", 100), ("b", 100), ("a", 3000), ("b", 50), ("a", 50), ("c", 3000)]
    keyed = paced(env, values).key_by(lambda v: v[0])
    return keyed.window(ProcessingTimeSessionWindows.with_gap(Time.milliseconds(1500))).process(Pauses())


def any_order_windows_that_the_end_of_input_cuts_off(env):
    """Nothing fires: windows of processing time that are open when the input ends have no results."""
    keyed = env.from_collection([("a", 0), ("b", 0)], PAIR).key_by(lambda v: v[0])
    return keyed.window(TumblingProcessingTimeWindows.of(Time.days(4000))).process(Pauses())


class Alarms(KeyedProcessFunction):
    def open(self, context):
        self.count = context.get_state(ValueStateDescriptor("n", Types.LONG()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        timers = ctx.timer_service()
        timers.register_processing_time_timer(timers.current_processing_time() + 500)
        yield f"{value[0]} {self.count.value()}"

    def on_timer(self, timestamp, ctx):
        yield f"timer {ctx.get_current_key()} {self.count.value()} {ctx.time_domain().name}"


def any_order_timers(env):
    values = [("a", 100), ("b", 2000), ("a", 2000), ("c", 2000), ("d", 2000)]
    return paced(env, values).key_by(lambda v: v[0]).process(Alarms(), Types.STRING())
