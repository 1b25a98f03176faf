"""Two streams for one operator: ``ConnectedStreams``, and a stream with a broadcast one."""

from collections.abc import Callable
from typing import Any

from flinkpy_dagster.api.data_stream import DataStream
from flinkpy_dagster.api.keyed_stream import KeyedStream
from flinkpy_dagster.api.recording import declared_type
from flinkpy_dagster.graph.transformations import OperatorKind
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.functions.rich_functions import (
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeySelector,
)
from flinkpy_dagster.operators.state.state_descriptors import MapStateDescriptor
from flinkpy_dagster.types import TypeInformation


class ConnectedStreams:
    """Two streams of any types; keyed if both are."""

    def __init__(self, stream1: DataStream, stream2: DataStream) -> None:
        self.stream1 = stream1
        self.stream2 = stream2

    def key_by(
        self,
        key_selector1: Callable[[Any], Any] | KeySelector,
        key_selector2: Callable[[Any], Any] | KeySelector,
        key_type: TypeInformation | None = None,
    ) -> "ConnectedStreams":
        """The same key of both to one subtask."""
        return ConnectedStreams(
            self.stream1.key_by(key_selector1, key_type), self.stream2.key_by(key_selector2, key_type)
        )

    def map(self, func: CoMapFunction, output_type: TypeInformation | None = None) -> DataStream:
        """One element or none (None) for each."""
        if not isinstance(func, CoMapFunction):
            raise TypeError(f"The input function must be a CoMapFunction! It is {func!r}.")
        return self._mapped("Co-Map", func, False, output_type)

    def flat_map(self, func: CoFlatMapFunction, output_type: TypeInformation | None = None) -> DataStream:
        """Any number of elements for each."""
        if not isinstance(func, CoFlatMapFunction):
            raise TypeError(f"The input must be a CoFlatMapFunction! It is {func!r}.")
        return self._mapped("Co-Flat Map", func, True, output_type)

    def process(
        self, func: CoProcessFunction | KeyedCoProcessFunction, output_type: TypeInformation | None = None
    ) -> DataStream:
        """Any number of elements for each, with side outputs and, if keyed, state and timers."""
        if not isinstance(func, (CoProcessFunction, KeyedCoProcessFunction)):
            raise TypeError(
                f"The input must be a CoProcessFunction or KeyedCoProcessFunction! It is {func!r}."
            )
        name = "Keyed Co-Process" if self._is_keyed_stream() else "Co-Process"
        spec = specs.CoProcess(
            function=func, is_keyed=self._is_keyed_stream(), key_type=self._key_type(), display_name=name
        )
        return self._applied(name, spec, output_type)

    def _mapped(self, name: str, func: Any, is_flat: bool, output_type: TypeInformation | None) -> DataStream:
        spec = specs.CoMap(
            function=func,
            is_flat=is_flat,
            is_keyed=self._is_keyed_stream(),
            key_type=self._key_type(),
            display_name=name,
        )
        return self._applied(name, spec, output_type)

    def _applied(self, name: str, spec: object, output_type: TypeInformation | None) -> DataStream:
        kind = OperatorKind.KEYED_CO_PROCESS if self._is_keyed_stream() else OperatorKind.CO_PROCESS
        streams = [self.stream1, self.stream2]
        if not self._is_keyed_stream():
            streams = [stream._as_read() for stream in streams]
        inputs = [stream._transformation for stream in streams]
        recording = self.stream1._recording
        return DataStream(recording, recording.operator(name, inputs, spec, kind, declared_type(output_type)))

    def _is_keyed_stream(self) -> bool:
        return isinstance(self.stream1, KeyedStream) and isinstance(self.stream2, KeyedStream)

    def _key_type(self) -> TypeInformation | None:
        is_keyed = self._is_keyed_stream() and isinstance(self.stream1, KeyedStream)
        return self.stream1.key_type if is_keyed else None  # type: ignore[attr-defined]


class BroadcastStream:
    """A stream whose every element goes to all subtasks, and the states they may keep of it."""

    def __init__(
        self, input_stream: DataStream, broadcast_state_descriptors: list[MapStateDescriptor]
    ) -> None:
        self.input_stream = input_stream
        self.broadcast_state_descriptors = broadcast_state_descriptors


class BroadcastConnectedStream:
    """A stream, keyed or not, with a broadcast one."""

    def __init__(
        self,
        non_broadcast_stream: DataStream,
        broadcast_stream: BroadcastStream,
        broadcast_state_descriptors: list[MapStateDescriptor],
    ) -> None:
        self.non_broadcast_stream = non_broadcast_stream
        self.broadcast_stream = broadcast_stream
        self.broadcast_state_descriptors = broadcast_state_descriptors

    def process(
        self,
        func: BroadcastProcessFunction | KeyedBroadcastProcessFunction,
        output_type: TypeInformation | None = None,
    ) -> DataStream:
        """Any number of elements for each of either side."""
        is_keyed = isinstance(self.non_broadcast_stream, KeyedStream)
        self._check(func, is_keyed)
        name = "Keyed-Co-Process-Broadcast" if is_keyed else "Co-Process-Broadcast"
        spec = specs.BroadcastProcess(
            function=func,
            state_descriptors=tuple(self.broadcast_state_descriptors),
            is_keyed=is_keyed,
            key_type=self.non_broadcast_stream.key_type if is_keyed else None,  # type: ignore[attr-defined]
            display_name=name,
        )
        recording = self.non_broadcast_stream._recording
        inputs = [
            self.non_broadcast_stream._transformation,
            self.broadcast_stream.input_stream._transformation,
        ]
        operator = recording.operator(name, inputs, spec, OperatorKind.BROADCAST, declared_type(output_type))
        operator.is_parallelism_configured = (
            True  # as in Flink: BATCH plans show the environment's parallelism
        )
        return DataStream(recording, operator)

    def _check(self, func: Any, is_keyed: bool) -> None:
        if not isinstance(func, (BroadcastProcessFunction, KeyedBroadcastProcessFunction)):
            raise TypeError(f"A (Keyed)BroadcastProcessFunction is required, not {func!r}.")
        if isinstance(func, BroadcastProcessFunction) and is_keyed:
            raise TypeError("BroadcastProcessFunction should be applied to non-keyed DataStream")
        if isinstance(func, KeyedBroadcastProcessFunction) and not is_keyed:
            raise TypeError("KeyedBroadcastProcessFunction should be applied to keyed DataStream")
