"""Asks a worker, before a job starts, whether the states that its program declares fit those it goes on with."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import SparkSession

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.regions.regions import has_pyflink_alias
from flinkpy_dagster.dataplane.spark.engines import engine_of
from flinkpy_dagster.dataplane.spark.failures import crossing
from flinkpy_dagster.dataplane.spark.shipping import packed, unpacked
from flinkpy_dagster.dataplane.spark.worker_code import WorkerCode
from flinkpy_dagster.dataplane.spark.working_folder import enter_working_folder
from flinkpy_dagster.dataplane.stage_plans import StagePlan
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.graph.stages import Stage
from flinkpy_dagster.operators.epochs.declarations import (
    Misfit,
    declarations_only,
    has_declarations,
    misfits,
)
from flinkpy_dagster.operators.epochs.epoch import Epoch
from flinkpy_dagster.operators.task.task_environment import TaskEnvironment
from flinkpy_dagster.programs import pyflink_alias

_FOUND = pa.schema([("misfits", pa.binary())])


@dataclass(frozen=True, kw_only=True)
class Declarations:
    """What a job is about to go on with. ``epoch``: its next one."""

    job_graph: JobGraph
    plans: Sequence[StagePlan]
    configuration: Configuration
    epoch: Epoch
    worker_code: WorkerCode

    def misfits(self, spark: SparkSession) -> list[Misfit]:
        """One Spark job of a task per stage with keyed state to restore; none if there is no such stage.

        User functions are opened there and closed again, as at the start of every epoch; their own errors are left to
        the first one.
        """
        epoch = declarations_only(self.epoch)
        stages = [plan.stage for plan in self.plans if has_declarations(plan.stage, epoch)]
        if not stages:
            return []
        given = [packed((stage, self._environment(stage, epoch))) for stage in stages]
        rows = spark.range(0, len(given), 1, len(given))
        with engine_of(spark).with_code(self.worker_code):
            found = rows.mapInArrow(_function(given, has_pyflink_alias()), "misfits binary").collect()
        return [each for row in found for each in pickle.loads(row.misfits)]

    def _environment(self, stage: Stage, epoch: Epoch) -> TaskEnvironment:
        return TaskEnvironment.of_stage(self.job_graph, stage, configuration=self.configuration, epoch=epoch)


def _function(
    given: list[bytes], has_alias: bool
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What is given to ``mapInArrow``: a row is the number of a stage."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        if has_alias:
            pyflink_alias.install()
        with crossing():
            enter_working_folder()
            for batch in batches:
                found = [pickle.dumps(misfits(*unpacked(given[n])), 5) for n in batch.column(0).to_pylist()]
                yield pa.RecordBatch.from_arrays([pa.array(found, pa.binary())], schema=_FOUND)

    return run
