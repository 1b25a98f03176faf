"""Values of no declared type as one pickle each, for binary columns.

Instances of the program's own classes carry these classes along: a worker cannot import them. Cells of one column
share the bytes of their classes, so these are unpickled once per process and compress well in storage.
"""

import io
import pickle
from functools import lru_cache
from typing import Any

import cloudpickle


def dumps_each(values: list) -> list[bytes]:
    """One pickle per value; ``pickle.loads`` makes the value again."""
    dumps = pickle.dumps
    try:
        return [dumps(value, 5) for value in values]
    except (pickle.PicklingError, AttributeError, ImportError, TypeError):
        return _dumps_each_with_classes(values)


def _dumps_each_with_classes(values: list) -> list[bytes]:
    numbers: dict[type, int | None] = {}
    classes: list[type] = []
    out = io.BytesIO()

    class NumberingPickler(cloudpickle.Pickler):
        def persistent_id(self, value: Any) -> int | None:
            if not isinstance(value, type):
                return None
            if value not in numbers:
                numbers[value] = len(classes) if _is_of_program(value) else None
                if numbers[value] is not None:
                    classes.append(value)
            return numbers[value]

    pickler = NumberingPickler(out, 5)
    cells = []
    for value in values:
        pickler.dump(value)
        pickler.clear_memo()
        cells.append(out.getvalue())
        out.seek(0)
        out.truncate()
    class_data = cloudpickle.dumps(classes, 5)
    return [pickle.dumps(_Cell(class_data, cell), 5) for cell in cells]


def _is_of_program(kind: type) -> bool:
    """Does plain pickle fail to find the class under its name?"""
    try:
        return kind.__module__ == "__main__" or pickle.loads(pickle.dumps(kind, 5)) is not kind
    except (pickle.PicklingError, AttributeError, ImportError):
        return True


class _Cell:
    """Pickles as the call that makes the value again."""

    def __init__(self, class_data: bytes, value_data: bytes) -> None:
        self._parts = class_data, value_data

    def __reduce__(self) -> tuple[Any, ...]:
        return _value_of, self._parts


def _value_of(class_data: bytes, value_data: bytes) -> Any:
    unpickler = pickle.Unpickler(io.BytesIO(value_data))
    unpickler.persistent_load = _classes_of(class_data).__getitem__  # type: ignore[method-assign]
    return unpickler.load()


@lru_cache(maxsize=64)
def _classes_of(class_data: bytes) -> list[type]:
    return pickle.loads(class_data)
