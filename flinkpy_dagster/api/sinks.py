"""Where streams end: ``DataStreamSink`` and the sinks of our own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flinkpy_dagster.api.operator_settings import OperatorSettings
from flinkpy_dagster.api.recording import Recording
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.transformations import (
    LegacySinkTransformation,
    PhysicalTransformation,
    SinkTransformation,
)
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.task.foreach_sink import ForeachElement
from flinkpy_dagster.types import TypeInformation

if TYPE_CHECKING:
    from flinkpy_dagster.api.data_stream import DataStream

PRINT_SINK = "Print to Std. Out"


class Sink:
    """Takes the elements of a stream out of the job (``pyflink.datastream.connectors.base.Sink``)."""

    def writer(self, value_type: TypeInformation) -> object:
        """The payload of the operator that writes elements of this type."""
        raise InvalidProgram(f"{type(self).__name__} is not a sink that sink_to() can write to.")

    def payloads(self, value_type: TypeInformation) -> tuple[object, ...]:
        """The payload of ``writer``, after those of what the sink does with elements first."""
        return (self.writer(value_type),)

    def committer(self) -> object | None:
        """The payload of the operator that commits, None if there is none."""
        return None


class ParquetSink(Sink):
    """Writes rows as one Parquet data set (beyond PyFlink).

    The folder at ``path`` appears complete when the job has finished. ``mode``: "overwrite", "append" or "error".
    ``asset_key`` names the asset in Dagster. ``partition_by``: a field; there is a folder for every value of it then. A
    run for partitions (``env.get_partition()``) writes, and replaces, the folders of these only; bounded jobs only.
    ``column_lineage``: for the catalog, where a column is from: ``{"total": ["orders.price", "orders.amount"]}``, the
    origins being columns of sources, by the sources' names.
    """

    def __init__(
        self,
        path: str,
        mode: str = "overwrite",
        asset_key: str | None = None,
        partition_by: str | None = None,
        column_lineage: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        if mode not in ("overwrite", "append", "error"):
            raise InvalidProgram(f"The mode of a ParquetSink is overwrite, append or error, not {mode!r}.")
        if partition_by is not None and mode == "error":
            raise InvalidProgram(
                "A ParquetSink with partition_by has the mode overwrite or append: others add to it."
            )
        self._path, self._mode, self._asset_key, self._partition_by = path, mode, asset_key, partition_by
        self._column_lineage = lineage_pairs(column_lineage)

    def writer(self, value_type: TypeInformation) -> object:
        fields: list[str] = getattr(value_type, "get_field_names", list)()
        if self._partition_by is not None and self._partition_by not in fields:
            raise InvalidProgram(
                f"A ParquetSink cannot be partitioned by '{self._partition_by}': the fields of its rows are {fields}."
            )
        return specs.TableSink(
            path=self._path,
            mode=self._mode,
            row_type=value_type,
            asset_key=tuple(self._asset_key.split("/")) if self._asset_key else None,
            partition_by=self._partition_by,
            column_lineage=self._column_lineage,
        )


class TableSink(Sink):
    """Hands the rows as a Spark DataFrame to ``write(dataframe)``: any Spark table or writer (beyond PyFlink).

    ``asset_key`` and ``column_lineage`` as for ``ParquetSink``.
    """

    def __init__(
        self,
        write: Callable[[Any], None],
        asset_key: str | None = None,
        column_lineage: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        if not callable(write):
            raise InvalidProgram(f"A TableSink needs a function of a DataFrame, not {write!r}.")
        self._write, self._asset_key = write, asset_key
        self._column_lineage = lineage_pairs(column_lineage)

    def writer(self, value_type: TypeInformation) -> object:
        asset_key = tuple(self._asset_key.split("/")) if self._asset_key else None
        return specs.TableSink(
            write=self._write, row_type=value_type, asset_key=asset_key, column_lineage=self._column_lineage
        )


def lineage_pairs(declared: Mapping[str, Sequence[str]] | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """``column_lineage`` as a frozen value. Raises InvalidProgram for an origin without a source."""
    for column, origins in (declared or {}).items():
        for origin in (origins,) if isinstance(origins, str) else origins:
            if isinstance(origins, str) or not all(origin.rpartition(".")[::2]):
                raise InvalidProgram(
                    f"The lineage of column '{column}' is a list of texts such as 'orders.price', not {origins!r}."
                )
    return tuple((column, tuple(origins)) for column, origins in (declared or {}).items())


class ForeachSink(Sink):
    """Hands every element to ``writer`` in the workers (beyond PyFlink).

    ``writer`` is a function of the element, or of a key and the element if there is a ``key``; or an object that has
    such a method ``write``, and perhaps ``open(runtime_context)`` and ``close()``. Elements of an epoch that is
    processed again after a failure come again: ``key(element)`` is what tells the writer that it has had it before, so
    a write that replaces what is there under the key takes effect once.
    """

    def __init__(self, writer: Any, key: Callable[[Any], Any] | None = None) -> None:
        if not callable(getattr(writer, "write", writer)):
            raise InvalidProgram(f"A ForeachSink needs a function or an object with write(), not {writer!r}.")
        self._writer, self._key = writer, key

    def writer(self, value_type: TypeInformation) -> object:
        return ForeachElement(writer=self._writer, key=self._key)


class DataStreamSink(OperatorSettings):
    """The end of a stream; ``name()``, ``uid()`` and their kin are about the sink."""

    def __init__(self, recording: Recording, transformation: PhysicalTransformation) -> None:
        self._recording = recording
        self._transformation = transformation
        recording.add(transformation)


def print_sink(stream: "DataStream", sink_identifier: str | None) -> DataStreamSink:
    """The sink of ``print()``."""
    recording, source = stream._recording, stream._transformation
    payload = specs.PrintSink(prefix=sink_identifier, value_type=source.output_type)
    return DataStreamSink(
        recording,
        LegacySinkTransformation(
            id=recording.ids.next(),
            name=PRINT_SINK,
            output_type=source.output_type,
            parallelism=recording.parallelism,
            inputs=[source],
            operators=(payload,),
        ),
    )


def sink_of(stream: "DataStream", sink: Sink) -> DataStreamSink:
    """The sink of ``sink_to()``."""
    if not isinstance(sink, Sink):
        raise TypeError(f"sink_to() needs a Sink, not {sink!r}.")
    recording, source = stream._recording, stream._transformation
    return DataStreamSink(
        recording,
        SinkTransformation(
            id=recording.ids.next(),
            name="Sink",
            output_type=source.output_type,
            parallelism=recording.parallelism,
            inputs=[source],
            operators=tuple(_of_partition(each, recording) for each in sink.payloads(source.output_type)),
            committer=sink.committer(),
        ),
    )


def _of_partition(payload: object, recording: Recording) -> object:
    """A table with a folder per partition knows which ones the run is for."""
    if not isinstance(payload, specs.TableSink) or payload.partition_by is None:
        return payload
    return replace(payload, partitions=tuple(recording.configuration.get("flinkpy.partition.keys") or ()))
