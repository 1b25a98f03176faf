"""The few file operations that state needs, behind one protocol: so that tests can crash between any two of them, and
other file systems than a local one can come.

What is asked of a file system: ``rename`` of a file or a folder is atomic and fails if its source is gone;
``make_folder`` fails if the folder exists; what ``write`` returned from is durable when ``is_synced``.
"""

import mmap
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlparse

from flinkpy_dagster.errors import UnsupportedFeature


class Files(Protocol):
    """Paths are absolute. All raise OSError, FileNotFoundError for what is not there."""

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


def local_folder(path: str) -> str:
    """The absolute local path of a folder, given with or without ``file:``; raises UnsupportedFeature for others."""
    parsed = urlparse(path)
    if parsed.scheme not in ("", "file"):
        raise UnsupportedFeature(
            f"state in '{parsed.scheme}:' ({path})",
            "use a path that the driver and all workers share, or file:.",
        )
    text = unquote(parsed.path) if parsed.scheme == "file" else path
    return os.path.abspath(text)
