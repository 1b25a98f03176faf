"""The rows of one epoch through all stages of a job, as one batch plan."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.data_sets import DataSetStore
from flinkpy_dagster.dataplane.epochs.polled_sources import PolledSource
from flinkpy_dagster.dataplane.epochs.streams import QuerySources
from flinkpy_dagster.dataplane.regions.composing import Composition, StageCode
from flinkpy_dagster.dataplane.regions.exchanges import StageInputs, in_session
from flinkpy_dagster.dataplane.regions.passes import SubtaskReport
from flinkpy_dagster.dataplane.regions.regions import has_pyflink_alias
from flinkpy_dagster.dataplane.regions.reports import new_reports
from flinkpy_dagster.dataplane.regions.results import metrics_by_vertex, rows_by_data_set
from flinkpy_dagster.dataplane.regions.sources import source_rows
from flinkpy_dagster.dataplane.rows.arrivals import SourceInput, StageInput
from flinkpy_dagster.dataplane.sinks.delivery import delivered
from flinkpy_dagster.dataplane.spark.engines import engine_of
from flinkpy_dagster.dataplane.spark.shipping import packed
from flinkpy_dagster.dataplane.spark.worker_code import WorkerCode
from flinkpy_dagster.dataplane.stage_plans import StagePlan
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.graph.regions import PipelinedRegion
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.operators.departures import SinkOutput
from flinkpy_dagster.operators.epochs.epoch import Epoch
from flinkpy_dagster.operators.task.task import TaskEnvironment
from flinkpy_dagster.state.refs import SubtaskStateRef
from flinkpy_dagster.types import TypeInformation


@dataclass(frozen=True, slots=True)
class EpochReport:
    """What the subtasks of an epoch said: metrics per vertex id and subtask, records per data set, state written."""

    metrics: Mapping[str, Mapping[int, Any]]
    rows: Mapping[str, int]
    state: Mapping[str, tuple[SubtaskStateRef, ...]]


@dataclass(kw_only=True)
class EpochPasses:
    """Runs epochs of one job, one after the other. What does not change from epoch to epoch is made once.

    ``engine`` is a session of our own; ``staged`` turns sinks of a plan to where pending files go.
    """

    engine: SparkSession
    job_graph: JobGraph
    plans: tuple[StagePlan, ...]
    configuration: Configuration
    sources: QuerySources
    polled: Mapping[int, PolledSource]
    staged: Callable[[StagePlan], StagePlan]
    attempt: int = 0
    worker_code: WorkerCode = field(default_factory=WorkerCode)
    _code: dict[int, bytes] = field(default_factory=dict)
    _environments: dict[int, TaskEnvironment] = field(default_factory=dict)
    _taken: dict[tuple[int, int], DataFrame] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._reports = new_reports(engine_of(self.engine))
        self._inputs = StageInputs(self.engine, self.engine, DataSetStore(""))
        for plan in self.plans:
            self._code[plan.stage.id] = packed(self.staged(plan))
            self._environments[plan.stage.id] = TaskEnvironment.of_stage(
                self.job_graph, plan.stage, configuration=self.configuration, attempt=self.attempt
            )

    def run(self, rows: DataFrame, epoch: Epoch) -> Iterator[SinkOutput]:
        """Runs the epoch; gives what its sinks make, as it comes. ``report`` is complete at the end.

        May be called again for the same epoch: its rows are the same.
        """
        self._reports.clear()
        with ExitStack() as stack:
            composition = Composition(
                inputs=self._inputs,
                reports=self._reports,
                read_source=_Reading(self, self._rows(rows, stack), epoch.number).read,
                compute=partial(engine_of(self.engine).computed, stack=stack),
                worker_code=self.worker_code,
            )
            for plan in self.plans:
                environment = replace(self._environments[plan.stage.id], epoch=epoch)
                code = StageCode(
                    plan=self._code[plan.stage.id],
                    environment=packed(environment),
                    has_pyflink_alias=has_pyflink_alias(),
                )
                composition.add(plan, code)
            yield from delivered(composition.leaves())

    def report(self) -> EpochReport:
        """Of the epoch that ``run`` has run to its end."""
        reports = self._reports.read()
        return EpochReport(
            metrics=metrics_by_vertex(reports),
            rows=rows_by_data_set(self.plans, reports),
            state=_state_of(reports),
        )

    def taken(self, epoch: int, source: int) -> DataFrame:
        """What there was, when the epoch first asked, of a source that the driver reads; ``source``: its node."""
        place = epoch, source
        if place not in self._taken:
            self._taken = {key: rows for key, rows in self._taken.items() if key[0] == epoch}
            polled = self.polled[source]
            self._taken[place] = (
                polled.take(self.engine)
                if polled.has_more()
                else self.engine.range(0).select(F.lit(None).alias("nothing"))
            )
        return self._taken[place]

    def _rows(self, rows: DataFrame, stack: ExitStack) -> DataFrame:
        """Of several sources each reads its part; all are read from outside once."""
        own = in_session(self.engine, rows)
        if len(self.sources.streams) > 1:
            own = own.persist(StorageLevel.MEMORY_AND_DISK)
            stack.callback(own.unpersist)
        return own


@dataclass(frozen=True, slots=True)
class _Reading:
    """The sources of one epoch."""

    passes: EpochPasses
    rows: DataFrame
    epoch: int

    def read(self, plan: StagePlan, source: StreamNode) -> tuple[DataFrame, StageInput]:
        rows, row_type = self._of(source)
        return source_rows(rows, plan.stage.parallelism), SourceInput(source.id, row_type)

    def _of(self, source: StreamNode) -> tuple[DataFrame, TypeInformation]:
        polled = self.passes.polled.get(source.id)
        if polled is None:
            return self.passes.sources.rows_of(self.rows, source)
        return self.passes.taken(self.epoch, source.id), polled.row_type


def whole_job(job_graph: JobGraph) -> PipelinedRegion:
    """All vertices: an epoch runs through the job as a whole, connected or not."""
    return PipelinedRegion(
        id=0, vertices=job_graph.vertices, inputs=(), inner_edges=job_graph.edges, outputs=()
    )


def _state_of(reports: Mapping[tuple[int, int], SubtaskReport]) -> dict[str, tuple[SubtaskStateRef, ...]]:
    """By operator id, in the order of the subtasks."""
    state: dict[str, tuple[SubtaskStateRef, ...]] = {}
    for _, report in sorted(reports.items()):
        for operator_id, ref in report.state.items():
            state[operator_id] = (*state.get(operator_id, ()), ref)
    return state
