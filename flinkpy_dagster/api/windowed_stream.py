"""Streams cut into windows: ``WindowedStream`` per key, ``AllWindowedStream`` over everything."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from flinkpy_dagster.api.recording import declared_type
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.functions.output_tag import OutputTag
from flinkpy_dagster.operators.functions.rich_functions import (
    AggregateFunction,
    AllWindowFunction,
    Function,
    NullByteKeySelector,
    ProcessAllWindowFunction,
    ProcessWindowFunction,
    ReduceFunction,
    WindowFunction,
)
from flinkpy_dagster.operators.time.watermarks import milliseconds_of
from flinkpy_dagster.operators.windows.windows import Evictor, MergingWindowAssigner, Trigger, WindowAssigner
from flinkpy_dagster.types import TypeInformation

if TYPE_CHECKING:
    from flinkpy_dagster.api.data_stream import DataStream
    from flinkpy_dagster.api.environment import StreamExecutionEnvironment
    from flinkpy_dagster.api.keyed_stream import KeyedStream

Self = TypeVar("Self", bound="WindowedStream")


class WindowedStream:
    """Elements of a keyed stream in windows; an evaluating method gives the stream of results."""

    _kind: ClassVar[str] = "Window"
    _is_all: ClassVar[bool] = False
    _apply_functions: ClassVar[tuple[type, ...]] = (WindowFunction,)
    _process_functions: ClassVar[tuple[type, ...]] = (ProcessWindowFunction,)

    def __init__(self, keyed_stream: "KeyedStream", window_assigner: WindowAssigner) -> None:
        self._keyed_stream = keyed_stream
        self._window_assigner = window_assigner
        self._window_trigger: Trigger | None = None
        self._evictor: Evictor | None = None
        self._allowed_lateness_ms = 0
        self._late_data_output_tag: OutputTag | None = None

    def get_execution_environment(self) -> "StreamExecutionEnvironment":
        return self._keyed_stream.get_execution_environment()

    def get_input_type(self) -> TypeInformation:
        return self._keyed_stream.value_type

    def trigger(self: Self, trigger: Trigger) -> Self:
        """Decides when a window is evaluated, instead of the assigner's own trigger."""
        # Windows of keys take any trigger, as in PyFlink.
        is_merging = self._is_all and isinstance(self._window_assigner, MergingWindowAssigner)
        if is_merging and trigger.can_merge() is not True:
            raise TypeError(
                "A merging window assigner cannot be used with a trigger that does not support merging. "
                f"This one is a {type(trigger).__name__}."
            )
        self._window_trigger = trigger
        return self

    def evictor(self: Self, evictor: Evictor) -> Self:
        """Removes elements before or after the evaluation (Flink's Java API; beyond PyFlink)."""
        self._evictor = evictor
        return self

    def allowed_lateness(self: Self, time_ms: int) -> Self:
        """How long (ms of event time) a window takes elements after its end."""
        self._allowed_lateness_ms = milliseconds_of(time_ms)
        return self

    def side_output_late_data(self: Self, output_tag: OutputTag) -> Self:
        """Elements that come too late go there instead of being dropped."""
        self._late_data_output_tag = output_tag
        return self

    def reduce(
        self,
        reduce_function: Callable[[Any, Any], Any] | ReduceFunction,
        window_function: Any = None,
        output_type: TypeInformation | None = None,
    ) -> "DataStream":
        """Each window as one element; ``window_function`` then gets that one."""
        if not isinstance(reduce_function, ReduceFunction) and not callable(reduce_function):
            raise TypeError(
                f"The input must be a ReduceFunction or a callable function! It is {reduce_function!r}."
            )
        if window_function is None and output_type is None:
            output_type = self.get_input_type()
        self._check_window_function(window_function)
        return self._evaluated(window_function, output_type, reduce=reduce_function)

    def aggregate(
        self,
        aggregate_function: AggregateFunction,
        window_function: Any = None,
        accumulator_type: TypeInformation | list[TypeInformation] | None = None,
        output_type: TypeInformation | None = None,
    ) -> "DataStream":
        """Each window as the result of an accumulator; ``window_function`` then gets that one."""
        if not isinstance(aggregate_function, AggregateFunction):
            raise TypeError(
                f"The input must be a pyflink.datastream.functions.AggregateFunction! It is {aggregate_function!r}."
            )
        self._check_window_function(window_function)
        return self._evaluated(
            window_function,
            output_type,
            aggregate=aggregate_function,
            accumulator_type=declared_type(accumulator_type),
        )

    def apply(self, window_function: Any, output_type: TypeInformation | None = None) -> "DataStream":
        """All elements of each window to a function."""
        self._require(window_function, self._apply_functions)
        return self._evaluated(window_function, output_type)

    def process(
        self, process_window_function: Any, output_type: TypeInformation | None = None
    ) -> "DataStream":
        """All elements of each window to a function with a context."""
        self._require(process_window_function, self._process_functions)
        return self._evaluated(process_window_function, output_type)

    def _check_window_function(self, function: Any) -> None:
        if function is not None:
            self._require(function, self._apply_functions + self._process_functions)

    def _require(self, function: Any, kinds: tuple[type, ...]) -> None:
        if not isinstance(function, kinds):
            names = " or ".join(kind.__name__ for kind in kinds)
            raise TypeError(f"window_function should be a {names}, not {function!r}.")

    def _evaluated(
        self,
        function: Function | None,
        output_type: TypeInformation | None,
        *,
        reduce: Any = None,
        aggregate: Any = None,
        accumulator_type: TypeInformation | None = None,
    ) -> "DataStream":
        assigner = self._window_assigner
        trigger = self._window_trigger or assigner.get_default_trigger(self.get_execution_environment())
        name = type(assigner).__name__
        spec = specs.Window(
            assigner=assigner,
            trigger=trigger,
            function=function,
            reduce=reduce,
            aggregate=aggregate,
            evictor=self._evictor,
            allowed_lateness_ms=self._allowed_lateness_ms,
            late_tag=self._late_data_output_tag,
            is_all=self._is_all,
            key_type=self._keyed_stream.key_type,
            element_type=self.get_input_type(),
            accumulator_type=accumulator_type,
            display_name=name,
        )
        functions = [type(each).__name__ for each in (reduce, aggregate, function) if each is not None]
        stream = self._keyed_stream._keyed(name, spec, output_type)
        return stream.set_description(
            f"{self._kind}({assigner}, {type(trigger).__name__}, {', '.join(functions)})"
        )


class AllWindowedStream(WindowedStream):
    """Elements of any stream in windows, all made by one subtask."""

    _kind = "AllWindow"
    _is_all = True
    _apply_functions = (AllWindowFunction,)
    _process_functions = (ProcessAllWindowFunction,)

    def __init__(self, data_stream: "DataStream", window_assigner: WindowAssigner) -> None:
        super().__init__(data_stream.key_by(NullByteKeySelector()), window_assigner)
