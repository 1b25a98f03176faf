"""Writing typed outputs: stored data sets and table sinks. First beside their place, then into it."""

from dataclasses import dataclass, replace

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from flinkpy_dagster.dataplane.data_sets import StoredDataSet, schema_of
from flinkpy_dagster.dataplane.rows.departures import PassSchema, column_name
from flinkpy_dagster.dataplane.sinks.handing_over import hand_over
from flinkpy_dagster.dataplane.sinks.partitioned import put_partitions
from flinkpy_dagster.dataplane.spark.file_system import FileSystem, beside
from flinkpy_dagster.dataplane.stage_plans import TableOutput


@dataclass(frozen=True, kw_only=True, slots=True)
class PendingTable:
    """Records of one port that are, or will be, complete at ``written`` and belong at ``path``."""

    stage_id: int
    port: int
    written: str
    path: str
    table: TableOutput | None = None  # None: a data set
    schema: tuple[tuple[str, str], ...] = ()

    @staticmethod
    def beside(stage_id: int, port: int, path: str, mark: str, table: TableOutput | None) -> "PendingTable":
        """To be written to a hidden folder beside ``path``."""
        return PendingTable(stage_id=stage_id, port=port, written=beside(path, mark), path=path, table=table)

    @property
    def has_writer(self) -> bool:
        """Does the program itself write the table?"""
        return self.table is not None and self.table.spec.write is not None

    def write(self, records: DataFrame) -> "PendingTable":
        """Writes the records as Parquet."""
        records.write.mode("overwrite").parquet(self.written)
        return replace(self, schema=schema_of(records))


def records_of(rows: DataFrame, schema: PassSchema, port: int) -> DataFrame:
    """The records of one port among the rows of a pass."""
    if schema.is_flat:
        return rows
    return rows.where(F.col("port") == port).select(f"{column_name(port)}.*")


def put_in_place(
    spark: SparkSession, files: FileSystem, pending: PendingTable, rows: int, filled: frozenset[str]
) -> StoredDataSet:
    """Moves what was written to where it belongs, or hands it to the program's writer."""
    size_bytes = files.size_bytes(pending.written)
    path = pending.path
    if pending.table is not None and pending.table.spec.write is not None:
        hand_over(spark, pending.table, [pending.written])
        path = ""
    elif pending.table is not None and pending.table.spec.partition_by is not None:
        table = pending.table
        put_partitions(spark, files, pending.written, path, table.spec, table.node.name)
    elif pending.table is not None and pending.table.spec.mode == "append" and files.exists(path):
        files.move_files(pending.written, path)
    else:
        files.replace(pending.written, path)
    return StoredDataSet(path=path, rows=rows, size_bytes=size_bytes, schema=pending.schema, filled=filled)
