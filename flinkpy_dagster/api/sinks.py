"""Where streams end: ``DataStreamSink`` and the sinks of our own."""

from collections.abc import Callable
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

    def committer(self) -> object | None:
        """The payload of the operator that commits, None if there is none."""
        return None


class ParquetSink(Sink):
    """Writes rows as one Parquet data set (beyond PyFlink).

    The folder at ``path`` appears complete when the job has finished. ``mode``: "overwrite", "append" or "error".
    ``asset_key`` names the asset in Dagster.
    """

    def __init__(self, path: str, mode: str = "overwrite", asset_key: str | None = None) -> None:
        if mode not in ("overwrite", "append", "error"):
            raise InvalidProgram(f"The mode of a ParquetSink is overwrite, append or error, not {mode!r}.")
        self._path, self._mode, self._asset_key = path, mode, asset_key

    def writer(self, value_type: TypeInformation) -> object:
        asset_key = tuple(self._asset_key.split("/")) if self._asset_key else None
        return specs.TableSink(path=self._path, mode=self._mode, row_type=value_type, asset_key=asset_key)


class TableSink(Sink):
    """Hands the rows as a Spark DataFrame to ``write(dataframe)``: any Spark table or writer (beyond PyFlink)."""

    def __init__(self, write: Callable[[Any], None], asset_key: str | None = None) -> None:
        if not callable(write):
            raise InvalidProgram(f"A TableSink needs a function of a DataFrame, not {write!r}.")
        self._write, self._asset_key = write, asset_key

    def writer(self, value_type: TypeInformation) -> object:
        asset_key = tuple(self._asset_key.split("/")) if self._asset_key else None
        return specs.TableSink(write=self._write, row_type=value_type, asset_key=asset_key)


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
            operators=(sink.writer(source.output_type),),
            committer=sink.committer(),
        ),
    )
