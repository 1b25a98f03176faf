"""How one epoch comes to be the newest, in one step that only the newest leader can do.

On a file system (``RenameCommits``) the step is a rename of ``_metadata`` out of the leader's own folder; a new leader
first moves the folders of all older ones away, and from then on their renames fail.

An object store has no renames (``SwapCommits``). There the step is a compare-and-swap of one small object, ``_head``,
which says who leads and which epochs are complete. A new leader swaps its token in; from then on the version that older
ones know is not the one that is there.
"""

import json
import re
import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast

from flinkpy_dagster.errors import CorruptState, StaleLeader, StateNotStored
from flinkpy_dagster.state.files import Files, ObjectFiles, VersionChanged, joined, make_folder_if_missing
from flinkpy_dagster.state.metadata import decoded
from flinkpy_dagster.state.verifying import METADATA

HEAD = "_head"
_NO_VERSION = f'"{"0" * 32}"'
"""What no object ever has."""
_LEADER = re.compile(r"leader-(\d+)")
COMPLETE = re.compile(r"(epoch-\d+-\d+|chk-\d+)")


class Commits(Protocol):
    """Of the epochs in one folder. Epochs have names, which are those of their folders."""

    token: int
    """Which leader this is; 0: none. A later one's is greater."""

    def lead(self) -> None:
        """Becomes the leader: older ones cannot commit any more. Raises StaleLeader if a newer one comes meanwhile."""

    def names(self) -> list[str]:
        """The complete epochs, in no order."""

    def is_complete(self, name: str) -> bool:
        """Is an epoch, of which there is metadata, complete? Does it count?"""
        return name in self.names()

    def commit(self, name: str, data: bytes, kept: Iterable[str]) -> None:
        """Makes an epoch complete; of the others only ``kept`` still count. Raises StaleLeader, CorruptState.

        An OSError leaves open whether it has happened; calling again is right then.
        """

    def drop(self, name: str) -> None:
        """An epoch that does not count goes."""

    def newest_leader(self) -> int:
        """The highest token of those that have come; 0 if there is none."""


def commits_of(files: Files, folder: str) -> Commits:
    """What fits the file system."""
    if hasattr(files, "swap"):
        return SwapCommits(cast(ObjectFiles, files), folder)
    return RenameCommits(files, folder)


def folders_with_metadata(files: Files, folder: str) -> list[str]:
    """What looks like a complete epoch."""
    names = filter(COMPLETE.fullmatch, files.names(folder))
    return [name for name in names if METADATA in files.names(joined(folder, name))]


def _highest_token(names: Iterable[str]) -> int:
    """Of all epochs: also when what a leader left was lost, a token is never given twice."""
    return max((int(name.split("-")[1]) for name in names if name.startswith("epoch-")), default=0)


class RenameCommits(Commits):
    """Flink's fencing token of the JobMaster, as a folder that is moved away."""

    def __init__(self, files: Files, folder: str):
        self._files = files
        self._folder = folder
        self.token = 0

    def lead(self) -> None:
        token = max((*self._tokens(), _highest_token(self._files.names(self._folder))), default=0) + 1
        while True:
            try:
                self._files.make_folder(self._path(f"leader-{token}"))
                break
            except FileExistsError:
                token += 1
        self.token = token
        for older in self._tokens():
            if older > token:
                raise StaleLeader(self._folder, token, older)
            if older < token:
                with suppress(FileNotFoundError):  # who comes at the same time may have done it
                    self._files.rename(self._path(f"leader-{older}"), self._path(f"fenced-{older}"))
        for name in self._files.names(self._folder):
            if name.startswith("fenced-"):
                self._files.delete(self._path(name))

    def names(self) -> list[str]:
        return folders_with_metadata(self._files, self._folder)

    def commit(self, name: str, data: bytes, kept: Iterable[str]) -> None:
        pending = self._path(f"leader-{self.token}/{METADATA}")
        try:
            self._files.write(pending, data)
            make_folder_if_missing(self._files, self._path(name))
            self._files.rename(pending, self._path(f"{name}/{METADATA}"))
        except FileNotFoundError:
            newest = self.newest_leader()
            if newest <= self.token:
                reason = f"its leader-{self.token} is gone, and no other run has come"
                raise CorruptState(self._folder, reason) from None
            raise StaleLeader(self._folder, self.token, newest) from None
        self._files.sync_folder(self._path(name))
        self._files.sync_folder(self._folder)

    def drop(self, name: str) -> None:
        self._files.delete(self._path(f"{name}/{METADATA}"))
        self._files.delete(self._path(name))

    def newest_leader(self) -> int:
        return max(self._tokens(), default=0)

    def _tokens(self) -> list[int]:
        matches = (_LEADER.fullmatch(name) for name in self._files.names(self._folder))
        return [int(match[1]) for match in matches if match]

    def _path(self, path: str) -> str:
        return joined(self._folder, path)


@dataclass(frozen=True, slots=True)
class Head:
    """``token`` of who leads; ``epochs`` that are complete; ``writes`` makes the bytes of each version others'."""

    token: int = 0
    epochs: tuple[str, ...] = ()
    writes: int = 0

    def encoded(self) -> bytes:
        """One line with the checksum of what follows, then JSON."""
        body = json.dumps({"token": self.token, "epochs": self.epochs, "writes": self.writes}).encode()
        return b"%08x\n" % zlib.crc32(body) + body

    @staticmethod
    def decoded(data: bytes, path: str) -> "Head":
        """The inverse. Raises CorruptState."""
        checksum, _, body = data.partition(b"\n")
        if checksum != b"%08x" % zlib.crc32(body):
            raise CorruptState(path, "its checksum is wrong: it was changed")
        value: dict[str, Any] = json.loads(body)
        return Head(value["token"], tuple(value["epochs"]), value["writes"])


class SwapCommits(Commits):
    """Only the one object is ever fought for; all others have one writer, or a writer that knows its token."""

    def __init__(self, files: ObjectFiles, folder: str):
        self._files = files
        self._folder = folder
        self._known: tuple[Head, str] | None = None  # as this leader has written it, and the version that was
        self.token = 0

    def lead(self) -> None:
        """Writes until nobody writes in between: who is overtaken becomes the later one."""
        while True:
            head, version = self._read()
            names = self._files.names(self._folder)
            if version is None:  # the folder was copied here: what is complete counts
                head = Head(epochs=tuple(folders_with_metadata(self._files, self._folder)))
            token = max(head.token, _highest_token(names)) + 1
            own = Head(token, head.epochs, head.writes + 1)
            try:
                self._known = own, self._files.swap(self._path(HEAD), own.encoded(), version)
                break
            except VersionChanged:
                continue
        self.token = token
        self._require_conditions(own)

    def _require_conditions(self, own: Head) -> None:
        """A store that takes no notice of conditions would let two runs commit; what is tried changes nothing.

        Both are tried: there are stores that know ``If-None-Match`` only.
        """
        for condition, version in (("If-None-Match", None), ("If-Match", _NO_VERSION)):
            try:
                self._files.swap(self._path(HEAD), own.encoded(), version)
            except VersionChanged:
                continue
            raise StateNotStored(
                self._path(HEAD), f"this object store takes no notice of the condition {condition} of a write"
            )

    def names(self) -> list[str]:
        head, version = self._read()
        if version is None:
            return folders_with_metadata(self._files, self._folder)
        there = set(self._files.names(self._folder))  # what was damaged has been moved away
        return [name for name in head.epochs if name in there]

    def commit(self, name: str, data: bytes, kept: Iterable[str]) -> None:
        self._write_metadata(self._path(f"{name}/{METADATA}"), data)
        epochs = tuple(dict.fromkeys([*kept, name]))
        while True:
            if self._known is None:
                raise StaleLeader(self._folder, self.token, self.newest_leader())
            head, version = self._known
            own = replace(head, epochs=epochs, writes=head.writes + 1)
            try:
                self._known = own, self._files.swap(self._path(HEAD), own.encoded(), version)
                return
            except VersionChanged:
                self._known = self._reread()

    def _reread(self) -> tuple[Head, str]:
        """The version that is there, if it is ours: a write whose answer was lost."""
        head, version = self._read()
        if version is None:
            raise CorruptState(self._folder, f"its {HEAD} is gone, and no other run has come")
        if head.token != self.token:
            raise StaleLeader(self._folder, self.token, head.token)
        return head, version

    def _write_metadata(self, path: str, data: bytes) -> None:
        """Replaces what an older leader could not commit under the same name (of a checkpoint), but nothing newer."""
        version: str | None = None
        while True:
            try:
                self._files.swap(path, data, version)
                return
            except VersionChanged:
                version = self._replaceable(path)

    def _replaceable(self, path: str) -> str | None:
        try:
            data, version = self._files.versioned(path)
        except FileNotFoundError:
            return None
        with suppress(ValueError, KeyError, TypeError):  # makes no sense: nobody needs it
            token = decoded(data).fencing_token
            if token > self.token:
                raise StaleLeader(self._folder, self.token, token)
        return version

    def drop(self, name: str) -> None:
        self._files.delete_files([self._path(f"{name}/{METADATA}")])

    def newest_leader(self) -> int:
        return self._read()[0].token

    def _read(self) -> tuple[Head, str | None]:
        path = self._path(HEAD)
        try:
            data, version = self._files.versioned(path)
        except FileNotFoundError:
            return Head(), None
        return Head.decoded(data, path), version

    def _path(self, path: str) -> str:
        return joined(self._folder, path)
