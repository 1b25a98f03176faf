"""Copies of remote files that never change, on the disk of the machine that reads them.

State files are looked at in every epoch, mostly by the machine that wrote them: it keeps what it has written or read.
Nothing is trusted that is not checked: segments carry checksums of their pages. What has not been used for longest goes
first when the copies are larger than ``limit_bytes``; who still looks at a copy that goes can go on doing so.
"""

import hashlib
import os
import secrets
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from flinkpy_dagster.state.files import LOCAL_FILES, Files

DEFAULT_LIMIT_BYTES = 10 * 2**30
_LOOKS_AFTER = 64
"""Copies after which sizes are added up."""


class LocalCache:
    """``folder``: made when it is needed, readable by its owner only."""

    def __init__(self, folder: str = "", limit_bytes: int = DEFAULT_LIMIT_BYTES):
        self._folder = Path(folder or tempfile.gettempdir()) / f"flinkpy-state-{os.getuid()}"
        self._limit = limit_bytes
        self._kept = 0

    def view(self, path: str) -> memoryview | None:
        """The bytes of a copy; None if there is none."""
        copy = self._of(path)
        if not self._is_own():
            return None
        try:
            found = LOCAL_FILES.view(str(copy))
            os.utime(copy)
        except OSError:
            return None
        return found

    def keep(self, path: str, data: bytes) -> None:
        """Makes a copy; a disk that is full is no error."""
        copy = self._of(path)
        written = copy.with_name(f"{copy.name}.{secrets.token_hex(4)}")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._is_own():
                return
            written.write_bytes(data)
            written.replace(copy)
        except OSError:
            with suppress(OSError):
                written.unlink()
        self._kept += 1
        if self._kept % _LOOKS_AFTER == 1:
            self.shrink()

    def forget(self, path: str) -> None:
        """The file is gone."""
        with suppress(OSError):
            self._of(path).unlink()

    def shrink(self) -> None:
        """Deletes what is too much."""
        with suppress(OSError):  # others shrink, too
            entries = [(entry.stat(), entry.path) for entry in os.scandir(self._folder)]
            total = sum(found.st_size for found, _ in entries)
            for found, path in sorted(entries, key=lambda entry: entry[0].st_mtime):
                if total <= self._limit:
                    return
                os.unlink(path)
                total -= found.st_size

    def _is_own(self) -> bool:
        """State is unpickled: nobody else may have made the folder, which lies where all may write."""
        try:
            found = self._folder.lstat()
        except OSError:
            return False
        return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022

    def _of(self, path: str) -> Path:
        return self._folder / hashlib.sha256(path.encode()).hexdigest()


class CachedFiles(Files):
    """Files elsewhere, of which this machine keeps copies. ``settings``: also those of ``cache.``, folder and bytes."""

    def __init__(self, settings: Mapping[str, str] | None = None):
        self._settings = dict(settings or {})
        self._cache = LocalCache(
            self._settings.get("cache.folder", ""),
            int(self._settings.get("cache.bytes", DEFAULT_LIMIT_BYTES)),
        )

    def __reduce__(self) -> Any:
        return type(self), (self._settings,)

    def view(self, path: str) -> memoryview:
        found = self._cache.view(path)
        if found is None:
            data = self.read(path)
            self._cache.keep(path, data)
            found = memoryview(data)
        return found

    def remember(self, path: str, data: bytes) -> None:
        self._cache.keep(path, data)
