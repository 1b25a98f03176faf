"""What runs in the workers for a window join or coGroup: elements tagged with their side, and the window functions.

Source of the rules: Flink's ``CoGroupedStreams`` (``TaggedUnion``, ``UnionKeySelector``) and ``JoinedStreams``.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from flinkpy_dagster.operators.functions.rich_functions import (
    FlatJoinFunction,
    Function,
    KeySelector,
    MapFunction,
    RuntimeContext,
    WindowFunction,
)

Tagged = tuple[int, Any]
"""Side (0 or 1) and element."""


class TagSide(MapFunction):
    """Tags the elements of one side."""

    def __init__(self, side: int) -> None:
        self._side = side

    def map(self, value: Any) -> Tagged:
        return (self._side, value)


class KeyOfTagged(KeySelector):
    """The key by the selector of the element's side."""

    def __init__(self, selectors: Sequence[Any]) -> None:
        self._selectors = tuple(selectors)
        self._getters = tuple(_getter(selector) for selector in selectors)

    def open(self, runtime_context: RuntimeContext) -> None:
        for selector in self._selectors:
            if isinstance(selector, Function):
                selector.open(runtime_context)

    def close(self) -> None:
        for selector in self._selectors:
            if isinstance(selector, Function):
                selector.close()

    def get_key(self, value: Tagged) -> Any:
        return self._getters[value[0]](value[1])


class PairingWindow(WindowFunction):
    """Splits a window by sides and gives both to the user's function."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def open(self, runtime_context: RuntimeContext) -> None:
        if isinstance(self._function, Function):
            self._function.open(runtime_context)

    def close(self) -> None:
        if isinstance(self._function, Function):
            self._function.close()

    def apply(self, key: Any, window: Any, inputs: Iterable[Tagged]) -> Iterable[Any]:
        sides: tuple[list[Any], list[Any]] = ([], [])
        for side, value in inputs:
            sides[side].append(value)
        return self.paired(*sides)

    def paired(self, first: list[Any], second: list[Any]) -> Iterable[Any]:
        """The results for the elements of both sides."""
        raise NotImplementedError


class CoGroupWindowFunction(PairingWindow):
    """Both sides at once, either of which may be empty."""

    def paired(self, first: list[Any], second: list[Any]) -> Iterable[Any]:
        co_group = getattr(self._function, "co_group", self._function)
        results: Iterable[Any] | None = co_group(first, second)
        return () if results is None else results


class JoinWindowFunction(PairingWindow):
    """Each pair; a FlatJoinFunction gives any number of elements for it, anything else exactly one."""

    def paired(self, first: list[Any], second: list[Any]) -> Iterable[Any]:
        join = getattr(self._function, "join", self._function)
        is_flat = isinstance(self._function, FlatJoinFunction)
        for one in first:
            for other in second:
                if is_flat:
                    yield from join(one, other) or ()
                else:
                    yield join(one, other)


def _getter(selector: Any) -> Any:
    return selector.get_key if isinstance(selector, KeySelector) else selector
