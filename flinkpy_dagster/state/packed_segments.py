"""Segments of one subtask as bytes, made into values when somebody looks at them.

Every task of an epoch is given what all subtasks have stored, for it picks what overlaps with its key groups. A million
segments are 60 MB either way, but to unpack them as values took a task 7 s, of which it needs a thousandth.
"""

import marshal
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

Item = TypeVar("Item")


class Packed(Sequence[Item], Generic[Item]):
    """A sequence that is bytes until it is looked into; equal to a tuple of its items.

    ``made`` makes an item of a list.
    """

    __slots__ = ("_data", "_items", "_length", "_made")

    def __init__(self, data: bytes, length: int, made: Callable[[list[Any]], Item]):
        self._data, self._length, self._made = data, length, made
        self._items: tuple[Item, ...] | None = None

    @staticmethod
    def of(lists: Iterable[list[Any]], made: Callable[[list[Any]], Item]) -> "Packed[Item]":
        """Of lists of numbers and texts, from which ``made`` makes the items again."""
        values = list(lists)
        return Packed(marshal.dumps(values), len(values), made)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Item]:
        return iter(self._unpacked())

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        return self._unpacked()[index]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Packed):
            return self._data == other._data or self._unpacked() == other._unpacked()
        return self._unpacked() == other

    def __hash__(self) -> int:
        return hash(self._unpacked())

    def __repr__(self) -> str:
        return repr(self._unpacked())

    def __reduce__(self) -> tuple[Any, ...]:
        return Packed, (self._data, self._length, self._made)

    def _unpacked(self) -> tuple[Item, ...]:
        if self._items is None:
            self._items = tuple(map(self._made, marshal.loads(self._data)))
        return self._items


__all__ = ["Packed"]
