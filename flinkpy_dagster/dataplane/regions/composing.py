"""The DataFrames of all stages of a region: pass after pass, lazily, each told how to read the ones before it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pyspark.sql import DataFrame

from flinkpy_dagster.dataplane.data_sets import parquet_schema
from flinkpy_dagster.dataplane.regions.exchanges import StageInputs, spark_side_source
from flinkpy_dagster.dataplane.regions.passes import StagePass, pass_function
from flinkpy_dagster.dataplane.regions.reports import TaskReports
from flinkpy_dagster.dataplane.rows.arrivals import StageInput
from flinkpy_dagster.dataplane.rows.departures import PassSchema
from flinkpy_dagster.dataplane.spark.engines import engine_of
from flinkpy_dagster.dataplane.spark.worker_code import WorkerCode
from flinkpy_dagster.dataplane.stage_plans import StagePlan, stage_of_vertices
from flinkpy_dagster.graph.stream_graph import StreamNode

ReadSource = Callable[[StagePlan, StreamNode], tuple[DataFrame, StageInput]]


@dataclass(frozen=True, kw_only=True, slots=True)
class StageCode:
    """What a worker unpacks: the plan of a stage and the environment of its tasks, packed."""

    plan: bytes
    environment: bytes
    has_pyflink_alias: bool


@dataclass(kw_only=True)
class Composition:
    """Plans one run of a region, stage by stage in topological order; ``rows`` (by stage id) is what came out.

    ``read_source`` gives the input of a stage that reads a source of Spark's. A stage that several others read is
    computed at once, by ``compute``, which gives what is kept: two jobs or two executors that need it at the same
    time would both compute it. ``worker_code`` is what the workers' Python has.
    """

    inputs: StageInputs
    reports: TaskReports
    read_source: ReadSource
    compute: Callable[[DataFrame], DataFrame]
    worker_code: WorkerCode = field(default_factory=WorkerCode)
    rows: dict[int, DataFrame] = field(default_factory=dict)
    _plans: list[StagePlan] = field(default_factory=list)

    def add(self, plan: StagePlan, code: StageCode) -> None:
        """Plans the pass of one more stage."""
        rows, stage_input = self._input(plan)
        stage_pass = StagePass(
            plan.stage.id,
            code.plan,
            code.environment,
            code.has_pyflink_alias,
            stage_input,
            self.reports.accumulator,
        )
        with engine_of(rows.sparkSession).with_code(self.worker_code):
            result = rows.mapInArrow(pass_function(stage_pass), parquet_schema(PassSchema.of(plan).arrow))
        if plan.readers > 1:
            result = self.compute(result)
        self.rows[plan.stage.id] = result
        self._plans.append(plan)

    def leaves(self) -> list[DataFrame]:
        """The stages whose rows the driver fetches."""
        return [self.rows[plan.stage.id] for plan in self._plans if plan.delivers]

    def _input(self, plan: StagePlan) -> tuple[DataFrame, StageInput]:
        source = spark_side_source(plan)
        if source is not None:
            return self.read_source(plan, source)
        if not plan.stage.inputs:
            return self.inputs.of_generators(plan)
        upstream = {before.stage.id: (before, self.rows[before.stage.id]) for before in self._plans}
        return self.inputs.of_exchanges(plan, upstream, stage_of_vertices(self._plans))
