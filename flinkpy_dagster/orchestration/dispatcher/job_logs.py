"""Files that processes of jobs print into: those of submitted jobs, and what Dagster has captured of their steps."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dagster import DagsterInstance

from flinkpy_dagster.orchestration.dispatcher.job_store import JobStore

NEWEST = 100
"""Logs of so many submitted jobs are told of."""
_ENDINGS = (".out", ".err")


@dataclass(frozen=True, slots=True)
class LogFile:
    """A log as Flink's ``LogInfo`` has it. ``modified_ms`` since 1970."""

    name: str
    path: str
    size: int
    modified_ms: int

    def text(self, most_bytes: int) -> str:
        """Its end. Raises FileNotFoundError if it is gone."""
        with open(self.path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - most_bytes))
            return file.read().decode("utf-8", "replace")


def submitted_logs(instance: DagsterInstance) -> list[LogFile]:
    """What the processes of submitted jobs have printed, one file each: the newest ones, the newest first."""
    store = JobStore(instance.root_directory)
    found = [_log(f"{job_id}.log", store.log_of(job_id)) for job_id in store.ids()]
    known = sorted((each for each in found if each is not None), key=lambda each: -each.modified_ms)
    return known[:NEWEST]


def logs_of_job(instance: DagsterInstance, job_id: str, run_id: str) -> list[LogFile]:
    """The log of its process, if it was submitted, and what its steps have printed in this run (``<step>.out``)."""
    own = _log(f"{job_id}.log", JobStore(instance.root_directory).log_of(job_id))
    return ([] if own is None else [own]) + sorted(_captured(instance, run_id), key=lambda each: each.name)


def _captured(instance: DagsterInstance, run_id: str) -> Iterator[LogFile]:
    """Of the steps that printed something; none where Dagster does not keep such logs in files of this machine."""
    path_of = getattr(instance.compute_log_manager, "get_captured_local_path", None)
    if path_of is None:
        return
    folder = Path(path_of([run_id, "compute_logs", "step"], "out")).parent
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.suffix in _ENDINGS and (found := _log(path.name, str(path))) is not None and found.size:
            yield found


def _log(name: str, path: str) -> LogFile | None:
    try:
        about = os.stat(path)
    except OSError:
        return None
    return LogFile(name, path, about.st_size, round(about.st_mtime * 1000))
