"""What each method of DataStream records."""

import pytest

from flinkpy_dagster.api import (
    FilterFunction,
    MapFunction,
    OutputTag,
    ProcessFunction,
    Types,
    WatermarkStrategy,
)
from flinkpy_dagster.errors import InvalidProgram, UnsupportedFeature
from flinkpy_dagster.graph.stream_graph import ChainingStrategy, ShipStrategy
from flinkpy_dagster.operators import specs
from flinkpy_dagster.testing import local_execution
from tests.api.programs import PAIR, edges_into, environment, node_of, numbers


def double(value):
    return value * 2


class Doubling(MapFunction):
    def map(self, value):
        return value * 2


class Split(ProcessFunction):
    def process_element(self, value, ctx):
        yield value


def test_map_when_given_a_callable_records_it_with_its_type():
    stream = numbers(environment()).map(double, Types.LONG())
    node = node_of(stream)
    assert (node.name, node.output_type) == ("Map", Types.LONG())
    (step,) = node.operators
    assert isinstance(step, specs.Map)
    assert step.function(3) == 6


def test_map_when_no_type_is_given_is_pickled():
    stream = numbers(environment()).map(Doubling())
    assert node_of(stream).output_type is None
    assert stream.get_type() == Types.PICKLED_BYTE_ARRAY()


def test_map_when_given_a_list_of_types_makes_rows_of_them():
    stream = numbers(environment()).map(double, [Types.INT(), Types.STRING()])
    assert stream.get_type() == Types.ROW([Types.INT(), Types.STRING()])


@pytest.mark.parametrize("method", ["map", "flat_map", "filter", "key_by"])
def test_step_when_given_no_function_names_the_method(method):
    with pytest.raises(TypeError, match=method):
        getattr(numbers(environment()), method)(5)


def test_process_when_given_a_lambda_asks_for_a_process_function():
    with pytest.raises(TypeError, match="ProcessFunction"):
        numbers(environment()).process(double)


def test_filter_keeps_the_type():
    class Positive(FilterFunction):
        def filter(self, value):
            return value > 0

    assert numbers(environment()).filter(Positive()).get_type() == Types.INT()


def test_name_when_set_is_also_that_of_the_payload():
    node = node_of(numbers(environment()).map(double).name("twice"))
    assert (node.name, node.operators[0].display_name) == ("twice", "twice")


@pytest.mark.parametrize("method", ["name", "uid", "set_description", "slot_sharing_group"])
def test_setting_when_none_is_refused(method):
    with pytest.raises(InvalidProgram, match="must be a str"):
        getattr(numbers(environment()).map(double), method)(None)


@pytest.mark.parametrize("parallelism", [0, -2, 1.5, "2", True])
def test_parallelism_when_not_a_positive_number_is_refused(parallelism):
    with pytest.raises(InvalidProgram, match="The parallelism of an operator must be at least 1"):
        numbers(environment()).map(double).set_parallelism(parallelism)


def test_parallelism_when_reset_is_that_of_the_environment():
    stream = numbers(environment(3)).map(double).set_parallelism(5).set_parallelism(-1)
    node = node_of(stream)
    assert (node.parallelism, node.is_parallelism_configured) == (3, False)


def test_settings_when_on_a_union_are_refused():
    united = numbers(environment()).union()
    with pytest.raises(InvalidProgram, match="'Union' is not an operator"):
        united.set_parallelism(1)


def test_chaining_methods_set_the_strategy():
    stream = numbers(environment()).map(double)
    assert node_of(stream.start_new_chain()).chaining is ChainingStrategy.HEAD
    assert node_of(stream.disable_chaining()).chaining is ChainingStrategy.NEVER


@pytest.mark.parametrize("method", ["shuffle", "rebalance", "rescale", "broadcast", "global_"])
def test_partitioning_is_that_of_the_next_edge(method):
    [edge] = edges_into(getattr(numbers(environment()), method)().map(double))
    assert edge.ship_strategy is ShipStrategy[method.strip("_").upper()]


def test_partition_custom_carries_partitioner_and_key_selector_on_its_edge():
    def partitioner(key, count):
        return key % count

    values = numbers(environment()).partition_custom(partitioner, double)
    [edge] = edges_into(values)
    assert edge.ship_strategy is ShipStrategy.CUSTOM
    assert isinstance(edge.partitioner, specs.CustomPartition)
    assert edge.partitioner.partitioner(7, 4) == 3
    assert edge.partitioner.key_selector(2) == double(2)


def test_union_when_types_differ_is_refused_with_both():
    env = environment()
    words = env.from_collection(["a"], Types.STRING())
    with pytest.raises(InvalidProgram, match="^Cannot union streams of different types: Integer and String$"):
        numbers(env).union(words)


def test_union_when_of_a_stream_with_itself_has_two_edges():
    stream = numbers(environment())
    assert len(edges_into(stream.union(stream).map(double))) == 2


def test_project_when_tuples_picks_fields():
    pairs = environment().from_collection([("a", 1)], PAIR)
    assert pairs.project(1, 0).get_type() == Types.TUPLE([Types.INT(), Types.STRING()])


@pytest.mark.parametrize("positions", [(), (2,), (-1,)])
def test_project_when_positions_do_not_exist_is_refused(positions):
    with pytest.raises(InvalidProgram, match="positions from 0 to 1"):
        environment().from_collection([("a", 1)], PAIR).project(*positions)


def test_project_when_not_tuples_is_refused():
    with pytest.raises(InvalidProgram, match="Only Tuple DataStreams can be projected"):
        numbers(environment()).project(0)


def test_side_output_is_an_edge_with_tag_and_type():
    tag = OutputTag("odd", Types.STRING())
    split = numbers(environment()).process(Split(), Types.INT())
    [edge] = edges_into(split.get_side_output(tag))
    assert (edge.side_output, edge.side_output_type, edge.value_type) == (
        "odd",
        Types.STRING(),
        Types.STRING(),
    )


def test_watermarks_without_assigner_are_one_step_of_the_inputs_parallelism():
    stream = numbers(environment(4)).assign_timestamps_and_watermarks(
        WatermarkStrategy.for_monotonous_timestamps()
    )
    node = node_of(stream.map(double))
    source = node_of(stream)
    assert (source.name, source.parallelism, node.parallelism) == ("Timestamps/Watermarks", 1, 4)


@pytest.mark.parametrize(("method", "arguments"), [("add_sink", (None,)), ("cache", ())])
def test_refused_method_says_what_to_use(method, arguments):
    with pytest.raises(UnsupportedFeature, match="sink_to"):
        getattr(numbers(environment()), method)(*arguments)


def test_execution_environment_of_a_stream_records_to_the_same_job():
    env = environment()
    numbers(numbers(env).get_execution_environment()).print()
    assert len(env.stream_graph().nodes) == 2


def test_function_when_its_closure_changes_before_execute_then_keeps_what_it_had():
    """PyFlink pickles a function when it is given."""
    stream = environment(1).from_collection([1, 2], Types.INT())
    for summand in (10, 100):
        stream = stream.map(lambda value: value + summand, Types.INT())  # noqa: B023
    with local_execution(), stream.execute_and_collect() as results:
        assert list(results) == [111, 112]
