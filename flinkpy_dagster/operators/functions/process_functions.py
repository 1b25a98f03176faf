"""The process function family: elements with their time, timers, state and side outputs.

Results are yielded; ``yield tag, value`` with an ``OutputTag`` goes to a side output.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from flinkpy_dagster.operators.functions.runtime_context import Function
from flinkpy_dagster.operators.state.state_descriptors import MapStateDescriptor
from flinkpy_dagster.operators.state.states import BroadcastState, ReadOnlyBroadcastState
from flinkpy_dagster.operators.time.timer_service import TimeDomain, TimerService

KEY = TypeVar("KEY")
IN1 = TypeVar("IN1")
IN2 = TypeVar("IN2")
OUT = TypeVar("OUT")

Results = Iterable[Any] | None


class ElementContext(ABC):
    """Time of the element at hand, and timers."""

    @abstractmethod
    def timer_service(self) -> TimerService:
        """Current times and, on keyed streams, timers."""

    @abstractmethod
    def timestamp(self) -> int:
        """Event time of the element or firing timer, ms; None when it has none."""


class KeyedElementContext(ElementContext):
    """The same on a keyed stream."""

    @abstractmethod
    def get_current_key(self) -> Any:
        """Key of the element or firing timer."""


class TimerContext(KeyedElementContext):
    """What ``on_timer`` knows."""

    @abstractmethod
    def time_domain(self) -> TimeDomain:
        """Which kind of timer fires."""


class ProcessFunction(Function):
    """Processes the elements of a stream, one at a time."""

    class Context(ElementContext):
        """Time of the element at hand."""

    @abstractmethod
    def process_element(self, value: Any, ctx: "ProcessFunction.Context") -> Results:
        """Yields the results for one element."""


class KeyedProcessFunction(Function):
    """Processes the elements of a keyed stream, with state and timers per key."""

    class Context(KeyedElementContext):
        """Time and key of the element at hand."""

    class OnTimerContext(TimerContext, Context):
        """Time, key and kind of the firing timer."""

    @abstractmethod
    def process_element(self, value: Any, ctx: "KeyedProcessFunction.Context") -> Results:
        """Yields the results for one element."""

    def on_timer(self, timestamp: int, ctx: "KeyedProcessFunction.OnTimerContext") -> Results:
        """Yields the results of a timer that fires."""


class CoProcessFunction(Function):
    """Processes the elements of two connected streams."""

    class Context(ElementContext):
        """Time of the element at hand."""

    @abstractmethod
    def process_element1(self, value: Any, ctx: "CoProcessFunction.Context") -> Results:
        """Yields the results for one element of the first stream."""

    @abstractmethod
    def process_element2(self, value: Any, ctx: "CoProcessFunction.Context") -> Results:
        """Yields the results for one element of the second stream."""


class KeyedCoProcessFunction(Function):
    """Processes the elements of two connected keyed streams, with state and timers per key."""

    class Context(KeyedElementContext):
        """Time and key of the element at hand."""

    class OnTimerContext(TimerContext, Context):
        """Time, key and kind of the firing timer."""

    @abstractmethod
    def process_element1(self, value: Any, ctx: "KeyedCoProcessFunction.Context") -> Results:
        """Yields the results for one element of the first stream."""

    @abstractmethod
    def process_element2(self, value: Any, ctx: "KeyedCoProcessFunction.Context") -> Results:
        """Yields the results for one element of the second stream."""

    def on_timer(self, timestamp: int, ctx: "KeyedCoProcessFunction.OnTimerContext") -> Results:
        """Yields the results of a timer that fires."""


class BaseBroadcastProcessFunction(Function):
    """What both broadcast process functions share."""

    class BaseContext(ABC):
        """Times."""

        @abstractmethod
        def timestamp(self) -> int:
            """Event time of the element or firing timer, ms; None when it has none."""

        @abstractmethod
        def current_processing_time(self) -> int:
            """The clock of the task, ms."""

        @abstractmethod
        def current_watermark(self) -> int:
            """The watermark of the task, ms."""

    class Context(BaseContext):
        """On the broadcast side: broadcast state may be changed."""

        @abstractmethod
        def get_broadcast_state(self, state_descriptor: MapStateDescriptor) -> BroadcastState:
            """The broadcast state of that name."""

    class ReadOnlyContext(BaseContext):
        """On the other side: broadcast state may be read."""

        @abstractmethod
        def get_broadcast_state(self, state_descriptor: MapStateDescriptor) -> ReadOnlyBroadcastState:
            """A read-only view of the broadcast state of that name."""


class BroadcastProcessFunction(BaseBroadcastProcessFunction, Generic[IN1, IN2, OUT]):
    """Processes a stream beside a broadcast stream whose elements every subtask sees."""

    class Context(BaseBroadcastProcessFunction.Context, ABC):
        """On the broadcast side."""

    class ReadOnlyContext(BaseBroadcastProcessFunction.ReadOnlyContext, ABC):
        """On the other side."""

    @abstractmethod
    def process_element(self, value: IN1, ctx: ReadOnlyContext) -> Results:
        """Yields the results for one element of the stream that is not broadcast."""

    @abstractmethod
    def process_broadcast_element(self, value: IN2, ctx: Context) -> Results:
        """Yields the results for one broadcast element."""


class KeyedBroadcastProcessFunction(BaseBroadcastProcessFunction, Generic[KEY, IN1, IN2, OUT]):
    """Processes a keyed stream, with state and timers per key, beside a broadcast stream."""

    class Context(BaseBroadcastProcessFunction.Context, ABC):
        """On the broadcast side; there is no current key."""

    class ReadOnlyContext(BaseBroadcastProcessFunction.ReadOnlyContext, ABC):
        """On the keyed side."""

        @abstractmethod
        def timer_service(self) -> TimerService:
            """Current times and timers."""

        @abstractmethod
        def get_current_key(self) -> Any:
            """Key of the element."""

    class OnTimerContext(ReadOnlyContext, ABC):
        """Time, key and kind of the firing timer."""

        @abstractmethod
        def time_domain(self) -> TimeDomain:
            """Which kind of timer fires."""

    @abstractmethod
    def process_element(self, value: IN1, ctx: ReadOnlyContext) -> Results:
        """Yields the results for one element of the keyed stream."""

    @abstractmethod
    def process_broadcast_element(self, value: IN2, ctx: Context) -> Results:
        """Yields the results for one broadcast element."""

    def on_timer(self, timestamp: int, ctx: OnTimerContext) -> Results:
        """Yields the results of a timer that fires."""
