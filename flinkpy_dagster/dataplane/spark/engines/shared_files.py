"""Files that this process and the workers of a shared session see at the same paths: one machine, or a shared mount.

A client of Spark Connect has no Hadoop file systems, so only such paths will do for what a job writes.
"""

import os
import shutil
from urllib.parse import unquote, urlparse

from flinkpy_dagster.dataplane.spark.file_system import FileSystem
from flinkpy_dagster.errors import InvalidProgram


class SharedFiles(FileSystem):
    """Paths without a scheme, or of ``file:``. Others raise InvalidProgram."""

    def __init__(self) -> None:
        """Needs no session."""

    def exists(self, path: str) -> bool:
        """See ``FileSystem.exists``."""
        return os.path.exists(self.local_path(path))

    def is_local(self, path: str) -> bool:
        """See ``FileSystem.is_local``."""
        return urlparse(path).scheme in ("", "file")

    def local_path(self, path: str) -> str:
        """See ``FileSystem.local_path``."""
        if not self.is_local(path):
            raise InvalidProgram(
                f"'{path}' cannot be written from a shared session: what a job writes there must be at a path without "
                "a scheme that this machine and the session's workers share; or run the job on a cluster of its own."
            )
        return unquote(urlparse(path).path) if path.startswith("file:") else path

    def write_bytes(self, path: str, content: bytes) -> None:
        """See ``FileSystem.write_bytes``."""
        local = self.local_path(path)
        os.makedirs(os.path.dirname(local), exist_ok=True)
        with open(local, "wb") as file:
            file.write(content)

    def read_bytes(self, path: str) -> bytes:
        """See ``FileSystem.read_bytes``."""
        with open(self.local_path(path), "rb") as file:
            return file.read()

    def make_folder(self, path: str) -> None:
        """See ``FileSystem.make_folder``."""
        os.makedirs(self.local_path(path), exist_ok=True)

    def delete(self, path: str) -> None:
        """See ``FileSystem.delete``."""
        local = self.local_path(path)
        if os.path.isdir(local) and not os.path.islink(local):
            shutil.rmtree(local)
        elif os.path.lexists(local):
            os.remove(local)

    def move(self, source: str, target: str) -> None:
        """See ``FileSystem.move``."""
        local = self.local_path(target)
        if os.path.exists(local):
            raise OSError(f"'{source}' could not be renamed to '{target}'.")
        os.makedirs(os.path.dirname(local), exist_ok=True)
        os.rename(self.local_path(source), local)

    def names(self, folder: str) -> list[str]:
        """See ``FileSystem.names``."""
        return os.listdir(self.local_path(folder))

    def size_bytes(self, folder: str) -> int:
        """Hidden files and folders do not count."""
        with os.scandir(self.local_path(folder)) as entries:
            own = [entry for entry in entries if not entry.name.startswith((".", "_"))]
            return sum(self.size_bytes(each.path) if each.is_dir() else each.stat().st_size for each in own)
