"""What the code cannot say by itself about PyFlink's names: reasons, and arguments to try settings with."""

from typing import Any

from flinkpy_dagster.api import (
    CheckpointingMode,
    Duration,
    ExternalizedCheckpointRetention,
    MemorySize,
    RuntimeExecutionMode,
    SlotSharingGroup,
)

_INTERNAL = "an internal of PyFlink."
_ARRAYS = "there are no array columns; read the column as a text and split it in a map."

ABSENT_METHODS = {
    "TypeInformation.from_internal_type": _INTERNAL,
    "TypeInformation.need_conversion": _INTERNAL,
    "TypeInformation.to_internal_type": _INTERNAL,
    "FileSink.get_transformer": _INTERNAL,
    "KafkaSink.get_transformer": _INTERNAL,
    "CsvSchemaBuilder.disable_array_element_separator": _ARRAYS,
    "CsvSchemaBuilder.remove_array_element_separator": _ARRAYS,
    "CsvSchemaBuilder.set_array_element_separator": _ARRAYS,
    "ContinuousEventTimeTrigger.register_next_fire_timestamp": _INTERNAL,
    "ContinuousProcessingTimeTrigger.register_next_fire_timestamp": _INTERNAL,
}
"""Methods that classes here do not have."""

UNUSABLE = {
    "BulkFormat": "No format is one; read with FileSource.for_record_stream_format(), env.from_parquet() and its kin.",
}
"""Names that are there, but of no use to a program."""

DEFAULTS_ANYWAY = {
    "FileSourceBuilder.process_static_file_set",
    "FileSink.BaseBuilder.disable_compact",
    "FileSink.RowFormatBuilder.disable_compact",
    "FileSink.BulkFormatBuilder.disable_compact",
}
"""Methods that do nothing because things are already as they ask."""

_NO_CHECKPOINTS = "Epochs of unbounded jobs have no such thing; bounded jobs have no checkpoints."
_NOT_SHIPPED = (
    "Nothing is shipped: the program's own modules travel inside its functions, other packages must be "
    "installed where the workers run."
)

SETTINGS = {
    "execution.checkpointing.": _NO_CHECKPOINTS,
    "state.changelog.": _NO_CHECKPOINTS,
    "python.": _NOT_SHIPPED,
    "pipeline.auto-generate-uids": "Operators without a uid get an id from the shape of the graph.",
    "pipeline.closure-cleaner-level": "Python functions have no closures to clean.",
    "pipeline.": "It is about serializers of Java objects.",
    "metrics.latency.": "There are no latency markers.",
    "task.cancellation.": "Canceling asks Spark; the executor's cancel_grace_seconds says how long steps may take.",
}
"""Families of keys that nobody reads yet, the narrower before the wider ones."""

_NOBODY = "A value that nothing takes; PyFlink 2 has no method that takes it either."
_COMPACTION = "File sinks do not merge files, so nothing takes it."
_SPARK_READS = "Spark finds the files and splits them."

_WINDOWS_AS_THEY_ARE = ("get_window_serializer", "Windows are kept as objects; nobody asks for a serializer.")

IDLE: dict[str, tuple[str, str]] = {
    "*.get_window_serializer": _WINDOWS_AS_THEY_ARE,
    "TypeSerializer": _WINDOWS_AS_THEY_ARE,
    "TimeWindowSerializer": _WINDOWS_AS_THEY_ARE,
    "CountWindowSerializer": _WINDOWS_AS_THEY_ARE,
    "GlobalWindowSerializer": _WINDOWS_AS_THEY_ARE,
    "StateBackend": ("StateBackend", _NOBODY + " State is always in memory."),
    "CheckpointStorage": (
        "CheckpointStorage",
        _NOBODY + " Where checkpoints go is execution.checkpointing.dir.",
    ),
    "RestartStrategyConfiguration": (
        "RestartStrategyConfiguration",
        _NOBODY + " Restarts are set with the keys restart-strategy.*.",
    ),
    "DataStream.set_buffer_timeout": ("buffer_timeout_ms", "Records travel in batches, not in buffers."),
    "StreamExecutionEnvironment.add_jars": (
        "user_jars",
        "Jars of Flink's connectors are passed over, their work is done without; any other is refused: give jars of "
        "Spark data sources by the key spark.jars.",
    ),
    "StreamExecutionEnvironment.close": ("close_environment", "Jobs end by themselves."),
    "WatermarkStrategy.with_watermark_alignment": (
        "watermark_group",
        "Inputs are read batch by batch, none can run ahead without bound.",
    ),
    "HashMapStateBackend": ("HashMapStateBackend", _NOBODY + " State is always in memory."),
    "JobManagerCheckpointStorage": (
        "JobManagerCheckpointStorage",
        _NOBODY + " Where checkpoints go is execution.checkpointing.dir.",
    ),
    "FileSystemCheckpointStorage": (
        "FileSystemCheckpointStorage",
        _NOBODY + " Where checkpoints go is execution.checkpointing.dir.",
    ),
    "RestartStrategies": (
        "RestartStrategies",
        _NOBODY + " Restarts are set with the keys restart-strategy.*.",
    ),
    "InputDependencyConstraint": ("InputDependencyConstraint", _NOBODY),
    "FileEnumeratorProvider": ("FileEnumeratorProvider", _SPARK_READS),
    "FileSplitAssignerProvider": ("FileSplitAssignerProvider", _SPARK_READS),
    "FileSourceBuilder.set_file_enumerator": ("FileEnumeratorProvider", _SPARK_READS),
    "FileSourceBuilder.set_split_assigner": ("FileSplitAssignerProvider", _SPARK_READS),
    "FileCompactStrategy": ("FileCompactStrategy", _COMPACTION),
    "FileCompactor": ("FileCompactor", _COMPACTION),
    **{
        f"FileSink.{builder}.with_bucket_check_interval": (
            "bucket_check_interval",
            "Whether a file is to be rolled is looked at after every batch.",
        )
        for builder in ("BaseBuilder", "RowFormatBuilder", "BulkFormatBuilder")
    },
    "SlotSharingGroup.Builder.set_external_resource": (
        "get_external_resources",
        "A slot has cores and memory, nothing else.",
    ),
    "StateTtlConfig.Builder.cleanup_full_snapshot": ("in_full_snapshot", "There are no snapshots yet."),
    "StateTtlConfig.Builder.cleanup_in_rocksdb_compact_filter": (
        "get_rocksdb_compact_filter_cleanup_strategy",
        "There is no RocksDB; expired entries are removed a few at a time.",
    ),
}
"""Accepted without effect: name -> (a word that code acting upon it would contain, reason); ``*`` is any class."""

_SAMPLES: dict[str, Any] = {
    "alignment_timeout": Duration.of_seconds(7),
    "checkpointing_mode": CheckpointingMode.AT_LEAST_ONCE,
    "execution_mode": RuntimeExecutionMode.BATCH,
    "global_job_parameters_dict": {"key": "value"},
    "retention_mode": ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION,
    "slot_sharing_group": SlotSharingGroup.builder("group")
    .set_cpu_cores(1.0)
    .set_task_heap_memory(MemorySize.of_mebi_bytes(64))
    .build(),
}


def sample(name: str, annotation: Any) -> Any:
    """An argument for the parameter ``name``: unlike any default."""
    if name in _SAMPLES:
        return _SAMPLES[name]
    return {int: 12_345, bool: True, str: "sample"}[annotation]
