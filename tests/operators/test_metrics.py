"""Metrics of user functions: of one subtask, and of all together in the result of the job."""

from typing import Any

from flinkpy_dagster.api import MapFunction, StreamExecutionEnvironment, Types
from flinkpy_dagster.operators.metric_registry import MetricRegistry, merged
from flinkpy_dagster.testing import local_execution


class Measured(MapFunction):
    def open(self, runtime_context: Any) -> None:
        group = runtime_context.get_metrics_group().add_group("sizes")
        self.count = group.counter("count")
        self.spread = group.distribution("spread")
        self.rate = group.add_group("by", "kind").meter("rate")
        self.last = 0
        group.gauge("last", lambda: self.last)
        group.gauge("broken", lambda: 1 // 0)

    def map(self, value: int) -> int:
        self.count.inc(value)
        self.spread.update(value)
        self.rate.mark_event()
        self.last = value
        return value


def test_metrics_when_job_ends_then_result_has_those_of_all_subtasks_together() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    env.from_collection([4, 1, 2], Types.INT()).rebalance().map(Measured(), Types.INT()).print()
    with local_execution():
        result = env.execute()
    assert result.get_all_accumulator_results() == {
        "sizes.count": 7,
        "sizes.spread": {"sum": 7, "count": 3, "min": 1, "max": 4},
        "sizes.by.kind.rate": 3,
        "sizes.last": 3,
    }


def test_registry_when_asked_twice_then_gives_the_same_metric() -> None:
    registry = MetricRegistry()
    registry.counter("n").inc()
    registry.counter("n").inc(2)
    registry.counter("n").dec()
    assert dict(registry.values()) == {"n": 2}


def test_distributions_when_one_saw_nothing_then_merge_to_the_other() -> None:
    empty, full = MetricRegistry(), MetricRegistry()
    empty.distribution("d")
    full.distribution("d").update(-3)
    for registries in ((empty, full), (full, empty)):
        values = [pair for registry in registries for pair in registry.values()]
        assert merged(values) == {"d": {"sum": -3, "count": 1, "min": -3, "max": -3}}
