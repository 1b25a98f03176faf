"""Claimed snapshots (Flink's ``RecoveryClaimMode.CLAIM``): what a job started from is its own, and goes when subsumed.

A job never reads from what it has claimed after its start: the files are copied into its folder, as without a claim.
So it is only to be deleted, when as many checkpoints of the job's own are complete as are retained.
"""

import logging

from flinkpy_dagster.errors import CheckpointNotFound, CorruptState
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.committing import commits_of
from flinkpy_dagster.state.files import Files, joined
from flinkpy_dagster.state.metadata import CheckpointKind
from flinkpy_dagster.state.savepoints import Opened, dispose, open_checkpoint
from flinkpy_dagster.state.storage.schemes import ALL_FILES

CLAIMED = "_claimed"
log = logging.getLogger(__name__)


class Claim:
    """What the job in ``folder`` has claimed. It is noted there: another run of the job may be the one to delete it."""

    def __init__(self, folder: str, *, files: Files = ALL_FILES):
        self._note = joined(folder, CLAIMED)
        self._files = files
        self._path: str | None = None

    def take(self, opened: Opened) -> None:
        """From now on it belongs to the job. Call it when its files have been copied."""
        self._files.put(self._note, opened.path.encode())

    def forget(self) -> None:
        """The job begins anew: what a run claimed that never got to an epoch was not used up, and stays."""
        self._files.delete(self._note)

    def look(self) -> None:
        """Finds what this run, or one before it, has claimed and not deleted."""
        try:
            self._path = self._files.read(self._note).decode()
        except FileNotFoundError:
            self._path = None

    def settle(self, own_checkpoints: int, retained: int) -> None:
        """After a checkpoint: deletes it if it is subsumed. What fails is logged, and tried again after the next."""
        if self._path is None or own_checkpoints < retained:
            return
        try:
            discard(self._path, files=self._files)
            self._files.delete(self._note)
        except OSError as problem:
            log.warning("The claimed snapshot '%s' cannot be deleted yet: %s", self._path, problem)
            return
        self._path = None


def discard(path: str, *, files: Files = ALL_FILES) -> None:
    """Deletes a savepoint, or a checkpoint with the files that no other one of its folder needs; nothing if it is gone.

    Raises OSError.
    """
    try:
        opened = open_checkpoint(path, is_verified=False, files=files)
        if opened.metadata.kind is CheckpointKind.SAVEPOINT:
            dispose(opened.path, files=files)
        else:
            _discard_checkpoint(opened, files.of(opened.folder))
    except (CheckpointNotFound, CorruptState) as problem:
        log.warning("The claimed snapshot is not deleted: %s", problem)


def _discard_checkpoint(opened: Opened, files: Files) -> None:
    name = opened.path.rpartition("/")[2]
    others = [each for each in CheckpointStore(opened.folder, files=files).complete() if each.name != name]
    needed = {file.path for each in others for file in each.metadata.files()}
    commits_of(files, opened.folder).drop(name)
    useless = sorted({file.path for file in opened.metadata.files()} - needed)
    files.delete_files([joined(opened.folder, path) for path in useless])


__all__ = ["CLAIMED", "Claim", "discard"]
