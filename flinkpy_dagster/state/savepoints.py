"""Savepoints: an epoch copied into a folder of its own, which can be moved and outlives the job; and going on from one.

A savepoint is ``<target>/savepoint-<job id>-<random>/``: ``_metadata`` and, below ``shared/``, every file it needs.
"""

import secrets
from contextlib import suppress
from dataclasses import dataclass, replace

from flinkpy_dagster.errors import CheckpointNotFound, CorruptState, NonRetryable
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.committing import COMPLETE, commits_of
from flinkpy_dagster.state.files import Files, joined
from flinkpy_dagster.state.metadata import CheckpointKind, EpochMetadata, encoded
from flinkpy_dagster.state.storage.schemes import ALL_FILES, state_folder
from flinkpy_dagster.state.verifying import METADATA, read_metadata, verify


class DamagedCheckpoint(CorruptState, NonRetryable):
    """What ``-s`` names is there but not whole; every other attempt would find the same."""

    def sentence(self) -> str:
        return f"Checkpoint '{self.path}' cannot be used: {self.reason}; bring a whole copy, or start from another one."


@dataclass(frozen=True, slots=True)
class Opened:
    """A checkpoint or savepoint that is there and whole. ``folder`` is what the paths of its files are relative to."""

    path: str
    folder: str
    metadata: EpochMetadata


def write_savepoint(
    metadata: EpochMetadata, folder: str, target: str, *, completed_ms: int = 0, files: Files = ALL_FILES
) -> tuple[EpochMetadata, str]:
    """Copies a committed epoch below ``target`` (absolute); gives the savepoint's metadata and path.

    ``folder`` is the one of the epoch's files (``CheckpointStore.folder``). The savepoint is there when this returns:
    ``_metadata`` comes last. When it raises (OSError) nothing of it is left, if what has failed lets it be deleted.
    """
    name = f"savepoint-{metadata.job_id[:6]}-{secrets.token_hex(6)}"
    path = joined(target, name)
    files.make_folder(path)
    savepoint = replace(
        metadata, kind=CheckpointKind.SAVEPOINT, completed_ms=completed_ms or metadata.completed_ms
    )
    try:
        copy_files(files, metadata, folder, path)
        files.put(joined(path, METADATA), encoded(savepoint))
        files.sync_folder(path)
        files.sync_folder(target)
    except OSError:  # a full disk, say, which is not to stay full of it
        with suppress(OSError):
            _delete(files, path)
        raise
    return savepoint, path


def copy_files(files: Files, metadata: EpochMetadata, source: str, target: str) -> None:
    """Every file of an epoch, under the same relative path."""
    folders = set()
    for file in sorted({file.path for file in metadata.files()}):
        files.copy(joined(source, file), joined(target, file))
        folders.add(joined(target, file).rpartition("/")[0])
    for folder in sorted(folders):
        files.sync_folder(folder)


def open_checkpoint(path: str, *, is_verified: bool = True, files: Files = ALL_FILES) -> Opened:
    """What ``-s`` names: the folder of a savepoint or of a retained checkpoint (absolute), or its ``_metadata``.

    Raises CheckpointNotFound, or DamagedCheckpoint if it is there but not whole.
    """
    path = path.rstrip("/").removesuffix(f"/{METADATA}")
    if METADATA not in files.names(path):
        reason = f"it holds no {METADATA}" if files.exists(path) else "there is no such folder"
        raise CheckpointNotFound(path, reason)
    try:
        return _opened(path, files, is_verified)
    except CorruptState as damage:
        raise DamagedCheckpoint(damage.path, damage.reason) from damage


def _opened(path: str, files: Files, is_verified: bool) -> Opened:
    metadata = read_metadata(files, path)
    is_savepoint = metadata.kind is CheckpointKind.SAVEPOINT
    folder, _, name = path.rpartition("/")
    if is_savepoint:
        folder = path
    elif not COMPLETE.fullmatch(name):
        raise CheckpointNotFound(
            path, "it is a checkpoint that was renamed or moved, as only savepoints can be"
        )
    elif not commits_of(files.of(folder), folder).is_complete(name):
        raise CheckpointNotFound(path, "it was never completed: another run of the job had taken over")
    if is_verified:
        verify(files, folder, metadata, path)
    return Opened(path, folder, metadata)


def open_state(path: str, *, files: Files = ALL_FILES) -> Opened:
    """As ``open_checkpoint``, to look at; ``path`` may also be the folder of a job: then it is its newest epoch."""
    folder = state_folder(path)
    found = CheckpointStore(folder, files=files).newest(is_verified=False)
    if found is None:
        return open_checkpoint(folder, is_verified=False, files=files)
    return Opened(joined(folder, found.name), folder, found.metadata)


def imported(opened: Opened, store: CheckpointStore, *, files: Files = ALL_FILES) -> EpochMetadata:
    """What a job goes on from that starts with another one's state: the files are copied into its own folder.

    So the savepoint can be deleted, and the job never deletes what is not its own (Flink's restore mode NO_CLAIM).
    Call it after ``store.lead()``, which removes files that no epoch of the store needs; the first epoch needs them.
    What a checkpoint's sinks have pending is to be committed, as its job may have died before it could.
    """
    if opened.folder != store.folder:
        copy_files(files, opened.metadata, opened.folder, store.folder)
    return replace(opened.metadata, restored_from=opened.path)


def dispose(path: str, *, files: Files = ALL_FILES) -> None:
    """Deletes a savepoint; raises CheckpointNotFound for anything else: checkpoints belong to their job."""
    opened = open_checkpoint(path, is_verified=False, files=files)
    if opened.metadata.kind is not CheckpointKind.SAVEPOINT:
        raise CheckpointNotFound(path, "it is a checkpoint, which its job deletes itself, and no savepoint")
    _delete(files, opened.path)


def _delete(files: Files, path: str) -> None:
    """Without ``_metadata`` it is none any more, however far the rest gets."""
    files.delete(joined(path, METADATA))
    files.delete(path)
