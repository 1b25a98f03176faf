"""Submitted jobs on disk (Flink's ``JobGraphStore``), in the folder of the Dagster instance.

::

    <root>/flinkpy/jobs/<job id>/
        job.json          what was submitted: program, arguments, options, plan; there last, so with it the job is there
        definitions.py    the code location that its run is launched from; any process can load it
        program/          copies of the program and of the modules of its folder that it had imported
        files/            copies of what -pyfs named
        files/code/       copies of the files, requirements and archives that options and the program name
        log               what the run's process prints
"""

import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from flinkpy_dagster.ids import is_id

FILES, CODE = "files", "code"
_JOB, _DEFINITIONS, _PROGRAM, _LOG = "job.json", "definitions.py", "program", "log"
_REPLACED = ".replaced"
_LOCATION = '''"""Code location of one submitted job; written by flinkpy."""

from flinkpy_dagster.orchestration.dispatcher.stored_definitions import definitions_of

defs = definitions_of(__file__)
'''


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredJob:
    """What was submitted.

    ``program`` is the path of the file as it was given, or None for a ``module``; ``source`` its copy, ``files`` those
    of what -pyfs named (relative to the job's folder), ``python_copies`` those of what options ``python.*`` name, by
    path, ``folder`` the working folder, ``plan`` Flink's JSON plan.
    ``dagster_name`` is what the Dagster job is called after, ``earlier`` the ids of the jobs that the program submitted
    before this one. Times in ms since 1970.
    """

    job_id: str
    name: str
    dagster_name: str
    program: str | None
    module: str | None
    function: str | None
    source: str | None
    args: tuple[str, ...]
    files: tuple[str, ...]
    folder: str
    configuration: Mapping[str, str]
    plan: Mapping[str, Any]
    submitted_ms: int
    earlier: tuple[str, ...] = ()
    python_copies: Mapping[str, str] = field(default_factory=dict)


class JobStore:
    """The jobs below ``<root>/flinkpy/jobs``; ``root`` is the folder of the Dagster instance."""

    def __init__(self, root: str):
        self._folder = Path(root) / "flinkpy" / "jobs"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Submissions one after the other, whatever processes they come from.

        Who comes after one that died while it replaced a job finds the job as it was.
        """
        import fcntl  # POSIX, as is the rest of what runs Spark's Python workers

        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for aside in self._folder.glob(f".*{_REPLACED}"):
                self._put_back(aside)
            yield

    def put(self, job: StoredJob, copies: Iterable[tuple[str, str]] = (), files: str | None = None) -> str:
        """Stores it, replacing what there was of its id; its folder. The caller holds the lock.

        ``copies``: paths, and their names below ``program/``; ``files``: a folder to become ``files/``.
        """
        folder = self._folder / job.job_id
        pending = folder.with_name(f".{job.job_id}.pending")
        shutil.rmtree(pending, ignore_errors=True)
        for path, name in copies:
            target = pending / _PROGRAM / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        (pending / _PROGRAM).mkdir(parents=True, exist_ok=True)
        if files is not None and os.path.isdir(files):
            shutil.copytree(files, pending / FILES)
        (pending / _DEFINITIONS).write_text(_LOCATION, encoding="utf-8")
        with (pending / _JOB).open("w", encoding="utf-8") as file:
            json.dump(asdict(job), file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        aside = self._aside(job.job_id)
        self._put_back(aside)
        if folder.exists():
            os.rename(folder, aside)  # it is there until the new one is
        os.rename(pending, folder)
        shutil.rmtree(aside, ignore_errors=True)
        return str(folder)

    def get(self, job_id: str) -> StoredJob | None:
        """The job of this id, None if none was submitted."""
        return read_job(str(self._folder / job_id)) if is_id(job_id) else None

    def ids(self) -> list[str]:
        """Of all jobs submitted and not forgotten."""
        names = os.listdir(self._folder) if self._folder.is_dir() else []
        return sorted(name for name in names if is_id(name) and (self._folder / name / _JOB).exists())

    def folder_of(self, job_id: str) -> str:
        """Where the job lies."""
        return str(self._folder / job_id)

    def log_of(self, job_id: str) -> str:
        """The file that the process of its run prints into."""
        return str(self._folder / job_id / _LOG)

    def forget(self, job_id: str) -> None:
        """Deletes it; whether its run goes on is not asked."""
        shutil.rmtree(self._aside(job_id), ignore_errors=True)
        shutil.rmtree(self._folder / job_id, ignore_errors=True)

    def _aside(self, job_id: str) -> Path:
        """Where a job is while another of its id takes its place."""
        return self._folder / f".{job_id}{_REPLACED}"

    def _put_back(self, aside: Path) -> None:
        """What a process that died has left aside: the job, if the other one has not taken its place."""
        folder = self._folder / aside.name.removeprefix(".").removesuffix(_REPLACED)
        if not folder.exists():
            with suppress(FileNotFoundError):
                os.rename(aside, folder)
        shutil.rmtree(aside, ignore_errors=True)


def read_job(folder: str) -> StoredJob | None:
    """The job that lies in this folder."""
    try:
        text = (Path(folder) / _JOB).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    values = json.loads(text)
    lists = {name: tuple(values.get(name, ())) for name in ("args", "files", "earlier")}
    return StoredJob(**values | lists)


def program_folder(folder: str) -> str:
    """Where the copies of a job's program lie."""
    return os.path.join(folder, _PROGRAM)


def location_file(folder: str) -> str:
    """The code location of the job in this folder."""
    return os.path.join(folder, _DEFINITIONS)


def now_ms() -> int:
    """The time of a submission."""
    return time.time_ns() // 1_000_000
