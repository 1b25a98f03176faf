"""Functions over the contents of windows, and (beyond PyFlink, from Flink's Java API) over pairs of streams."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Generic, TypeVar

from flinkpy_dagster.operators.functions.runtime_context import Function, KeyedStateStore

IN = TypeVar("IN")
IN1 = TypeVar("IN1")
IN2 = TypeVar("IN2")
OUT = TypeVar("OUT")
KEY = TypeVar("KEY")
W = TypeVar("W")
W2 = TypeVar("W2")


class WindowFunction(Function, Generic[IN, OUT, KEY, W]):
    """Looks at the contents of one window of one key."""

    @abstractmethod
    def apply(self, key: KEY, window: W, inputs: Iterable[IN]) -> Iterable[OUT]:
        """The results of the window."""


class AllWindowFunction(Function, Generic[IN, OUT, W]):
    """Looks at the contents of one window of a stream without keys."""

    @abstractmethod
    def apply(self, window: W, inputs: Iterable[IN]) -> Iterable[OUT]:
        """The results of the window."""


class ProcessWindowFunction(Function, Generic[IN, OUT, KEY, W]):
    """Looks at the contents of one window of one key, with times and state."""

    class Context(ABC, Generic[W2]):
        """The window, times and state."""

        @abstractmethod
        def window(self) -> W2:
            """The window being evaluated."""

        @abstractmethod
        def current_processing_time(self) -> int:
            """The clock of the task, ms."""

        @abstractmethod
        def current_watermark(self) -> int:
            """The watermark of the task, ms."""

        @abstractmethod
        def window_state(self) -> KeyedStateStore:
            """State of this key in this window; ``clear`` must clear it."""

        @abstractmethod
        def global_state(self) -> KeyedStateStore:
            """State of this key across its windows."""

    @abstractmethod
    def process(
        self, key: KEY, context: "ProcessWindowFunction.Context", elements: Iterable[IN]
    ) -> Iterable[OUT]:
        """The results of the window."""

    def clear(self, context: "ProcessWindowFunction.Context") -> None:
        """Called when the window is forgotten."""


class ProcessAllWindowFunction(Function, Generic[IN, OUT, W]):
    """Looks at the contents of one window of a stream without keys, with state."""

    class Context(ABC, Generic[W2]):
        """The window and state."""

        @abstractmethod
        def window(self) -> W2:
            """The window being evaluated."""

        @abstractmethod
        def window_state(self) -> KeyedStateStore:
            """State of this window; ``clear`` must clear it."""

        @abstractmethod
        def global_state(self) -> KeyedStateStore:
            """State across windows."""

    @abstractmethod
    def process(self, context: "ProcessAllWindowFunction.Context", elements: Iterable[IN]) -> Iterable[OUT]:
        """The results of the window."""

    def clear(self, context: "ProcessAllWindowFunction.Context") -> None:
        """Called when the window is forgotten."""


class PassThroughWindowFunction(WindowFunction[IN, IN, KEY, W]):
    """The elements as they are."""

    def apply(self, key: KEY, window: W, inputs: Iterable[IN]) -> Iterable[IN]:
        yield from inputs


class PassThroughAllWindowFunction(AllWindowFunction[IN, IN, W]):
    """The elements as they are."""

    def apply(self, window: W, inputs: Iterable[IN]) -> Iterable[IN]:
        yield from inputs


class JoinFunction(Function, Generic[IN1, IN2, OUT]):
    """One result per pair of elements of a window join (Flink's ``JoinFunction``)."""

    @abstractmethod
    def join(self, first: IN1, second: IN2) -> OUT:
        """The result of the pair."""


class FlatJoinFunction(Function, Generic[IN1, IN2, OUT]):
    """Any number of results per pair of elements of a window join (Flink's ``FlatJoinFunction``)."""

    @abstractmethod
    def join(self, first: IN1, second: IN2) -> Iterable[OUT]:
        """The results of the pair."""


class CoGroupFunction(Function, Generic[IN1, IN2, OUT]):
    """Looks at what both streams have in one window of one key (Flink's ``CoGroupFunction``)."""

    @abstractmethod
    def co_group(self, first: Iterable[IN1], second: Iterable[IN2]) -> Iterable[OUT]:
        """The results of the two groups; one of them may be empty."""


class ProcessJoinFunction(Function, Generic[IN1, IN2, OUT]):
    """Looks at each pair of an interval join (Flink's ``ProcessJoinFunction``)."""

    class Context(ABC):
        """Times of the pair, ms."""

        @abstractmethod
        def get_left_timestamp(self) -> int:
            """Event time of the left element."""

        @abstractmethod
        def get_right_timestamp(self) -> int:
            """Event time of the right element."""

        @abstractmethod
        def get_timestamp(self) -> int:
            """Event time of the pair: the later of the two."""

    @abstractmethod
    def process_element(
        self, left: IN1, right: IN2, ctx: "ProcessJoinFunction.Context"
    ) -> Iterable[OUT] | None:
        """Yields the results of the pair."""
