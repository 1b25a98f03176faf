"""``KeyedStream``: a stream whose elements have keys, and operators state per key."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from flinkpy_dagster.api import aggregations
from flinkpy_dagster.api.data_stream import DataStream, _require_function
from flinkpy_dagster.api.keyed_rows import KeyAndElement, first_field
from flinkpy_dagster.api.recording import Recording
from flinkpy_dagster.api.sinks import DataStreamSink
from flinkpy_dagster.api.windowed_stream import WindowedStream
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.fusing import partition
from flinkpy_dagster.graph.stream_graph import ShipStrategy
from flinkpy_dagster.graph.transformations import (
    KEY_BY_OPERATOR,
    KEYED_VALUES_OPERATOR,
    OperatorKind,
    PartitionTransformation,
)
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.functions.rich_functions import (
    FilterFunction,
    FlatMapFunction,
    KeyedProcessFunction,
    KeySelector,
    MapFunction,
    ReduceFunction,
)
from flinkpy_dagster.operators.windows.windows import (
    CountSlidingWindowAssigner,
    CountTumblingWindowAssigner,
    WindowAssigner,
)
from flinkpy_dagster.types import TypeInformation, Types

if TYPE_CHECKING:
    from flinkpy_dagster.api.joined_streams import IntervalJoin


def keyed_by(stream: DataStream, selector: Any, key_type: TypeInformation | None) -> "KeyedStream":
    """The stream with keys beside its elements, hash partitioned by them."""
    key_type = key_type or Types.PICKLED_BYTE_ARRAY()
    spec = specs.KeyBy(selector=selector, key_type=key_type)
    keyed = stream._process(KEY_BY_OPERATOR, spec, DataStream.get_type(stream))
    return KeyedStream(stream._recording, keyed, key_type, stream)


def _hashed(recording: Recording, keyed: DataStream, key_type: TypeInformation) -> PartitionTransformation:
    hashed = partition(keyed._transformation, ShipStrategy.HASH, recording.ids)
    hashed.is_keyed = True
    hashed.key_type = key_type
    return hashed


class KeyedStream(DataStream):
    """Elements with keys. Operators on it have state per key; it is not itself an operator that settings apply to."""

    def __init__(
        self, recording: Recording, keyed: DataStream, key_type: TypeInformation, origin_stream: DataStream
    ) -> None:
        super().__init__(recording, _hashed(recording, keyed, key_type))
        self._key_by = keyed._transformation
        self._origin_stream = origin_stream

    @property
    def key_type(self) -> TypeInformation:
        assert isinstance(self._transformation, PartitionTransformation)
        assert self._transformation.key_type is not None
        return self._transformation.key_type

    @property
    def value_type(self) -> TypeInformation:
        """The type of the elements without their keys."""
        return self._transformation.output_type

    def get_type(self) -> TypeInformation:
        """The type of rows of key and element, which PyFlink's keyed streams consist of."""
        return Types.ROW([self.key_type, self.value_type])

    # Element by element

    def map(
        self, func: Callable[[Any], Any] | MapFunction, output_type: TypeInformation | None = None
    ) -> DataStream:
        _require_function(func, MapFunction, "map")
        spec = specs.KeyedMap(kind="map", function=func, key_type=self.key_type, display_name="Map")
        return self._keyed("Map", spec, output_type)

    def flat_map(
        self, func: Callable[[Any], Any] | FlatMapFunction, output_type: TypeInformation | None = None
    ) -> DataStream:
        _require_function(func, FlatMapFunction, "flat_map")
        spec = specs.KeyedMap(kind="flat_map", function=func, key_type=self.key_type, display_name="FlatMap")
        return self._keyed("FlatMap", spec, output_type)

    def filter(self, func: Callable[[Any], Any] | FilterFunction) -> DataStream:
        _require_function(func, FilterFunction, "filter")
        spec = specs.KeyedMap(kind="filter", function=func, key_type=self.key_type, display_name="Filter")
        return self._keyed("Filter", spec, self.value_type)

    def process(  # type: ignore[override]
        self, func: KeyedProcessFunction, output_type: TypeInformation | None = None
    ) -> DataStream:
        """Any number of elements for each, with state, timers and side outputs."""
        if not isinstance(func, KeyedProcessFunction):
            raise TypeError(f"KeyedProcessFunction is required for KeyedStream. It was given {func!r}.")
        spec = specs.Process(
            function=func, is_keyed=True, key_type=self.key_type, display_name="KEYED PROCESS"
        )
        return self._keyed("KEYED PROCESS", spec, output_type)

    # Aggregations

    def reduce(self, func: Callable[[Any, Any], Any] | ReduceFunction) -> DataStream:
        """The elements of a key so far as one; in BATCH once per key."""
        _require_function(func, ReduceFunction, "reduce")
        return self._keyed("Reduce", specs.Reduce(function=func, key_type=self.key_type), self.value_type)

    def sum(self, position_to_sum: int | str = 0) -> DataStream:
        return self.reduce(aggregations.sum_of(position_to_sum))

    def min(self, position_to_min: int | str = 0) -> DataStream:
        return self.reduce(aggregations.min_of(position_to_min))

    def max(self, position_to_max: int | str = 0) -> DataStream:
        return self.reduce(aggregations.max_of(position_to_max))

    def min_by(self, position_to_min_by: int | str = 0) -> DataStream:
        return self.reduce(aggregations.min_by(position_to_min_by))

    def max_by(self, position_to_max_by: int | str = 0) -> DataStream:
        return self.reduce(aggregations.max_by(position_to_max_by))

    # Windows

    def window(self, window_assigner: WindowAssigner) -> WindowedStream:
        """Windows per key."""
        return WindowedStream(self, window_assigner)

    def count_window(self, size: int, slide: int = 0) -> WindowedStream:
        """Windows of ``size`` elements of a key, a new one every ``slide`` elements."""
        if slide == 0:
            return WindowedStream(self, CountTumblingWindowAssigner(size))
        return WindowedStream(self, CountSlidingWindowAssigner(size, slide))

    def interval_join(self, other: "KeyedStream") -> "IntervalJoin":
        """Pairs of one key whose times are close to each other (Flink's Java API; beyond PyFlink)."""
        from flinkpy_dagster.api.joined_streams import IntervalJoin

        return IntervalJoin(self, other)

    # As any other stream

    def key_by(
        self, key_selector: Callable[[Any], Any] | KeySelector, key_type: TypeInformation | None = None
    ) -> "KeyedStream":
        return self._origin_stream.key_by(key_selector, key_type)

    def union(self, *streams: DataStream) -> DataStream:
        return self._values().union(*streams)

    def project(self, *field_indexes: int) -> DataStream:
        return self._values().project(*field_indexes)

    def assign_timestamps_and_watermarks(self, watermark_strategy: Any) -> DataStream:
        return self._values().assign_timestamps_and_watermarks(watermark_strategy)

    def print(self, sink_identifier: str | None = None) -> DataStreamSink:
        """As on any stream, but PyFlink forgets the identifier."""
        return self._values().print()

    def add_sink(self, sink_func: Any) -> DataStreamSink:
        return self._values().add_sink(sink_func)

    def get_side_output(self, output_tag: Any) -> DataStream:
        raise InvalidProgram("A keyed stream has no side outputs: ask the operator before key_by() for them.")

    def _values(self) -> DataStream:
        spec = specs.DropKeys(display_name=KEYED_VALUES_OPERATOR)
        return self._keyed(KEYED_VALUES_OPERATOR, spec, self.value_type)

    def _as_values(self) -> DataStream:
        return self._values()

    def _as_read(self) -> DataStream:
        """Rows of key and element, which is what PyFlink hands to operators and sinks that know nothing of keys.

        The key-by step that makes rows stands for the one that puts keys beside elements, if nothing reads that.
        """
        recording = self._recording
        key_by = self._key_by.operators[-1]  # type: ignore[attr-defined]
        rows = self._origin_stream._process(
            KEY_BY_OPERATOR, specs.KeyBy(selector=first_field), self.get_type()
        )
        rows._transformation.operators = (  # type: ignore[attr-defined]
            specs.Map(function=KeyAndElement(key_by.selector), display_name=KEY_BY_OPERATOR),
            specs.KeyBy(selector=first_field, key_type=self.key_type),
        )
        if not any(self._transformation in each.inputs for each in recording.transformations):
            recording.transformations.remove(self._key_by)
        return DataStream(recording, _hashed(recording, rows, self.key_type))

    def _keyed(self, name: str, spec: object, output_type: TypeInformation | None) -> DataStream:
        if self._key_by not in self._recording.transformations:
            self._recording.add(self._key_by)
        return self._apply(name, spec, OperatorKind.KEYED_PROCESS, output_type)

    # What a keyed stream refuses

    def _no_partitioning(self, *_: Any) -> NoReturn:
        raise InvalidProgram("Cannot override partitioning for KeyedStream.")

    shuffle = rebalance = rescale = forward = global_ = broadcast = partition_custom = _no_partitioning  # type: ignore[assignment]

    def get_name(self) -> str:
        raise InvalidProgram("Get name of KeyedStream is not supported.")

    def name(self, name: str) -> NoReturn:
        raise InvalidProgram("Set name for KeyedStream is not supported.")

    def set_description(self, description: str) -> NoReturn:
        raise InvalidProgram("Set description for KeyedStream is not supported.")

    def uid(self, uid: str) -> NoReturn:
        raise InvalidProgram("Set uid for KeyedStream is not supported.")

    def set_uid_hash(self, uid_hash: str) -> NoReturn:
        raise InvalidProgram("Set uid hash for KeyedStream is not supported.")

    def set_parallelism(self, parallelism: int) -> NoReturn:
        raise InvalidProgram("Set parallelism for KeyedStream is not supported.")

    def set_max_parallelism(self, max_parallelism: int) -> NoReturn:
        raise InvalidProgram("Set max parallelism for KeyedStream is not supported.")

    def force_non_parallel(self) -> NoReturn:
        raise InvalidProgram("Set force non-parallel for KeyedStream is not supported.")

    def set_buffer_timeout(self, timeout_millis: int) -> NoReturn:
        raise InvalidProgram("Set buffer timeout for KeyedStream is not supported.")

    def start_new_chain(self) -> NoReturn:
        raise InvalidProgram("Start new chain for KeyedStream is not supported.")

    def disable_chaining(self) -> NoReturn:
        raise InvalidProgram("Disable chaining for KeyedStream is not supported.")

    def slot_sharing_group(self, slot_sharing_group: Any) -> NoReturn:
        raise InvalidProgram("Setting slot sharing group for KeyedStream is not supported.")

    def cache(self) -> NoReturn:
        raise InvalidProgram("Cache for KeyedStream is not supported.")
