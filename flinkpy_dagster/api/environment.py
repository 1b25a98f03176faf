"""``StreamExecutionEnvironment``: where a program begins and its job is started (``pyflink.datastream``)."""

from collections.abc import Callable, Iterable
from typing import Any

from flinkpy_dagster.api import sources
from flinkpy_dagster.api.checkpoint_config import CheckpointConfig
from flinkpy_dagster.api.data_stream import DataStream
from flinkpy_dagster.api.defaults import starting_configuration
from flinkpy_dagster.api.environment_settings import EnvironmentSettings
from flinkpy_dagster.api.execution import submit
from flinkpy_dagster.api.job_client import JobClient, JobExecutionResult
from flinkpy_dagster.api.partition import Partition, partition_of
from flinkpy_dagster.api.recording import Recording
from flinkpy_dagster.api.stream_sources import SocketTextSource
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import UnsupportedFeature
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.graph.json_plan import execution_plan_text
from flinkpy_dagster.graph.stream_graph import StreamGraph
from flinkpy_dagster.graph.transformations import SourceTransformation
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.time.watermarks import WatermarkStrategy
from flinkpy_dagster.types import TypeInformation, Types
from flinkpy_dagster.types.codec import codec_of

COLLECTION_SOURCE = "Collection Source"


class StreamExecutionEnvironment(EnvironmentSettings):
    """Records a program. Made by ``get_execution_environment()``; environments share nothing with each other."""

    def __init__(self, recording: Recording | None = None) -> None:
        self._recording = recording or Recording()

    @staticmethod
    def get_execution_environment(configuration: Configuration | None = None) -> "StreamExecutionEnvironment":
        """A new environment: with what the command line says, and with this configuration, which wins."""
        start = starting_configuration()
        if configuration is not None:
            start.add_all(configuration)
        return StreamExecutionEnvironment(Recording(start))

    def get_checkpoint_config(self) -> CheckpointConfig:
        return CheckpointConfig(self._recording)

    # Sources

    def from_collection(
        self, collection: Iterable[Any], type_info: TypeInformation | None = None
    ) -> DataStream:
        """The elements of a Python collection. Raises TypeMismatch for one that does not fit ``type_info``."""
        values = list(collection)
        if type_info is not None:
            values = codec_of(type_info).coerce_collection(values)
        source = SourceTransformation(
            id=self._recording.ids.next(),
            name=COLLECTION_SOURCE,
            output_type=type_info or Types.PICKLED_BYTE_ARRAY(),
            parallelism=1,
            is_parallelism_configured=True,
            max_parallelism=1,
            operators=(specs.CollectionSource(values=values),),
            is_legacy=True,
        )
        return DataStream(self._recording, source)

    def from_source(
        self,
        source: sources.Source,
        watermark_strategy: WatermarkStrategy,
        source_name: str,
        type_info: TypeInformation | None = None,
    ) -> DataStream:
        """The elements of a source. Its timestamps and watermarks are made by the source's own operator."""
        if not isinstance(source, sources.Source):
            raise TypeError(f"from_source() needs a Source, not {source!r}.")
        transformation = SourceTransformation(
            id=self._recording.ids.next(),
            name=source_name,
            output_type=type_info or source.produced_type(),
            parallelism=self._recording.parallelism,
            operators=(*source.payloads(type_info), *_event_time(watermark_strategy)),
            is_bounded=source.is_bounded,
        )
        return DataStream(self._recording, transformation)

    def from_sequence(self, start: int, end: int) -> DataStream:
        """Whole numbers, both ends included (Flink's Java API; beyond PyFlink)."""
        source = sources.NumberSequenceSource(start, end)
        return self.from_source(source, WatermarkStrategy.no_watermarks(), "Sequence Source")

    def read_text_file(self, file_path: str, charset_name: str = "UTF-8") -> DataStream:
        """Lines of a text file, or of all files in a folder (beyond PyFlink 2)."""
        from flinkpy_dagster.api.file_system import FileSource, StreamFormat

        source = FileSource.for_record_stream_format(
            StreamFormat.text_line_format(charset_name), file_path
        ).build()
        return self.from_source(source, WatermarkStrategy.no_watermarks(), "Text File Source")

    def from_dataframe(
        self,
        load: Callable[[Any], Any],
        row_type: TypeInformation | None = None,
        source_name: str = "DataFrame Source",
    ) -> DataStream:
        """Rows of the Spark DataFrame that ``load(spark)`` returns (beyond PyFlink)."""
        return self._from_own_source(sources.DataFrameSource(load, row_type), source_name)

    def from_spark_stream(
        self,
        load: Callable[[Any], Any],
        row_type: TypeInformation | None = None,
        source_name: str = "Spark Stream Source",
    ) -> DataStream:
        """Rows of the streaming DataFrame that ``load(spark)`` returns (``spark.readStream``), as it grows.

        Beyond PyFlink. Every source of Spark's that can be replayed is read exactly once.
        """
        return self._from_own_source(sources.DataFrameSource(load, row_type, is_bounded=False), source_name)

    def from_parquet(
        self,
        *paths: str,
        row_type: TypeInformation | None = None,
        source_name: str = "Parquet Source",
        monitor_continuously: bool = False,
    ) -> DataStream:
        """Rows of Parquet files; with ``monitor_continuously`` also of those that appear later (beyond PyFlink)."""
        source = sources.RecordFileSource(
            "parquet", *paths, row_type=row_type, is_bounded=not monitor_continuously
        )
        return self._from_own_source(source, source_name)

    def from_csv(
        self,
        *paths: str,
        row_type: TypeInformation,
        source_name: str = "CSV Source",
        monitor_continuously: bool = False,
        **options: Any,
    ) -> DataStream:
        """Rows of CSV files; ``options`` are those of Spark's reader, e.g. ``header=True`` (beyond PyFlink).

        With ``monitor_continuously`` also of files that appear later.
        """
        source = sources.RecordFileSource(
            "csv", *paths, row_type=row_type, options=options, is_bounded=not monitor_continuously
        )
        return self._from_own_source(source, source_name)

    def from_json(
        self,
        *paths: str,
        row_type: TypeInformation,
        source_name: str = "JSON Source",
        monitor_continuously: bool = False,
        **options: Any,
    ) -> DataStream:
        """Rows of JSON-lines files; ``options`` are those of Spark's reader (beyond PyFlink).

        With ``monitor_continuously`` also of files that appear later.
        """
        source = sources.RecordFileSource(
            "json", *paths, row_type=row_type, options=options, is_bounded=not monitor_continuously
        )
        return self._from_own_source(source, source_name)

    def from_asset(
        self,
        asset_key: str,
        row_type: TypeInformation | None = None,
        source_name: str | None = None,
        monitor_continuously: bool = False,
    ) -> DataStream:
        """Rows of an asset of Dagster, ``"a/b"``: another program's sink, or any other (beyond PyFlink).

        Where they lie is found when the job starts: see flinkpy.assets. With ``monitor_continuously`` also of files
        that appear later. A run for a partition reads that partition of a partitioned asset.
        """
        source = sources.AssetSource(asset_key, row_type, is_bounded=not monitor_continuously)
        return self._from_own_source(source, source_name or asset_key.replace("/", " "))

    def get_partition(self) -> Partition | None:
        """The partition that the run is for; None if the program is not partitioned, and while it is only loaded."""
        return partition_of(self._recording.configuration)

    def socket_text_stream(
        self, hostname: str, port: int, delimiter: str = "\n", max_retry: int = 0
    ) -> DataStream:
        """The lines that a server sends (Flink's Java API; beyond PyFlink). They cannot be read twice.

        ``max_retry``: connections tried again after the server has gone, -1 for ever; then the job ends.
        """
        source = SocketTextSource(hostname, port, delimiter, max_retry)
        return self._from_own_source(source, "Socket Stream")

    def add_source(
        self, source_func: Any, source_name: str = "Custom Source", type_info: TypeInformation | None = None
    ) -> DataStream:
        """Refused: source functions wrap Java classes."""
        raise UnsupportedFeature(
            "StreamExecutionEnvironment.add_source",
            "use from_source(), from_collection() or from_dataframe().",
        )

    def create_input(self, input_format: Any, type_info: TypeInformation | None = None) -> DataStream:
        """Refused: input formats wrap Java classes."""
        raise UnsupportedFeature(
            "StreamExecutionEnvironment.create_input",
            "use from_source(), from_csv(), from_json() or from_parquet().",
        )

    def _from_own_source(self, source: sources.Source, name: str) -> DataStream:
        return self.from_source(source, WatermarkStrategy.no_watermarks(), name)

    # Graphs and execution

    def get_execution_plan(self) -> str:
        """The plan of what was recorded so far, as Flink's JSON."""
        return execution_plan_text(self.stream_graph())

    def stream_graph(self, job_name: str | None = None) -> StreamGraph:
        """The StreamGraph of what was recorded so far. Raises ProgramError."""
        return self._recording.stream_graph(job_name)

    def job_graph(self, job_name: str | None = None) -> JobGraph:
        """The JobGraph of what was recorded so far. Raises ProgramError."""
        return self._recording.job_graph(job_name)

    def execute(self, job_name: str | None = None) -> JobExecutionResult:
        """Runs the job and waits for its end. Raises the job's error."""
        result: JobExecutionResult = submit(self._recording, job_name).get_job_execution_result().result()
        return result

    def execute_async(self, job_name: str | None = "Flink Streaming Job") -> JobClient:
        """Starts the job."""
        return submit(self._recording, job_name)

    def close(self) -> None:
        """Nothing: jobs end by themselves."""


def _event_time(strategy: WatermarkStrategy) -> tuple[object, ...]:
    """The payloads that make timestamps and watermarks within a source's operator."""
    payloads: tuple[object, ...] = ()
    if strategy.timestamp_assigner is not None:
        payloads += (specs.ExtractTimestamps(assigner=strategy.timestamp_assigner),)
    if strategy.new_generator() is not None:
        payloads += (specs.GenerateWatermarks(strategy=strategy),)
    return payloads
