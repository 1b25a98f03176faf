"""What the Python of a job's workers has: this package, the program's files, requirements and archives.

Spark distributes (``addArchive``: fetched and unpacked by each executor before its next task, so a session that runs
already will do), and starts a Python of its own for each interpreter and set of environment variables. What a job
brings is told by these variables, so jobs of one session with other versions of a module do not see each other's.
"""

import hashlib
import json
import os
import shutil
import site
import tempfile
import threading
import weakref
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pyspark import SparkContext, SparkFiles

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.spark.archive_links import (
    check_links,
    check_runs,
    has_links,
    write_without_links,
)
from flinkpy_dagster.dataplane.spark.shipping import package_folder, package_zip
from flinkpy_dagster.dataplane.spark.working_folder import ARCHIVES_VARIABLE
from flinkpy_dagster.programs.python_code import PythonCode
from flinkpy_dagster.programs.python_files import import_paths
from flinkpy_dagster.programs.requirements import installed

_CONTENT_VARIABLE = "FLINKPY_CODE"
_SEARCH_PATH = "PYTHONPATH"
_lock = threading.RLock()


@dataclass(frozen=True, slots=True)
class WorkerCode:
    """The environment variables and the interpreter of a job's Python workers; None: that of the session."""

    environment: Mapping[str, str] = field(default_factory=dict)
    executable: str | None = None

    @contextmanager
    def applied(self, context: SparkContext) -> Iterator[None]:
        """Functions that are given to Spark inside of the block run in such workers; later ones as before."""
        if not self.environment and self.executable is None:
            yield
            return
        with _lock:  # Spark copies these of the context into each function
            environment, executable = context.environment, context.pythonExec
            context.environment = environment | self.environment
            context.pythonExec = self.executable or executable
            try:
                yield
            finally:
                context.environment, context.pythonExec = environment, executable


def provide_code(context: SparkContext, configuration: Configuration) -> WorkerCode:
    """Brings what the options name to the workers of the context, each content once.

    Raises InvalidProgram for what is missing, is none, or cannot be installed.
    """
    code = PythonCode.of(configuration).check()
    with _lock:
        shipment = _Shipment.of(context)
        key = code, _state_of(code.local_paths())
        if key not in shipment.known:
            shipment.known[key] = shipment.add(code, content=key[1])
        return shipment.known[key]


def provide_package(context: SparkContext) -> None:
    """Makes this package importable in all Python workers of a cluster, whoever's functions they run."""
    with _lock:
        package = _Shipment.of(context).package_path(is_own_python=True)
    if package is not None:
        context.environment[_SEARCH_PATH] = package


class _Shipment:
    """What was given to one SparkContext. The caller holds the lock."""

    def __init__(self, context: SparkContext) -> None:
        self._context = context
        self._folder = tempfile.mkdtemp(prefix="flinkpy-")
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)  # when the context goes
        self._package: str | None = None
        self._added: set[str] = set()
        self.known: dict[tuple[PythonCode, str], WorkerCode] = {}
        self.is_local = context.master == "local" or context.master.startswith("local[")

    @staticmethod
    def of(context: SparkContext) -> "_Shipment":
        """That of the context."""
        if "_flinkpy_shipment" not in context.__dict__:
            context.__dict__["_flinkpy_shipment"] = _Shipment(context)
        return context.__dict__["_flinkpy_shipment"]

    def add(self, code: PythonCode, content: str) -> WorkerCode:
        """``content``: another text for other files of the same names."""
        package = self.package_path(is_own_python=code.executable is None)
        if code.is_empty:
            return WorkerCode({} if package is None else {_SEARCH_PATH: package})
        folders = import_paths(code.files, self._new_folder())
        if code.requirements is not None:
            folders.append(str(installed(code.requirements)))
        paths = [*map(self._import_path, folders), *code.search_path, *([package] if package else [])]
        archives = {each.target: self._added_archive(each.path) for each in code.archives}
        environment = {_CONTENT_VARIABLE: content}
        if paths:
            environment[_SEARCH_PATH] = os.pathsep.join(paths)
        if archives:
            environment[ARCHIVES_VARIABLE] = json.dumps(archives, sort_keys=True)
        return WorkerCode(environment, self._executable(code, archives))

    def _new_folder(self) -> str:
        """An empty folder on this machine."""
        return tempfile.mkdtemp(dir=self._folder)

    def package_path(self, *, is_own_python: bool) -> str | None:
        """Where workers import this package from; None: where this process does.

        After the place on a worker comes the one on this machine: Spark runs some functions here.
        """
        if self.is_local and is_own_python:
            self._include_checkout()
            return None
        if self._package is None:
            self._package = str(package_zip(self._folder))
        if self.is_local:
            return self._package
        return os.pathsep.join([self._added_archive(self._package), self._package])

    def _include_checkout(self) -> None:
        """A package that is not installed; Spark joins the path to its own, which leaves an absolute one as it is."""
        parent = str(package_folder().parent)
        includes = self._context._python_includes
        if parent not in (*includes, *site.getsitepackages()):
            includes.append(parent)

    def _import_path(self, folder: str) -> str:
        """What to put on the import path of workers for a folder of this machine."""
        return folder if self.is_local else self._added_archive(zip_of(folder, self._new_folder()))

    def _executable(self, code: PythonCode, archives: Mapping[str, str]) -> str | None:
        """As a path that Spark can start from the folder of an executor."""
        place = code.executable_place()
        if place is None:
            return code.executable
        archive, path = place
        check_runs(archive.path, f"{code.executable}")
        inside = os.path.join(archives[archive.target], path)
        return os.path.join(SparkFiles.getRootDirectory(), inside) if self.is_local else inside

    def _added_archive(self, path: str) -> str:
        """The folder below ``SparkFiles.getRootDirectory()`` in which Spark unpacks it.

        It is named by its content: Spark takes each name of a file, and of a folder, once.
        """
        if not os.path.exists(path):  # hdfs://, http://
            name = f"flinkpy-{hashlib.sha256(path.encode()).hexdigest()[:16]}"
        else:
            name = f"flinkpy-{_content_of(path)}"
        if name not in self._added:
            self._context.addArchive(f"{self._named(path, name)}#{name}")
            self._added.add(name)
        return name

    def _named(self, path: str, name: str) -> str:
        if not os.path.exists(path):
            return path
        check_links(path)
        if has_links(path):
            target = os.path.join(self._folder, f"{name}.zip")
            write_without_links(path, target)
            return target
        ending = next((each for each in (".tar.gz", ".tgz", ".tar", ".jar") if path.endswith(each)), ".zip")
        target = os.path.join(self._folder, name + ending)
        try:
            os.link(path, target)
        except OSError:  # another file system
            shutil.copyfile(path, target)
        return target


def zip_of(folder: str, target_folder: str) -> str:
    """What is in the folder; the same bytes for the same files."""
    target = Path(target_folder) / f"{Path(target_folder).name}.zip"  # Connect takes each name once
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for file in sorted(Path(folder).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                about = zipfile.ZipInfo(str(file.relative_to(folder)))
                about.compress_type = zipfile.ZIP_DEFLATED
                about.external_attr = (file.stat().st_mode & 0xFFFF) << 16
                archive.writestr(about, file.read_bytes())
    return str(target)


def _content_of(file: str) -> str:
    digest = hashlib.sha256()
    with open(file, "rb") as content:
        while block := content.read(2**20):
            digest.update(block)
    return digest.hexdigest()[:16]


def _state_of(paths: list[str]) -> str:
    """Of files and folders; another text when one of them has changed."""
    digest = hashlib.sha256()
    for path in paths:
        files = sorted(Path(path).rglob("*.py")) if os.path.isdir(path) else [Path(path)]
        for file in filter(Path.exists, files):
            about = file.stat()
            digest.update(f"{file} {about.st_size} {about.st_mtime_ns}\0".encode())
    return digest.hexdigest()[:16]
