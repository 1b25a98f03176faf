"""Uploaded programs: which there are, what is let in, and how they are run: in a process of their own.

In place of Flink's jars: a ``.py`` file, or a ``.zip`` with modules. Nothing of an upload is executed, or read other
than as bytes and as Python's grammar, before somebody asks to run it.
"""

import ast
import os
import re
import shutil
import stat
import uuid
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from flinkpy_dagster.gateway.rest.failures import bad_request
from flinkpy_dagster.gateway.rest.routes import Upload

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}_(?P<name>[\w.+-]+)", re.ASCII)
_MOST_ENTRIES = 10_000
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
)  # what reading a zip may raise
_MOST_RATIO = 200
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class StoredProgram:
    """``id`` is the file's name in the folder, ``name`` what it was called."""

    id: str
    name: str
    path: Path
    uploaded_ms: int

    @property
    def is_zip(self) -> bool:
        return self.name.endswith(".zip")

    def entries(self) -> list[tuple[str, str | None]]:
        """What can be run, with the first line of its docstring."""
        if not self.is_zip:
            return [(self.name.removesuffix(".py"), _docstring(self.path.read_bytes()))]
        with zipfile.ZipFile(self.path) as file:
            return [(name, _docstring(file.read(entry))) for name, entry in _modules(file)]


def stored(folder: Path) -> list[StoredProgram]:
    """The newest first."""
    if not folder.is_dir():
        return []
    found = [_program(path) for path in folder.iterdir() if _ID.fullmatch(path.name) and path.is_file()]
    return sorted(found, key=lambda each: each.uploaded_ms, reverse=True)


def find(folder: Path, program_id: str) -> StoredProgram | None:
    """Only what ``stored`` would list: an id is never used as a path before it was found."""
    return next((each for each in stored(folder) if each.id == program_id), None)


def store(folder: Path, upload: Upload, *, most: int, most_bytes: int) -> StoredProgram:
    """Checks an upload and moves it to the folder. Raises RestError."""
    if not upload.name.endswith((".py", ".zip")):
        raise bad_request("Only Python programs are allowed: a .py file, or a .zip with modules.")
    if len(stored(folder)) >= most:
        raise bad_request(f"There are {most} uploaded programs, which is how many there may be: delete some.")
    if upload.name.endswith(".zip"):
        check_zip(upload.path, most_bytes)
    path = folder / f"{uuid.uuid4()}_{upload.name}"
    shutil.move(upload.path, path)
    os.chmod(path, stat.S_IRUSR | stat.S_IWUSR)
    return _program(path)


def check_zip(path: Path, most_bytes: int) -> None:
    """Raises RestError for one that is none, would fill the disk, or has names that lead elsewhere."""
    try:
        with zipfile.ZipFile(path) as file:
            entries = file.infolist()
            size = sum(entry.file_size for entry in entries)
            if len(entries) > _MOST_ENTRIES:
                raise bad_request(f"The zip has {len(entries)} entries, {_MOST_ENTRIES} are allowed.")
            if size > most_bytes or size > _MOST_RATIO * max(path.stat().st_size, 4096):
                raise bad_request(f"The zip has {size} bytes when unpacked, which is too many.")
            for entry in entries:
                _check_entry(entry)
                _read_through(file, entry)
    except _UNREADABLE as error:
        raise bad_request(f"The zip cannot be read: {error}.") from None


def _check_entry(entry: zipfile.ZipInfo) -> None:
    name = PurePosixPath(entry.filename.replace("\\", "/"))
    if (
        name.is_absolute()
        or ".." in name.parts
        or re.match(r"[A-Za-z]:", entry.filename)
        or "\0" in entry.filename
    ):
        raise bad_request(f"The zip has an entry that leads elsewhere: {entry.filename[:100]!r}.")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise bad_request(
            f"The zip has an entry that is neither a file nor a folder: {entry.filename[:100]!r}."
        )


def _read_through(file: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    """An entry that unpacks to more than it says, or to something else, is a bad one."""
    if not entry.is_dir():
        with file.open(entry) as content:
            while content.read(_CHUNK):
                pass


def _modules(file: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """Modules at the top, and packages that can be run."""
    for entry in file.infolist():
        parts = PurePosixPath(entry.filename).parts
        if len(parts) == 1 and parts[0].endswith(".py"):
            yield parts[0].removesuffix(".py"), entry
        elif len(parts) == 2 and parts[1] == "__main__.py":
            yield f"{parts[0]}.__main__", entry


def _docstring(source: bytes) -> str | None:
    if len(source) > _CHUNK:
        return None
    try:
        text = ast.get_docstring(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return text.partition("\n")[0] if text else None


def _program(path: Path) -> StoredProgram:
    match = _ID.fullmatch(path.name)
    assert match is not None
    return StoredProgram(path.name, match["name"], path, round(path.stat().st_mtime * 1000))
