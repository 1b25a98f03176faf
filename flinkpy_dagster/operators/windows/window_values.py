"""Windows as values (``pyflink.datastream.window``): time windows, count windows and the global window."""

import pickle
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, BinaryIO

from flinkpy_dagster.operators.batch import MAX_WATERMARK


def modular_inverse(odd: int) -> int:
    """Newton's iteration for the inverse of an odd number, as Flink's ``MathUtils`` does it, without its overflow."""
    inverse = odd * odd * odd
    for _ in range(3):
        inverse *= 2 - odd * inverse
    return inverse


class Window(ABC):
    """A finite group of elements."""

    __slots__ = ()

    @abstractmethod
    def max_timestamp(self) -> int:
        """The largest timestamp that belongs to the window, ms."""


class TimeWindow(Window):
    """From ``start`` up to but not including ``end``, ms since the epoch."""

    __slots__ = ("start", "end")

    def __init__(self, start: int, end: int):
        self.start = start
        self.end = end

    def max_timestamp(self) -> int:
        return self.end - 1

    def intersects(self, other: "TimeWindow") -> bool:
        """Do the windows overlap or touch?"""
        return self.start <= other.end and self.end >= other.start

    def cover(self, other: "TimeWindow") -> "TimeWindow":
        """The smallest window that contains both."""
        return TimeWindow(min(self.start, other.start), max(self.end, other.end))

    @staticmethod
    def get_window_start_with_offset(timestamp: int, offset: int, window_size: int) -> int:
        """The start of the aligned window that ``timestamp`` is in; right for negative timestamps too."""
        return timestamp - (timestamp - offset) % window_size

    @staticmethod
    def merge_windows(windows: Iterable["TimeWindow"], callback: Any) -> None:
        """Calls ``callback.merge(windows, result)`` for each group of windows that overlap or touch."""
        groups: list[tuple[TimeWindow, set[TimeWindow]]] = []
        for window in sorted(windows):
            if groups and groups[-1][0].intersects(window):
                merged, members = groups[-1]
                members.add(window)
                groups[-1] = (merged.cover(window), members)
            else:
                groups.append((window, {window}))
        for merged, members in groups:
            if len(members) > 1:
                callback.merge(members, merged)

    def __hash__(self) -> int:
        # Flink's formula: the order in which a set of windows is merged, and so of the elements in a session,
        # follows it.
        return hash(self.start + modular_inverse((self.end << 1) + 1))

    def __eq__(self, other: object) -> bool:
        return self.__class__ is other.__class__ and self.end == other.end and self.start == other.start

    def __lt__(self, other: "TimeWindow") -> bool:
        if not isinstance(other, TimeWindow):
            raise TypeError(f"Does not support comparison with non-TimeWindow {other}")
        return (self.start, self.end) < (other.start, other.end)

    def __le__(self, other: "TimeWindow") -> bool:
        return self == other or self < other

    def __repr__(self) -> str:
        return f"TimeWindow(start={self.start}, end={self.end})"


class CountWindow(Window):
    """The window number ``id`` of a key."""

    __slots__ = ("id",)

    def __init__(self, id: int):
        self.id = id

    def max_timestamp(self) -> int:
        return MAX_WATERMARK

    def __hash__(self) -> int:
        return hash(("CountWindow", self.id))

    def __eq__(self, other: object) -> bool:
        return self.__class__ is other.__class__ and self.id == other.id

    def __repr__(self) -> str:
        return f"CountWindow(id={self.id})"


class GlobalWindow(Window):
    """The one window that holds everything."""

    __slots__ = ()

    @staticmethod
    def get() -> "GlobalWindow":
        """The window."""
        return GLOBAL_WINDOW

    def max_timestamp(self) -> int:
        return MAX_WATERMARK

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return self.__class__ is other.__class__

    def __repr__(self) -> str:
        return "GlobalWindow"


GLOBAL_WINDOW = GlobalWindow()


class TypeSerializer(ABC):
    """Writes values to a stream and reads them back (``pyflink.common.serializer.TypeSerializer``)."""

    @abstractmethod
    def serialize(self, element: Any, stream: BinaryIO) -> None:
        """Writes one value."""

    @abstractmethod
    def deserialize(self, stream: BinaryIO) -> Any:
        """Reads one value."""


class WindowSerializer(TypeSerializer):
    """What custom assigners return from ``get_window_serializer``; windows are kept as objects here."""

    def serialize(self, element: Any, stream: BinaryIO) -> None:
        pickle.dump(element, stream)

    def deserialize(self, stream: BinaryIO) -> Any:
        return pickle.load(stream)


class TimeWindowSerializer(WindowSerializer):
    """Of time windows."""


class CountWindowSerializer(WindowSerializer):
    """Of count windows."""


class GlobalWindowSerializer(WindowSerializer):
    """Of the global window."""
