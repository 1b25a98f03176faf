"""Sources and sinks on files (``pyflink.datastream.connectors.file_system``)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from flinkpy_dagster.api.file_parts import (
    BucketAssigner,
    FileCompactor,
    FileCompactStrategy,
    OnCheckpointRollingPolicy,
    OutputFileConfig,
    RollingPolicy,
)
from flinkpy_dagster.api.serialization import BulkWriterFactory, Encoder, checked_charset
from flinkpy_dagster.api.sinks import Sink
from flinkpy_dagster.api.sources import Source
from flinkpy_dagster.api.times import Duration, timedelta_of
from flinkpy_dagster.errors import InvalidProgram, UnsupportedFeature
from flinkpy_dagster.operators import specs
from flinkpy_dagster.types import TypeInformation, Types


class StreamFormat:
    """How the records of a file are read, one after the other."""

    @staticmethod
    def text_line_format(charset_name: str = "UTF-8") -> "StreamFormat":
        """Lines as texts."""
        return TextLineFormat(charset_name)

    def payload(self, paths: tuple[str, ...], type_info: TypeInformation | None) -> object:
        """The payload of a source that reads the files."""
        raise InvalidProgram(f"{type(self).__name__} cannot read files.")

    def produced_type(self) -> TypeInformation:
        """The type of the records."""
        return Types.PICKLED_BYTE_ARRAY()


class TextLineFormat(StreamFormat):
    """Lines as texts."""

    def __init__(self, charset_name: str = "UTF-8") -> None:
        self._charset_name = checked_charset(charset_name)

    def payload(self, paths: tuple[str, ...], type_info: TypeInformation | None) -> object:
        return specs.TextFiles(paths=paths, encoding=self._charset_name)

    def produced_type(self) -> TypeInformation:
        return Types.STRING()


class BulkFormat(StreamFormat):
    """How the records of a file are read, many at a time."""


class FileEnumeratorProvider:
    """How files are found; without effect: Spark does it."""

    @staticmethod
    def default_splittable_file_enumerator() -> "FileEnumeratorProvider":
        return FileEnumeratorProvider()

    @staticmethod
    def default_non_splittable_file_enumerator() -> "FileEnumeratorProvider":
        return FileEnumeratorProvider()


class FileSplitAssignerProvider:
    """Who reads which part; without effect: Spark does it."""

    @staticmethod
    def locality_aware_split_assigner() -> "FileSplitAssignerProvider":
        return FileSplitAssignerProvider()


class FileSource(Source):
    """Reads all files at some paths; folders are read with all that is below them."""

    def __init__(self, format: StreamFormat, paths: Sequence[str], is_bounded: bool = True) -> None:
        self._format, self._paths = format, tuple(paths)
        self.is_bounded = is_bounded

    @staticmethod
    def for_record_stream_format(stream_format: StreamFormat, *paths: str) -> "FileSourceBuilder":
        """Raises TypeError for what is no StreamFormat."""
        if not isinstance(stream_format, StreamFormat) or isinstance(stream_format, BulkFormat):
            raise TypeError(f"for_record_stream_format() needs a StreamFormat, not {stream_format!r}.")
        return FileSourceBuilder(stream_format, paths)

    @staticmethod
    def for_bulk_file_format(bulk_format: BulkFormat, *paths: str) -> "FileSourceBuilder":
        """Refused: PyFlink's bulk formats (Parquet, ORC, Avro) wrap Java classes."""
        raise UnsupportedFeature(
            "FileSource.for_bulk_file_format",
            "read Parquet with env.from_parquet(path), other formats with env.from_dataframe(lambda spark: ...), "
            "lines and CSV with FileSource.for_record_stream_format().",
        )

    def payload(self, type_info: TypeInformation | None) -> object:
        payload: Any = self._format.payload(self._paths, type_info)
        return replace(payload, is_bounded=self.is_bounded)

    def produced_type(self) -> TypeInformation:
        return self._format.produced_type()


class FileSourceBuilder:
    """Collects the parts of a FileSource."""

    def __init__(self, format: StreamFormat, paths: Sequence[str]) -> None:
        if not paths:
            raise InvalidProgram("A FileSource needs at least one path.")
        self._format, self._paths = format, tuple(paths)
        self._is_bounded = True

    def monitor_continuously(self, discovery_interval: Duration) -> "FileSourceBuilder":
        """The source never ends: files that appear later are read, too; each must appear complete (be moved there).

        The interval has no effect: every epoch looks for files, see execution.trigger-interval.
        """
        timedelta_of(discovery_interval)  # raises TypeError
        self._is_bounded = False
        return self

    def process_static_file_set(self) -> "FileSourceBuilder":
        self._is_bounded = True
        return self

    def set_file_enumerator(self, file_enumerator: FileEnumeratorProvider) -> "FileSourceBuilder":
        return self

    def set_split_assigner(self, split_assigner: FileSplitAssignerProvider) -> "FileSourceBuilder":
        return self

    def build(self) -> FileSource:
        return FileSource(self._format, self._paths, self._is_bounded)


class FileSink(Sink):
    """Writes elements to files in buckets; they appear when the job has finished."""

    def __init__(
        self,
        base_path: str,
        encoder: Encoder,
        bucket_assigner: BucketAssigner,
        rolling_policy: RollingPolicy,
        output_file_config: OutputFileConfig,
    ) -> None:
        self._base_path = base_path
        self._encoder = encoder
        self._bucket_assigner = bucket_assigner
        self._rolling_policy = rolling_policy
        self._output_file_config = output_file_config

    def writer(self, value_type: TypeInformation) -> object:
        return specs.RowFileSink(
            base_path=self._base_path,
            encoder=self._encoder,
            bucket_assigner=self._bucket_assigner,
            rolling_policy=self._rolling_policy,
            part_prefix=self._output_file_config.get_part_prefix(),
            part_suffix=self._output_file_config.get_part_suffix(),
            value_type=value_type,
        )

    def committer(self) -> object:
        return specs.CommitFiles()

    class BaseBuilder:
        """Collects the parts of a FileSink."""

        def __init__(self, base_path: str, encoder: Encoder) -> None:
            self._base_path, self._encoder = base_path, encoder
            self._bucket_assigner: BucketAssigner = BucketAssigner.date_time_bucket_assigner()
            self._rolling_policy: RollingPolicy = RollingPolicy.default_rolling_policy()
            self._output_file_config = OutputFileConfig.builder().build()

        def with_bucket_check_interval(self, interval: int) -> "FileSink.BaseBuilder":
            return self

        def with_bucket_assigner(self, bucket_assigner: BucketAssigner) -> "FileSink.BaseBuilder":
            self._bucket_assigner = bucket_assigner
            return self

        def with_output_file_config(self, output_file_config: OutputFileConfig) -> "FileSink.BaseBuilder":
            self._output_file_config = output_file_config
            return self

        def with_rolling_policy(self, rolling_policy: RollingPolicy) -> "FileSink.BaseBuilder":
            self._rolling_policy = rolling_policy
            return self

        def enable_compact(self, strategy: FileCompactStrategy, compactor: FileCompactor) -> Any:
            """Refused."""
            raise UnsupportedFeature(
                "FileSink compaction",
                "use a rolling policy with larger parts or set_parallelism() on the sink.",
            )

        def disable_compact(self) -> "FileSink.BaseBuilder":
            return self

        def build(self) -> "FileSink":
            return FileSink(
                self._base_path,
                self._encoder,
                self._bucket_assigner,
                self._rolling_policy,
                self._output_file_config,
            )

    class RowFormatBuilder(BaseBuilder):
        """One element after the other."""

    class BulkFormatBuilder(BaseBuilder):
        """Formats that write batches; a file ends with a checkpoint."""

        def with_rolling_policy(self, rolling_policy: RollingPolicy) -> "FileSink.BaseBuilder":
            if not isinstance(rolling_policy, OnCheckpointRollingPolicy):
                raise ValueError("rolling_policy must be OnCheckpointRollingPolicy for bulk format")
            return super().with_rolling_policy(rolling_policy)

    @staticmethod
    def for_row_format(base_path: str, encoder: Encoder) -> "FileSink.RowFormatBuilder":
        return FileSink.RowFormatBuilder(base_path, encoder)

    @staticmethod
    def for_bulk_format(base_path: str, writer_factory: BulkWriterFactory) -> "FileSink.BulkFormatBuilder":
        if not isinstance(writer_factory, BulkWriterFactory):
            raise TypeError(f"for_bulk_format() needs a BulkWriterFactory, not {writer_factory!r}.")
        return FileSink.BulkFormatBuilder(base_path, writer_factory.encoder())


class StreamingFileSink:
    """Refused: deprecated by Flink itself."""

    @staticmethod
    def for_row_format(base_path: str, encoder: Encoder) -> Any:
        raise UnsupportedFeature("StreamingFileSink", "use FileSink.for_row_format() and sink_to().")

    @staticmethod
    def for_bulk_format(base_path: str, writer_factory: BulkWriterFactory) -> Any:
        raise UnsupportedFeature("StreamingFileSink", "use FileSink.for_bulk_format() and sink_to().")
