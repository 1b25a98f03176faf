"""Results and state as DataFrames for checks: typed columns, nothing of the engine's own."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession

from flinkpy_dagster.dataplane.data_sets import parquet_schema
from flinkpy_dagster.dataplane.regions.exchanges import in_session, unshared_session
from flinkpy_dagster.dataplane.spark.engines import engine_of
from flinkpy_dagster.errors import UnsupportedFeature
from flinkpy_dagster.state.browsing import StateRow, read_state
from flinkpy_dagster.state.files import Files
from flinkpy_dagster.state.savepoints import open_state
from flinkpy_dagster.state.storage.schemes import ALL_FILES, is_remote
from flinkpy_dagster.types import Row

_OWN_COLUMNS = frozenset({"_timestamp", "_row_kind", "_key_field", "_key", "_channel"})


@dataclass(frozen=True, slots=True)
class PendingResult:
    """What a region or an epoch has made, complete and not in its place yet.

    ``key``: the id of the data set, or that of the sink's node as text; ``frame()`` is its DataFrame, persisted for the
    time of a ``with``.
    """

    key: str
    frame: Callable[[], AbstractContextManager[DataFrame]]


class Inspector(Protocol):
    """Who looks at results before they become visible; raises what is to stop them."""

    def inspect(self, results: Sequence[PendingResult]) -> None:
        """Of one region or one epoch."""

    def inspect_state(self, path: str, frames: "CheckFrames") -> None:
        """Of the epoch at ``path``, which is about to be a savepoint."""


class CheckFrames:
    """DataFrames in a session of their own, in which a query is one Spark job."""

    def __init__(self, spark: SparkSession, files: Files = ALL_FILES) -> None:
        self._files = files
        self._session = unshared_session(
            spark,
            {
                "spark.sql.adaptive.enabled": "false",  # it makes a job of every stage
                "spark.sql.shuffle.partitions": str(max(1, engine_of(spark).slots())),
                "spark.sql.caseSensitive": "true",
                "spark.sql.limit.initialNumPartitions": "1000000",  # else one job for each few of them
            },
        )

    @contextmanager
    def stored(self, paths: Sequence[str], schema: pa.Schema) -> Iterator[DataFrame]:
        """Parquet folders or files with these columns; of a data set only its values."""
        spark_schema = parquet_schema(schema)
        reader = self._session.read.schema(spark_schema)
        rows = reader.parquet(*paths) if paths else self._session.createDataFrame([], spark_schema)
        own = rows.select(*(f"`{name}`" for name in schema.names if name not in _OWN_COLUMNS))
        with self.persisted(own) as frame:
            yield frame

    @contextmanager
    def lines(self, files: Sequence[str]) -> Iterator[DataFrame]:
        """Text files, hidden ones too, as a column ``line``.

        Raises UnsupportedFeature if they are on another file system: what is pending there may be no file yet.
        """
        far = next(filter(is_remote, files), None)
        if far is not None:
            raise UnsupportedFeature(
                f"checks of pending files on another file system ({far})",
                "check the folder when it is visible, or write to a path that the driver and all workers share.",
            )
        with links_beside(files) as links:
            read = self._session.read.text
            rows = read(links) if links else self._session.createDataFrame([], "value string")
            with self.persisted(rows.withColumnRenamed("value", "line")) as frame:
                yield frame

    def table(self, path: str) -> DataFrame:
        """A Parquet folder as it is."""
        return self._session.read.parquet(path)

    @contextmanager
    def state(self, path: str, uid: str, state: str | None = None) -> Iterator[DataFrame | None]:
        """Keyed state of one operator, a row per entry: ``key``, ``state``, ``namespace``, ``key_group`` and ``value``.

        ``state``: only the one of that name. Maps and lists have a row per entry, maps their ``map_key``; rows and
        tuples have their fields as columns instead of ``value``. None if there are no entries. Read by the driver.
        Raises CheckpointNotFound, CorruptState, StateError.
        """
        rows = [row for row in self._rows_of_state(path, uid) if state in (None, row.state)]
        if not rows:
            yield None  # nor does anybody know its columns
            return
        with self.persisted(self._session.createDataFrame(pa.Table.from_pylist(_typed(rows)))) as frame:
            yield frame

    def _rows_of_state(self, path: str, uid: str) -> Iterator[StateRow]:
        return read_state(open_state(path, files=self._files), uid, files=self._files)

    @contextmanager
    def persisted(self, frame: DataFrame) -> Iterator[DataFrame]:
        """Read once, however many queries follow."""
        own = in_session(self._session, frame).persist(StorageLevel.MEMORY_AND_DISK)
        try:
            yield own
        finally:
            own.unpersist()


@contextmanager
def links_beside(files: Sequence[str]) -> Iterator[list[str]]:
    """Folders with links to files, for Spark passes over those with hidden names; none without files.

    They are beside the files, for there executors on other machines see them as they see the files.
    """
    with ExitStack() as stack:
        folders: dict[str, str] = {}
        for number, file in enumerate(files):
            beside = os.path.dirname(file)
            if beside not in folders:
                folders[beside] = os.path.join(beside, f".flinkpy-check-{secrets.token_hex(6)}")
                os.mkdir(folders[beside])
                stack.callback(shutil.rmtree, folders[beside], ignore_errors=True)
            os.symlink(file, os.path.join(folders[beside], f"part-{number}"))
        yield list(folders.values())


def _typed(rows: Sequence[StateRow]) -> list[dict[str, Any]]:
    """Columns keep their type if all their values have one; else they are text."""
    records = [
        {"key": row.key, "state": row.state, "namespace": row.namespace, "key_group": row.key_group} | fields
        for row in rows
        for fields in _fields(row.value)
    ]
    for name in {name for record in records for name in record}:
        kinds = {type(record.get(name)) for record in records} - {type(None)}
        if not (len(kinds) == 1 and kinds <= {int, float, str, bool}):
            for record in records:
                value = record.get(name)
                record[name] = value if value is None or isinstance(value, str) else repr(value)
    return records


def _fields(value: Any) -> list[dict[str, Any]]:
    """The columns of a value, once per entry of a map or a list."""
    if isinstance(value, dict):
        return [{"map_key": key} | fields for key, entry in value.items() for fields in _fields(entry)]
    if isinstance(value, list):
        return [fields for entry in value for fields in _fields(entry)]
    if isinstance(value, Row):
        names = getattr(value, "_fields", None) or [f"f{place}" for place in range(len(value))]
        return [dict(zip(names, value, strict=False))]
    if isinstance(value, tuple):
        return [{f"f{place}": each for place, each in enumerate(value)}]
    return [{"value": value}]
