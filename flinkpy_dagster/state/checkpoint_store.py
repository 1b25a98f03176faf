"""Keeps the complete epochs of one job in a folder; the newest one is where recovery starts.

::

    <folder>/shared/<operator id>/*          state files, written by subtasks, immutable
    <folder>/leader-<token>/_metadata        an epoch about to be committed by the leader; not in an object store
    <folder>/epoch-<token>-<n>/_metadata     an epoch kept for recovery
    <folder>/chk-<id>/_metadata              a checkpoint
    <folder>/corrupt-*                       what could not be read at a recovery, for people to look at

    <folder>/_head                           in an object store: who leads, and which epochs are complete

How a commit is one step, which only the newest leader can do: ``state.committing``.
"""

import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from flinkpy_dagster.errors import CorruptState
from flinkpy_dagster.state.committing import COMPLETE, commits_of
from flinkpy_dagster.state.files import Files, joined
from flinkpy_dagster.state.metadata import CheckpointKind, EpochMetadata, encoded
from flinkpy_dagster.state.storage.schemes import ALL_FILES
from flinkpy_dagster.state.verifying import check_sizes, read_metadata, verify

log = logging.getLogger(__name__)

EPOCHS_KEPT = 2
"""Newest epochs that are kept whatever they are: recovery can fall back by one."""

SWEEP_EVERY = 100
"""Commits after which files that tasks left behind (retried ones, those of failed epochs) are looked for."""


@dataclass(frozen=True, slots=True)
class Completed:
    """A complete epoch and its folder (relative to the store's)."""

    name: str
    metadata: EpochMetadata

    @property
    def order(self) -> tuple[int, int]:
        """Later ones are greater: an epoch of a later leader counts more, whatever its number."""
        return self.metadata.fencing_token, self.metadata.epoch


@dataclass(frozen=True, slots=True)
class Found:
    """Where recovery starts. ``skipped``: newer ones that could not be read, each with the reason."""

    name: str
    metadata: EpochMetadata
    skipped: tuple[str, ...] = ()


class CheckpointStore:
    """One job's epochs. ``folder`` is absolute. Reading needs no leadership; ``commit`` does.

    ``num_retained``: checkpoints kept (``execution.checkpointing.num-retained``); older ones go after each commit.
    """

    def __init__(self, folder: str, *, num_retained: int = 1, files: Files = ALL_FILES):
        self.folder = folder
        self.files = files.of(folder)
        self._leading = commits_of(self.files, folder)
        self._num_retained = num_retained
        self._complete: list[Completed] = []
        self._commits = 0

    # --- leading

    def lead(self) -> Found | None:
        """Becomes the leader: older ones cannot commit any more. Returns where recovery starts, None: nothing there.

        What cannot be read is moved aside, with a warning; state files that nothing refers to are removed.
        Raises StaleLeader if a newer leader comes at the same time.
        """
        self._leading.lead()
        found = self.newest()
        for name in self._unreadable:
            self._set_aside(name)
        if not self._unreadable:
            self.sweep()
        return found

    @property
    def token(self) -> int:
        """Of this leader; 0: none."""
        return self._leading.token

    def newest_leader(self) -> int:
        """The token of the newest leader there has been; 0 if there is none."""
        return self._leading.newest_leader()

    # --- reading

    def newest(self, *, is_verified: bool = True) -> Found | None:
        """The newest complete epoch whose files are all as they were written; says loudly what it had to skip."""
        skipped: list[str] = []
        self._unreadable: list[str] = []
        self._complete = []
        for name in self._leading.names():
            try:
                self._complete.append(Completed(name, read_metadata(self.files, self._path(name))))
            except CorruptState as error:
                self._skip(name, error, skipped)
        self._complete.sort(key=lambda complete: complete.order)
        for complete in reversed(self._complete):
            try:
                if is_verified:
                    verify(self.files, self.folder, complete.metadata, self._path(complete.name))
            except CorruptState as error:
                self._skip(complete.name, error, skipped)
                continue
            self._complete = [each for each in self._complete if each.name not in self._unreadable]
            return Found(complete.name, complete.metadata, tuple(skipped))
        self._complete = []
        if skipped:
            raise CorruptState(self.folder, "none of its checkpoints can be read: " + " ".join(skipped))
        return None

    def _skip(self, name: str, error: CorruptState, skipped: list[str]) -> None:
        log.warning("%s Falling back to the one before.", error)
        skipped.append(str(error))
        self._unreadable.append(name)

    def _set_aside(self, name: str) -> None:
        target = self._path(f"corrupt-{self.token}-{name}")
        self.files.rename(self._path(name), target)
        log.warning("What could not be read of '%s' is kept in '%s'.", name, target)

    def complete(self) -> list[Completed]:
        """All complete epochs that can be read, oldest first; state files are not looked at."""
        self.newest(is_verified=False)
        return list(self._complete)

    @property
    def checkpoints(self) -> int:
        """How many complete checkpoints this leader knows of."""
        return sum(each.metadata.kind is CheckpointKind.CHECKPOINT for each in self._complete)

    def next_checkpoint_id(self) -> int:
        """One more than the highest id in the folder."""
        ids = [int(name[4:]) for name in self.files.names(self.folder) if re.fullmatch(r"chk-\d+", name)]
        return max(ids, default=0) + 1

    def path_of(self, name: str) -> str:
        """The absolute path of a complete epoch: what ``-s`` takes."""
        return self._path(name)

    # --- committing

    def commit(self, metadata: EpochMetadata) -> Completed:
        """Makes an epoch the newest one, in one step, and lets go what retention does not keep.

        Sets the metadata's fencing token. When this returns the epoch is durable; when it raises it is not committed,
        or, after a failing disk, may be: read ``newest``. Raises StaleLeader if there is a newer leader, CorruptState
        if a state file, or the leader's folder, is missing.
        """
        metadata = replace(metadata, fencing_token=self.token)
        name = self._name_of(metadata)
        self._make_durable(self._check_files(metadata, name))
        completed = Completed(name, metadata)
        everything = [each for each in self._complete if each.name != name] + [completed]
        kept = self._kept(everything)
        self._leading.commit(name, encoded(metadata), [each.name for each in kept])
        self._complete = kept
        self._drop([each for each in everything if each not in kept])
        self._commits += 1
        if self._commits % SWEEP_EVERY == 0:
            self.sweep()
        return completed

    def _name_of(self, metadata: EpochMetadata) -> str:
        if metadata.kind is CheckpointKind.CHECKPOINT:
            return f"chk-{metadata.checkpoint_id}"
        return f"epoch-{self.token}-{metadata.epoch}"

    def _check_files(self, metadata: EpochMetadata, name: str) -> set[str]:
        """Sizes of what this epoch wrote; older files were checked when they were new. Gives the new ones' folders."""
        known = {file.path for complete in self._complete for file in complete.metadata.files()}
        new = [file for file in metadata.files() if file.path not in known]
        check_sizes(self.files, self.folder, new, self._path(name))
        return {file.path.rpartition("/")[0] for file in new}

    def _make_durable(self, folders: set[str]) -> None:
        """Names of new files; subtasks made the files themselves durable."""
        if folders:
            for folder in sorted(folders | {"shared"}):
                self.files.sync_folder(self._path(folder))

    # --- letting go

    def _kept(self, complete: list[Completed]) -> list[Completed]:
        """Checkpoints by ``num_retained``, the newest epochs always: one that became a checkpoint later counts once."""
        newest = sorted({each.order for each in complete})[-EPOCHS_KEPT:]
        checkpoints = [each for each in complete if each.metadata.kind is CheckpointKind.CHECKPOINT]
        retained = {each.name for each in checkpoints[-self._num_retained :]}
        return [each for each in complete if each.order in newest or each.name in retained]

    def _drop(self, dropped: list[Completed]) -> None:
        """Epochs that are not kept, and the files only these had."""
        for each in dropped:
            self._leading.drop(each.name)
        self._delete_unless_needed({file.path for each in dropped for file in each.metadata.files()})

    def _delete_unless_needed(self, paths: Iterable[str]) -> int:
        needed = {file.path for each in self._complete for file in each.metadata.files()}
        useless = sorted(set(paths) - needed)
        self.files.delete_files([self._path(path) for path in useless])
        return len(useless)

    def sweep(self) -> int:
        """Removes state files that no complete epoch needs, such as those of epochs that failed; returns how many.

        Only between epochs: files of an epoch that is under way are not needed yet. A leader that is none any more
        removes nothing: what the newer one has written is not known here, so who leads is asked after all was listed.
        """
        paths = [
            f"shared/{operator}/{name}"
            for operator in self.files.names(self._path("shared"))
            for name in self.files.names(self._path(f"shared/{operator}"))
        ]
        complete = self._leading.names()
        folders = [name for name in self.files.names(self.folder) if COMPLETE.fullmatch(name)]
        if self._leading.newest_leader() > self.token:
            return 0
        for name in folders:
            if name not in complete:
                self.files.delete(self._path(name))
        return self._delete_unless_needed(paths)

    def _path(self, path: str) -> str:
        return joined(self.folder, path)


__all__ = ["CheckpointStore", "Completed", "Found"]
