"""Running one pipelined region of a JobGraph on Spark."""

import os
import secrets
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.checked_frames import Inspector
from flinkpy_dagster.dataplane.data_sets import DataSetStore, StoredDataSet, is_whole
from flinkpy_dagster.dataplane.regions.composing import Composition, StageCode
from flinkpy_dagster.dataplane.regions.exchanges import (
    StageInputs,
    reading_sessions,
    source_name,
    spark_side_source,
)
from flinkpy_dagster.dataplane.regions.inspecting import pending_results
from flinkpy_dagster.dataplane.regions.own_files import OwnFiles, can_write_files
from flinkpy_dagster.dataplane.regions.reports import TaskReports, new_reports
from flinkpy_dagster.dataplane.regions.results import (
    RegionListener,
    RegionResult,
    filled_columns,
    metrics_by_vertex,
    rows_by_data_set,
    rows_of_port,
)
from flinkpy_dagster.dataplane.rows.arrivals import StageInput
from flinkpy_dagster.dataplane.rows.departures import PassSchema
from flinkpy_dagster.dataplane.sinks.delivery import delivered
from flinkpy_dagster.dataplane.sinks.file_commits import FileCommits
from flinkpy_dagster.dataplane.sinks.master_hooks import initialize_on_master
from flinkpy_dagster.dataplane.sinks.tables import PendingTable, put_in_place, records_of
from flinkpy_dagster.dataplane.spark.engines import SparkEngine, engine_of
from flinkpy_dagster.dataplane.spark.failures import is_unreadable, spark_errors, translated
from flinkpy_dagster.dataplane.spark.file_system import absolute
from flinkpy_dagster.dataplane.spark.session import living_session
from flinkpy_dagster.dataplane.spark.shipping import check_picklable, packed
from flinkpy_dagster.dataplane.spark.worker_code import WorkerCode
from flinkpy_dagster.dataplane.stage_plans import StagePlan, TableOutput, plan_region, stage_of_vertices
from flinkpy_dagster.errors import FlinkpyError, JobCanceled, JobFailed
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.graph.regions import PipelinedRegion
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.ids import random_id
from flinkpy_dagster.operators.specs import SourceSpec
from flinkpy_dagster.operators.task.task import TaskEnvironment
from flinkpy_dagster.programs import pyflink_alias
from flinkpy_dagster.state.storage.schemes import files_of


def job_tag(job_id: str) -> str:
    """The Spark job tag of everything a job runs."""
    return f"flinkpy-{job_id}"


def region_tag(job_id: str, region_id: int) -> str:
    """The Spark job tag of what one region runs; it begins with the job's."""
    return f"{job_tag(job_id)}-region-{region_id}"


@dataclass
class RegionRunner:
    """Runs the regions of one job; several may run at once, each in a thread of its own.

    ``spark``: any session of the context to use; settings of our own go to clones of it. ``store`` holds the job's
    stored data sets: regions add to it and read from it. ``renew`` gives another session when the driver of ``spark``
    has ended.
    """

    spark: SparkSession
    job_graph: JobGraph
    configuration: Configuration
    store: DataSetStore
    listener: RegionListener
    job_id: str = field(default_factory=random_id)
    inspector: Inspector | None = None  # looks at what is about to become a result
    renew: Callable[[], SparkSession] | None = None

    def __post_init__(self) -> None:
        self._canceled = threading.Event()
        self._renewing = threading.Lock()
        self._interrupted: set[int] = set()
        self._initialized: set[int] = set()
        self._reports: dict[int, TaskReports] = {}

    def initialize_on_master(self, regions: Iterable[PipelinedRegion]) -> None:
        """What is checked before the first of these regions runs. Raises InvalidProgram."""
        files = self._engine.files()
        for region in regions:
            initialize_on_master(self.spark, files, plan_region(self.job_graph, region))
            self._initialized.add(region.id)

    def run(self, region: PipelinedRegion, attempt: int = 0) -> RegionResult:
        """Runs the region to its end; what it made is in place when this returns, and nothing of it is if this raises.

        ``attempt`` is what user functions see as attempt number. Raises UnpicklableFunction before Spark starts
        anything, UserCodeError and TypeMismatch from the workers, UnreadableSource, JobCanceled, and JobFailed for
        what Spark itself could not do.
        """
        self._have_spark()
        plans = self._plans(region)
        check_picklable(plan.stage for plan in plans)
        code = self._engine.provide_code(self.configuration)
        if region.id not in self._initialized:
            self.initialize_on_master([region])
        self._interrupted.discard(region.id)
        reports = self._reports[region.id] = new_reports(self._engine)
        with self._spark_jobs(region), ExitStack() as stack:
            running = _RunningRegion(self, region.id, attempt, plans, reports, stack, code)
            return running.run()

    @property
    def _engine(self) -> SparkEngine:
        return engine_of(self.spark)

    def _have_spark(self) -> None:
        """After the driver has ended: on another one."""
        with self._renewing:
            self.spark = living_session(self.spark, self.renew or (lambda: self.spark))

    def _plans(self, region: PipelinedRegion) -> tuple[StagePlan, ...]:
        """Subtasks write the files of the region if all can."""
        files = self._engine.files()
        plans = plan_region(self.job_graph, region)
        if all(can_write_files(self.spark, files, plan, self.paths_of(plan)) for plan in plans):
            return plan_region(self.job_graph, region, writes_files=True)
        return plans

    def paths_of(self, plan: StagePlan) -> list[str]:
        """Where the data sets and then the tables of a stage belong; of a sink with a writer: where its records wait
        for it.
        """
        data_sets = [self.store.path_of(edge.data_set) for edge in plan.stored]
        return data_sets + [
            self.store.path_of(f"sink-{table.node.id}")
            if table.spec.path is None
            else absolute(table.spec.path)
            for table in plan.tables
        ]

    def cancel(self) -> None:
        """Cancels the Spark jobs of the job, from any thread; ``run`` then raises JobCanceled. Nothing runs after
        it.
        """
        self._canceled.set()
        self._engine.cancel(job_tag(self.job_id))

    def interrupt(self, region: PipelinedRegion) -> None:
        """Ends the attempt of a region that is under way, from any thread; its ``run`` then raises JobCanceled."""
        self._interrupted.add(region.id)
        self._engine.cancel(region_tag(self.job_id, region.id))

    def lost(self, data_sets: Iterable[str]) -> list[str]:
        """Those of the stored data sets that are not there any more, or not whole."""
        self._have_spark()
        files = self._engine.files()
        return [each for each in data_sets if not is_whole(files, self.store.data_sets.get(each))]

    def progress(self) -> dict[str, dict[int, Any]]:
        """Metrics per vertex id and subtask index of the subtasks that have finished so far."""
        finished: dict[str, dict[int, Any]] = {}
        for reports in list(self._reports.values()):
            finished |= metrics_by_vertex(reports.read())
        return finished

    def check_canceled(self, region_id: int) -> None:
        """Raises JobCanceled after ``cancel``, or ``interrupt`` of this attempt."""
        if self._canceled.is_set() or region_id in self._interrupted:
            raise JobCanceled(self.job_graph.name)

    @contextmanager
    def _spark_jobs(self, region: PipelinedRegion) -> Iterator[None]:
        """Spark jobs of this thread carry the job's tag, run in the pool of the region's group and say what they are;
        their errors become ours.
        """
        tag = job_tag(self.job_id)
        tags = (tag, region_tag(self.job_id, region.id))
        description = f"{self.job_graph.name}: {', '.join(vertex.name for vertex in region.vertices)}"
        group = region.vertices[0].slot_sharing_group
        try:
            with (
                self._engine.jobs(tags, description, f"{group.name} {group.index}"),
                spark_errors(self.job_graph.name, tag),
            ):
                yield
        except JobFailed:
            self.check_canceled(region.id)  # Spark words the cancelation of a job in many ways
            raise


class _RunningRegion:
    """One run of one region. Numbered steps in ``run``; ``stack`` undoes what a failure leaves behind."""

    def __init__(
        self,
        runner: RegionRunner,
        region_id: int,
        attempt: int,
        plans: tuple[StagePlan, ...],
        reports: TaskReports,
        stack: ExitStack,
        worker_code: WorkerCode,
    ) -> None:
        self._runner = runner
        self._region_id = region_id
        self._attempt = attempt
        self._reports = reports
        self._stack = stack
        self._mark = secrets.token_hex(6)
        self._files = engine_of(runner.spark).files()
        self._commits = FileCommits(self._mark, files_of(runner.configuration))
        self._own_files = OwnFiles(self._files)
        self._plans = [self._with_folders(plan) if plan.writes_files else plan for plan in plans]
        self._inputs = StageInputs(*reading_sessions(runner.spark, plans), runner.store)
        self._stage_of = stage_of_vertices(plans)
        self._composition = Composition(
            inputs=self._inputs,
            reports=reports,
            read_source=self._read_source,
            compute=self._run_alone,
            worker_code=worker_code,
        )

    def run(self) -> RegionResult:
        self._stack.callback(self._commits.discard)
        # 1. the plan of the whole region, lazily
        for plan in self._plans:
            self._runner.check_canceled(self._region_id)
            self._composition.add(plan, self._code(plan))
        # 2. records that no subtask writes beside their places, one Spark job each
        pending = [table for plan in self._plans if not plan.writes_files for table in self._write(plan)]
        # 3. everything else, one Spark job
        self._deliver()
        pending += self._own_files.complete()
        # 4. who may object to results sees them
        self._inspect(pending)
        # 5. all has succeeded: results into their places
        return self._finish(pending)

    def _code(self, plan: StagePlan) -> StageCode:
        return StageCode(
            plan=packed(self._commits.staged(plan)),
            environment=packed(self._environment(plan)),
            has_pyflink_alias=has_pyflink_alias(),
        )

    def _run_alone(self, rows: DataFrame) -> DataFrame:
        with self._naming_the_source():
            return engine_of(rows.sparkSession).computed(rows, self._stack)

    def _read_source(self, plan: StagePlan, source: StreamNode) -> tuple[DataFrame, StageInput]:
        runner = self._runner
        with spark_errors(runner.job_graph.name, job_tag(runner.job_id), source_name(source)):
            return self._inputs.of_source(plan, source)

    def _write(self, plan: StagePlan) -> Iterator[PendingTable]:
        """Writes the records of a stage beside their places."""
        schema = PassSchema.of(plan)
        rows = self._composition.rows[plan.stage.id]
        for pending in self._pending(plan):
            self._runner.check_canceled(self._region_id)
            with self._naming_the_source():
                yield pending.write(records_of(rows, schema, pending.port))

    def _pending(self, plan: StagePlan) -> list[PendingTable]:
        """What will be written of a stage, none of it yet; deleted in the end if it did not come to its place."""
        outputs: list[tuple[int, TableOutput | None]] = [(edge.id, None) for edge in plan.stored]
        outputs += [(table.port, table) for table in plan.tables]
        pending = [
            PendingTable.beside(plan.stage.id, port, path, self._mark, table)
            for (port, table), path in zip(outputs, self._runner.paths_of(plan), strict=True)
        ]
        for each in pending:
            self._stack.callback(self._files.delete, each.written)
        return pending

    def _with_folders(self, plan: StagePlan) -> StagePlan:
        return self._own_files.expect(plan, self._pending(plan))

    def _deliver(self) -> None:
        self._runner.check_canceled(self._region_id)
        leaves = self._composition.leaves()
        with self._naming_the_source():
            for output in delivered(leaves) if leaves else ():
                if not any(each.take(output) for each in (self._reports, self._own_files, self._commits)):
                    self._runner.listener.on_sink_output(output)

    def _inspect(self, pending: list[PendingTable]) -> None:
        runner = self._runner
        if runner.inspector is not None:
            results = pending_results(runner.spark, self._plans, pending, self._commits.pending)
            try:
                runner.inspector.inspect(results)
            except FlinkpyError:
                runner.check_canceled(self._region_id)  # canceled queries look like failed checks
                raise

    def _finish(self, pending: list[PendingTable]) -> RegionResult:
        """Writers of the program first: they are the ones that may still fail."""
        self._runner.check_canceled(self._region_id)
        reports = self._reports.read()
        stored: dict[int, StoredDataSet] = {}
        for written in sorted(pending, key=lambda written: not written.has_writer):
            rows = rows_of_port(reports, written.stage_id, written.port)
            filled = filled_columns(reports, written.stage_id, written.port)
            stored[written.port] = put_in_place(self._runner.spark, self._files, written, rows, filled)
        data_sets = {edge.data_set: stored[edge.id] for plan in self._plans for edge in plan.stored}
        for data_set_id, data_set in data_sets.items():
            self._runner.store.add(data_set_id, data_set)
        return RegionResult(
            metrics=metrics_by_vertex(reports),
            data_sets=data_sets,
            tables={table.node.id: stored[table.port] for plan in self._plans for table in plan.tables},
            rows=rows_by_data_set(self._plans, reports),
            files=self._commits.commit(),
        )

    def _environment(self, plan: StagePlan) -> TaskEnvironment:
        """Blocking results inside of a region are exchanges like others."""
        runner = self._runner
        environment = TaskEnvironment.of_stage(
            runner.job_graph, plan.stage, configuration=runner.configuration, attempt=self._attempt
        )
        senders = {
            edge.id: runner.job_graph.vertex(edge.source).execution_parallelism
            for edge in plan.stage.inputs
            if edge.source in self._stage_of
        }
        return replace(environment, senders=senders)

    @contextmanager
    def _naming_the_source(self) -> Iterator[None]:
        """Input that turns out unreadable while it is read: the error names the source it belongs to."""
        try:
            yield
        except (PySparkException, Py4JError) as error:
            name = self._source_behind(error)
            if name is None:
                raise
            runner = self._runner
            sources = [
                (source_name(node), spec)
                for plan in self._plans
                if (node := spark_side_source(plan)) is not None
                for spec in node.operators
                if isinstance(spec, SourceSpec)
            ]
            raise translated(error, runner.job_graph.name, job_tag(runner.job_id), name, sources) from error

    def _source_behind(self, error: Exception) -> str | None:
        sources = [node for plan in self._plans if (node := spark_side_source(plan)) is not None]
        if not sources or not is_unreadable(error):
            return None
        by_path = [
            source_name(node)
            for node in sources
            for spec in node.operators
            for path in getattr(spec, "paths", ())
            if os.path.basename(path.rstrip("/")) in str(error)
        ]
        return (by_path or [source_name(node) for node in sources])[0]


def has_pyflink_alias() -> bool:
    """Does ``import pyflink`` mean this package here? Then it must in the workers."""
    return any(isinstance(finder, pyflink_alias.PyflinkFinder) for finder in sys.meta_path)
