"""Stored results: BLOCKING data sets as Parquet, and what is known about every result of a job."""

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from flinkpy_dagster.dataplane.spark.engines import engine_of
from flinkpy_dagster.dataplane.spark.file_system import FileSystem, absolute
from flinkpy_dagster.dataplane.stage_plans import is_broadcast
from flinkpy_dagster.graph.job_graph import JobEdge


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredDataSet:
    """A result that lies somewhere. ``schema``: names and Spark's type names; ``size_bytes`` of all files.

    ``filled``: the columns that are not null throughout; others need not be read.
    """

    path: str
    rows: int
    size_bytes: int
    schema: tuple[tuple[str, str], ...]
    filled: frozenset[str] = frozenset()


@dataclass
class DataSetStore:
    """The stored data sets of one job, below ``folder``. Filled by the regions that make them, read by those that
    follow.
    """

    folder: str
    data_sets: dict[str, StoredDataSet] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder = absolute(self.folder)

    def path_of(self, data_set_id: str) -> str:
        """Where a data set lies, or will."""
        return f"{self.folder.rstrip('/')}/{data_set_id}"

    def add(self, data_set_id: str, stored: StoredDataSet) -> None:
        self.data_sets[data_set_id] = stored

    def get(self, data_set_id: str) -> StoredDataSet:
        """KeyError if the region that makes it has not finished."""
        return self.data_sets[data_set_id]

    def delete_all(self, spark: SparkSession) -> None:
        """Forgets and deletes everything."""
        self.data_sets.clear()
        engine_of(spark).files().delete(self.folder)


def is_whole(files: FileSystem, stored: StoredDataSet | None) -> bool:
    """Is everything still there that was written?"""
    if stored is None:
        return False
    return not stored.path or (
        files.exists(stored.path) and files.size_bytes(stored.path) == stored.size_bytes
    )


def schema_of(dataframe: DataFrame) -> tuple[tuple[str, str], ...]:
    """Column names and types as Spark names them."""
    return tuple((name, kind) for name, kind in dataframe.dtypes)


def stored_rows(
    unsplit: SparkSession, stored: StoredDataSet, edge: JobEdge, readers: int, schema: pa.Schema
) -> DataFrame:
    """The records of a stored data set, with ``_subtask`` (the one that reads the record) in place of ``_channel``.

    Columns that are not filled are left out. ``unsplit`` is a session that gives every file to one task: the order of
    a file is that of its producer.
    """
    rows = unsplit.read.schema(parquet_schema(schema)).parquet(stored.path)
    everyone = F.explode(F.sequence(F.lit(0), F.lit(readers - 1)))
    reader = everyone if is_broadcast(edge) else F.col("_channel")
    return rows.select(*(f"`{name}`" for name in names_read(stored, schema)), reader.alias("_subtask"))


def names_read(stored: StoredDataSet, schema: pa.Schema) -> list[str]:
    """The columns that ``stored_rows`` has before ``_subtask``; at least one."""
    filled = [name for name in schema.names if name in stored.filled and name != "_channel"]
    return filled or schema.names[:1]


def parquet_schema(schema: pa.Schema) -> Any:
    """The Spark schema of an Arrow one."""
    return from_arrow_schema(schema)
