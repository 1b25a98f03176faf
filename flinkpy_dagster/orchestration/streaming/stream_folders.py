"""Where the epochs of an unbounded job lie, and where a new run of it starts.

::

    <execution.checkpointing.dir>/<job>/run-<n>/     one life of the job: its epochs and checkpoints, from a fresh start
    <execution.checkpointing.dir>/<job>/savepoints/  a note for each savepoint it has made: where it is

A run that was killed or failed has said nothing about its end: the next run goes on from its newest epoch. One that
finished, was canceled or stopped has; the next one starts afresh, unless it is asked to go on. A life that never got to
an epoch is taken over by the next one that starts afresh: if somebody is still at it, two runs would read the sources.
"""

import json
import re
from dataclasses import dataclass
from hashlib import sha256

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.recovery_options import LATEST, NONE
from flinkpy_dagster.errors import CheckpointNotFound, CorruptState, StateNotStored
from flinkpy_dagster.orchestration.naming import legal_name
from flinkpy_dagster.runtime.checkpoints import ENDED
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.files import Files, joined
from flinkpy_dagster.state.savepoints import Opened, open_checkpoint
from flinkpy_dagster.state.storage.schemes import files_of, state_folder
from flinkpy_dagster.state.verifying import METADATA

DEFAULT_FOLDER = ".flinkpy/checkpoints"
_LIFE = re.compile(r"run-(\d+)")
_CHECKPOINT = re.compile(r"chk-(\d+)")
_SAVEPOINTS = "savepoints"
_NOTE = re.compile(r"(\d+)-[0-9a-f]+\.json")


class UnknownCheckpoint(CheckpointNotFound):
    """A job has no retained checkpoint of this id. ``path``: the folder of all its runs; ``known``: the ids there."""

    def __init__(self, job: str, number: str, path: str, known: list[int]):
        super().__init__(path, number)
        self.job, self.number, self.known = job, number, known

    def sentence(self) -> str:
        there = f"the ids there are {', '.join(map(str, self.known))}" if self.known else "there is none"
        return (
            f"Job '{self.job}' has no checkpoint {self.number} in '{self.path}': {there}. Checkpoints are kept as "
            "execution.checkpointing.num-retained and externalized-checkpoint-retention say."
        )


@dataclass(frozen=True, slots=True)
class StreamStart:
    """``folder`` is the life of the job that the run belongs to; ``restored`` what a new life starts from.

    ``says`` tells people where it starts.
    """

    folder: str
    restored: Opened | None
    says: str

    @property
    def owner(self) -> str:
        """Tells pending files of sinks of this life from those of other jobs."""
        return sha256(self.folder.encode()).hexdigest()[:16]


def stream_start(configuration: Configuration, job_name: str) -> StreamStart:
    """Decides where a run of the job starts.

    ``execution.state-recovery.path`` is a checkpoint or savepoint, ``latest`` or ``none``; not set: an available-now
    run goes on from the newest epoch, a continuous one, too, if the run before it has not ended by itself. Raises
    CheckpointNotFound, CorruptState, StateNotStored for a file system that does not answer.
    """
    job = job_folder(configuration, job_name)
    try:
        return _start(configuration, job, files_of(configuration))
    except OSError as problem:
        raise StateNotStored(job, problem.strerror or str(problem)) from problem


def _start(configuration: Configuration, job: str, files: Files) -> StreamStart:
    path = configuration.get("execution.state-recovery.path")
    lives = _lives(job, files)
    fresh = _fresh(job, lives, files)
    if path not in (None, LATEST, NONE):
        opened = open_checkpoint(state_folder(path), files=files)
        return StreamStart(fresh, opened, f"starts from epoch {opened.metadata.epoch} of '{opened.path}'.")
    if path == NONE:
        return StreamStart(fresh, None, "starts afresh.")
    newest = next((life for life in reversed(lives) if _has_epochs(life, files)), None)
    if path == LATEST or configuration.get("execution.trigger") == "available-now":
        return _latest(job, fresh, newest, files, is_asked_for=path == LATEST)
    if newest is not None and not files.exists(joined(newest, ENDED)):
        return StreamStart(
            newest, None, f"goes on from {_shown(newest, files)}: the run before has not ended by itself."
        )
    return StreamStart(fresh, None, "starts afresh.")


def job_folder(configuration: Configuration, job_name: str) -> str:
    """The folder of all lives of a job."""
    root = configuration.get("execution.checkpointing.dir") or DEFAULT_FOLDER
    return joined(state_folder(root), legal_name(job_name))


def checkpoint_numbered(configuration: Configuration, job_name: str, number: str) -> str:
    """The path of a checkpoint of the latest life of a job that has one with this id.

    Raises UnknownCheckpoint, which names those that there are.
    """
    job, files = job_folder(configuration, job_name), files_of(configuration)
    lives = _lives(job, files)
    for life in reversed(lives):
        if files.exists(joined(life, f"chk-{number}/{METADATA}")):
            return joined(life, f"chk-{number}")
    names = [_CHECKPOINT.fullmatch(name) for life in lives for name in files.names(life)]
    raise UnknownCheckpoint(job_name, number, job, sorted({int(name[1]) for name in names if name}))


def note_savepoint(configuration: Configuration, job_name: str, path: str, completed_ms: int) -> None:
    """Remembers a savepoint for ``latest``. Raises OSError."""
    notes = joined(job_folder(configuration, job_name), _SAVEPOINTS)
    note = joined(notes, f"{completed_ms}-{sha256(path.encode()).hexdigest()[:16]}.json")
    files_of(configuration).put(note, json.dumps({"path": path}).encode())


def _latest(job: str, fresh: str, newest: str | None, files: Files, *, is_asked_for: bool) -> StreamStart:
    """The newest epoch or savepoint; a life whose sources have all ended is not gone on with."""
    found = CheckpointStore(newest, files=files).newest(is_verified=False) if newest is not None else None
    savepoint = _newest_savepoint(job, files) if is_asked_for else None
    if savepoint is not None and (
        found is None or found.metadata.completed_ms < savepoint.metadata.completed_ms
    ):
        return StreamStart(
            fresh, savepoint, f"starts from epoch {savepoint.metadata.epoch} of savepoint '{savepoint.path}'."
        )
    if newest is None or found is None or found.metadata.is_last:
        return StreamStart(fresh, None, "starts afresh: there is no checkpoint or savepoint of it.")
    return StreamStart(newest, None, f"goes on from {_shown(newest, files)}.")


def _newest_savepoint(job: str, files: Files) -> Opened | None:
    notes = joined(job, _SAVEPOINTS)
    noted = [(_NOTE.fullmatch(name), name) for name in files.names(notes)]
    for _, name in sorted(((int(found[1]), name) for found, name in noted if found), reverse=True):
        try:
            return open_checkpoint(json.loads(files.read(joined(notes, name)))["path"], files=files)
        except (CheckpointNotFound, CorruptState):
            continue  # disposed of, or moved
    return None


def _lives(job: str, files: Files) -> list[str]:
    return [joined(job, name) for name in sorted(filter(_LIFE.fullmatch, files.names(job)), key=_number)]


def _fresh(job: str, lives: list[str], files: Files) -> str:
    """Where a job begins anew: leading there stops whoever has begun before and has no epoch yet."""
    last = lives[-1] if lives else None
    if last is not None and not _has_epochs(last, files) and not files.exists(joined(last, ENDED)):
        return last
    return joined(job, f"run-{_number(last) + 1 if last is not None else 1}")


def _number(path: str) -> int:
    match = _LIFE.fullmatch(path.rpartition("/")[2])
    assert match is not None
    return int(match[1])


def _has_epochs(life: str, files: Files) -> bool:
    return any(name.startswith(("epoch-", "chk-")) for name in files.names(life))


def _shown(life: str, files: Files) -> str:
    found = CheckpointStore(life, files=files).newest(is_verified=False)
    return f"epoch {found.metadata.epoch} in '{life}'" if found is not None else f"'{life}'"
