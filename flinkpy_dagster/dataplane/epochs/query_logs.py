"""Where the streaming query of a run keeps its logs, and what later runs need of them.

Beside a job's epochs if these are on a file system of this machine. Else Spark writes to a folder for temporary files:
its logs end with the run (docs/design/epochs.md), and renames in an object store would take longer than an epoch. Only
which files a source has seen is needed later: entries of these logs are copied to the job's folder before the epoch
that refers to them is committed.
"""

import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

from flinkpy_dagster.dataplane.epochs.query_folder import (
    SourceOffset,
    make_query_folder,
    needed_entries,
    offsets_of,
)
from flinkpy_dagster.state.files import Files, joined, write_below


class QueryLogs:
    """Of one run: ``job_folder`` is that of its epochs, ``stack`` deletes what is temporary."""

    def __init__(self, job_folder: str, token: int, files: Files, stack: ExitStack) -> None:
        self._files = files.of(job_folder)
        self._kept = joined(job_folder, f"query-{token}")
        self._copied: set[str] = set()  # or synced: entries that later runs find
        self.folder = self._kept
        """What Spark is told (``checkpointLocation``)."""
        if not self._files.is_local:
            self.folder = tempfile.mkdtemp(prefix="flinkpy-query-")
            stack.callback(shutil.rmtree, self.folder, ignore_errors=True)

    def begin(self, epoch: int, offsets: Sequence[SourceOffset]) -> None:
        """The query is to go on after ``epoch``, as Spark counts."""
        make_query_folder(self.folder, epoch, offsets, self._files)

    def planned(self, epoch: int, sources: int) -> tuple[SourceOffset, ...]:
        """What Spark has planned for an epoch; logs are there where later runs find them. Raises OSError."""
        planned = offsets_of(self.folder, epoch, sources)
        if self._files.is_local:
            for source in planned:
                self._sync(source)
            return planned
        return tuple(self._copy(source) for source in planned)

    def _sync(self, source: SourceOffset) -> None:
        """Spark does not wait for the disk, but the metadata of the epoch, which does, is going to refer to the log."""
        if source.log is None:
            return
        new = [os.path.join(source.log, name) for name in needed_entries(os.listdir(source.log))]
        new = sorted(entry for entry in new if entry not in self._copied)
        for entry in new:
            with open(entry, "rb") as file:
                os.fsync(file.fileno())
        if new:
            for folder in (source.log, os.path.dirname(source.log), self.folder):
                self._files.sync_folder(folder)
        self._copied.update(new)

    def _copy(self, source: SourceOffset) -> SourceOffset:
        if source.log is None:
            return source
        below = os.path.relpath(source.log, self.folder)
        for name in needed_entries(os.listdir(source.log)):
            entry = f"{below}/{name}"
            if entry not in self._copied:
                with open(os.path.join(source.log, name), "rb") as file:
                    write_below(self._files, joined(self._kept, entry), file.read())
                self._copied.add(entry)
        return replace(source, log=joined(self._kept, below))
