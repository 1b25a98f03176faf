"""Functions of the helper steps that PyFlink puts in front of ``print()``, and of ``project()``."""

from collections.abc import Callable, Sequence
from typing import Any

from flinkpy_dagster.operators.functions.rich_functions import MapFunction
from flinkpy_dagster.types import ExternalTypeInfo, PickledBytesTypeInfo, RowTypeInfo, TypeInformation


def text_function_for(type_info: TypeInformation) -> Callable[[Any], Any] | None:
    """What turns elements into texts before they are printed; None if nothing has to."""
    if isinstance(type_info, PickledBytesTypeInfo):
        return text_of_object
    if isinstance(type_info, (RowTypeInfo, ExternalTypeInfo)):
        return text_of_row
    return None


def text_of_object(value: Any) -> Any:
    """``str(value)``."""
    return value if isinstance(value, (str, bytes)) else str(value)


def text_of_row(row: Any) -> str:
    """``+I[a,1,None]``."""
    return f"{row.get_row_kind()}[{','.join(str(field) for field in row)}]"


class Projection(MapFunction):
    """A tuple of the fields at these positions."""

    def __init__(self, positions: Sequence[int]) -> None:
        self._positions = tuple(positions)

    def map(self, value: Any) -> tuple[Any, ...]:
        return tuple([value[position] for position in self._positions])
