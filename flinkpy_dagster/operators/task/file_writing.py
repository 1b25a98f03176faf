"""Writing the pending files of a row file sink (Flink's ``FileWriter`` and ``Bucket``).

Files are written under hidden names, which readers pass over. The driver renames them when the job has
finished; nothing half written is ever left where a result should be. What belongs on another file system is written
here and taken there when it is complete (``Files.stage``).
"""

import os
import tempfile
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO
from urllib.parse import unquote, urlparse

from flinkpy_dagster.clock import Clock
from flinkpy_dagster.operators.departures import Committable
from flinkpy_dagster.operators.specs import RowFileSink
from flinkpy_dagster.state.files import Files

HIDDEN = ".inprogress-"
"""What the folder of pending files begins with; it is right below the base path of a sink."""


@dataclass
class OpenFile:
    """A file being written: ``written`` on this machine, which is ``pending`` unless that is elsewhere."""

    stream: BinaryIO
    written: str
    pending: str
    final: str
    opened_ms: int
    written_ms: int
    size_bytes: int = 0
    elements: int = 0


@dataclass
class FileWriting:
    """The writer of one subtask. ``commit`` takes each file when it is complete."""

    spec: RowFileSink
    subtask_index: int
    clock: Clock
    commit: Callable[[Committable], None]
    _open: dict[str, OpenFile] = field(default_factory=dict)
    _counter: int = 0
    _writer_id: str = field(default_factory=lambda: str(uuid.uuid4()))

    def __post_init__(self) -> None:
        self._storage = remote_storage(self.spec.storage, self.spec.base_path)

    def write(self, values: list) -> None:
        """Writes elements to the files of their buckets."""
        now = self.clock.now_ms()
        encode, bucket_of, value_type = (
            self.spec.encoder.encode,
            self.spec.bucket_assigner.bucket_id,
            self.spec.value_type,
        )
        lines: dict[str, list[bytes]] = {}
        for value in values:
            lines.setdefault(bucket_of(value, now), []).append(encode(value, value_type))
        for bucket, encoded in lines.items():
            self._append(bucket, encoded, now)

    def roll_aged(self) -> None:
        """Completes files that are too old or have not been written to for too long."""
        now = self.clock.now_ms()
        policy = self.spec.rolling_policy
        for bucket, file in list(self._open.items()):
            is_old = exceeds(now - file.opened_ms, policy.rollover_interval_ms)
            if is_old or exceeds(now - file.written_ms, policy.inactivity_interval_ms):
                self._complete(bucket)

    def finish(self) -> None:
        """Completes all files."""
        for bucket in list(self._open):
            self._complete(bucket)

    def abort(self) -> None:
        """Removes files that are not complete."""
        for file in self._open.values():
            file.stream.close()
            os.remove(file.written)
        self._open.clear()

    def _append(self, bucket: str, encoded: list[bytes], now: int) -> None:
        limit = self.spec.rolling_policy.part_size_bytes
        start = 0
        while start < len(encoded):
            file = self._open.get(bucket) or self._begin(bucket, now)
            end, size = fitting(encoded, start, None if limit is None else limit - file.size_bytes)
            file.stream.write(b"".join(encoded[start:end]))
            file.size_bytes += size
            file.elements += end - start
            file.written_ms = now
            if limit is not None and file.size_bytes >= limit:
                self._complete(bucket)
            start = end

    def _begin(self, bucket: str, now: int) -> OpenFile:
        folder = os.path.join(local_path(self.spec.base_path), bucket)
        spec = self.spec
        name = f"{spec.part_prefix}-{self._writer_id}-{self._counter}{spec.part_suffix}"
        self._counter += 1
        pending = os.path.join(folder, f".{name}.inprogress.{uuid.uuid4()}")
        final = os.path.join(folder, name)
        if self._storage is None:
            os.makedirs(folder, exist_ok=True)
            written = pending
        else:
            written = temporary_file()
        stream = open(written, "wb")  # noqa: SIM115 - stays open for the batches to come
        header = spec.encoder.header
        stream.write(header)
        file = self._open[bucket] = OpenFile(
            stream, written, pending, final, now, now, size_bytes=len(header)
        )
        return file

    def _complete(self, bucket: str) -> None:
        file = self._open.pop(bucket)
        file.stream.flush()
        if self._storage is None:
            os.fsync(file.stream.fileno())
        file.stream.close()
        if self._storage is not None:
            try:
                self._storage.stage(file.written, file.pending, visible(file.final))
            finally:  # the task is tried again, with a file of its own
                os.remove(file.written)
        self.commit(Committable(file.pending, file.final, file.size_bytes, file.elements))


def fitting(encoded: list[bytes], start: int, room: int | None) -> tuple[int, int]:
    """How far lines from ``start`` go until the room (bytes) is filled, the filling one included; and their size."""
    if room is None:
        return len(encoded), sum(map(len, encoded[start:]))
    size = 0
    for end in range(start, len(encoded)):
        size += len(encoded[end])
        if size >= room:
            return end + 1, size
    return len(encoded), size


def exceeds(elapsed_ms: int, limit_ms: int | None) -> bool:
    """Is the limit reached?"""
    return limit_ms is not None and elapsed_ms >= limit_ms


def remote_storage(storage: Files | None, path: str) -> Files | None:
    """How files get to a path that Python cannot open; None if it can."""
    found = None if storage is None else storage.of(path)
    return None if found is None or found.is_local else found


def temporary_file() -> str:
    """An empty file of this machine, for what is to be staged."""
    descriptor, path = tempfile.mkstemp(prefix="flinkpy-part-")
    os.close(descriptor)
    return path


def visible(path: str) -> str:
    """Where a file in a hidden folder belongs when it is published."""
    base, _, hidden = path.partition(f"/{HIDDEN}")
    return f"{base}/{hidden.partition('/')[2]}"


def local_path(path: str) -> str:
    """The path of a file system of this machine, with or without ``file:`` before it."""
    parsed = urlparse(path)
    return unquote(parsed.path) if parsed.scheme == "file" else path
