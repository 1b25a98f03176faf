"""``ExecutionConfig``: how a program executes, kept in the environment's configuration (``pyflink.common``)."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from flinkpy_dagster.api.recording import (
    MAX_PARALLELISM,
    PARALLELISM,
    Recording,
    checked_job_max_parallelism,
    checked_parallelism,
)
from flinkpy_dagster.errors import InvalidProgram

_AUTO_WATERMARK_INTERVAL = "pipeline.auto-watermark-interval"
_GLOBAL_JOB_PARAMETERS = "pipeline.global-job-parameters"


class ExecutionConfig:
    """Settings of all operators. Those about Java objects (Kryo, Avro, closures) are recorded without effect."""

    PARALLELISM_DEFAULT = -1
    PARALLELISM_UNKNOWN = -2

    def __init__(self, recording: Recording | None = None) -> None:
        self._recording = recording or Recording()

    def get_parallelism(self) -> int:
        return self._recording.parallelism

    def set_parallelism(self, parallelism: int) -> "ExecutionConfig":
        """Parallelism of operators that set none; -1 for the processors of this machine."""
        if isinstance(parallelism, int) and parallelism < 1 and parallelism != -1:
            raise InvalidProgram(
                "Parallelism must be at least one, or ExecutionConfig.PARALLELISM_DEFAULT (use system default). "
                f"It was {parallelism}."
            )
        if checked_parallelism(parallelism) == -1:
            self._recording.configuration.remove_config(PARALLELISM)
        else:
            self._recording.configuration.set_integer(PARALLELISM, parallelism)
        return self

    def get_max_parallelism(self) -> int:
        return self._recording.max_parallelism

    def set_max_parallelism(self, max_parallelism: int) -> "ExecutionConfig":
        """Number of key groups of operators that set none."""
        checked = checked_job_max_parallelism(max_parallelism)
        self._recording.configuration.set_integer(MAX_PARALLELISM, checked)
        return self

    def set_auto_watermark_interval(self, interval: int) -> "ExecutionConfig":
        """Time between periodic watermarks, ms; 0 for none."""
        if interval < 0:
            raise ValueError(f"The auto watermark interval must not be negative, not {interval}.")
        self._recording.configuration.set(_AUTO_WATERMARK_INTERVAL, timedelta(milliseconds=interval))
        return self

    def get_auto_watermark_interval(self) -> int:
        interval: timedelta = self._recording.configuration.get(_AUTO_WATERMARK_INTERVAL)
        return interval // timedelta(milliseconds=1)

    def set_global_job_parameters(self, global_job_parameters_dict: Mapping[str, Any]) -> "ExecutionConfig":
        """Pairs that user functions read from the runtime context."""
        pairs = ",".join(
            f"{_quoted(key)}:{_quoted(value)}" for key, value in global_job_parameters_dict.items()
        )
        self._recording.configuration.set_string(_GLOBAL_JOB_PARAMETERS, pairs)
        return self

    def get_global_job_parameters(self) -> dict[str, str]:
        return dict(self._recording.configuration.get(_GLOBAL_JOB_PARAMETERS) or {})

    def enable_object_reuse(self) -> "ExecutionConfig":
        return self._flag("pipeline.object-reuse", True)

    def disable_object_reuse(self) -> "ExecutionConfig":
        return self._flag("pipeline.object-reuse", False)

    def is_object_reuse_enabled(self) -> bool:
        return self._is("pipeline.object-reuse")

    def enable_auto_generated_uids(self) -> "ExecutionConfig":
        return self._flag("pipeline.auto-generate-uids", True)

    def disable_auto_generated_uids(self) -> "ExecutionConfig":
        """Recorded only: operators without uid get an id from the shape of the graph."""
        return self._flag("pipeline.auto-generate-uids", False)

    def has_auto_generated_uids_enabled(self) -> bool:
        return self._is("pipeline.auto-generate-uids", True)

    def enable_closure_cleaner(self) -> "ExecutionConfig":
        return self._text("pipeline.closure-cleaner-level", "RECURSIVE")

    def disable_closure_cleaner(self) -> "ExecutionConfig":
        return self._text("pipeline.closure-cleaner-level", "NONE")

    def is_closure_cleaner_enabled(self) -> bool:
        level = self._recording.configuration.get_string("pipeline.closure-cleaner-level", "RECURSIVE")
        return level != "NONE"

    def set_latency_tracking_interval(self, interval: int) -> "ExecutionConfig":
        return self._text("metrics.latency.interval", str(interval))

    def get_latency_tracking_interval(self) -> int:
        return self._recording.configuration.get_integer("metrics.latency.interval", 0)

    def set_task_cancellation_interval(self, interval: int) -> "ExecutionConfig":
        return self._text("task.cancellation.interval", str(interval))

    def get_task_cancellation_interval(self) -> int:
        return self._recording.configuration.get_integer("task.cancellation.interval", 30_000)

    def set_task_cancellation_timeout(self, timeout: int) -> "ExecutionConfig":
        return self._text("task.cancellation.timeout", str(timeout))

    def get_task_cancellation_timeout(self) -> int:
        return self._recording.configuration.get_integer("task.cancellation.timeout", 180_000)

    def enable_force_kryo(self) -> "ExecutionConfig":
        return self._flag("pipeline.force-kryo", True)

    def disable_force_kryo(self) -> "ExecutionConfig":
        return self._flag("pipeline.force-kryo", False)

    def is_force_kryo_enabled(self) -> bool:
        return self._is("pipeline.force-kryo")

    def enable_generic_types(self) -> "ExecutionConfig":
        return self._flag("pipeline.generic-types", True)

    def disable_generic_types(self) -> "ExecutionConfig":
        return self._flag("pipeline.generic-types", False)

    def has_generic_types_disabled(self) -> bool:
        return not self._is("pipeline.generic-types", True)

    def enable_force_avro(self) -> "ExecutionConfig":
        return self._flag("pipeline.force-avro", True)

    def disable_force_avro(self) -> "ExecutionConfig":
        return self._flag("pipeline.force-avro", False)

    def is_force_avro_enabled(self) -> bool:
        return self._is("pipeline.force-avro")

    def set_use_snapshot_compression(self, use_snapshot_compression: bool) -> "ExecutionConfig":
        return self._flag("execution.checkpointing.snapshot-compression", use_snapshot_compression)

    def is_use_snapshot_compression(self) -> bool:
        return self._is("execution.checkpointing.snapshot-compression")

    def get_default_kryo_serializer_classes(self) -> dict[str, str]:
        return {}

    def get_registered_kryo_types(self) -> list[str]:
        return []

    def get_registered_pojo_types(self) -> list[str]:
        return []

    def _flag(self, key: str, value: bool) -> "ExecutionConfig":
        self._recording.configuration.set_boolean(key, value)
        return self

    def _is(self, key: str, default: bool = False) -> bool:
        return self._recording.configuration.get_boolean(key, default)

    def _text(self, key: str, value: str) -> "ExecutionConfig":
        self._recording.configuration.set_string(key, value)
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExecutionConfig):
            return False
        return self._recording.configuration == other._recording.configuration

    def __hash__(self) -> int:
        return hash(self._recording.configuration)


def _quoted(value: object) -> str:
    """A key or value of a map option, in quotes where it holds a separator."""
    text = str(value)
    return "'" + text.replace("'", "''") + "'" if any(mark in text for mark in ",:'\"") else text
