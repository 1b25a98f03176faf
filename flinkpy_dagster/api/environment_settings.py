"""The settings of an environment: parallelism, mode, checkpoints, what is shipped to the workers."""

import os
import re
from typing import TypeVar

from flinkpy_dagster.api.checkpoint_config import CheckpointConfig
from flinkpy_dagster.api.execution_config import ExecutionConfig
from flinkpy_dagster.api.modes import CheckpointingMode, RuntimeExecutionMode
from flinkpy_dagster.api.recording import Recording
from flinkpy_dagster.api.slot_sharing_group import SlotSharingGroup, record_resources
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import UnsupportedFeature

Self = TypeVar("Self", bound="EnvironmentSettings")

_BUFFER_TIMEOUT = "execution.buffer-timeout.interval"
_SAVEPOINT_DIRECTORY = "execution.checkpointing.savepoint-dir"
_CHANGELOG = "state.changelog.enabled"
_JARS_OF_FLINK = re.compile(
    r"flink-(sql-)?(connector|json|csv|parquet)|kafka-clients-|postgresql-|sqlite-jdbc-"
)


class EnvironmentSettings:
    """All of it is configuration: what a method sets, a key sets as well."""

    _recording: Recording

    def get_config(self) -> ExecutionConfig:
        return ExecutionConfig(self._recording)

    def get_configuration(self) -> Configuration:
        """A copy of the configuration (beyond PyFlink)."""
        return Configuration(self._recording.configuration)

    def configure(self, configuration: Configuration) -> None:
        """Takes over all keys of a configuration."""
        self._recording.configuration.add_all(configuration)

    def set_parallelism(self: Self, parallelism: int) -> Self:
        """Parallelism of operators that set none."""
        self.get_config().set_parallelism(parallelism)
        return self

    def get_parallelism(self) -> int:
        return self.get_config().get_parallelism()

    def set_max_parallelism(self: Self, max_parallelism: int) -> Self:
        """Number of key groups of operators that set none."""
        self.get_config().set_max_parallelism(max_parallelism)
        return self

    def get_max_parallelism(self) -> int:
        return self.get_config().get_max_parallelism()

    def set_default_local_parallelism(self, parallelism: int) -> None:
        """What the parallelism is while nothing sets it."""
        self._recording.default_local_parallelism = parallelism

    def get_default_local_parallelism(self) -> int:
        return self._recording.default_local_parallelism

    def set_runtime_mode(self: Self, execution_mode: RuntimeExecutionMode) -> Self:
        """STREAMING, BATCH, or AUTOMATIC: BATCH exactly when all sources are bounded."""
        self._recording.configuration.set_string(
            "execution.runtime-mode", RuntimeExecutionMode(execution_mode).name
        )
        return self

    def disable_operator_chaining(self: Self) -> Self:
        """Makes a vertex of each operator; Python operators still fuse."""
        self._recording.configuration.set_boolean("pipeline.operator-chaining.enabled", False)
        return self

    def is_chaining_enabled(self) -> bool:
        return bool(self._recording.configuration.get("pipeline.operator-chaining.enabled"))

    def is_chaining_of_operators_with_different_max_parallelism_enabled(self) -> bool:
        key = "pipeline.operator-chaining.chain-operators-with-different-max-parallelism"
        return bool(self._recording.configuration.get(key))

    def set_buffer_timeout(self: Self, timeout_millis: int) -> Self:
        """Recorded without effect: records travel in batches."""
        self._recording.configuration.set_string(_BUFFER_TIMEOUT, f"{timeout_millis} ms")
        return self

    def get_buffer_timeout(self) -> int:
        """Milliseconds."""
        text = self._recording.configuration.get_string(_BUFFER_TIMEOUT, "100 ms") or "100 ms"
        return int(text.split()[0])

    def register_slot_sharing_group(self: Self, slot_sharing_group: SlotSharingGroup) -> Self:
        """Says what resources a slot of the group must have: a slot may count as several."""
        record_resources(slot_sharing_group, self._recording.configuration)
        return self

    # Checkpoints

    def enable_checkpointing(self: Self, interval: int, mode: CheckpointingMode | None = None) -> Self:
        """A checkpoint every ``interval`` ms."""
        config = CheckpointConfig(self._recording).set_checkpoint_interval(interval)
        if mode is not None:
            config.set_checkpointing_mode(mode)
        return self

    def get_checkpoint_interval(self) -> int:
        return CheckpointConfig(self._recording).get_checkpoint_interval()

    def get_checkpointing_mode(self) -> CheckpointingMode:
        return CheckpointConfig(self._recording).get_checkpointing_mode()

    get_checkpointing_consistency_mode = get_checkpointing_mode

    def is_unaligned_checkpoints_enabled(self) -> bool:
        return CheckpointConfig(self._recording).is_unaligned_checkpoints_enabled()

    def is_force_unaligned_checkpoints(self) -> bool:
        return CheckpointConfig(self._recording).is_force_unaligned_checkpoints()

    def enable_changelog_state_backend(self: Self, enabled: bool) -> Self:
        """Recorded without effect."""
        self._recording.configuration.set_boolean(_CHANGELOG, enabled)
        return self

    def is_changelog_state_backend_enabled(self) -> bool | None:
        is_set = self._recording.configuration.contains_key(_CHANGELOG)
        return self._recording.configuration.get_boolean(_CHANGELOG, False) if is_set else None

    def set_default_savepoint_directory(self: Self, directory: str) -> Self:
        """Folder of savepoints when a request names none."""
        self._recording.configuration.set_string(_SAVEPOINT_DIRECTORY, directory)
        return self

    def get_default_savepoint_directory(self) -> str | None:
        return self._recording.configuration.get_string(_SAVEPOINT_DIRECTORY, None)

    # What is shipped to the workers

    def add_python_file(self, file_path: str) -> None:
        """A .py, .zip, .whl or .egg file, or a folder, put on the import path of the workers."""
        self._prepend("python.files", file_path)

    def add_python_archive(self, archive_path: str, target_dir: str | None = None) -> None:
        """An archive unpacked in the working folder of every worker, in a folder of its name, or ``target_dir``.

        Functions open what is in there by relative paths.
        """
        self._append(
            "python.archives", archive_path if target_dir is None else f"{archive_path}#{target_dir}"
        )

    def set_python_requirements(
        self, requirements_file_path: str, requirements_cache_dir: str | None = None
    ) -> None:
        """A requirements file whose packages are installed for the workers.

        ``requirements_cache_dir``: a folder with these packages; then pip asks no index.
        """
        cache = "" if requirements_cache_dir is None else f"#{requirements_cache_dir}"
        self._recording.configuration.set_string("python.requirements", requirements_file_path + cache)

    def set_python_executable(self, python_exec: str) -> None:
        """The interpreter of the workers: a path there, or in an archive: ``venv.zip/venv/bin/python``."""
        self._recording.configuration.set_string("python.executable", python_exec)

    def add_jars(self, *jars_path: str) -> None:
        """Jars of Flink's connectors and formats are passed over, others do their work here (docs/connectors.md).

        Raises UnsupportedFeature for any other jar.
        """
        others = [path for path in jars_path if not _JARS_OF_FLINK.match(os.path.basename(path))]
        if others:
            raise UnsupportedFeature(
                f"StreamExecutionEnvironment.add_jars of '{others[0]}'",
                "there is no user code in the JVM; give jars of Spark data sources by the key spark.jars.",
            )

    def add_classpaths(self, *classpaths: str) -> None:
        """Refused."""
        raise UnsupportedFeature(
            "StreamExecutionEnvironment.add_classpaths",
            "there is no user code in the JVM.",
        )

    def register_cached_file(self, file_path: str, name: str, executable: bool = False) -> None:
        """Refused."""
        raise UnsupportedFeature(
            "StreamExecutionEnvironment.register_cached_file",
            "give functions the path of a file that all workers can read.",
        )

    def _prepend(self, key: str, item: str) -> None:
        self._set_list(key, [item, *self._list(key)])

    def _append(self, key: str, item: str) -> None:
        self._set_list(key, [*self._list(key), item])

    def _list(self, key: str) -> list[str]:
        return list(self._recording.configuration.get(key) or [])

    def _set_list(self, key: str, items: list[str]) -> None:
        self._recording.configuration.set(key, items)
