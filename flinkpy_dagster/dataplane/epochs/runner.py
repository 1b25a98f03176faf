"""Running an unbounded job: one streaming query of Spark, epoch by epoch.

What happens when, and why a process may die anywhere: docs/design/epochs.md.
"""

import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import SparkSession

from flinkpy_dagster.clock import Clock, SystemClock
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.checked_frames import Inspector
from flinkpy_dagster.dataplane.data_sets import DataSetStore
from flinkpy_dagster.dataplane.epochs.control import EpochListener, EpochRequests, NoSteps, Observer
from flinkpy_dagster.dataplane.epochs.keeping import EpochKeeping
from flinkpy_dagster.dataplane.epochs.running import RunningEpochs
from flinkpy_dagster.dataplane.epochs.streams import named_sources
from flinkpy_dagster.dataplane.epochs.totals import Totals
from flinkpy_dagster.dataplane.regions.regions import job_tag
from flinkpy_dagster.dataplane.regions.results import RegionResult
from flinkpy_dagster.dataplane.spark.driver_loss import GONE
from flinkpy_dagster.dataplane.spark.failures import spark_errors
from flinkpy_dagster.dataplane.spark.session import living_session
from flinkpy_dagster.dataplane.spark.worker_code import WorkerCode, provide_code
from flinkpy_dagster.errors import JobCanceled, JobFailed
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.graph.regions import PipelinedRegion
from flinkpy_dagster.runtime.checkpoints import JobEnd

_WAIT_SECONDS = 0.25


@dataclass(kw_only=True)
class EpochRunner:
    """Runs one unbounded job; ``run`` may be called again after a failure and goes on where the last epoch ended.

    ``keeping`` is where epochs are kept, ``requests`` what people want of the running job, ``listener`` is told what
    happens, ``observe`` of every step of an epoch (tests die there). ``store`` stays empty. ``renew`` gives another
    session when the driver of ``spark`` has ended.
    """

    spark: SparkSession
    job_graph: JobGraph
    configuration: Configuration
    keeping: EpochKeeping
    listener: EpochListener
    job_id: str
    requests: EpochRequests = field(default_factory=EpochRequests)
    observe: Observer = field(default_factory=NoSteps)
    clock: Clock = field(default_factory=SystemClock)
    store: DataSetStore = field(default_factory=lambda: DataSetStore(""))
    inspector: Inspector | None = None  # looks at what an epoch is about to commit
    renew: Callable[[], SparkSession] | None = None

    def __post_init__(self) -> None:
        self._canceled = threading.Event()
        self._running: RunningEpochs | None = None
        self._changed = threading.Condition()
        self._is_led = False
        self._is_kept = False
        self._result: RegionResult | None = None
        self.totals = Totals()
        self.worker_code = WorkerCode()

    def run(self, region: PipelinedRegion, attempt: int = 0) -> RegionResult:
        """Runs the whole job, of which ``region`` is a part, until it ends, is stopped or is canceled.

        Of several regions the first runs the job, the others wait. Raises what RegionRunner.run raises, StaleLeader if
        another run has taken the job over, CorruptState.
        """
        with self._changed:
            while self._is_led and self._result is None:
                self.check_canceled()
                self._changed.wait(_WAIT_SECONDS)
            if self._result is not None:
                return self._result
            self._is_led = True
        try:
            result = self._run(attempt)
        except BaseException:
            with self._changed:
                self._is_led = False
            raise
        with self._changed:
            self._result = result
            self._changed.notify_all()
        return result

    def initialize_on_master(self, regions: Iterable[PipelinedRegion]) -> None:
        """Nothing: sinks are prepared by the run that leads, which knows whether the job is new."""

    def interrupt(self, region: PipelinedRegion) -> None:
        """Ends the attempt that is under way."""
        running = self._running
        if running is not None:
            running.interrupt()

    def lost(self, data_sets: Iterable[str]) -> list[str]:
        """Nothing is stored between vertices."""
        return []

    def _run(self, attempt: int) -> RegionResult:
        tag = job_tag(self.job_id)
        self.spark = living_session(self.spark, self.renew or (lambda: self.spark))
        context = self.spark.sparkContext
        self.worker_code = provide_code(context, self.configuration)
        context.addJobTag(tag)
        context.setJobDescription(self.job_graph.name)
        end = JobEnd.FAILED
        try:
            with (
                spark_errors(self.job_graph.name, tag, sources=named_sources(self.job_graph)),
                ExitStack() as stack,
            ):
                self.check_canceled()
                self.requests.open()
                self._running = RunningEpochs(self, stack, attempt)
                end = self._running.run()
        except JobFailed:
            self.check_canceled()
            raise
        except JobCanceled:
            end = JobEnd.CANCELED
            raise
        finally:
            with suppress(*GONE):
                context.removeJobTag(tag)
                context.setJobDescription(None)
            # first, as what follows may fail: nobody shall wait for ever
            self.requests.close(self.job_graph.name)
            canceled = JobEnd.SUSPENDED if self._is_kept else JobEnd.CANCELED
            self.keeping.ended(canceled if self._canceled.is_set() else end)
        return self.totals.result(self._running.plans)

    def keep(self) -> None:
        """``cancel``, when it comes, only ends this run: the next one goes on from the newest epoch."""
        self._is_kept = True

    def cancel(self) -> None:
        """Stops the query and the Spark jobs, from any thread; ``run`` then raises JobCanceled."""
        self._canceled.set()
        context, tag = self.spark.sparkContext, job_tag(self.job_id)
        with suppress(*GONE):
            context.cancelJobsWithTag(tag)  # the query stops when its epoch has ended
            running = self._running
            if running is not None:
                running.stop_query()
            context.cancelJobsWithTag(tag)

    def progress(self) -> dict[str, dict[int, Any]]:
        """Metrics per vertex id and subtask index, over all epochs so far."""
        return self.totals.metrics

    def check_canceled(self) -> None:
        """Raises JobCanceled after ``cancel``."""
        if self._canceled.is_set():
            raise JobCanceled(self.job_graph.name)
