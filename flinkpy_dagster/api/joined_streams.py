"""Window join, window coGroup and interval join of Flink's Java API (``JoinedStreams``, ``CoGroupedStreams``,
``KeyedStream.intervalJoin``); PyFlink has none of them."""

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from flinkpy_dagster.api.data_stream import DataStream
from flinkpy_dagster.api.joining import CoGroupWindowFunction, JoinWindowFunction, KeyOfTagged, TagSide
from flinkpy_dagster.api.keyed_stream import KeyedStream, keyed_by
from flinkpy_dagster.api.recording import declared_type
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.transformations import OperatorKind
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.functions.output_tag import OutputTag
from flinkpy_dagster.operators.functions.rich_functions import (
    CoGroupFunction,
    FlatJoinFunction,
    JoinFunction,
    KeySelector,
    ProcessJoinFunction,
)
from flinkpy_dagster.operators.time.watermarks import milliseconds_of
from flinkpy_dagster.operators.windows.windows import Evictor, Trigger, WindowAssigner
from flinkpy_dagster.types import TypeInformation

Self = TypeVar("Self", bound="_PairedStreams")
Selector = Callable[[Any], Any] | KeySelector


class _PairedStreams:
    """``where(...).equal_to(...).window(...).apply(...)``: both sides tagged, united, keyed and cut into windows."""

    _functions: ClassVar[tuple[type, ...]]

    def __init__(self, stream1: DataStream, stream2: DataStream) -> None:
        self._streams = (stream1, stream2)
        self._selectors: list[Selector] = []
        self._key_type: TypeInformation | None = None
        self._assigner: WindowAssigner | None = None
        self._trigger: Trigger | None = None
        self._evictor: Evictor | None = None
        self._allowed_lateness_ms = 0

    def where(self: Self, key_selector: Selector, key_type: TypeInformation | None = None) -> Self:
        """The key of the first stream's elements."""
        self._selectors[:] = [key_selector]
        self._key_type = key_type
        return self

    def equal_to(self: Self, key_selector: Selector) -> Self:
        """The key of the second stream's elements."""
        if len(self._selectors) != 1:
            raise InvalidProgram("A join needs where(key of the first stream) before equal_to().")
        self._selectors.append(key_selector)
        return self

    def window(self: Self, assigner: WindowAssigner) -> Self:
        """The windows in which elements meet."""
        self._assigner = assigner
        return self

    def trigger(self: Self, trigger: Trigger) -> Self:
        """Decides when a window is evaluated."""
        self._trigger = trigger
        return self

    def evictor(self: Self, evictor: Evictor) -> Self:
        """Removes elements before the evaluation."""
        self._evictor = evictor
        return self

    def allowed_lateness(self: Self, time_ms: int) -> Self:
        """How long (ms) a window takes elements after its end."""
        self._allowed_lateness_ms = milliseconds_of(time_ms)
        return self

    def apply(self, function: Any, output_type: TypeInformation | None = None) -> DataStream:
        """The results of each key and window."""
        if len(self._selectors) != 2 or self._assigner is None:
            raise InvalidProgram("A join needs where(), equal_to() and window() before apply().")
        if not isinstance(function, self._functions) and not callable(function):
            names = " or ".join(kind.__name__ for kind in self._functions)
            raise TypeError(f"apply() needs a {names} or a callable, not {function!r}.")
        # untyped, as the two sides may have different types
        first, second = (stream._as_values().map(TagSide(side)) for side, stream in enumerate(self._streams))
        both = first.union(second)
        windowed = keyed_by(both, KeyOfTagged(self._selectors), self._key_type).window(self._assigner)
        windowed.allowed_lateness(self._allowed_lateness_ms)
        if self._trigger is not None:
            windowed.trigger(self._trigger)
        if self._evictor is not None:
            windowed.evictor(self._evictor)
        return windowed.apply(self._window_function(function), output_type)

    def _window_function(self, function: Any) -> Any:
        raise NotImplementedError


class CoGroupedStreams(_PairedStreams):
    """All elements of either side with one key in one window, together."""

    _functions = (CoGroupFunction,)

    def _window_function(self, function: Any) -> Any:
        return CoGroupWindowFunction(function)


class JoinedStreams(_PairedStreams):
    """Every pair of elements with one key in one window."""

    _functions = (JoinFunction, FlatJoinFunction)

    def _window_function(self, function: Any) -> Any:
        return JoinWindowFunction(function)


class IntervalJoin:
    """Two keyed streams whose elements meet when their times are close."""

    def __init__(self, left: KeyedStream, right: KeyedStream) -> None:
        if not isinstance(right, KeyedStream):
            raise TypeError(f"interval_join() needs a keyed stream, not {right!r}.")
        self._left, self._right = left, right

    def between(self, lower_bound: Any, upper_bound: Any) -> "IntervalJoined":
        """The right element's time minus the left one's lies between these (``Time`` or ms), both included."""
        lower_ms, upper_ms = milliseconds_of(lower_bound), milliseconds_of(upper_bound)
        if lower_ms > upper_ms:
            raise InvalidProgram(
                f"The lower bound of an interval join must not be above its upper bound: {lower_ms} ms, {upper_ms} ms."
            )
        return IntervalJoined(self._left, self._right, lower_ms, upper_ms)


class IntervalJoined:
    """An interval join with its bounds."""

    def __init__(self, left: KeyedStream, right: KeyedStream, lower_ms: int, upper_ms: int) -> None:
        self._left, self._right = left, right
        self._lower_ms, self._upper_ms = lower_ms, upper_ms
        self._is_lower_inclusive = self._is_upper_inclusive = True
        self._left_late_tag: OutputTag | None = None
        self._right_late_tag: OutputTag | None = None

    def lower_bound_exclusive(self) -> "IntervalJoined":
        self._is_lower_inclusive = False
        return self

    def upper_bound_exclusive(self) -> "IntervalJoined":
        self._is_upper_inclusive = False
        return self

    def side_output_left_late_data(self, output_tag: OutputTag) -> "IntervalJoined":
        """Left elements that come too late go there."""
        self._left_late_tag = output_tag
        return self

    def side_output_right_late_data(self, output_tag: OutputTag) -> "IntervalJoined":
        """Right elements that come too late go there."""
        self._right_late_tag = output_tag
        return self

    def process(
        self, function: ProcessJoinFunction, output_type: TypeInformation | None = None
    ) -> DataStream:
        """Any number of elements for each pair."""
        if not isinstance(function, ProcessJoinFunction):
            raise TypeError(f"A ProcessJoinFunction is required, not {function!r}.")
        spec = specs.IntervalJoin(
            function=function,
            lower_ms=self._lower_ms,
            upper_ms=self._upper_ms,
            is_lower_inclusive=self._is_lower_inclusive,
            is_upper_inclusive=self._is_upper_inclusive,
            key_type=self._left.key_type,
            left_late_tag=self._left_late_tag,
            right_late_tag=self._right_late_tag,
        )
        recording = self._left._recording
        inputs = [self._left._transformation, self._right._transformation]
        kind = OperatorKind.KEYED_CO_PROCESS
        operator = recording.operator("Interval Join", inputs, spec, kind, declared_type(output_type))
        return DataStream(recording, operator)
