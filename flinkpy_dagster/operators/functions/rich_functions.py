"""The functions users write: PyFlink's base classes for element-wise work, and the names of all the others.

Source of names and signatures: ``pyflink.datastream.functions``. Process, window and async functions have
files of their own and are re-exported here, so this module answers for PyFlink's.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from flinkpy_dagster.operators.functions.async_functions import (
    AsyncFunction,
    AsyncRetryPredicate,
    AsyncRetryStrategy,
    ResultFuture,
)
from flinkpy_dagster.operators.functions.process_functions import (
    BaseBroadcastProcessFunction,
    BroadcastProcessFunction,
    CoProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    ProcessFunction,
)
from flinkpy_dagster.operators.functions.runtime_context import Function, KeyedStateStore, RuntimeContext
from flinkpy_dagster.operators.functions.window_functions import (
    AllWindowFunction,
    CoGroupFunction,
    FlatJoinFunction,
    JoinFunction,
    PassThroughAllWindowFunction,
    PassThroughWindowFunction,
    ProcessAllWindowFunction,
    ProcessJoinFunction,
    ProcessWindowFunction,
    WindowFunction,
)
from flinkpy_dagster.operators.time.timer_service import TimeDomain, TimerService

__all__ = [
    "AggregateFunction",
    "AllWindowFunction",
    "AsyncFunction",
    "AsyncRetryPredicate",
    "AsyncRetryStrategy",
    "BaseBroadcastProcessFunction",
    "BroadcastProcessFunction",
    "CoFlatMapFunction",
    "CoGroupFunction",
    "CoMapFunction",
    "CoProcessFunction",
    "FilterFunction",
    "FlatJoinFunction",
    "FlatMapFunction",
    "Function",
    "JoinFunction",
    "KeySelector",
    "KeyedBroadcastProcessFunction",
    "KeyedCoProcessFunction",
    "KeyedProcessFunction",
    "KeyedStateStore",
    "MapFunction",
    "NullByteKeySelector",
    "Partitioner",
    "PassThroughAllWindowFunction",
    "PassThroughWindowFunction",
    "ProcessAllWindowFunction",
    "ProcessFunction",
    "ProcessJoinFunction",
    "ProcessWindowFunction",
    "ReduceFunction",
    "ResultFuture",
    "RuntimeContext",
    "SinkFunction",
    "SourceFunction",
    "TimeDomain",
    "TimerService",
    "WindowFunction",
]


class MapFunction(Function):
    """One result per element."""

    @abstractmethod
    def map(self, value: Any) -> Any:
        """The element that takes the place of ``value``."""


class CoMapFunction(Function):
    """One result per element of two connected streams; a None result is dropped, as PyFlink drops it."""

    @abstractmethod
    def map1(self, value: Any) -> Any:
        """Called for each element of the first stream."""

    @abstractmethod
    def map2(self, value: Any) -> Any:
        """Called for each element of the second stream."""


class FlatMapFunction(Function):
    """Any number of results per element."""

    @abstractmethod
    def flat_map(self, value: Any) -> Iterable[Any]:
        """The results for ``value``: a generator or any iterable."""


class CoFlatMapFunction(Function):
    """Any number of results per element of two connected streams; None stands for no results."""

    @abstractmethod
    def flat_map1(self, value: Any) -> Iterable[Any] | None:
        """Called for each element of the first stream."""

    @abstractmethod
    def flat_map2(self, value: Any) -> Iterable[Any] | None:
        """Called for each element of the second stream."""


class ReduceFunction(Function):
    """Combines two values of a type into one of the same type."""

    @abstractmethod
    def reduce(self, value1: Any, value2: Any) -> Any:
        """The combination of what came before (``value1``) and the next element (``value2``)."""


class AggregateFunction(Function):
    """Aggregation through an accumulator that may differ from both the input and the result."""

    @abstractmethod
    def create_accumulator(self) -> Any:
        """A new, empty accumulator."""

    @abstractmethod
    def add(self, value: Any, accumulator: Any) -> Any:
        """The accumulator after ``value`` was added; it may be the same object, changed."""

    @abstractmethod
    def get_result(self, accumulator: Any) -> Any:
        """The result of the aggregation so far."""

    @abstractmethod
    def merge(self, acc_a: Any, acc_b: Any) -> Any:
        """One accumulator for both; called when session windows merge."""


class KeySelector(Function):
    """Finds the key of an element."""

    @abstractmethod
    def get_key(self, value: Any) -> Any:
        """The key; it must be the same whenever it is asked for one element."""


class NullByteKeySelector(KeySelector):
    """One key for all elements, as ``window_all`` uses it."""

    def get_key(self, value: Any) -> int:
        return 0


class FilterFunction(Function):
    """Keeps elements for which ``filter`` is true."""

    @abstractmethod
    def filter(self, value: Any) -> bool:
        """Does ``value`` stay in the stream?"""


class Partitioner(Function):
    """Chooses a channel by key, for ``partition_custom``."""

    @abstractmethod
    def partition(self, key: Any, num_partitions: int) -> int:
        """The index of the channel, from 0 up to but not including ``num_partitions``."""


class JavaFunction(ABC):
    """A function that PyFlink takes from a Java class: refused here, there is no Java user code."""

    instead = ""

    def __init__(self, *args: Any, **kwargs: Any):
        raise NotImplementedError(
            f"{type(self).__name__} wraps a Java class and does not exist here; {self.instead}."
        )


class SourceFunction(JavaFunction):
    """PyFlink's wrapper of Java sources."""

    instead = "use from_source, from_collection or from_dataframe"


class SinkFunction(JavaFunction):
    """PyFlink's wrapper of Java sinks."""

    instead = "use sink_to with a FileSink or a table sink"
