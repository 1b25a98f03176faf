"""Pickles that carry the program's own classes, for values pickle only knows by name.

A class defined in the program's main module does not exist under that name in another process. cloudpickle
takes such classes along by value, which costs far more than the values themselves; so each class is taken along
once per column here, and the values refer to it by its number.
"""

import io
import pickle
import sys
from typing import Any

_PROTOCOL = 5


def pickler_class() -> Any:
    """The pickler for values of the program's own classes: cloudpickle's where it is loaded, else pickle's.

    It is not imported: a class that exists by value only has been made by cloudpickle, so where such values are,
    it is loaded, and where it is not, names will do.
    """
    cloudpickle: Any = sys.modules.get("cloudpickle")
    return pickle.Pickler if cloudpickle is None else cloudpickle.Pickler


def is_importable(kind: type) -> bool:
    """Is it what any other process finds under its name? The main module is another one there."""
    if kind.__module__ == "__main__":
        return False
    found: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind


def dumps_by_value(values: list[Any]) -> bytes:
    """The pickles of the values, each on its own, and of the classes they need."""
    numbers: dict[type, int | None] = {}
    classes: list[type] = []

    class ClassNumberingPickler(pickler_class()):  # type: ignore[misc]
        def persistent_id(self, value: Any) -> int | None:
            if not isinstance(value, type):
                return None
            if value not in numbers:
                is_known = is_importable(value)
                numbers[value] = None if is_known else len(classes)
                if not is_known:
                    classes.append(value)
            return numbers[value]

    out = io.BytesIO()
    pickler = ClassNumberingPickler(out, _PROTOCOL)
    for value in values:
        pickler.dump(value)
        pickler.clear_memo()
    class_out = io.BytesIO()
    pickler_class()(class_out, _PROTOCOL).dump(classes)
    return pickle.dumps((class_out.getvalue(), len(values), out.getvalue()), _PROTOCOL)


def loads_by_value(data: bytes) -> list[Any]:
    """The values of ``dumps_by_value``."""
    class_data, count, value_data = pickle.loads(data)
    classes = pickle.loads(class_data)
    unpickler = pickle.Unpickler(io.BytesIO(value_data))
    unpickler.persistent_load = classes.__getitem__  # type: ignore[method-assign]
    return [unpickler.load() for _ in range(count)]
