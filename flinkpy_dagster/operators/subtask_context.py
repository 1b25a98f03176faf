"""The runtime context of a function in a subtask."""

from typing import Any, NoReturn

from flinkpy_dagster.operators.functions.runtime_context import RuntimeContext
from flinkpy_dagster.operators.metric_registry import MetricRegistry
from flinkpy_dagster.operators.operator import Setup
from flinkpy_dagster.operators.state.keyed_state import KeyedStateBackend
from flinkpy_dagster.operators.state.state_descriptors import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    ValueStateDescriptor,
)
from flinkpy_dagster.operators.state.states import (
    AggregatingState,
    ListState,
    MapState,
    ReducingState,
    ValueState,
)


class SubtaskContext(RuntimeContext):
    """Facts from the ``Setup``; keyed state from ``backend``, which functions on streams without keys do not have."""

    def __init__(self, setup: Setup, backend: KeyedStateBackend | None = None):
        self._setup = setup
        self._backend = backend

    def get_task_name(self) -> str:
        return self._setup.task_name or self._setup.name

    def get_number_of_parallel_subtasks(self) -> int:
        return self._setup.parallelism

    def get_max_number_of_parallel_subtasks(self) -> int:
        return self._setup.max_parallelism

    def get_index_of_this_subtask(self) -> int:
        return self._setup.subtask_index

    def get_attempt_number(self) -> int:
        return self._setup.attempt

    def get_task_name_with_subtasks(self) -> str:
        setup = self._setup
        return f"{self.get_task_name()} ({setup.subtask_index + 1}/{setup.parallelism})#{setup.attempt}"

    def get_job_parameter(self, key: str, default_value: str) -> str:
        return self._setup.job_parameters.get(key, default_value)

    def get_metrics_group(self) -> MetricRegistry:
        return self._setup.metrics

    def get_state(self, state_descriptor: ValueStateDescriptor) -> ValueState:
        return self._keyed(state_descriptor)

    def get_list_state(self, state_descriptor: ListStateDescriptor) -> ListState:
        return self._keyed(state_descriptor)

    def get_map_state(self, state_descriptor: MapStateDescriptor) -> MapState:
        return self._keyed(state_descriptor)

    def get_reducing_state(self, state_descriptor: ReducingStateDescriptor) -> ReducingState:
        return self._keyed(state_descriptor)

    def get_aggregating_state(self, state_descriptor: AggregatingStateDescriptor) -> AggregatingState:
        return self._keyed(state_descriptor)

    def _keyed(self, state_descriptor: Any) -> Any:
        if self._backend is None:
            refuse_state(state_descriptor.name)
        return self._backend.state(state_descriptor)


def refuse_state(name: str) -> NoReturn:
    """Raises for keyed state asked for on a stream without keys."""
    raise RuntimeError(
        "This state is only accessible by functions executed on a KeyedStream. "
        f"State '{name}' was asked for without key_by."
    )
