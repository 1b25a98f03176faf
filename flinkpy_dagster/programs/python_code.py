"""What the workers' Python must have: files, requirements, archives, an interpreter.

Source of the rules: Flink's ``PythonOptions`` and ``PythonDependencyInfo``, and PyFlink's docstrings of
``StreamExecutionEnvironment.add_python_file`` and its neighbours.
"""

import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import InvalidProgram

COPIES_OPTION = "$internal.flinkpy.python-copies"
"""JSON: where the copies of a submitted job lie, by the path that the program names."""
ARCHIVE_ENDINGS = (".zip", ".jar", ".whl", ".egg", ".tar", ".tar.gz", ".tgz")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True, slots=True)
class PythonArchive:
    """An archive (a path, or an address that Spark can read) and the name of the folder it is unpacked in.

    ``target`` is relative to the working folder of a worker.
    """

    path: str
    target: str


@dataclass(frozen=True, slots=True)
class PythonRequirements:
    """A requirements file, and a folder with the packages if none is to be asked of an index."""

    file: str
    cache_folder: str | None = None


@dataclass(frozen=True, slots=True)
class PythonCode:
    """What a job wants the Python of its workers to have.

    ``search_path``: folders of the workers' own machines. ``executable``: a path or a name there; it may begin with the
    target of an archive.
    """

    files: tuple[str, ...] = ()
    archives: tuple[PythonArchive, ...] = ()
    requirements: PythonRequirements | None = None
    search_path: tuple[str, ...] = ()
    executable: str | None = None

    @classmethod
    def of(cls, configuration: Configuration) -> "PythonCode":
        """Local paths are absolute, and those of copies if the job was submitted. Raises InvalidProgram."""
        copies = _copies_in(configuration)
        archives = tuple(_archive(text, copies) for text in configuration.get("python.archives") or ())
        _require_own_targets(archives)
        return cls(
            files=tuple(_local(path, copies) for path in configuration.get("python.files") or ()),
            archives=archives,
            requirements=_requirements(configuration.get("python.requirements"), copies),
            search_path=tuple(configuration.get("python.pythonpath") or ()),
            executable=configuration.get("python.executable"),
        )

    @property
    def is_empty(self) -> bool:
        """Is there nothing that any Python would not have?"""
        return self == PythonCode()

    def executable_place(self) -> tuple[PythonArchive, str] | None:
        """The archive that has the interpreter, and its path in there; None: it is none of an archive."""
        if self.executable is None or self.executable.startswith("/"):
            return None
        path = PurePosixPath(self.executable)
        for archive in self.archives:
            if path.is_relative_to(archive.target):
                return archive, str(path.relative_to(archive.target))
        return None

    def local_paths(self) -> list[str]:
        """All that must be copied for a job that outlives its submission."""
        found = [*self.files, *(each.path for each in self.archives if not _is_address(each.path))]
        if self.requirements is not None:
            found.append(self.requirements.file)
            if self.requirements.cache_folder is not None:
                found.append(self.requirements.cache_folder)
        return found

    def check(self) -> "PythonCode":
        """Itself. Raises InvalidProgram for an archive or a requirements file that is not there, by name."""
        for archive in self.archives:
            _check_archive(archive)
        if self.requirements is not None:
            if not os.path.isfile(self.requirements.file):
                raise InvalidProgram(f"Requirements file '{self.requirements.file}' does not exist.")
            folder = self.requirements.cache_folder
            if folder is not None and not os.path.isdir(folder):
                raise InvalidProgram(
                    f"'{folder}' is no folder: after # of the requirements comes one with the packages, as "
                    "'pip download -d FOLDER' makes it."
                )
        return self


def copied(code: PythonCode, folder: str) -> dict[str, str]:
    """Copies all that is local into ``folder``; the copies, relative to it, by the path they are of."""
    found: dict[str, str] = {}
    for number, path in enumerate(dict.fromkeys(code.local_paths())):
        if not os.path.exists(path):
            continue  # the job says so when it starts, and may never
        found[path] = os.path.join(str(number), os.path.basename(path.rstrip("/")))
        target = os.path.join(folder, found[path])
        os.makedirs(os.path.dirname(target))
        if os.path.isdir(path):
            shutil.copytree(path, target, ignore=shutil.ignore_patterns("__pycache__", ".git", ".venv"))
        else:
            shutil.copyfile(path, target)
    return found


def with_absolute_paths(key: str, text: str) -> str:
    """What the command line says of ``key``, for a process with another working folder."""
    if key == "python.requirements":
        return "#".join(_absolute(part) for part in text.split("#", 1))
    items = [item.strip().split("#", 1) for item in re.split("[,;]", text) if item.strip()]
    return ",".join("#".join([_absolute(path), *target]) for path, *target in items)


def _archive(text: str, copies: Mapping[str, str]) -> PythonArchive:
    path, _, target = text.partition("#")
    name = target or os.path.basename(path.rstrip("/"))
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts:
        raise InvalidProgram(
            f"Python archive '{text}' cannot be unpacked in '{name}': give a folder relative to a worker's working "
            "folder, as in data.zip#data."
        )
    return PythonArchive(_local(path, copies), str(PurePosixPath(name)))


def _require_own_targets(archives: tuple[PythonArchive, ...]) -> None:
    by_target: dict[str, str] = {}
    for archive in archives:
        other = by_target.setdefault(archive.target, archive.path)
        if other != archive.path:
            raise InvalidProgram(
                f"Python archives '{other}' and '{archive.path}' would both be unpacked in '{archive.target}': give "
                "one another name, as in data.zip#data."
            )


def _requirements(text: str | None, copies: Mapping[str, str]) -> PythonRequirements | None:
    if not text:
        return None
    file, _, folder = text.partition("#")
    return PythonRequirements(_local(file, copies), _local(folder, copies) if folder else None)


def _check_archive(archive: PythonArchive) -> None:
    if _is_address(archive.path):
        return
    if not Path(archive.path).is_file():
        raise InvalidProgram(f"Python archive '{archive.path}' does not exist.")
    if not archive.path.endswith(ARCHIVE_ENDINGS):
        raise InvalidProgram(f"Python archive '{archive.path}' is none: give {', '.join(ARCHIVE_ENDINGS)}.")


def _copies_in(configuration: Configuration) -> Mapping[str, str]:
    text = configuration.get_string(COPIES_OPTION, None)
    return {} if text is None else json.loads(text)


def _is_address(path: str) -> bool:
    return _SCHEME.match(path) is not None


def _absolute(path: str) -> str:
    path = path.strip().removeprefix("file://")
    return path if _is_address(path) else os.path.abspath(path)


def _local(path: str, copies: Mapping[str, str]) -> str:
    absolute = _absolute(path)
    return copies.get(absolute, absolute)
