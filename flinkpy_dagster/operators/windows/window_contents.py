"""What a window holds until it is evaluated, and how its function is called."""

from collections.abc import Callable, Iterable
from functools import reduce as fold
from typing import Any

from flinkpy_dagster.operators.functions.window_functions import (
    AllWindowFunction,
    ProcessAllWindowFunction,
    ProcessWindowFunction,
    WindowFunction,
)
from flinkpy_dagster.operators.operator import callable_of
from flinkpy_dagster.operators.specs import Window
from flinkpy_dagster.operators.state.state_descriptors import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    ReducingStateDescriptor,
    StateDescriptor,
)
from flinkpy_dagster.types import Types

WindowCall = Callable[[Any, Any, Any, list], Iterable[Any] | None]
"""From key, window, function context and contents to results."""

CONTENTS_NAME = "window-contents"


def contents_descriptor(spec: Window) -> StateDescriptor:
    """The state that holds the contents: reduced, aggregated, or all elements."""
    if spec.evictor is not None:
        return ListStateDescriptor(CONTENTS_NAME, Types.PICKLED_BYTE_ARRAY())
    if spec.reduce is not None:
        return ReducingStateDescriptor(
            CONTENTS_NAME, spec.reduce, spec.element_type or Types.PICKLED_BYTE_ARRAY()
        )
    if spec.aggregate is not None:
        accumulator_type = spec.accumulator_type or Types.PICKLED_BYTE_ARRAY()
        return AggregatingStateDescriptor(CONTENTS_NAME, spec.aggregate, accumulator_type)
    return ListStateDescriptor(CONTENTS_NAME, spec.element_type or Types.PICKLED_BYTE_ARRAY())


def window_call(function: Any) -> WindowCall:
    """How a window function of any kind is called; None passes the contents on."""
    if function is None:
        return lambda key, window, context, contents: contents
    if isinstance(function, ProcessAllWindowFunction):
        return lambda key, window, context, contents: function.process(context, contents)
    if isinstance(function, ProcessWindowFunction):
        return lambda key, window, context, contents: function.process(key, context, contents)
    if isinstance(function, AllWindowFunction):
        return lambda key, window, context, contents: function.apply(window, contents)
    if isinstance(function, WindowFunction):
        return lambda key, window, context, contents: function.apply(key, window, contents)
    raise TypeError(f"{type(function).__name__} is not a window function.")


def has_clear(function: Any) -> bool:
    """Does a window function want to know when windows go?"""
    for kind in (ProcessWindowFunction, ProcessAllWindowFunction):
        if isinstance(function, kind):
            return type(function).clear is not kind.clear
    return False


def evaluation_of_evicted(spec: Window) -> Callable[[list], list]:
    """With an evictor the contents are all elements: reduces or aggregates what is left of them at evaluation."""
    if spec.reduce is not None:
        reduce = callable_of(spec.reduce, "reduce")
        return lambda values: [fold(reduce, values)] if values else []
    if spec.aggregate is not None:
        aggregate = spec.aggregate

        def evaluate(values: list) -> list:
            accumulator = aggregate.create_accumulator()
            for value in values:
                accumulator = aggregate.add(value, accumulator)
            return [aggregate.get_result(accumulator)] if values else []

        return evaluate
    return lambda values: values
