"""(Keyed)BroadcastProcessFunction: input 1 is the broadcast one and may change broadcast state."""

from collections.abc import Iterator
from typing import Any

from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.elements.element_contexts import (
    BroadcastContext,
    KeyedReadOnlyContext,
    ReadOnlyContext,
)
from flinkpy_dagster.operators.elements.processing import KeyedProcessOperator, ProcessOperator
from flinkpy_dagster.operators.operator import Setup
from flinkpy_dagster.operators.results import Results, timestamps_of
from flinkpy_dagster.operators.state.broadcast_state import BroadcastStateStore
from flinkpy_dagster.operators.state.state_descriptors import MapStateDescriptor
from flinkpy_dagster.operators.time.timers import ClockReading, KeyedTimerService
from flinkpy_dagster.types import TypeInformation

METHODS = ("process_element", "process_broadcast_element")
BROADCAST_INPUT = 1


class BroadcastOperator(ProcessOperator):
    """Beside a stream without keys. In BATCH mode the broadcast input comes first."""

    def __init__(self, function: Any, descriptors: tuple[MapStateDescriptor, ...]):
        super().__init__(function, METHODS)
        self.store = BroadcastStateStore(descriptors)
        self._held_back: list[Batch] = []

    def open(self, setup: Setup) -> None:
        super().open(setup)
        self._contexts = (
            ReadOnlyContext(self, ClockReading(self), self.store),
            BroadcastContext(self, ClockReading(self), self.store),
        )

    def process(self, batch: Batch, input_index: int) -> None:
        if self.setup.is_batch and input_index != BROADCAST_INPUT:
            self._held_back.append(batch)
        else:
            self._process(batch, input_index)

    def _process(self, batch: Batch, input_index: int) -> None:
        self._context = self._contexts[input_index]
        super().process(batch, input_index)

    def snapshot_state(self) -> Any:
        return self.store.maps

    def restore_state(self, states: list[Any]) -> None:
        self.store.restore(states)

    def approach(self, timestamp: int) -> Iterator[None]:
        held_back, self._held_back = self._held_back, []
        for batch in held_back:
            self._process(batch, 0)
            yield


class KeyedBroadcastOperator(KeyedProcessOperator):
    """Beside a keyed stream. In BATCH mode ``KeyByKeyInput`` lets the broadcast input come first."""

    def __init__(
        self, function: Any, descriptors: tuple[MapStateDescriptor, ...], key_type: TypeInformation | None
    ):
        super().__init__(function, key_type, METHODS)
        self.store = BroadcastStateStore(descriptors)

    def open(self, setup: Setup) -> None:
        super().open(setup)
        self._context = KeyedReadOnlyContext(self, KeyedTimerService(self), self.store)
        self._timer_context = KeyedReadOnlyContext(self, KeyedTimerService(self), self.store)
        self._broadcast_context = BroadcastContext(self, ClockReading(self), self.store)

    def process(self, batch: Batch, input_index: int) -> None:
        if input_index != BROADCAST_INPUT:
            super().process(batch, input_index)
        else:
            self._process_broadcast(batch, self.results)

    def snapshot_state(self) -> Any:
        return self.store.maps

    def restore_state(self, states: list[Any]) -> None:
        self.store.restore(states)

    def _process_broadcast(self, batch: Batch, results: Results) -> None:
        call = self._calls[BROADCAST_INPUT]
        context = self._broadcast_context
        for value, timestamp in zip(batch.values, timestamps_of(batch), strict=True):
            context.element_timestamp = timestamp
            made = call(value, context)
            if made:
                results.take(made, timestamp)
        results.flush()
