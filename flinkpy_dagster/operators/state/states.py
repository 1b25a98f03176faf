"""What user functions do with state (``pyflink.datastream.state``): the interfaces."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")
IN = TypeVar("IN")
OUT = TypeVar("OUT")


class State(ABC):
    """State of the current key."""

    __slots__ = ()

    @abstractmethod
    def clear(self) -> None:
        """Forgets what is stored for the current key."""


class ValueState(State, Generic[T]):
    """One value."""

    __slots__ = ()

    @abstractmethod
    def value(self) -> T:
        """The value; None if there is none."""

    @abstractmethod
    def update(self, value: T) -> None:
        """Sets the value; None removes it."""


class AppendingState(State, Generic[IN, OUT]):
    """State that elements are added to."""

    __slots__ = ()

    @abstractmethod
    def get(self) -> OUT:
        """What has been added, in the form of this state."""

    @abstractmethod
    def add(self, value: IN) -> None:
        """Adds an element."""


class MergingState(AppendingState[IN, OUT]):
    """Appending state of which two can become one."""

    __slots__ = ()


class ReducingState(MergingState[T, T]):
    """The reduction of what was added; None if nothing was."""

    __slots__ = ()


class AggregatingState(MergingState[IN, OUT]):
    """The result of the aggregation of what was added; None if nothing was."""

    __slots__ = ()


class ListState(MergingState[T, Iterable[T]]):
    """A list. ``get`` gives an iterable, empty if nothing was added."""

    __slots__ = ()

    @abstractmethod
    def update(self, values: list[T]) -> None:
        """Replaces the list."""

    @abstractmethod
    def add_all(self, values: list[T]) -> None:
        """Adds all of ``values``."""

    def __iter__(self) -> Iterator[T]:
        return iter(self.get())


class MapView(State, Generic[K, V]):
    """Reading access to a map."""

    __slots__ = ()

    @abstractmethod
    def get(self, key: K) -> V:
        """The value at ``key``; None if there is none."""

    @abstractmethod
    def contains(self, key: K) -> bool:
        """Is there a value other than None at ``key``?"""

    @abstractmethod
    def items(self) -> Iterable[tuple[K, V]]:
        """All entries."""

    @abstractmethod
    def keys(self) -> Iterable[K]:
        """All keys."""

    @abstractmethod
    def values(self) -> Iterable[V]:
        """All values."""

    @abstractmethod
    def is_empty(self) -> bool:
        """Is there no entry?"""

    def __getitem__(self, key: K) -> V:
        return self.get(key)

    def __contains__(self, key: Any) -> bool:
        return self.contains(key)

    def __iter__(self) -> Iterator[K]:
        return iter(self.keys())


class _ChangeableMap(MapView[K, V]):
    """Changing access to a map."""

    __slots__ = ()

    @abstractmethod
    def put(self, key: K, value: V) -> None:
        """Sets the value at ``key``."""

    @abstractmethod
    def put_all(self, dict_value: dict[K, V]) -> None:
        """Sets all entries of a dict."""

    @abstractmethod
    def remove(self, key: K) -> None:
        """Removes the entry at ``key``, if there is one."""

    def __setitem__(self, key: K, value: V) -> None:
        self.put(key, value)

    def __delitem__(self, key: K) -> None:
        self.remove(key)


class MapState(_ChangeableMap[K, V]):
    """A map."""

    __slots__ = ()


class ReadOnlyBroadcastState(MapView[K, V]):
    """Broadcast state seen from the side that may not change it."""

    __slots__ = ()


class BroadcastState(ReadOnlyBroadcastState[K, V], _ChangeableMap[K, V]):
    """A map that every subtask keeps alike, from the elements of a broadcast stream."""

    __slots__ = ()


class OperatorStateStore(ABC):
    """Gives access to state that belongs to a subtask, not to a key."""

    @abstractmethod
    def get_broadcast_state(self, state_descriptor: Any) -> BroadcastState:
        """The broadcast state that a ``MapStateDescriptor`` names."""
