"""``CheckpointConfig``: checkpoints, kept in the environment's configuration (``pyflink.datastream``)."""

from datetime import timedelta
from typing import Any

from flinkpy_dagster.api.modes import CheckpointingMode, ExternalizedCheckpointRetention
from flinkpy_dagster.api.recording import Recording
from flinkpy_dagster.api.times import Duration, timedelta_of

_PREFIX = "execution.checkpointing."
_INFINITE = 2147483647


class CheckpointConfig:
    """Times are milliseconds."""

    def __init__(self, recording: Recording | None = None) -> None:
        self._recording = recording or Recording()

    def is_checkpointing_enabled(self) -> bool:
        return self.get_checkpoint_interval() > 0

    def get_checkpoint_interval(self) -> int:
        """-1: no checkpoints."""
        return self._milliseconds("interval", -1)

    def set_checkpoint_interval(self, checkpoint_interval: int) -> "CheckpointConfig":
        if checkpoint_interval < 10:
            raise ValueError(
                f"Checkpoint interval must be at least 10 milliseconds, not {checkpoint_interval}."
            )
        return self._set("interval", timedelta(milliseconds=checkpoint_interval))

    def get_checkpointing_mode(self) -> CheckpointingMode:
        return CheckpointingMode[self._get("mode", "EXACTLY_ONCE")]

    def set_checkpointing_mode(self, checkpointing_mode: CheckpointingMode) -> "CheckpointConfig":
        return self._set("mode", checkpointing_mode.name)

    def get_checkpoint_timeout(self) -> int:
        return self._milliseconds("timeout", 600_000)

    def set_checkpoint_timeout(self, checkpoint_timeout: int) -> "CheckpointConfig":
        return self._set("timeout", timedelta(milliseconds=checkpoint_timeout))

    def get_min_pause_between_checkpoints(self) -> int:
        return self._milliseconds("min-pause", 0)

    def set_min_pause_between_checkpoints(self, min_pause_between_checkpoints: int) -> "CheckpointConfig":
        return self._set("min-pause", timedelta(milliseconds=min_pause_between_checkpoints))

    def get_max_concurrent_checkpoints(self) -> int:
        return int(self._get("max-concurrent-checkpoints", 1))

    def set_max_concurrent_checkpoints(self, max_concurrent_checkpoints: int) -> "CheckpointConfig":
        return self._set("max-concurrent-checkpoints", max_concurrent_checkpoints)

    def is_fail_on_checkpointing_errors(self) -> bool:
        return self.get_tolerable_checkpoint_failure_number() == 0

    def set_fail_on_checkpointing_errors(self, fail_on_checkpointing_errors: bool) -> "CheckpointConfig":
        return self.set_tolerable_checkpoint_failure_number(0 if fail_on_checkpointing_errors else _INFINITE)

    def get_tolerable_checkpoint_failure_number(self) -> int:
        return int(self._get("tolerable-failed-checkpoints", 0))

    def set_tolerable_checkpoint_failure_number(
        self, tolerable_checkpoint_failure_number: int
    ) -> "CheckpointConfig":
        return self._set("tolerable-failed-checkpoints", tolerable_checkpoint_failure_number)

    def set_externalized_checkpoint_retention(
        self, retention_mode: ExternalizedCheckpointRetention
    ) -> "CheckpointConfig":
        return self._set("externalized-checkpoint-retention", retention_mode.name)

    def get_externalized_checkpoint_retention(self) -> ExternalizedCheckpointRetention:
        name = self._get("externalized-checkpoint-retention", "NO_EXTERNALIZED_CHECKPOINTS")
        return ExternalizedCheckpointRetention[name]

    def is_externalized_checkpoints_enabled(self) -> bool:
        retention = self.get_externalized_checkpoint_retention()
        return retention is not ExternalizedCheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS

    def enable_unaligned_checkpoints(self, enabled: bool = True) -> "CheckpointConfig":
        """Recorded without effect: no records are under way between epochs."""
        return self._set("unaligned.enabled", enabled)

    def disable_unaligned_checkpoints(self) -> "CheckpointConfig":
        return self.enable_unaligned_checkpoints(False)

    def is_unaligned_checkpoints_enabled(self) -> bool:
        return self._recording.configuration.get_boolean(_PREFIX + "unaligned.enabled", False)

    def set_force_unaligned_checkpoints(self, force_unaligned_checkpoints: bool = True) -> "CheckpointConfig":
        return self._set("unaligned.forced", force_unaligned_checkpoints)

    def is_force_unaligned_checkpoints(self) -> bool:
        return self._recording.configuration.get_boolean(_PREFIX + "unaligned.forced", False)

    def set_aligned_checkpoint_timeout(self, alignment_timeout: Duration) -> "CheckpointConfig":
        milliseconds = timedelta_of(alignment_timeout) // timedelta(milliseconds=1)
        return self._set("aligned-checkpoint-timeout", milliseconds)

    def get_aligned_checkpoint_timeout(self) -> Duration:
        key = _PREFIX + "aligned-checkpoint-timeout"
        return Duration.of_millis(self._recording.configuration.get_integer(key, 0))

    set_alignment_timeout = set_aligned_checkpoint_timeout
    get_alignment_timeout = get_aligned_checkpoint_timeout

    def _set(self, name: str, value: Any) -> "CheckpointConfig":
        self._recording.configuration.set(_PREFIX + name, value)
        return self

    def _get(self, name: str, default: Any) -> Any:
        value = self._recording.configuration.get(_PREFIX + name)
        return default if value is None else value

    def _milliseconds(self, name: str, default: int) -> int:
        value = self._get(name, None)
        return default if value is None else value // timedelta(milliseconds=1)
