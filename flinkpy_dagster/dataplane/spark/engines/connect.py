"""Spark in another process, shared with other jobs: Spark Connect."""

import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from typing import Any

from pyspark import Accumulator, AccumulatorParam, StorageLevel
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.spark.connect import CODE_SETTING
from flinkpy_dagster.dataplane.spark.engines.shared_files import SharedFiles
from flinkpy_dagster.dataplane.spark.file_system import FileSystem
from flinkpy_dagster.dataplane.spark.shipping import package_digest, package_zip
from flinkpy_dagster.dataplane.spark.worker_code import WorkerCode, zip_of
from flinkpy_dagster.errors import TargetUnavailable
from flinkpy_dagster.programs.python_code import PythonCode
from flinkpy_dagster.programs.python_files import import_paths

_GONE = (PySparkException, OSError, ValueError)  # ValueError: of a channel that was closed


class ConnectEngine:
    """See ``SparkEngine``. One for all clones of a session: artifacts and tags are those of single ones."""

    unites_sessions = False
    writes_own_files = True

    def __init__(self, session: SparkSession) -> None:
        self._session: Any = session
        self._lock = threading.RLock()
        self._own = threading.local()  # tags, as the client has them
        self._clones: dict[frozenset[tuple[str, str]], Any] = {}
        self._provided: set[str] = set()

    @staticmethod
    def of(session: Any) -> "ConnectEngine":
        """That of the session."""
        found = session.__dict__.get("_flinkpy_engine")
        if found is None:
            found = session.__dict__["_flinkpy_engine"] = ConnectEngine(session)
        return found

    def master(self) -> str:
        """See ``SparkEngine.master``."""
        return str(self._session.conf.get("spark.master"))

    def slots(self) -> int:
        """As many as a plan of Spark's has leaves if nobody says how many: the cores of all executors there are."""
        leaves = self._session.range(100_000).select(F.spark_partition_id().alias("id")).distinct().count()
        return max(1, leaves // int(self._session.conf.get("spark.task.cpus", "1")))

    def files(self) -> FileSystem:
        """See ``SparkEngine.files``."""
        return SharedFiles()

    def with_settings(self, settings: Mapping[str, str]) -> SparkSession:
        """The same one for the same settings: a clone takes a call, and all that is sent to the server is its own."""
        key = frozenset(settings.items())
        with self._lock:
            if key not in self._clones:
                clone = self._session.cloneSession()
                clone.__dict__["_flinkpy_engine"] = self
                for name, value in settings.items():
                    clone.conf.set(name, value)
                self._clones[key] = clone
            clone = self._clones[key]
            for tag in self._tags():  # of this thread: it may be new here
                clone.addTag(tag)
            return clone

    def _tags(self) -> set[str]:
        return self._own.__dict__.setdefault("tags", set())

    def adopted(self, rows: DataFrame, session: SparkSession) -> DataFrame:
        """Plans have no session before the server sees them."""
        if rows.sparkSession is session:
            return rows
        return type(rows)(rows._plan, session)

    def partition_count(self, rows: DataFrame) -> int | None:
        """See ``SparkEngine.partition_count``."""
        return None

    def provide_code(self, configuration: Configuration) -> WorkerCode:
        """Before the first clone: clones have the artifacts that were there."""
        files = PythonCode.of(configuration).check().files
        with self._lock:
            if self._needs_package() and "package" not in self._provided:
                self._add([str(package_zip(self._new_folder()))])
                self._provided.add("package")
            new = [file for file in files if file not in self._provided]
            if new:
                folders = import_paths(tuple(new), self._new_folder())
                self._add([zip_of(folder, self._new_folder()) for folder in folders])
                self._provided.update(new)
        return WorkerCode()

    def _needs_package(self) -> bool:
        """Does not a session of ours, whose workers have it. Raises TargetUnavailable if they have another version."""
        has = self._session.conf.get(CODE_SETTING, "")
        if has and has != package_digest():
            raise TargetUnavailable(
                "The session was started by another version of flinkpy-dagster than this one: start it again with "
                "this one (flinkpy session stop, flinkpy session start)."
            )
        return not has

    def _add(self, files: list[str]) -> None:
        for session in (self._session, *self._clones.values()):
            session.addArtifacts(*files, pyfile=True)

    def _new_folder(self) -> str:
        folder = tempfile.mkdtemp(prefix="flinkpy-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder

    def with_code(self, code: WorkerCode) -> AbstractContextManager[None]:
        """See ``SparkEngine.with_code``."""
        return nullcontext()

    def accumulator(self, param: AccumulatorParam[Any]) -> Accumulator[Any] | None:
        """See ``SparkEngine.accumulator``."""
        return None

    @contextmanager
    def jobs(self, tags: Sequence[str], description: str, pool: str) -> Iterator[None]:
        """Connect knows neither descriptions nor pools: jobs of all runs are in one, which is fair between them."""
        for session in self._sessions():
            for tag in tags:
                session.addTag(tag)
        self._tags().update(tags)
        try:
            yield
        finally:
            self._tags().difference_update(tags)
            for session in self._sessions():
                for tag in tags:
                    session.removeTag(tag)

    def cancel(self, tag: str) -> None:
        """See ``SparkEngine.cancel``."""
        for session in self._sessions():
            with suppress(*_GONE):
                session.interruptTag(tag)

    def _sessions(self) -> list[Any]:
        with self._lock:
            return [self._session, *self._clones.values()]

    def computed(self, rows: DataFrame, stack: ExitStack) -> DataFrame:
        """The server lets go of it when nothing here refers to it any more."""
        return rows.localCheckpoint(eager=True, storageLevel=StorageLevel.MEMORY_AND_DISK)

    def fetched(self, chunks: DataFrame) -> Iterator[list[bytes]]:
        """As they come over the wire: the server runs one job."""
        for row in chunks.toLocalIterator():
            yield [bytes(row[0])]
