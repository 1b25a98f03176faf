"""map and flat_map on connected streams, as process functions with two inputs."""

from typing import Any

from flinkpy_dagster.operators.elements.processing import KeyedProcessOperator, ProcessOperator
from flinkpy_dagster.operators.functions.runtime_context import RuntimeContext
from flinkpy_dagster.operators.operator import Operator, close_function, open_function
from flinkpy_dagster.types import TypeInformation

TWO_INPUTS = ("process_element1", "process_element2")


class CoFunctionCalls:
    """Gives a Co(Flat)MapFunction the methods of a CoProcessFunction."""

    def __init__(self, function: Any):
        self._function = function

    def open(self, runtime_context: RuntimeContext) -> None:
        """Opens the function."""
        open_function(self._function, runtime_context)

    def close(self) -> None:
        """Closes the function."""
        close_function(self._function)


class CoMapCalls(CoFunctionCalls):
    """One result per element; None is dropped, as in PyFlink."""

    def process_element1(self, value: Any, ctx: Any) -> tuple:
        """For the first input."""
        result = self._function.map1(value)
        return () if result is None else (result,)

    def process_element2(self, value: Any, ctx: Any) -> tuple:
        """For the second input."""
        result = self._function.map2(value)
        return () if result is None else (result,)


class CoFlatMapCalls(CoFunctionCalls):
    """Any number of results per element; None stands for none."""

    def process_element1(self, value: Any, ctx: Any) -> Any:
        """For the first input."""
        return self._function.flat_map1(value)

    def process_element2(self, value: Any, ctx: Any) -> Any:
        """For the second input."""
        return self._function.flat_map2(value)


def co_operator(function: Any, is_keyed: bool, key_type: TypeInformation | None) -> Operator:
    """The operator for a (Keyed)CoProcessFunction or what looks like one."""
    if is_keyed:
        return KeyedProcessOperator(function, key_type, TWO_INPUTS)
    return ProcessOperator(function, TWO_INPUTS)
