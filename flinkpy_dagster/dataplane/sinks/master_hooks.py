"""What the driver does for sinks before the first task of a job runs.

Flink's ``InitializeOnMaster``, called by ``InputOutputFormatVertex.initializeOnMaster`` while the ExecutionGraph is
built: nothing is computed for a sink that cannot be written. The other half, ``FinalizeOnMaster``, is the end of a
region: ``tables.put_in_place`` and ``FileCommits.commit``.
"""

import os
from collections.abc import Iterable

from pyspark.sql import SparkSession

from flinkpy_dagster.dataplane.sinks.handing_over import check_writer
from flinkpy_dagster.dataplane.spark.file_system import FileSystem, absolute
from flinkpy_dagster.dataplane.stage_plans import StagePlan, TableOutput
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.operators.specs import RowFileSink, TableSink
from flinkpy_dagster.state.storage.schemes import state_folder


def initialize_on_master(spark: SparkSession, files: FileSystem, plans: Iterable[StagePlan]) -> None:
    """Raises InvalidProgram for a table that must be new and is there, and for a folder of files that is a file.

    UnwritableSink for a writer that has nothing to write with.
    """
    for plan in plans:
        for table in plan.tables:
            _check_place(files, table)
            check_writer(spark, table.node.name, table.spec.write, in_epochs=False)
        for vertex in plan.stage.vertices:
            for node in vertex.nodes:
                _check_folders(node)


def _check_place(files: FileSystem, table: TableOutput) -> None:
    spec = table.spec
    if spec.path is not None and spec.mode == "error" and files.exists(absolute(spec.path)):
        raise place_taken(table.node, spec)


def place_taken(node: StreamNode, spec: TableSink) -> InvalidProgram:
    """The error of a table that must be new and is there."""
    return InvalidProgram(
        f"Sink '{node.name}' writes to '{spec.path}', which exists: choose another path, or mode 'overwrite' or "
        "'append'."
    )


def _check_folders(node: StreamNode) -> None:
    for spec in node.operators:
        if isinstance(spec, RowFileSink):
            check_folder(node, spec.base_path)


def check_folder(node: StreamNode, path: str) -> None:
    """Raises InvalidProgram if what shall be the folder of a sink is a file."""
    if os.path.isfile(state_folder(path)):
        raise InvalidProgram(
            f"Sink '{node.name}' writes files below '{path}', which is itself a file: choose another folder."
        )
