"""Operators with two inputs: connected, broadcast, joined; results by the local runner."""

import pytest

from flinkpy_dagster.api import (
    BroadcastProcessFunction,
    CoMapFunction,
    KeyedBroadcastProcessFunction,
    MapStateDescriptor,
    ProcessJoinFunction,
    Row,
    Time,
    TumblingEventTimeWindows,
    Types,
    WatermarkStrategy,
)
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.stream_graph import ShipStrategy
from flinkpy_dagster.operators.time.watermarks import TimestampAssigner
from flinkpy_dagster.testing import local_execution
from tests.api.programs import PAIR, edges_into, environment, node_of, numbers

RULES = MapStateDescriptor("rules", Types.INT(), Types.INT())


class Both(CoMapFunction):
    def map1(self, value):
        return f"1 {value}"

    def map2(self, value):
        return f"2 {value}"


class Plain(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value

    def process_broadcast_element(self, value, ctx):
        yield value


class Keyed(KeyedBroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value

    def process_broadcast_element(self, value, ctx):
        yield value


class SecondField(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Pairs(ProcessJoinFunction):
    def process_element(self, left, right, ctx):
        yield left[1], right[1]


def collected(stream):
    with local_execution():
        return sorted(stream.execute_and_collect())


def timed(env, *pairs):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(SecondField())
    return env.from_collection(list(pairs), PAIR).assign_timestamps_and_watermarks(strategy)


def test_inputs_of_a_co_map_are_numbered():
    env = environment()
    stream = numbers(env).connect(numbers(env)).map(Both(), Types.STRING())
    assert [edge.input_index for edge in edges_into(stream)] == [0, 1]
    assert node_of(stream).name == "Co-Map"


def test_connection_when_both_are_keyed_is_keyed():
    env = environment(1)
    connected = numbers(env).connect(numbers(env)).key_by(lambda v: v, lambda v: v, Types.INT())
    [spec] = node_of(connected.map(Both())).operators
    assert (spec.is_keyed, spec.key_type) == (True, Types.INT())


def test_connection_when_one_is_keyed_gives_its_elements_as_rows_with_the_key():
    env = environment(1)
    stream = (
        numbers(env, 1).key_by(lambda v: -v, Types.INT()).connect(numbers(env, 5)).map(Both(), Types.STRING())
    )
    assert collected(stream) == [f"1 {Row(f0=-1, f1=1)}", "2 5"]


def test_broadcast_side_reaches_every_subtask():
    env = environment()
    stream = numbers(env).connect(numbers(env).broadcast(RULES)).process(Plain())
    assert [edge.ship_strategy for edge in edges_into(stream)] == [
        ShipStrategy.REBALANCE,
        ShipStrategy.BROADCAST,
    ]


@pytest.mark.parametrize(("is_keyed", "function"), [(True, Plain), (False, Keyed)])
def test_broadcast_function_when_of_the_other_kind_is_refused(is_keyed, function):
    env = environment()
    stream = numbers(env).key_by(lambda v: v) if is_keyed else numbers(env)
    with pytest.raises(TypeError, match="should be applied to"):
        stream.connect(numbers(env).broadcast(RULES)).process(function())


def test_broadcast_when_state_is_no_map_is_refused():
    with pytest.raises(TypeError, match="MapStateDescriptor"):
        numbers(environment()).broadcast("rules")


def test_window_join_pairs_elements_of_one_key_and_window():
    env = environment(1)
    left, right = timed(env, ("a", 1), ("a", 11), ("b", 2)), timed(env, ("a", 3), ("a", 4), ("b", 15))
    joined = left.join(right).where(lambda p: p[0], Types.STRING()).equal_to(lambda p: p[0])
    stream = joined.window(TumblingEventTimeWindows.of(Time.milliseconds(10))).apply(
        lambda a, b: (a[1], b[1])
    )
    assert collected(stream) == [(1, 3), (1, 4)]


def test_co_group_sees_sides_that_have_nothing():
    env = environment(1)
    left, right = timed(env, ("a", 1)), timed(env, ("a", 3), ("b", 5))
    grouped = left.co_group(right).where(lambda p: p[0]).equal_to(lambda p: p[0])
    stream = grouped.window(TumblingEventTimeWindows.of(Time.milliseconds(10))).apply(
        lambda first, second: [(len(first), len(second))]
    )
    assert collected(stream) == [(0, 1), (1, 1)]


def test_join_when_a_part_is_missing_is_refused():
    env = environment()
    with pytest.raises(InvalidProgram, match="where"):
        numbers(env).join(numbers(env)).equal_to(str)
    with pytest.raises(InvalidProgram, match="window"):
        numbers(env).join(numbers(env)).where(str).equal_to(str).apply(str)


def test_interval_join_pairs_elements_whose_times_are_close():
    env = environment(1)
    left, right = (
        timed(env, *pairs).key_by(lambda p: p[0]) for pairs in ([("a", 5), ("a", 9)], [("a", 4), ("a", 7)])
    )
    stream = left.interval_join(right).between(-2, Time.milliseconds(2)).process(Pairs())
    assert collected(stream) == [(5, 4), (5, 7), (9, 7)]
    exclusive = left.interval_join(right).between(-2, 2).lower_bound_exclusive().upper_bound_exclusive()
    assert collected(exclusive.process(Pairs())) == [(5, 4)]


def test_interval_join_when_bounds_are_crossed_is_refused():
    env = environment()
    keyed = numbers(env).key_by(lambda v: v)
    with pytest.raises(InvalidProgram, match="lower bound"):
        keyed.interval_join(keyed).between(2, 1)
