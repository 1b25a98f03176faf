"""Which file system a path belongs to: by its scheme."""

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from urllib.parse import unquote, urlparse

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.storage import storage_settings
from flinkpy_dagster.errors import ConfigurationError, UnsupportedFeature
from flinkpy_dagster.state.files import LOCAL_FILES, Files

_S3 = ("s3_files", "S3Files", "boto3", "s3")
_HDFS = ("hdfs_files", "HdfsFiles", "requests", "hdfs")
REMOTE = {"s3": _S3, "s3a": _S3, "hdfs": _HDFS, "webhdfs": _HDFS}
"""By scheme: module here, class in it, the package it needs, the extra of ours that brings it."""


def state_folder(path: str) -> str:
    """A folder as all of state knows it: an absolute path of this machine, or a URI without a slash at its end.

    Raises UnsupportedFeature for a scheme we do not have, ConfigurationError for a URI that names no place, or whose
    package is not installed.
    """
    parsed = urlparse(path)
    if parsed.scheme in ("", "file"):
        return os.path.abspath(unquote(parsed.path) if parsed.scheme == "file" else path)
    _require(parsed.scheme, path)
    if not parsed.netloc and parsed.scheme != "hdfs":
        raise ConfigurationError(f"'{path}' names no bucket or host: write {parsed.scheme}://NAME/folder.")
    return path.rstrip("/")


def is_remote(path: str) -> bool:
    """Is it a URI of another file system than this machine's?"""
    return "://" in path and not path.startswith("file:")


def _require(scheme: str, path: str) -> None:
    if scheme not in REMOTE:
        known = ", ".join(f"{each}://" for each in REMOTE)
        raise UnsupportedFeature(
            f"state and files of sinks in '{scheme}:' ({path})",
            f"use {known} or a path (or file:) that the driver and all workers share.",
        )
    _, _, package, extra = REMOTE[scheme]
    if find_spec(package) is None:
        raise ConfigurationError(
            f"'{path}' needs the package {package}, which is not installed: pip install 'flinkpy-dagster[{extra}]' "
            "(on the workers, too)."
        )


class SchemeFiles(Files):
    """All file systems at once; pickled, it is its settings (``config.storage``: endpoints, keys, addresses)."""

    def __init__(self, settings: Mapping[str, str] | None = None):
        """None: what HADOOP_CONF_DIR and AWS_* say."""
        self._settings = None if settings is None else tuple(sorted(settings.items()))

    def __repr__(self) -> str:
        return "SchemeFiles()"  # settings hold keys

    def of(self, path: str) -> Files:
        if not is_remote(path):
            return LOCAL_FILES
        scheme = path.partition("://")[0]
        _require(scheme, path)
        if self._settings is None:
            self._settings = tuple(sorted(storage_settings(Configuration()).items()))
        return _opened(scheme, self._settings)

    # --- one path

    def read(self, path: str) -> bytes:
        return self.of(path).read(path)

    def view(self, path: str) -> memoryview:
        return self.of(path).view(path)

    def write(self, path: str, data: bytes, is_synced: bool = True) -> None:
        self.of(path).write(path, data, is_synced)

    def make_folder(self, path: str) -> None:
        self.of(path).make_folder(path)

    def exists(self, path: str) -> bool:
        return self.of(path).exists(path)

    def names(self, path: str) -> list[str]:
        return self.of(path).names(path)

    def size(self, path: str) -> int:
        return self.of(path).size(path)

    def delete(self, path: str) -> None:
        self.of(path).delete(path)

    def delete_files(self, paths: Iterable[str]) -> None:
        several = list(paths)
        if several:
            self.of(several[0]).delete_files(several)

    def sync_folder(self, path: str) -> None:
        self.of(path).sync_folder(path)

    def put(self, path: str, data: bytes) -> None:
        self.of(path).put(path, data)

    def put_if_absent(self, path: str, data: bytes) -> bool:
        return self.of(path).put_if_absent(path, data)

    def publish(self, pending: str, final: str) -> bool:
        return self.of(pending).publish(pending, final)

    def discard(self, folder: str) -> None:
        self.of(folder).discard(folder)

    # --- two paths

    def rename(self, source: str, target: str) -> None:
        self.of(source).rename(source, target)

    def copy(self, source: str, target: str) -> None:
        if self.of(source) is self.of(target):
            self.of(source).copy(source, target)
        else:
            self.put(target, self.read(source))


@lru_cache(maxsize=32)
def _opened(scheme: str, settings: tuple[tuple[str, str], ...]) -> Files:
    """One of each kind and settings for a process: it holds the connections."""
    module, name, _, _ = REMOTE[scheme]
    if scheme == "s3":
        return _opened("s3a", settings)
    found: Files = getattr(import_module(f"flinkpy_dagster.state.storage.{module}"), name)(dict(settings))
    return found


ALL_FILES = SchemeFiles()
"""With what the environment says of them."""


def files_of(configuration: Configuration) -> SchemeFiles:
    """All file systems as a job is configured to reach them."""
    return SchemeFiles(storage_settings(configuration))
