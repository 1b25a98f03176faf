"""Where the epochs of an unbounded job lie, and where a new run of it starts.

::

    <execution.checkpointing.dir>/<job>/run-<n>/     one life of the job: its epochs and checkpoints, from a fresh start
    <execution.checkpointing.dir>/<job>/savepoints   paths of the savepoints it has made, one JSON line each

A run that was killed or failed has said nothing about its end: the next run goes on from its newest epoch. One that
finished, was canceled or stopped has; the next one starts afresh, unless it is asked to go on.
"""

import json
import os
import re
from dataclasses import dataclass
from hashlib import sha256

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import CheckpointNotFound, CorruptState
from flinkpy_dagster.orchestration.naming import legal_name
from flinkpy_dagster.runtime.checkpoints import ENDED
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.savepoints import Opened, open_checkpoint
from flinkpy_dagster.state.storage.schemes import state_folder

DEFAULT_FOLDER = ".flinkpy/checkpoints"
LATEST, NONE = "latest", "none"
_LIFE = re.compile(r"run-(\d+)")


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
    CheckpointNotFound, CorruptState.
    """
    job = job_folder(configuration, job_name)
    path = configuration.get("execution.state-recovery.path")
    lives = _lives(job)
    fresh = os.path.join(job, f"run-{_number(lives[-1]) + 1 if lives else 1}")
    if path not in (None, LATEST, NONE):
        opened = open_checkpoint(state_folder(path))
        return StreamStart(fresh, opened, f"starts from epoch {opened.metadata.epoch} of '{opened.path}'.")
    if path == NONE:
        return StreamStart(fresh, None, "starts afresh.")
    newest = next((life for life in reversed(lives) if _has_epochs(life)), None)
    if path == LATEST or configuration.get("execution.trigger") == "available-now":
        return _latest(job, fresh, newest, is_asked_for=path == LATEST)
    if newest is not None and not os.path.exists(os.path.join(newest, ENDED)):
        return StreamStart(
            newest, None, f"goes on from {_shown(newest)}: the run before has not ended by itself."
        )
    return StreamStart(fresh, None, "starts afresh.")


def job_folder(configuration: Configuration, job_name: str) -> str:
    """The folder of all lives of a job."""
    root = configuration.get("execution.checkpointing.dir") or DEFAULT_FOLDER
    return os.path.join(state_folder(root), legal_name(job_name))


def note_savepoint(configuration: Configuration, job_name: str, path: str, completed_ms: int) -> None:
    """Remembers a savepoint for ``latest``."""
    folder = job_folder(configuration, job_name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "savepoints"), "a") as file:
        file.write(json.dumps({"path": path, "completed_ms": completed_ms}) + "\n")


def _latest(job: str, fresh: str, newest: str | None, *, is_asked_for: bool) -> StreamStart:
    """The newest epoch or savepoint; a life whose sources have all ended is not gone on with."""
    found = CheckpointStore(newest).newest(is_verified=False) if newest is not None else None
    savepoint = _newest_savepoint(job) if is_asked_for else None
    if savepoint is not None and (
        found is None or found.metadata.completed_ms < savepoint.metadata.completed_ms
    ):
        return StreamStart(
            fresh, savepoint, f"starts from epoch {savepoint.metadata.epoch} of savepoint '{savepoint.path}'."
        )
    if newest is None or found is None or found.metadata.is_last:
        return StreamStart(fresh, None, "starts afresh: there is no checkpoint or savepoint of it.")
    return StreamStart(newest, None, f"goes on from {_shown(newest)}.")


def _newest_savepoint(job: str) -> Opened | None:
    try:
        with open(os.path.join(job, "savepoints")) as file:
            noted = sorted((json.loads(line) for line in file), key=lambda each: each["completed_ms"])
    except OSError:
        return None
    for each in reversed(noted):
        try:
            return open_checkpoint(each["path"])
        except (CheckpointNotFound, CorruptState):
            continue  # disposed of, or moved
    return None


def _lives(job: str) -> list[str]:
    names = os.listdir(job) if os.path.isdir(job) else []
    return [os.path.join(job, name) for name in sorted(filter(_LIFE.fullmatch, names), key=_number)]


def _number(path: str) -> int:
    match = _LIFE.fullmatch(os.path.basename(path))
    assert match is not None
    return int(match[1])


def _has_epochs(life: str) -> bool:
    return any(name.startswith(("epoch-", "chk-")) for name in os.listdir(life))


def _shown(life: str) -> str:
    found = CheckpointStore(life).newest(is_verified=False)
    return f"epoch {found.metadata.epoch} in '{life}'" if found is not None else f"'{life}'"
