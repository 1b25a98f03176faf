"""Files where Spark writes them: any file system Hadoop knows, through the JVM."""

import os
import re
from typing import Any

from pyspark.sql import SparkSession

_SUCCESS = "_SUCCESS"  # Spark's word for a folder that is complete
_OBJECT_STORES = ("s3", "s3a", "s3n", "gs", "oss", "cosn", "obs")
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:")


def absolute(path: str) -> str:
    """A relative path made one below the working folder of this process; others stay as they are."""
    if _SCHEME.match(path) or os.path.isabs(path):
        return path
    return os.path.abspath(path)


def is_object_store(path: str) -> bool:
    """Has the file system no rename that is one step?"""
    return path.partition("://")[0] in _OBJECT_STORES and "://" in path


class FileSystem:
    """The few operations that moving finished results into place takes."""

    def __init__(self, spark: SparkSession) -> None:
        self._jvm: Any = spark._jvm
        self._configuration = spark._jsparkSession.sessionState().newHadoopConf()

    def exists(self, path: str) -> bool:
        return self._of(path).exists(self._path(path))

    def is_local(self, path: str) -> bool:
        """Is it a file or folder of this machine?"""
        return str(self._of(path).getUri().getScheme()) == "file"

    def local_path(self, path: str) -> str:
        """The path of a file or folder of this machine, without a scheme."""
        return str(self._path(path).toUri().getPath())

    def write_bytes(self, path: str, content: bytes) -> None:
        """A file with this content, and the folders above it."""
        stream = self._of(path).create(self._path(path), True)
        try:
            stream.write(bytearray(content))
        finally:
            stream.close()

    def read_bytes(self, path: str) -> bytes:
        """The content of a file."""
        stream = self._of(path).open(self._path(path))
        try:
            return bytes(self._jvm.org.apache.commons.io.IOUtils.toByteArray(stream))
        finally:
            stream.close()

    def make_folder(self, path: str) -> None:
        """With all the folders above it."""
        self._of(path).mkdirs(self._path(path))

    def delete(self, path: str) -> None:
        """The file, or the folder and all below it; nothing happens if there is none."""
        self._of(path).delete(self._path(path), True)

    def move(self, source: str, target: str) -> None:
        """Renames; the target must not exist. Raises OSError if that was refused."""
        self._of(target).mkdirs(self._path(target).getParent())
        if not self._of(source).rename(self._path(source), self._path(target)):
            raise OSError(f"'{source}' could not be renamed to '{target}'.")

    def replace(self, source: str, target: str) -> None:
        """Puts ``source`` where ``target`` is; the old content is gone only once the new one is in place."""
        if is_object_store(target):
            self._replace_objects(source, target)
            return
        if not self.exists(target):
            self.move(source, target)
            return
        old = f"{source}-replaced"
        self.move(target, old)
        try:
            self.move(source, target)
        except Exception:
            self.move(old, target)
            raise
        self.delete(old)

    def _replace_objects(self, source: str, target: str) -> None:
        """A folder cannot be renamed in one step there: each file is copied, ``_SUCCESS`` goes first and comes last.

        Who reads meanwhile and does not look for it sees the old files together with new ones.
        """
        if not self._of(source).getFileStatus(self._path(source)).isDirectory():
            self.delete(target)
            self.move(source, target)
            return
        new = self._files_below(source)
        old = set(self._files_below(target)) if self.exists(target) else set()
        self.delete(f"{target}/{_SUCCESS}")
        for name in sorted(new - {_SUCCESS}):
            if name in old:
                self.delete(f"{target}/{name}")
            self.move(f"{source}/{name}", f"{target}/{name}")
        for name in sorted(old - new):
            self.delete(f"{target}/{name}")
        if _SUCCESS in new:
            self.move(f"{source}/{_SUCCESS}", f"{target}/{_SUCCESS}")
        self.delete(source)

    def _files_below(self, folder: str) -> set[str]:
        """Paths of all files below a folder, relative to it."""
        root = self._of(folder).getFileStatus(self._path(folder)).getPath().toUri()
        found = set()
        files = self._of(folder).listFiles(self._path(folder), True)
        while files.hasNext():
            found.add(str(root.relativize(files.next().getPath().toUri()).getPath()))
        return found

    def move_files(self, source: str, target: str) -> None:
        """Moves the part files of a folder into another one."""
        self.make_folder(target)
        for name in self.names(source):
            if not name.startswith(("_", ".")):
                self.move(f"{source}/{name}", f"{target}/{name}")
        self.delete(source)

    def names(self, folder: str) -> list[str]:
        """The files and folders right below a folder."""
        return [status.getPath().getName() for status in self._of(folder).listStatus(self._path(folder))]

    def size_bytes(self, folder: str) -> int:
        """The bytes of all files below a folder, without checksums and markers."""
        statuses = self._of(folder).listStatus(self._path(folder))
        own = [status for status in statuses if not status.getPath().getName().startswith((".", "_"))]
        return sum(
            self.size_bytes(status.getPath().toString()) if status.isDirectory() else status.getLen()
            for status in own
        )

    def _path(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(path)

    def _of(self, path: str) -> Any:
        return self._path(path).getFileSystem(self._configuration)


def beside(path: str, mark: str) -> str:
    """A hidden name in the folder of ``path``, for what is to become it."""
    folder, separator, name = path.rstrip("/").rpartition("/")
    return f"{folder}{separator}.{name}.{mark}"
