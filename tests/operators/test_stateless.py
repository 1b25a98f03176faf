"""map, flat_map, filter, keys, rolling reduce."""

from collections.abc import Iterator
from typing import Any

from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.functions.rich_functions import (
    FilterFunction,
    FlatMapFunction,
    MapFunction,
    RuntimeContext,
)
from flinkpy_dagster.operators.state.state_descriptors import ValueStateDescriptor
from flinkpy_dagster.testing import Harness, harness_of
from flinkpy_dagster.types import Types


class Pairs(FlatMapFunction):
    def flat_map(self, value: int) -> Iterator[int]:
        yield value
        yield -value


class Facts(MapFunction):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.context = runtime_context

    def map(self, value: str) -> Any:
        context = self.context
        return (
            context.get_index_of_this_subtask(),
            context.get_number_of_parallel_subtasks(),
            context.get_task_name_with_subtasks(),
            context.get_job_parameter("a", "no"),
            context.get_job_parameter("b", "no"),
        )


class FirstOnly(FilterFunction):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.seen = runtime_context.get_state(ValueStateDescriptor("seen", Types.BOOLEAN()))

    def filter(self, value: Any) -> bool:
        is_new = self.seen.value() is None
        self.seen.update(True)
        return is_new


class Buffer(MapFunction):
    """Returns the same list each time."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.items: list = []

    def map(self, value: Any) -> list:
        self.items.append(value)
        return self.items


def test_map_when_given_a_lambda_then_keeps_timestamps() -> None:
    with Harness(specs.Map(function=lambda value: value + 1)) as harness:
        harness.process(1, timestamp=5)
        assert harness.records == [(2, 5)]


def test_map_when_it_returns_one_list_again_and_again_then_results_differ() -> None:
    with harness_of(Buffer()) as harness:
        harness.process_all([(1, None), (2, None)])
        assert harness.values == [[1], [1, 2]]


def test_rich_function_when_opened_then_knows_its_subtask() -> None:
    with harness_of(Facts(), job_parameters={"a": "1"}) as harness:
        harness.process("x")
        assert harness.values == [(0, 1, "Map (1/1)#0", "1", "no")]


def test_flat_map_when_elements_have_timestamps_then_results_have_them() -> None:
    with harness_of(Pairs()) as harness:
        harness.process_all([(1, 10), (2, 20)])
        assert harness.records == [(1, 10), (-1, 10), (2, 20), (-2, 20)]


def test_filter_when_false_then_drops_value_and_timestamp() -> None:
    with Harness(specs.Filter(function=lambda value: value % 2)) as harness:
        harness.process_all([(1, 10), (2, 20), (3, 30)])
        assert harness.records == [(1, 10), (3, 30)]


def test_keyed_filter_when_stateful_then_sees_its_key_only() -> None:
    with harness_of(FirstOnly(), key_by=lambda value: value % 2) as harness:
        harness.process_all([(value, None) for value in range(5)])
        assert harness.values == [0, 1]


def test_reduce_when_streaming_then_emits_each_step() -> None:
    spec = specs.Reduce(function=lambda one, other: one + other)
    with Harness(spec, key_by=lambda value: value[0]) as harness:
        harness.process_all([("a1", 1), ("b2", 2), ("a3", 3)])
        assert harness.records == [("a1", 1), ("b2", 2), ("a1a3", 3)]


def test_reduce_when_batch_then_emits_once_per_key_in_timestamp_order() -> None:
    spec = specs.Reduce(function=lambda one, other: one + other)
    with Harness(spec, key_by=lambda value: value[0], is_batch=True) as harness:
        harness.process_all([("a1", 9), ("b2", 2), ("a3", 3)])
        assert harness.values == []
        harness.end()
        assert sorted(harness.values) == ["a3a1", "b2"]


def test_reduce_when_it_changes_its_first_argument_then_results_are_separate() -> None:
    def merge(one: dict, other: dict) -> dict:
        one.update(other)
        return one

    with Harness(specs.Reduce(function=merge), key_by=lambda value: 0) as harness:
        harness.process_all([({"x": 1}, None), ({"y": 2}, None)])
        assert harness.values == [{"x": 1}, {"x": 1, "y": 2}]
