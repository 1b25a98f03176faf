"""Broadcast state: maps that belong to a subtask (``pyflink.datastream.state.BroadcastState``)."""

from collections.abc import Iterable
from typing import Any

from flinkpy_dagster.operators.state.state_descriptors import MapStateDescriptor
from flinkpy_dagster.operators.state.states import BroadcastState, OperatorStateStore, ReadOnlyBroadcastState


class ReadOnlyBroadcastMap(ReadOnlyBroadcastState):
    """A view of a dict without the methods that change it."""

    def __init__(self, entries: dict):
        self._entries = entries

    def get(self, key: Any) -> Any:
        return self._entries.get(key)

    def contains(self, key: Any) -> bool:
        return self._entries.get(key) is not None

    def items(self) -> Iterable[tuple[Any, Any]]:
        return list(self._entries.items())

    def keys(self) -> Iterable[Any]:
        return list(self._entries)

    def values(self) -> Iterable[Any]:
        return list(self._entries.values())

    def is_empty(self) -> bool:
        return not self._entries

    def clear(self) -> None:
        raise TypeError("Broadcast state can only be changed in process_broadcast_element.")


class BroadcastMap(ReadOnlyBroadcastMap, BroadcastState):
    """A dict."""

    def put(self, key: Any, value: Any) -> None:
        self._entries[key] = value

    def put_all(self, dict_value: Any) -> None:
        self._entries.update(dict_value)

    def remove(self, key: Any) -> None:
        self._entries.pop(key, None)

    def clear(self) -> None:
        self._entries.clear()


class BroadcastStateStore(OperatorStateStore):
    """All broadcast states of one operator in one subtask, by name."""

    def __init__(self, descriptors: Iterable[MapStateDescriptor]):
        self.maps: dict[str, dict] = {descriptor.name: {} for descriptor in descriptors}
        self._restored: dict[str, dict] = {}

    def restore(self, copies: list[dict[str, dict]]) -> None:
        """All subtasks had the same entries, so any copy will do; states that nobody asks for are forgotten."""
        self._restored = copies[0]
        for name, entries in self.maps.items():
            entries.update(copies[0].get(name, {}))

    def get_broadcast_state(self, state_descriptor: MapStateDescriptor) -> BroadcastMap:
        return BroadcastMap(self._entries(state_descriptor))

    def get_read_only(self, state_descriptor: MapStateDescriptor) -> ReadOnlyBroadcastMap:
        """The same without the methods that change it."""
        return ReadOnlyBroadcastMap(self._entries(state_descriptor))

    def _entries(self, descriptor: MapStateDescriptor) -> dict:
        """Those of a state that was not given to ``broadcast()``, too: PyFlink makes it when it is asked for."""
        if descriptor.name not in self.maps:
            self.maps[descriptor.name] = dict(self._restored.get(descriptor.name, {}))
        return self.maps[descriptor.name]
