"""``sum``, ``min``, ``max``, ``min_by`` and ``max_by`` as reduce functions, with PyFlink's semantics.

``min`` and ``max`` keep the other fields of the first element; ties in ``min_by`` and ``max_by`` keep the first one.
"""

from collections.abc import Callable
from operator import add, gt, lt
from typing import Any

from flinkpy_dagster.operators.functions.rich_functions import ReduceFunction
from flinkpy_dagster.types import Row
from flinkpy_dagster.types.row import row_of

Position = int | str


def _lesser(one: Any, other: Any) -> Any:
    return other if lt(other, one) else one


def _greater(one: Any, other: Any) -> Any:
    return other if gt(other, one) else one


class FieldAggregation(ReduceFunction):
    """Combines one field and keeps the rest of the first element. Never changes an element it was given."""

    def __init__(self, combine: Callable[[Any, Any], Any], position: Position) -> None:
        self._combine = combine
        self._position: Any = checked_position(position)

    def reduce(self, value1: Any, value2: Any) -> Any:
        position = self._position
        kind = type(value2)
        if kind is tuple:
            fields = list(value1)
            fields[position] = self._combine(value1[position], value2[position])
            return tuple(fields)
        if isinstance(value2, (tuple, list, Row)):
            return self._in_copy(value1, value2)
        return self._combine(*_whole(value1, value2, position))

    def _in_copy(self, value1: Any, value2: Any) -> Any:
        combined = self._combine(value1[self._position], value2[self._position])
        if isinstance(value1, tuple):
            fields = list(value1)
            fields[self._position] = combined
            return tuple(fields)
        result = _copied(value1)
        result[self._position] = combined
        return result


class ElementSelection(ReduceFunction):
    """The whole element whose field is the least or greatest."""

    def __init__(self, is_better: Callable[[Any, Any], bool], position: Position) -> None:
        self._is_better = is_better
        self._position: Any = checked_position(position)

    def reduce(self, value1: Any, value2: Any) -> Any:
        if isinstance(value2, (tuple, list, Row)):
            better = self._is_better(value2[self._position], value1[self._position])
        else:
            better = self._is_better(value2, value1)
        return value2 if better else value1


def sum_of(position: Position) -> ReduceFunction:
    return FieldAggregation(add, position)


def min_of(position: Position) -> ReduceFunction:
    return FieldAggregation(_lesser, position)


def max_of(position: Position) -> ReduceFunction:
    return FieldAggregation(_greater, position)


def min_by(position: Position) -> ReduceFunction:
    return ElementSelection(lt, position)


def max_by(position: Position) -> ReduceFunction:
    return ElementSelection(gt, position)


def checked_position(position: Position) -> Position:
    """``position`` if it can name a field. Raises TypeError."""
    if not isinstance(position, (int, str)):
        raise TypeError(
            "The field position must be of int or str type to locate the value to calculate for min, max, min_by, "
            f"max_by and sum. The given type is: {type(position)}"
        )
    return position


def _copied(value: Any) -> Any:
    if not isinstance(value, Row):
        return list(value)
    return row_of(value._fields, list(value), value.get_row_kind())


def _whole(value1: Any, value2: Any, position: Position) -> tuple[Any, Any]:
    if position != 0:
        raise TypeError(
            f"The {position} field selected on a basic type. A field expression on a basic type can only select the "
            "0th field (which means selecting the entire basic type)."
        )
    return value1, value2
