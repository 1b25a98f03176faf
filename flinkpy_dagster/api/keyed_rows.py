"""What runs in the workers where a keyed stream is read as rows of key and element."""

from typing import Any

from flinkpy_dagster.operators.functions.rich_functions import KeySelector, MapFunction, RuntimeContext
from flinkpy_dagster.types import Row


class KeyAndElement(MapFunction):
    """``Row(key, element)``."""

    def __init__(self, selector: Any) -> None:
        self._selector = selector
        self._key_of = selector.get_key if isinstance(selector, KeySelector) else selector

    def open(self, runtime_context: RuntimeContext) -> None:
        if isinstance(self._selector, KeySelector):
            self._selector.open(runtime_context)

    def close(self) -> None:
        if isinstance(self._selector, KeySelector):
            self._selector.close()

    def map(self, value: Any) -> Row:
        return Row(self._key_of(value), value)


def first_field(row: Row) -> Any:
    """The key of such a row."""
    return row[0]
