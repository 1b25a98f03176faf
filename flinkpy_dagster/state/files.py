"""The few file operations that state and files of sinks need, behind one protocol: so that tests can crash between any
two of them, and that they are the same on this machine, on HDFS and on an object store (``state.storage``).

What is asked of a file system: ``rename`` of a file or a folder is atomic and fails if its source is gone;
``make_folder`` fails if the folder exists; what ``write`` returned from is durable when ``is_synced``. An object store
has neither folders nor renames, but ``swap``: ``state.committing`` knows how to commit on either.
"""

import mmap
import os
import secrets
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Protocol


class Files(Protocol):
    """Paths are absolute: of this machine, or URIs. All raise OSError, FileNotFoundError for what is not there."""

    is_local: bool = True
    """Can Python open the paths?"""

    def of(self, path: str) -> "Files":
        """The file system that a path belongs to."""
        return self

    def read(self, path: str) -> bytes:
        """All bytes of a file."""

    def view(self, path: str) -> memoryview:
        """The bytes of a file that never changes, read where they are looked at; it may be deleted meanwhile."""

    def write(self, path: str, data: bytes, is_synced: bool = True) -> None:
        """Makes a file in a folder that exists; replaces one that is there."""

    def rename(self, source: str, target: str) -> None:
        """Moves a file or a folder in one step; replaces a file that is at the target."""

    def make_folder(self, path: str) -> None:
        """Makes a folder, those above too; raises FileExistsError if it exists."""

    def exists(self, path: str) -> bool:
        """Is there a file or folder?"""

    def names(self, path: str) -> list[str]:
        """What is in a folder, sorted; empty if there is no such folder."""

    def size(self, path: str) -> int:
        """Bytes of a file."""

    def copy(self, source: str, target: str) -> None:
        """A durable copy of a file that never changes; it may share its bytes. Makes folders, replaces the target."""

    def delete(self, path: str) -> None:
        """Removes a file, or a folder with all in it; nothing happens if it is not there."""

    def sync_folder(self, path: str) -> None:
        """Makes the names in a folder durable."""

    def put(self, path: str, data: bytes) -> None:
        """A file that is there as a whole or not at all; makes folders, replaces one that is there."""
        write_below(self, f"{path}.pending", data)
        self.rename(f"{path}.pending", path)

    def put_if_absent(self, path: str, data: bytes) -> bool:
        """``put``, unless there is a file already: False. Of several at once one succeeds."""
        raise NotImplementedError(type(self).__name__)

    def remember(self, path: str, data: bytes) -> None:
        """A hint: this process, or one beside it, is going to ``view`` the file that it has written."""
        return None

    def sizes(self, paths: Iterable[str]) -> dict[str, int | OSError]:
        """Bytes of many files, or why they cannot be read."""
        found: dict[str, int | OSError] = {}
        for path in paths:
            try:
                found[path] = self.size(path)
            except OSError as error:
                found[path] = error
        return found

    def delete_files(self, paths: Iterable[str]) -> None:
        """``delete`` for many files."""
        for path in paths:
            self.delete(path)

    # files of sinks

    def stage(self, source: str, pending: str, final: str) -> None:
        """A file of this machine becomes one that is invisible until ``publish``; durable when this returns."""
        with open(source, "rb") as stream:
            write_below(self, pending, stream.read())

    def publish(self, pending: str, final: str) -> bool:
        """What is pending becomes visible, as a whole; makes folders. False: nothing is pending.

        Then it was done before, and whoever reads it may have taken it away.
        """
        make_folder_if_missing(self, final.rpartition("/")[0])
        try:
            self.rename(pending, final)
        except FileNotFoundError:
            return False
        return True

    def discard(self, folder: str) -> None:
        """All that is pending below a hidden folder goes, and the folder."""
        self.delete(folder)


class ObjectFiles(Files, Protocol):
    """An object store. A folder is there as long as something is in it; ``write`` is atomic; ``rename`` is not."""

    is_local: bool = False

    def versioned(self, path: str) -> tuple[bytes, str]:
        """The bytes of an object, and which version of it they are."""

    def swap(self, path: str, data: bytes, version: str | None) -> str:
        """Writes an object if it still has this version (None: if there is none); the new version.

        Raises VersionChanged: somebody else has written, or this call, if its answer got lost before.
        """


class VersionChanged(Exception):
    """An object is not what it was."""


class LocalFiles(Files):
    """The file system of this machine."""

    def read(self, path: str) -> bytes:
        return Path(path).read_bytes()

    def view(self, path: str) -> memoryview:
        with open(path, "rb") as stream:
            try:
                return memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
            except ValueError:  # an empty file has nothing to map
                return memoryview(b"")

    def write(self, path: str, data: bytes, is_synced: bool = True) -> None:
        with open(path, "wb") as stream:
            stream.write(data)
            if is_synced:
                stream.flush()
                os.fsync(stream.fileno())

    def rename(self, source: str, target: str) -> None:
        os.replace(source, target)

    def make_folder(self, path: str) -> None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.mkdir(path)

    def exists(self, path: str) -> bool:
        return os.path.lexists(path)

    def names(self, path: str) -> list[str]:
        try:
            return sorted(os.listdir(path))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def size(self, path: str) -> int:
        return os.stat(path).st_size

    def copy(self, source: str, target: str) -> None:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        temporary = f"{target}.copying"
        shutil.copyfile(source, temporary)
        with open(temporary, "rb+") as stream:
            os.fsync(stream.fileno())
        os.replace(temporary, target)

    def put_if_absent(self, path: str, data: bytes) -> bool:
        written = f"{path}-{secrets.token_hex(8)}"
        write_below(self, written, data)
        try:
            os.link(written, path)
        except FileExistsError:
            return False
        finally:
            os.remove(written)
        return True

    def discard(self, folder: str) -> None:
        shutil.rmtree(folder, ignore_errors=True)

    def delete(self, path: str) -> None:
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.remove(path)

    def sync_folder(self, path: str) -> None:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


LOCAL_FILES = LocalFiles()


def joined(folder: str, path: str) -> str:
    """A relative path of ours below a folder."""
    return f"{folder}/{path}" if path else folder


def write_below(files: Files, path: str, data: bytes, is_synced: bool = True) -> None:
    """``write``; makes the folder if it is not there yet. Its name is made durable by whoever refers to the file."""
    try:
        files.write(path, data, is_synced)
    except FileNotFoundError:
        make_folder_if_missing(files, path.rpartition("/")[0])
        files.write(path, data, is_synced)


def make_folder_if_missing(files: Files, path: str) -> None:
    """A folder that others may make at the same time."""
    with suppress(FileExistsError):
        files.make_folder(path)
