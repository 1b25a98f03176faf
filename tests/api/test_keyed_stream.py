"""Keyed streams: where keys travel, aggregations, what is refused."""

import pytest

from flinkpy_dagster.api import KeyedProcessFunction, KeySelector, ProcessFunction, Row, Types
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.stream_graph import ShipStrategy
from flinkpy_dagster.operators import specs
from flinkpy_dagster.testing import local_execution
from tests.api.programs import PAIR, edges_into, environment, node_of, numbers

PAIRS = [("a", 3), ("b", 5), ("a", 1), ("a", 7)]


def first(value):
    return value[0]


def pairs(env):
    return env.from_collection(PAIRS, PAIR)


def collected(stream):
    with local_execution():
        return list(stream.execute_and_collect())


def test_edge_into_a_keyed_operator_carries_values_and_keys_apart():
    [edge] = edges_into(pairs(environment()).key_by(first, Types.STRING()).sum(1))
    assert edge.ship_strategy is ShipStrategy.HASH
    assert (edge.is_keyed, edge.key_type, edge.value_type) == (True, Types.STRING(), PAIR)


def test_key_type_when_not_given_is_pickled():
    [edge] = edges_into(pairs(environment()).key_by(first).sum(1))
    assert edge.key_type is None


def test_type_of_a_keyed_stream_is_a_row_of_key_and_element():
    assert pairs(environment()).key_by(first, Types.STRING()).get_type() == Types.ROW([Types.STRING(), PAIR])


@pytest.mark.parametrize(
    ("method", "results"),
    [
        ("sum", [("a", 3), ("b", 5), ("a", 4), ("a", 11)]),
        ("min", [("a", 3), ("b", 5), ("a", 1), ("a", 1)]),
        ("max", [("a", 3), ("b", 5), ("a", 3), ("a", 7)]),
        ("min_by", [("a", 3), ("b", 5), ("a", 1), ("a", 1)]),
        ("max_by", [("a", 3), ("b", 5), ("a", 3), ("a", 7)]),
    ],
)
def test_aggregation_is_a_running_one_and_named_reduce(method, results):
    stream = getattr(pairs(environment(1)).key_by(first), method)(1)
    assert node_of(stream).name == "Reduce"
    assert collected(stream) == results


def test_aggregation_when_rows_are_named_does_not_change_the_elements():
    row = Types.ROW_NAMED(["k", "n"], [Types.STRING(), Types.INT()])
    rows = environment(1).from_collection([Row(k="a", n=1), Row(k="a", n=2), Row(k="a", n=3)], row)
    assert collected(rows.key_by(first).sum("n")) == [Row(k="a", n=1), Row(k="a", n=3), Row(k="a", n=6)]


def test_aggregation_when_position_is_no_field_is_refused():
    with pytest.raises(TypeError, match="int or str"):
        pairs(environment()).key_by(first).sum(1.5)


def test_map_filter_and_flat_map_are_keyed_operators():
    keyed = pairs(environment()).key_by(first, Types.STRING())
    for stream, kind in (
        (keyed.map(first), "map"),
        (keyed.flat_map(first), "flat_map"),
        (keyed.filter(first), "filter"),
    ):
        [spec] = node_of(stream).operators
        assert (type(spec), spec.kind, spec.key_type) == (specs.KeyedMap, kind, Types.STRING())


def test_process_when_not_a_keyed_process_function_is_refused():
    class Plain(ProcessFunction):
        def process_element(self, value, ctx):
            yield value

    with pytest.raises(TypeError, match="KeyedProcessFunction is required for KeyedStream"):
        pairs(environment()).key_by(first).process(Plain())


def test_key_by_when_on_a_keyed_stream_keys_the_stream_before():
    keyed = numbers(environment()).key_by(lambda value: value)
    assert keyed.key_by(lambda value: -value)._origin_stream is keyed._origin_stream


@pytest.mark.parametrize(
    "method", ["shuffle", "rebalance", "rescale", "forward", "broadcast", "global_", "partition_custom"]
)
def test_partitioning_when_keyed_is_refused(method):
    with pytest.raises(InvalidProgram, match="Cannot override partitioning for KeyedStream"):
        getattr(pairs(environment()).key_by(first), method)()


@pytest.mark.parametrize(
    ("method", "argument"),
    [
        ("name", "x"),
        ("uid", "x"),
        ("set_parallelism", 1),
        ("set_max_parallelism", 1),
        ("slot_sharing_group", "x"),
    ],
)
def test_setting_when_keyed_is_refused(method, argument):
    with pytest.raises(InvalidProgram, match="KeyedStream is not supported"):
        getattr(pairs(environment()).key_by(first), method)(argument)


def test_collecting_a_keyed_stream_gives_rows_of_key_and_element():
    class Selector(KeySelector):
        def get_key(self, value):
            return value % 2

    stream = numbers(environment(1)).key_by(Selector(), Types.INT())
    assert collected(stream) == [Row(f0=1, f1=1), Row(f0=0, f1=2), Row(f0=1, f1=3)]


def test_keyed_stream_when_read_as_rows_and_with_state_has_both_key_by_steps():
    class Same(KeyedProcessFunction):
        def process_element(self, value, ctx):
            yield value

    env = environment(1)
    keyed = numbers(env).key_by(lambda value: value, Types.INT())
    keyed._as_read().map(lambda row: row[0]).print("keys")
    keyed.process(Same(), Types.INT()).print("values")
    names = [node.name for node in env.stream_graph().nodes]
    assert names.count("_stream_key_by_map_operator") == 2


def test_union_of_keyed_streams_is_one_of_their_values():
    keyed = numbers(environment(1)).key_by(lambda value: value, Types.INT())
    assert sorted(collected(keyed.union(keyed))) == [1, 1, 2, 2, 3, 3]
