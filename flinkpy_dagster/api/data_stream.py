"""``DataStream``: a stream of elements of one type (``pyflink.datastream.data_stream``)."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, Union

from flinkpy_dagster.api import printing
from flinkpy_dagster.api.execution import collect
from flinkpy_dagster.api.iterating import CloseableIterator
from flinkpy_dagster.api.jdbc import function_sink
from flinkpy_dagster.api.operator_settings import OperatorSettings
from flinkpy_dagster.api.recording import Recording, as_it_is_now, declared_type
from flinkpy_dagster.api.sinks import DataStreamSink, Sink, print_sink, sink_of
from flinkpy_dagster.errors import InvalidProgram, UnsupportedFeature
from flinkpy_dagster.graph.fusing import partition
from flinkpy_dagster.graph.stream_graph import ChainingStrategy, ShipStrategy
from flinkpy_dagster.graph.transformations import (
    KEYED_VALUES_OPERATOR,
    PARTITION_CUSTOM_OPERATOR,
    OperatorKind,
    SideOutputTransformation,
    Transformation,
    UnionTransformation,
)
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.functions.output_tag import OutputTag
from flinkpy_dagster.operators.functions.rich_functions import (
    FilterFunction,
    FlatMapFunction,
    KeySelector,
    MapFunction,
    Partitioner,
    ProcessFunction,
)
from flinkpy_dagster.operators.state.state_descriptors import MapStateDescriptor
from flinkpy_dagster.operators.time.watermarks import WatermarkStrategy
from flinkpy_dagster.types import TupleTypeInfo, TypeInformation, Types

if TYPE_CHECKING:
    from flinkpy_dagster.api.connected_streams import (
        BroadcastConnectedStream,
        BroadcastStream,
        ConnectedStreams,
    )
    from flinkpy_dagster.api.environment import StreamExecutionEnvironment
    from flinkpy_dagster.api.execution_config import ExecutionConfig
    from flinkpy_dagster.api.joined_streams import CoGroupedStreams, JoinedStreams
    from flinkpy_dagster.api.keyed_stream import KeyedStream
    from flinkpy_dagster.api.windowed_stream import AllWindowedStream
    from flinkpy_dagster.operators.windows.windows import WindowAssigner

Self = TypeVar("Self", bound="DataStream")


class DataStream(OperatorSettings):
    """Elements of one type; every transforming method returns a new stream and leaves this one as it is."""

    def __init__(self, recording: Recording, transformation: Transformation) -> None:
        self._recording = recording
        self._transformation = transformation

    # What it is

    def get_name(self) -> str:
        return self._transformation.name

    def get_type(self) -> TypeInformation:
        """The type of the elements; ``Types.PICKLED_BYTE_ARRAY()`` if none was declared."""
        return self._transformation.output_type

    def get_execution_environment(self) -> "StreamExecutionEnvironment":
        from flinkpy_dagster.api.environment import StreamExecutionEnvironment

        return StreamExecutionEnvironment(self._recording)

    def get_execution_config(self) -> "ExecutionConfig":
        return self.get_execution_environment().get_config()

    # How its operator runs

    def force_non_parallel(self: Self) -> Self:
        """Fixes parallelism and max parallelism to 1."""
        self.set_parallelism(1)
        return self.set_max_parallelism(1)

    def set_buffer_timeout(self: Self, timeout_millis: int) -> Self:
        """Recorded only: records travel in batches here."""
        self._operator("buffer timeout").buffer_timeout_ms = timeout_millis
        return self

    def start_new_chain(self: Self) -> Self:
        """Begins a new vertex with this operator; later ones may still chain to it."""
        self._operator("chaining").chaining = ChainingStrategy.HEAD
        return self

    # Element by element

    def map(
        self, func: Callable[[Any], Any] | MapFunction, output_type: TypeInformation | None = None
    ) -> "DataStream":
        """One element for each."""
        _require_function(func, MapFunction, "map")
        return self._process("Map", specs.Map(function=func), output_type)

    def flat_map(
        self, func: Callable[[Any], Any] | FlatMapFunction, output_type: TypeInformation | None = None
    ) -> "DataStream":
        """Any number of elements for each."""
        _require_function(func, FlatMapFunction, "flat_map")
        return self._process("FlatMap", specs.FlatMap(function=func), output_type)

    def filter(self, func: Callable[[Any], Any] | FilterFunction) -> "DataStream":
        """The elements for which ``func`` is true."""
        _require_function(func, FilterFunction, "filter")
        return self._process("Filter", specs.Filter(function=func), self.get_type())

    def process(self, func: ProcessFunction, output_type: TypeInformation | None = None) -> "DataStream":
        """Any number of elements for each, with side outputs and the current time."""
        if not isinstance(func, ProcessFunction):
            lacks = "" if hasattr(func, "process_element") else f" ({_without(func, 'process_element')})"
            raise TypeError(
                f"A ProcessFunction is required for a DataStream that is not keyed, not {func!r}{lacks}."
            )
        return self._process("PROCESS", specs.Process(function=func), output_type)

    def project(self, *field_indexes: int) -> "DataStream":
        """Tuples of the fields at these positions."""
        element_type = self.get_type()
        if not isinstance(element_type, TupleTypeInfo):
            raise InvalidProgram(
                f"Only Tuple DataStreams can be projected. This one has {element_type.describe()}."
            )
        fields = element_type.get_field_types()
        if not field_indexes or not all(0 <= index < len(fields) for index in field_indexes):
            raise InvalidProgram(
                f"project() needs positions from 0 to {len(fields) - 1}, not {field_indexes}."
            )
        spec = specs.Map(function=printing.Projection(field_indexes), display_name="Projection")
        output_type = Types.TUPLE([fields[index] for index in field_indexes])
        return self._apply("Projection", spec, OperatorKind.NATIVE, output_type)

    def assign_timestamps_and_watermarks(self, watermark_strategy: WatermarkStrategy) -> "DataStream":
        """Gives elements their event time and the stream its watermarks."""
        assigner = watermark_strategy.timestamp_assigner
        if assigner is not None and not hasattr(assigner, "extract_timestamp"):
            raise TypeError(
                f"A TimestampAssigner is required, not {assigner!r}: {_without(assigner, 'extract_timestamp')}."
            )
        timed = self
        if assigner is not None:
            timed = self._process(
                "Extract-Timestamp", specs.ExtractTimestamps(assigner=assigner), self.get_type()
            )
        source = timed._transformation
        watermarked = self._recording.operator(
            "Timestamps/Watermarks",
            [source],
            specs.GenerateWatermarks(strategy=watermark_strategy),
            OperatorKind.NATIVE,
            self.get_type(),
            parallelism=source.parallelism,
        )
        stream = DataStream(self._recording, watermarked)
        if assigner is None:
            return stream
        return stream._apply(
            "Remove-Timestamp", specs.RemoveTimestamps(), OperatorKind.NATIVE, self.get_type()
        )

    def get_side_output(self, output_tag: OutputTag) -> "DataStream":
        """What the operator before emitted under the tag."""
        self._check_side_output_type(output_tag)
        source = self._transformation
        side = SideOutputTransformation(
            id=self._recording.ids.next(),
            name="SideOutput",
            output_type=output_tag.type_info,
            parallelism=source.parallelism,
            is_parallelism_configured=source.is_parallelism_configured,
            inputs=[source],
            tag_id=output_tag.tag_id,
        )
        stream = DataStream(self._recording, side)
        return stream._process("Map", specs.Identity(), output_tag.type_info)

    # Several streams

    def union(self, *streams: "DataStream") -> "DataStream":
        """All elements of these streams, which have one type."""
        inputs = [self._transformation, *(stream._as_values()._transformation for stream in streams)]
        for source in inputs[1:]:
            if source.output_type != self.get_type():
                raise InvalidProgram(
                    "Cannot union streams of different types: "
                    f"{self.get_type().describe()} and {source.output_type.describe()}"
                )
        united = UnionTransformation(
            id=self._recording.ids.next(),
            name="Union",
            output_type=self.get_type(),
            parallelism=self._transformation.parallelism,
            is_parallelism_configured=self._transformation.is_parallelism_configured,
            inputs=inputs,
        )
        return DataStream(self._recording, united)

    def connect(
        self, ds: Union["DataStream", "BroadcastStream"]
    ) -> Union["ConnectedStreams", "BroadcastConnectedStream"]:
        """Two streams of different types for one operator with two inputs."""
        from flinkpy_dagster.api.connected_streams import (
            BroadcastConnectedStream,
            BroadcastStream,
            ConnectedStreams,
        )

        if isinstance(ds, BroadcastStream):
            return BroadcastConnectedStream(self, ds, ds.broadcast_state_descriptors)
        return ConnectedStreams(self, ds)

    def join(self, other: "DataStream") -> "JoinedStreams":
        """Pairs of elements with one key in one window (Flink's Java API; beyond PyFlink)."""
        from flinkpy_dagster.api.joined_streams import JoinedStreams

        return JoinedStreams(self, other)

    def co_group(self, other: "DataStream") -> "CoGroupedStreams":
        """Both sides of a key and window together (Flink's Java API; beyond PyFlink)."""
        from flinkpy_dagster.api.joined_streams import CoGroupedStreams

        return CoGroupedStreams(self, other)

    # How the next operator's subtasks get the elements

    def key_by(
        self, key_selector: Callable[[Any], Any] | KeySelector, key_type: TypeInformation | None = None
    ) -> "KeyedStream":
        """All elements of one key to one subtask, and state per key."""
        from flinkpy_dagster.api.keyed_stream import keyed_by

        _require_function(key_selector, KeySelector, "key_by")
        return keyed_by(self, key_selector, key_type)

    def shuffle(self) -> "DataStream":
        """Elements to subtasks at random."""
        return self._partitioned(ShipStrategy.SHUFFLE)

    def rebalance(self) -> "DataStream":
        """Elements to all subtasks in turn."""
        return self._partitioned(ShipStrategy.REBALANCE)

    def rescale(self) -> "DataStream":
        """Elements to the subtasks of one share in turn."""
        return self._partitioned(ShipStrategy.RESCALE)

    def forward(self) -> "DataStream":
        """Elements to the subtask of the same number."""
        return self._partitioned(ShipStrategy.FORWARD)

    def global_(self) -> "DataStream":
        """All elements to the first subtask (Flink's Java API; beyond PyFlink)."""
        return self._partitioned(ShipStrategy.GLOBAL)

    def broadcast(
        self,
        broadcast_state_descriptor: MapStateDescriptor | None = None,
        *other_broadcast_state_descriptors: MapStateDescriptor,
    ) -> Union["DataStream", "BroadcastStream"]:
        """Every element to every subtask; with descriptors: the broadcast side of ``connect``."""
        from flinkpy_dagster.api.connected_streams import BroadcastStream

        stream = self._partitioned(ShipStrategy.BROADCAST)
        if broadcast_state_descriptor is None:
            return stream
        descriptors = [broadcast_state_descriptor, *other_broadcast_state_descriptors]
        for descriptor in descriptors:
            if not isinstance(descriptor, MapStateDescriptor):
                raise TypeError(f"broadcast_state_descriptor must be MapStateDescriptor, not {descriptor!r}.")
        return BroadcastStream(stream, descriptors)

    def partition_custom(
        self,
        partitioner: Callable[[Any, int], int] | Partitioner,
        key_selector: Callable[[Any], Any] | KeySelector,
    ) -> "DataStream":
        """Elements to the subtask that ``partitioner(key, number of subtasks)`` names."""
        _require_function(partitioner, Partitioner, "partition_custom")
        _require_function(key_selector, KeySelector, "partition_custom")
        helper = specs.Identity(display_name=PARTITION_CUSTOM_OPERATOR)
        keyed = self._process(PARTITION_CUSTOM_OPERATOR, helper, self.get_type())
        payload = as_it_is_now(specs.CustomPartition(partitioner=partitioner, key_selector=key_selector))
        spread = keyed._partitioned(ShipStrategy.CUSTOM, payload)
        values = specs.Identity(display_name=KEYED_VALUES_OPERATOR)
        return spread._process(KEYED_VALUES_OPERATOR, values, self.get_type())

    def window_all(self, window_assigner: "WindowAssigner") -> "AllWindowedStream":
        """Windows over all elements, made by one subtask."""
        from flinkpy_dagster.api.windowed_stream import AllWindowedStream

        return AllWindowedStream(self, window_assigner)

    # Out

    def print(self, sink_identifier: str | None = None) -> DataStreamSink:
        """Every element as a line on the standard output of the client, after ``sink_identifier> ``."""
        return print_sink(self._printable(), sink_identifier)

    def sink_to(self, sink: Sink) -> DataStreamSink:
        """Every element to a sink."""
        return sink_of(self._as_read(), sink)

    def add_sink(self, sink_func: Any) -> DataStreamSink:
        """Every element to a sink function; there is JdbcSink. Raises UnsupportedFeature for any other."""
        return function_sink(self._as_read(), sink_func)

    def execute_and_collect(
        self, job_execution_name: str | None = None, limit: int | None = None
    ) -> CloseableIterator | list[Any]:
        """Runs the job and hands the elements to the client: an iterator, or a list of at most ``limit`` elements."""
        if limit is not None and limit <= 0:
            raise InvalidProgram(f"Limit must be greater than 0, not {limit}.")
        elements = collect(self._recording, self._as_read()._transformation, job_execution_name)
        if limit is None:
            return elements
        with elements:
            return [element for _, element in zip(range(limit), elements)]

    def cache(self) -> Any:
        """Refused."""
        raise UnsupportedFeature(
            "DataStream.cache",
            "a stream read by several operators of one job is computed once; between jobs, use sink_to(ParquetSink).",
        )

    # Parts

    def _apply(
        self, name: str, spec: object, kind: OperatorKind, output_type: TypeInformation | None
    ) -> "DataStream":
        operator = self._recording.operator(
            name, [self._transformation], spec, kind, declared_type(output_type)
        )
        return DataStream(self._recording, operator)

    def _process(self, name: str, spec: object, output_type: TypeInformation | None) -> "DataStream":
        # not self._apply: on a keyed stream these helpers are still operators without keyed state
        return DataStream._apply(self, name, spec, OperatorKind.PROCESS, output_type)

    def _partitioned(self, strategy: ShipStrategy, payload: object | None = None) -> "DataStream":
        transformation = partition(self._transformation, strategy, self._recording.ids)
        transformation.partitioner = payload
        return DataStream(self._recording, transformation)

    def _as_values(self) -> "DataStream":
        """This stream; a keyed one without its keys."""
        return self

    def _as_read(self) -> "DataStream":
        """This stream as operators and sinks read it that know nothing of keys."""
        return self

    def _printable(self) -> "DataStream":
        """This stream, with texts for what Flink could not print itself."""
        function = printing.text_function_for(self.get_type())
        return self if function is None else self.map(function, Types.STRING())

    def _check_side_output_type(self, output_tag: OutputTag) -> None:
        for transformation in self._recording.transformations:
            for source in transformation.inputs:
                is_same = isinstance(source, SideOutputTransformation) and source.tag_id == output_tag.tag_id
                if (
                    is_same
                    and self._transformation in source.inputs
                    and source.output_type != output_tag.type_info
                ):
                    raise InvalidProgram(
                        "A side output with a matching id was already requested with a different type. This is not "
                        f"allowed, side output ids need to be unique. '{output_tag.tag_id}' is "
                        f"{source.output_type.describe()} and {output_tag.type_info.describe()}."
                    )


def _require_function(func: Any, base: type, method: str) -> None:
    if not isinstance(func, base) and not callable(func):
        what = _PARAMETERS.get(base, f"The input must be a {base.__name__} or a callable function")
        raise TypeError(f"{what}. {method}() was given {func!r}.")


def _without(value: Any, attribute: str) -> str:
    return f"'{type(value).__name__}' object has no attribute '{attribute}'"


_PARAMETERS: dict[type, str] = {
    KeySelector: "Parameter key_selector should be type of KeySelector or a callable function",
    Partitioner: "Parameter partitioner should be type of Partitioner or a callable function",
}
