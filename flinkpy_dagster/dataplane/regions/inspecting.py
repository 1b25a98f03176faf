"""What a region has made, as DataFrames for who looks at it before it is in its place."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from pyspark.sql import SparkSession

from flinkpy_dagster.dataplane.checked_frames import CheckFrames, PendingResult
from flinkpy_dagster.dataplane.regions.own_files import schemas_of
from flinkpy_dagster.dataplane.sinks.tables import PendingTable
from flinkpy_dagster.dataplane.stage_plans import StagePlan
from flinkpy_dagster.operators.specs import RowFileSink


def pending_results(
    spark: SparkSession,
    plans: Sequence[StagePlan],
    pending: Iterable[PendingTable],
    files: Mapping[int, Sequence[str]],
) -> list[PendingResult]:
    """Data sets, tables and the files of file sinks (``files``, by sink node); nothing is read yet."""
    frames = CheckFrames(spark)
    of_stage = {plan.stage.id: plan for plan in plans}
    results = []
    for table in pending:
        plan = of_stage[table.stage_id]
        schema = schemas_of(plan)[table.port]
        key = _data_set(plan, table.port) if table.table is None else str(table.table.node.id)
        results.append(PendingResult(key, partial(frames.stored, [table.written], schema)))
    for node in _file_sinks(plans):
        results.append(PendingResult(str(node), partial(frames.lines, files.get(node, ()))))
    return results


def _data_set(plan: StagePlan, port: int) -> str:
    return next(edge.data_set for edge in plan.stored if edge.id == port)


def _file_sinks(plans: Iterable[StagePlan]) -> list[int]:
    return [
        node.id
        for plan in plans
        for vertex in plan.stage.vertices
        for node in vertex.nodes
        if any(isinstance(spec, RowFileSink) for spec in node.operators)
    ]
