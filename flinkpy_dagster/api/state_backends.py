"""Where Flink keeps state and checkpoints, as values (``pyflink.datastream`` state_backend, checkpoint_storage).

State is in memory here and in files at checkpoints; these are for programs that name them. PyFlink 2 has no method
that takes them either: the keys ``state.backend.type`` and ``execution.checkpointing.dir`` do it.
"""

from typing import Any

from flinkpy_dagster.errors import UnsupportedFeature


class StateBackend:
    """Where state is while the job runs."""


class HashMapStateBackend(StateBackend):
    """In memory."""

    def __str__(self) -> str:
        return "HashMapStateBackend"


class CheckpointStorage:
    """Where checkpoints are."""


class JobManagerCheckpointStorage(CheckpointStorage):
    """In the memory of the job's run; savepoints at ``checkpoint_path``."""

    MAX_STATE_SIZE = 5 * 1024 * 1024

    def __init__(self, checkpoint_path: str | None = None, max_state_size: int | None = None) -> None:
        self._checkpoint_path = checkpoint_path
        self._max_state_size = max_state_size or self.MAX_STATE_SIZE

    def get_checkpoint_path(self) -> str | None:
        return self._checkpoint_path

    def get_savepoint_path(self) -> str | None:
        return None

    def get_max_state_size(self) -> int:
        return self._max_state_size


class FileSystemCheckpointStorage(CheckpointStorage):
    """In files below a folder."""

    MAX_FILE_STATE_THRESHOLD = 1024 * 1024

    def __init__(
        self, checkpoint_path: str, file_state_size_threshold: int | None = None, write_buffer_size: int = -1
    ) -> None:
        if checkpoint_path is None:
            raise ValueError("FileSystemCheckpointStorage requires a checkpoint_path.")
        self._checkpoint_path = checkpoint_path
        self._threshold = 20 * 1024 if file_state_size_threshold is None else file_state_size_threshold
        self._write_buffer_size = write_buffer_size if write_buffer_size >= 0 else 4096

    def get_checkpoint_path(self) -> str:
        return self._checkpoint_path

    def get_savepoint_path(self) -> str | None:
        return None

    def get_min_file_size_threshold(self) -> int:
        return self._threshold

    def get_write_buffer_size(self) -> int:
        return self._write_buffer_size


class _Refused:
    """A name that programs may import, but not use."""

    _instead = ""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise UnsupportedFeature(type(self).__name__, self._instead)


class EmbeddedRocksDBStateBackend(_Refused, StateBackend):
    """Refused."""

    _instead = "state is kept in memory; use HashMapStateBackend."


class PredefinedOptions(_Refused):
    """Refused: options of RocksDB."""

    _instead = "there is no RocksDB; use HashMapStateBackend."


class CustomStateBackend(_Refused, StateBackend):
    """Refused: wraps a Java class."""

    _instead = "it wraps a Java class; use HashMapStateBackend."


class CustomCheckpointStorage(_Refused, CheckpointStorage):
    """Refused: wraps a Java class."""

    _instead = "it wraps a Java class; use FileSystemCheckpointStorage."
