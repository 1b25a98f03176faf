"""Regions whose subtasks write tables and data sets themselves, where the workers see the files that the driver sees.

Spark then has nothing to write: no rows go back through the JVM, and the region is one Spark job.
"""

import os
from dataclasses import dataclass, field, replace

import pyarrow as pa
from pyspark.sql import SparkSession

from flinkpy_dagster.dataplane.data_sets import parquet_schema
from flinkpy_dagster.dataplane.regions.exchanges import data_set_columns
from flinkpy_dagster.dataplane.regions.shared_places import workers_see
from flinkpy_dagster.dataplane.rows.records import TableColumns
from flinkpy_dagster.dataplane.sinks.tables import PendingTable
from flinkpy_dagster.dataplane.spark.engines import engine_of
from flinkpy_dagster.dataplane.spark.file_system import FileSystem
from flinkpy_dagster.dataplane.stage_plans import StagePlan
from flinkpy_dagster.errors import InvalidProgram, TargetUnavailable
from flinkpy_dagster.operators.departures import Committable, SinkOutput

_CODEC = "spark.sql.parquet.compression.codec"


def can_write_files(spark: SparkSession, files: FileSystem, plan: StagePlan, paths: list[str]) -> bool:
    """Can the subtasks of a stage write what belongs at these paths, just as Spark would?

    Raises InvalidProgram if they cannot although they must (in a shared session).
    """
    engine = engine_of(spark)
    if engine.writes_own_files:
        _require(spark, files, plan, paths)
        return True
    master = engine.master()
    is_one_machine = master == "local" or master.startswith("local[")
    return (
        spark.conf.get(_CODEC) == "snappy"
        and all(files.is_local(path) for path in paths)
        and all(map(_is_storable, schemas_of(plan).values()))
        and (is_one_machine or workers_see(spark, map(files.local_path, paths)))
    )


def _require(spark: SparkSession, files: FileSystem, plan: StagePlan, paths: list[str]) -> None:
    for path in paths:
        files.local_path(path)
    for path, schema in zip(paths, schemas_of(plan).values(), strict=True):
        if not _is_storable(schema):
            raise InvalidProgram(
                f"The records at '{path}' have a part without fields, which Parquet does not know and a shared session "
                "cannot write: give it a field, or run the job on a cluster of its own."
            )
    if paths and spark.conf.get(_CODEC) != "snappy":
        raise InvalidProgram(
            f"Tables are written with {_CODEC}=snappy in a shared session: leave the option out, or run the job on a "
            "cluster of its own."
        )


def schemas_of(plan: StagePlan) -> dict[int, pa.Schema]:
    """The columns of the data sets and tables of a stage, by port."""
    data_sets = {edge.id: data_set_columns(edge).schema for edge in plan.stored}
    return data_sets | {table.port: TableColumns(table.row_type).schema for table in plan.tables}


def _is_storable(kind: pa.Schema | pa.DataType) -> bool:
    """Parquet knows no records without columns, on whatever level."""
    if isinstance(kind, pa.Schema):
        return len(kind) > 0 and all(_is_storable(field.type) for field in kind)
    children = [kind.field(place).type for place in range(kind.num_fields)]
    return (bool(children) or not pa.types.is_struct(kind)) and all(map(_is_storable, children))


@dataclass
class OwnFiles:
    """The files that the subtasks of a region have written, each below the hidden folder of a pending table."""

    files: FileSystem
    _pending: dict[str, PendingTable] = field(default_factory=dict)  # by local folder
    _names: dict[str, set[str]] = field(default_factory=dict)

    def expect(self, plan: StagePlan, pending: list[PendingTable]) -> StagePlan:
        """The plan of a stage with the folders of its pending tables, which are made."""
        schemas = schemas_of(plan)
        folders: dict[int, str] = {}
        for table in pending:
            self.files.make_folder(table.written)
            folder = folders[table.port] = self.files.local_path(table.written)
            columns = tuple(
                (each.name, each.dataType.simpleString()) for each in parquet_schema(schemas[table.port])
            )
            self._pending[folder] = replace(table, schema=columns)
            self._names[folder] = set()
        return replace(plan, folders=folders)

    def take(self, output: SinkOutput) -> bool:
        """Notes a file; False if the output is something else."""
        if not isinstance(output.content, Committable):
            return False
        folder, name = os.path.split(output.content.final)
        if folder not in self._names:
            return False
        self._names[folder].add(name)
        return True

    def complete(self) -> list[PendingTable]:
        """The pending tables, with nothing in their folders but what their subtasks have told of."""
        for folder, names in self._names.items():
            there = set(os.listdir(folder))
            if missing := names - there:
                raise TargetUnavailable(
                    f"A worker has written '{min(missing)}' into '{folder}', but this machine does not see it: workers "
                    "that came later do not share its file system; start them where the others are."
                )
            for stranger in there - names:
                os.remove(os.path.join(folder, stranger))
            self.files.write_bytes(f"{self._pending[folder].written}/_SUCCESS", b"")
        return list(self._pending.values())
