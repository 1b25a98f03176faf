"""What a rich function gets in ``open``: facts about its task, keyed state and metrics."""

from abc import ABC, abstractmethod
from typing import Any

from flinkpy_dagster.operators.functions.metrics import MetricGroup
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


class KeyedStateStore(ABC):
    """Gives access to state that belongs to the key of the element at hand."""

    @abstractmethod
    def get_state(self, state_descriptor: ValueStateDescriptor) -> ValueState:
        """One value per key."""

    @abstractmethod
    def get_list_state(self, state_descriptor: ListStateDescriptor) -> ListState:
        """One list per key."""

    @abstractmethod
    def get_map_state(self, state_descriptor: MapStateDescriptor) -> MapState:
        """One map per key."""

    @abstractmethod
    def get_reducing_state(self, state_descriptor: ReducingStateDescriptor) -> ReducingState:
        """One value per key, the reduction of what was added."""

    @abstractmethod
    def get_aggregating_state(self, state_descriptor: AggregatingStateDescriptor) -> AggregatingState:
        """One accumulator per key."""


class RuntimeContext(KeyedStateStore):
    """Facts about the subtask that runs a function (``pyflink.datastream.functions.RuntimeContext``)."""

    @abstractmethod
    def get_task_name(self) -> str:
        """The name of the operator."""

    @abstractmethod
    def get_number_of_parallel_subtasks(self) -> int:
        """The parallelism of the task."""

    @abstractmethod
    def get_max_number_of_parallel_subtasks(self) -> int:
        """The number of key groups."""

    @abstractmethod
    def get_index_of_this_subtask(self) -> int:
        """From 0 up to but not including the parallelism."""

    @abstractmethod
    def get_attempt_number(self) -> int:
        """0 for the first attempt."""

    @abstractmethod
    def get_task_name_with_subtasks(self) -> str:
        """The name with the subtask, such as ``Map (3/6)#0``."""

    @abstractmethod
    def get_job_parameter(self, key: str, default_value: str) -> str:
        """A global job parameter, or ``default_value``."""

    @abstractmethod
    def get_metrics_group(self) -> MetricGroup:
        """Where counters, gauges, meters and distributions of this function are registered."""


class Function(ABC):
    """Base of all user functions; ``open`` and ``close`` bracket their life in a subtask."""

    def open(self, runtime_context: RuntimeContext) -> Any:
        """Called once per subtask before the first element."""

    def close(self) -> Any:
        """Called once per subtask after the last element, and after a failure."""
