"""Window join and coGroup as functions over one window of both streams' elements (Flink's ``CoGroupedStreams``).

Each side's elements are tagged with their side, united, keyed and put in windows; the functions here take them apart.
"""

from collections.abc import Iterable
from typing import Any

from flinkpy_dagster.operators.functions import MapFunction
from flinkpy_dagster.operators.operator import callable_of, close_function, open_function
from flinkpy_dagster.operators.runtime_context import RuntimeContext
from flinkpy_dagster.operators.window_functions import FlatJoinFunction, WindowFunction

Tagged = tuple[int, Any]
"""Side (0 or 1) and element."""


class TagSide(MapFunction):
    """Tags the elements of one side."""

    def __init__(self, side: int):
        self._side = side

    def map(self, value: Any) -> Tagged:
        return self._side, value


class KeyOfTagged:
    """Finds the key of a tagged element with the selector of its side."""

    def __init__(self, first_selector: Any, second_selector: Any):
        self._selectors = (first_selector, second_selector)
        self._calls = tuple(callable_of(selector, "get_key") for selector in self._selectors)

    def open(self, runtime_context: RuntimeContext) -> None:
        """Opens the selectors."""
        for selector in self._selectors:
            open_function(selector, runtime_context)

    def close(self) -> None:
        """Closes the selectors."""
        for selector in self._selectors:
            close_function(selector)

    def get_key(self, tagged: Tagged) -> Any:
        """The key."""
        side, value = tagged
        return self._calls[side](value)


class TwoSidedFunction(WindowFunction):
    """Holds the user's function and takes the contents of a window apart."""

    def __init__(self, function: Any):
        self._function = function

    def open(self, runtime_context: RuntimeContext) -> None:
        open_function(self._function, runtime_context)

    def close(self) -> None:
        close_function(self._function)

    def apply(self, key: Any, window: Any, inputs: Iterable[Tagged]) -> Iterable[Any]:
        contents = list(inputs)
        first = [value for side, value in contents if side == 0]
        second = [value for side, value in contents if side == 1]
        return self.results_of(first, second) or ()

    def results_of(self, first: list, second: list) -> Iterable[Any] | None:
        """The results for what both sides have in the window."""
        raise NotImplementedError


class CoGroupWindowFunction(TwoSidedFunction):
    """Calls a ``CoGroupFunction`` (or callable) once per window."""

    def results_of(self, first: list, second: list) -> Iterable[Any] | None:
        return callable_of(self._function, "co_group")(first, second)


class JoinWindowFunction(TwoSidedFunction):
    """Calls a ``JoinFunction``, ``FlatJoinFunction`` or callable (one result) for each pair of a window."""

    def results_of(self, first: list, second: list) -> Iterable[Any]:
        join = callable_of(self._function, "join")
        if isinstance(self._function, FlatJoinFunction):
            return [result for one in first for other in second for result in join(one, other) or ()]
        return [join(one, other) for one in first for other in second]
