"""Pickles of state that outlive the process that made them.

Classes of the program are written by name, and read as the classes of the program that reads: so a job that is started
again with better code goes on with it. Their definitions are kept beside, for readers without the program.
"""

import base64
import io
import pickle
from collections.abc import Iterable
from functools import cached_property
from importlib import import_module
from typing import Any

from flinkpy_dagster.errors import StateError
from flinkpy_dagster.types.pickles_by_value import is_importable, pickler_class

Name = tuple[str, str]
"""Module and qualified name of a class."""

_PROTOCOL = 5
_PLAIN, _BY_NAME = b"p", b"n"


class StatePickling:
    """Writes and reads values. ``program``: anything picklable from which the program's own classes can be reached."""

    def __init__(self, program: Any = None, definitions: Iterable[str] = ()):
        self._program = program
        self._given = tuple(definitions)
        self._met: dict[Name, type] = {}

    # --- writing

    def dumps(self, value: Any) -> bytes:
        """The bytes of a value. Raises what values raise that cannot be pickled."""
        if not self._met:
            try:
                return _PLAIN + pickle.dumps(value, _PROTOCOL)
            except Exception:  # raised by whatever is inside; the way below knows classes of the program
                pass
        out = io.BytesIO()
        naming_pickler(out, self._met).dump(value)
        return _BY_NAME + out.getvalue()

    def definitions(self) -> list[str]:
        """What readers without the program need: for all classes met so far, here or in the state that was read."""
        if not self._met:
            return list(self._given)
        known = {name: kind for name, kind in self._defined.items() if name not in self._met} | self._met
        out = io.BytesIO()
        pickler_class()(out, _PROTOCOL).dump(known)
        return [base64.b64encode(out.getvalue()).decode("ascii")]

    # --- reading

    def loads(self, data: Any) -> Any:
        """The inverse of ``dumps``; raises StateError for a class that is nowhere to be found."""
        body = data[1:]
        if data[0] == _PLAIN[0]:
            try:
                return pickle.loads(body)
            except (ImportError, AttributeError):  # written where the class could be imported
                pass
        reader = _Unpickler(io.BytesIO(body))
        reader.class_of = self._class_of
        return reader.load()

    def _class_of(self, name: Name) -> type:
        for known in (self._own, self._defined):
            if name in known:
                return known[name]
        module, qualified = name
        try:
            found: Any = import_module(module)
            for part in qualified.split("."):
                found = getattr(found, part)
        except (ImportError, AttributeError) as error:
            raise StateError(
                f"The state holds values of class '{module}.{qualified}', which neither the program has nor can be "
                f"imported ({error}): give the class its name back."
            ) from error
        return found

    @cached_property
    def _own(self) -> dict[Name, type]:
        """The classes that the program's functions refer to."""
        found: dict[Name, type] = {}
        if self._program is not None:
            naming_pickler(io.BytesIO(), found, goes_on=True).dump(self._program)
        return found

    @cached_property
    def _defined(self) -> dict[Name, type]:
        found: dict[Name, type] = {}
        for text in self._given:
            found |= pickle.loads(base64.b64decode(text))
        return found


class _Unpickler(pickle.Unpickler):
    """Asks ``class_of`` for classes written by name."""

    class_of: Any

    def persistent_load(self, name: Name) -> type:
        return self.class_of(name)

    def find_class(self, module: str, name: str) -> Any:
        try:
            return super().find_class(module, name)
        except (ImportError, AttributeError):
            return self.class_of((module, name))


def naming_pickler(out: io.BytesIO, met: dict[Name, type], *, goes_on: bool = False) -> Any:
    """A pickler that writes classes other processes cannot import by name, and notes them in ``met``.

    ``goes_on``: it looks into their definitions, too.
    """

    class NamingPickler(pickler_class()):  # type: ignore[misc]
        def persistent_id(self, value: Any) -> Name | None:
            if not isinstance(value, type):
                return None
            name = value.__module__, value.__qualname__
            if name not in met and is_importable(value):
                return None
            met[name] = value
            return None if goes_on else name

    return NamingPickler(out, _PROTOCOL)


def dumps_alone(value: Any) -> bytes:
    """One value with all that its readers need."""
    pickling = StatePickling()
    data = pickling.dumps(value)
    return pickle.dumps((pickling.definitions(), data), _PROTOCOL)


def loads_alone(data: bytes, program: Any = None) -> Any:
    """The inverse of ``dumps_alone``."""
    definitions, value = pickle.loads(data)
    return StatePickling(program, definitions).loads(value)
