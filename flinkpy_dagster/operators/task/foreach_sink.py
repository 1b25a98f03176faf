"""A sink that hands every element to the program's own writer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.operator import (
    Operator,
    Setup,
    callable_of,
    close_function,
    open_function,
)
from flinkpy_dagster.operators.subtask_context import SubtaskContext


@dataclass(frozen=True, kw_only=True)
class ForeachElement:
    """``writer``: a function or an object with ``write``; it gets ``key(element)`` first if there is a ``key``."""

    writer: Any
    key: Callable[[Any], Any] | None = None


class ForeachOperator(Operator):
    """Elements end here."""

    def __init__(self, spec: ForeachElement) -> None:
        super().__init__()
        self._spec = spec

    def open(self, setup: Setup) -> None:
        super().open(setup)
        open_function(self._spec.writer, SubtaskContext(setup))
        self._write = callable_of(self._spec.writer, "write")

    def process(self, batch: Batch, input_index: int) -> None:
        write, key = self._write, self._spec.key
        for value in batch.values:
            if key is None:
                write(value)
            else:
                write(key(value), value)

    def close(self) -> None:
        close_function(self._spec.writer)
