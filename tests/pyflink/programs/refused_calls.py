"""Calls that make no sense are refused in the words of PyFlink and Flink."""

import threading
from pyflink.common import Duration, Time, Types, WatermarkStrategy
from pyflink.datastream import KeyedBroadcastProcessFunction, OutputTag, ProcessFunction
from pyflink.datastream.connectors import NumberSequenceSource
from pyflink.datastream.state import MapStateDescriptor, ValueStateDescriptor
from pyflink.datastream.window import (
    EventTimeSessionWindows,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
)


def src(env):
    return env.from_collection([1, 2, 3], Types.INT())


def fails_map_not_callable(env):
    return src(env).map(5)


def fails_filter_not_callable(env):
    return src(env).filter("x")


def fails_flat_map_not_callable(env):
    return src(env).flat_map(None)


def fails_keyed_process_plain(env):

    class P(ProcessFunction):
        def process_element(self, v, ctx):
            yield v

    return src(env).key_by(lambda v: v).process(P())


def fails_reduce_not_callable(env):
    return src(env).key_by(lambda v: v).reduce(5)


def fails_par_zero_env(env):
    env.set_parallelism(0)
    return src(env).map(lambda v: v, Types.INT())


def fails_par_neg(env):
    return src(env).map(lambda v: v, Types.INT()).set_parallelism(-5)


def fails_maxpar_zero(env):
    return src(env).map(lambda v: v, Types.INT()).set_max_parallelism(0)


def fails_maxpar_big(env):
    return src(env).map(lambda v: v, Types.INT()).set_max_parallelism(40000)


def fails_maxpar_env_big(env):
    env.set_max_parallelism(40000)
    return src(env).map(lambda v: v, Types.INT())


def fails_maxpar_env_zero(env):
    env.set_max_parallelism(0)
    return src(env).map(lambda v: v, Types.INT())


def fails_par_above_max(env):
    return src(env).rebalance().map(lambda v: v, Types.INT()).set_parallelism(4).set_max_parallelism(2)


def fails_uid_hash_bad(env):
    return src(env).map(lambda v: v, Types.INT()).set_uid_hash("zz")


def fails_keyed_rebalance(env):
    return src(env).key_by(lambda v: v).rebalance().map(lambda v: v)


def fails_keyed_set_par(env):
    return src(env).key_by(lambda v: v).set_parallelism(2)


def fails_keyed_name(env):
    return src(env).key_by(lambda v: v).name("x")


def fails_keyed_uid(env):
    return src(env).key_by(lambda v: v).uid("x")


def fails_union_type_mismatch(env):
    return src(env).union(env.from_collection(["a"]))


def fails_connect_map_plain(env):
    return src(env).connect(src(env)).map(lambda v: v)


def fails_connect_process_plain(env):
    return src(env).connect(src(env)).process(ProcessFunction())


def fails_broadcast_fn_mismatch(env):
    d = MapStateDescriptor("m", Types.STRING(), Types.INT())

    class P(KeyedBroadcastProcessFunction):
        def process_element(self, v, ctx):
            yield v

        def process_broadcast_element(self, v, ctx):
            yield v

    return src(env).connect(src(env).broadcast(d)).process(P())


def fails_broadcast_not_mapstate(env):
    return src(env).connect(src(env).broadcast(ValueStateDescriptor("v", Types.INT())))


def fails_project_nontuple(env):
    return src(env).project(0)


def fails_window_plain_stream(env):
    return src(env).window(TumblingEventTimeWindows.of(Time.seconds(1)))


def fails_window_bad_size(env):
    return src(env).key_by(lambda v: v).window(TumblingEventTimeWindows.of(Time.seconds(0)))


def fails_window_bad_offset(env):
    return src(env).key_by(lambda v: v).window(TumblingEventTimeWindows.of(Time.seconds(5), Time.seconds(7)))


def fails_slide_bad(env):
    return src(env).key_by(lambda v: v).window(SlidingEventTimeWindows.of(Time.seconds(5), Time.seconds(0)))


def fails_session_bad(env):
    return src(env).key_by(lambda v: v).window(EventTimeSessionWindows.with_gap(Time.seconds(0)))


def fails_window_reduce_rich(env):
    return src(env).key_by(lambda v: v).count_window(2).reduce(5)


def fails_map_generator(env):

    def g(v):
        yield v

    return src(env).map(g, Types.INT())


def fails_map_generator_untyped(env):

    def g(v):
        yield v

    return src(env).map(g)


def fails_unpicklable(env):
    lock = threading.Lock()
    return src(env).map(lambda v: (lock, v)[1], Types.INT())


def fails_unpicklable_result(env):
    return src(env).map(lambda v: threading.Lock())


def fails_env_in_closure(env):
    return src(env).map(lambda v: env.get_parallelism(), Types.INT())


def fails_tag_empty(env):
    return OutputTag("")


def fails_tag_none(env):
    return OutputTag(None)


def fails_tag_badtype(env):
    return OutputTag("a", 5)


def fails_execute_empty(env):
    env.execute("x")


def fails_execute_source_only(env):
    src(env)
    env.execute("x")


def fails_bounded_neg(env):
    return src(env).assign_timestamps_and_watermarks(
        WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(-1))
    )


def fails_ts_fn(env):
    return (
        src(env)
        .assign_timestamps_and_watermarks(
            WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda v, t: v)
        )
        .map(lambda v: v)
    )


def fails_seq_bad(env):
    return NumberSequenceSource(5, 1)


def fails_no_such_method(env):
    return src(env).mapp(lambda v: v)


def fails_limit_zero(env):
    print(
        env.from_collection([5, 4], Types.INT()).map(lambda v: v * 2, Types.INT()).execute_and_collect("n", 0)
    )
