"""The execution target "local": a job in this process, on a Dagster instance of its own and one SparkSession.

The instance is that of DAGSTER_HOME when it is set (the run can then be browsed), else one that lives in memory.
"""

import os
import re
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from typing import Any

from flinkpy_dagster.api.job_client import (
    CompletableFuture,
    JobClient,
    JobExecutionResult,
    JobID,
    JobStatus,
    WrittenTable,
)
from flinkpy_dagster.api.running import started_jobs
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import ConfigurationError, FlinkpyError, InvalidProgram, JobCanceled, JobFailed
from flinkpy_dagster.graph.boundedness import is_unbounded
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.ids import random_id
from flinkpy_dagster.operators.specs import AssetSource
from flinkpy_dagster.orchestration.job.job_facts import tell_graph
from flinkpy_dagster.orchestration.job.job_pictures import tell_pictures
from flinkpy_dagster.orchestration.job.job_report import accumulators, progress, tables
from flinkpy_dagster.orchestration.job.job_run import JobRun
from flinkpy_dagster.orchestration.job.resuming import Resuming, is_resumable
from flinkpy_dagster.orchestration.job.sink_outputs import ClientOutputs
from flinkpy_dagster.orchestration.job.spark_side import (
    SessionStart,
    data_folder,
    records_of,
    region_runner,
    with_held_slots,
)
from flinkpy_dagster.orchestration.naming import NamedGraph, legal_name
from flinkpy_dagster.orchestration.run_control import run_control
from flinkpy_dagster.orchestration.streaming.stream_run import keep_epochs
from flinkpy_dagster.runtime.restart_strategies import NoRestart, restart_strategy

JOB_ID_OPTION = "$internal.pipeline.job-id"
_UNNAMED_JOBS = ("Flink Streaming Job", "DataStream Collect")


def submit(job_graph: JobGraph, configuration: Configuration) -> "EmbeddedJob":
    """Starts the job and returns at once. Errors of the job are those of ``get_job_execution_result()``.

    Raises UnreadableSource for an asset (``env.from_asset()``) of which nobody knows where it is.
    """
    if any(isinstance(each, AssetSource) for vertex in job_graph.vertices for each in vertex.head.operators):
        from flinkpy_dagster.orchestration.embedded.asset_finding import with_assets

        job_graph = with_assets(job_graph, configuration)
    job = EmbeddedJob(job_graph, configuration)
    job.start()
    return job


class EmbeddedJob(JobClient):
    """A job that runs in threads of this process."""

    def __init__(self, job_graph: JobGraph, configuration: Configuration):
        fixed_id = fixed_job_id(configuration)
        self.job_id = fixed_id or random_id()
        self.has_fixed_id = fixed_id is not None
        self.configuration = configuration
        self.graph = NamedGraph(program_name(job_graph.name), job_graph)
        restarts = restart_strategy(configuration)
        self.outputs = ClientOutputs(holds_back=not isinstance(restarts, NoRestart))
        self._spark = SessionStart(with_held_slots(configuration, job_graph))
        self.folder = data_folder(configuration, legal_name(self.graph.name), self.job_id)
        is_followed = fixed_id is not None and is_resumable(self.graph)
        self.run = JobRun(
            self.graph,
            self._make_runner,
            self.outputs,
            configuration=configuration,
            resuming=Resuming(self.graph, records_of(self.job_id), [self.folder]) if is_followed else None,
        )
        self._status = JobStatus.CREATED
        self._finished: Future[JobExecutionResult] = Future()
        self._cancel_requested = False
        self._is_suspending = False
        self._run_id: str | None = None
        self._instance: Any = None
        self._instance_lock = threading.Lock()  # whoever holds it: the instance is not closed

    def start(self) -> None:
        threading.Thread(target=self._main, name=f"job {self.graph.name}", daemon=True).start()

    # -- the client's side -----------------------------------------------------------------------------

    def get_job_id(self) -> JobID:
        return JobID(self.job_id)

    def get_job_status(self) -> CompletableFuture:
        """RUNNING in more words, while it is: RESTARTING, FAILING."""
        scheduler = self.run.control.scheduler if self.run.control is not None else None
        if scheduler is None or self._status is not JobStatus.RUNNING:
            return CompletableFuture.completed(self._status)
        status = JobStatus[scheduler.status.name]
        is_over = status.is_terminal_state() or status is JobStatus.CREATED
        return CompletableFuture.completed(self._status if is_over else status)

    def get_job_execution_result(self) -> CompletableFuture:
        """Whoever gets the job's error raised here knows of it: to ``flinkpy run`` it is no failure of its own."""
        return CompletableFuture(self._finished, raised=lambda: started_jobs().tell(self))

    def cancel(self) -> CompletableFuture:
        """Cancels the Spark jobs and the Dagster run; a second time does nothing.

        A program that does so knows why its job did not finish: to ``flinkpy run`` that is no failure.
        """
        if not self._status.is_terminal_state():
            started_jobs().tell(self)
        return self._end_early(is_suspending=False)

    def suspend(self) -> CompletableFuture:
        """Ends the job here; a run with its id goes on from what is stored. Without a fixed id: ``cancel``.

        An unbounded job always goes on: with its next run, by name.
        """
        is_kept = is_unbounded(self.graph.job_graph)
        if is_kept:
            keep_epochs(self.run.runner)
        return self._end_early(is_suspending=is_kept or self.run.resuming is not None)

    def _end_early(self, *, is_suspending: bool) -> CompletableFuture:
        if not self._cancel_requested and not self._status.is_terminal_state():
            self._cancel_requested, self._is_suspending = True, is_suspending
            self._status = JobStatus.RUNNING if is_suspending else JobStatus.CANCELLING
            self.run.cancel()
            if self._run_id is not None:
                self._cancel_run(self._run_id)
        ended: Future[None] = Future()
        self._finished.add_done_callback(lambda _: ended.set_result(None))
        return CompletableFuture(ended)

    def collected(self, node_id: int) -> Iterator[Any]:
        yield from self.outputs.values(node_id)
        self.get_job_execution_result().result()

    def get_tables(self) -> list[WrittenTable]:
        return [
            WrittenTable(name, table.path, table.rows, table.size_bytes) for name, table in tables(self.run)
        ]

    def get_exception_history(self) -> list[str]:
        return [str(entry) for entry in self.run.failures.history]

    def trigger_savepoint(self, savepoint_directory: str | None = None) -> CompletableFuture:
        return CompletableFuture(self._requests().ask(savepoint_directory))

    def stop_with_savepoint(
        self, advance_to_end_of_event_time: bool, savepoint_directory: str | None = None
    ) -> CompletableFuture:
        """The job finishes; with ``advance_to_end_of_event_time`` all its timers fire before."""
        drains = advance_to_end_of_event_time
        return CompletableFuture(self._requests().ask(savepoint_directory, stops=True, drains=drains))

    def _requests(self) -> Any:
        requests = getattr(self.run.runner, "requests", None)
        if requests is None:
            raise InvalidProgram(
                f"There is no savepoint of job '{self.graph.name}': it is bounded, or has not started yet."
            )
        return requests

    # -- the job's side --------------------------------------------------------------------------------

    def begin(self, run_id: str) -> JobRun:
        """The Dagster run has its resources: it belongs to this job from now on."""
        self._run_id = run_id
        self.run.attach(run_control(run_id))
        tell_graph(run_control(run_id), self.graph, self.configuration, self.job_id)
        tell_pictures(run_control(run_id), self.graph, self.run.results)
        if self._cancel_requested:
            self._cancel_run(run_id)
            return self.run
        if self.run.resuming is not None:
            self._status = JobStatus.RECONCILING
            self.run.reconcile(frozenset(self.graph.op_names))
        self._status = JobStatus.RUNNING
        return self.run

    def _cancel_run(self, run_id: str) -> None:
        with self._instance_lock:
            if (
                self._instance is not None and not self._instance.is_ephemeral
            ):  # nobody else looks at one in memory
                run = self._instance.get_run_by_id(run_id)
                if run is not None and not run.is_finished:
                    self._instance.report_run_canceling(run)
        run_control(run_id).request_cancel(is_suspending=self._is_suspending)

    def _main(self) -> None:
        started = time.monotonic()
        error: BaseException | None = None
        try:
            self._execute()
        except BaseException as raised:
            error = raised
        self._end(self._cause(error), started)

    def _execute(self) -> None:
        with ExitStack() as stack:
            from flinkpy_dagster.orchestration.embedded import (
                embedded_run,  # imports dagster, while the JVM starts
            )

            self._instance = stack.enter_context(embedded_run.instance())
            stack.callback(self._forget_instance)
            stack.enter_context(self._progress())
            embedded_run.execute(self, self._instance)

    def _forget_instance(self) -> None:
        """A client may cancel at any time; with an instance that is closed it would find tables gone."""
        with self._instance_lock:
            self._instance = None

    def _progress(self) -> Any:
        from flinkpy_dagster.orchestration.embedded.progress import Progress

        wanted = self.configuration.get("flinkpy.progress.enabled")
        if wanted or (wanted is None and sys.stderr.isatty()):
            return Progress(self.graph.name, len(self.graph.job_graph.vertices), lambda: progress(self.run))
        return ExitStack()

    def _cause(self, error: BaseException | None) -> BaseException | None:
        """Our error rather than Dagster's account of it."""
        if self._cancel_requested or self.run.is_canceled:
            return JobCanceled(self.graph.job_graph.name)
        if self.run.failure is not None:
            return self.run.failure
        if error is None or isinstance(error, FlinkpyError):
            return error
        return JobFailed(self.graph.job_graph.name, f"{type(error).__name__}: {error}")

    def _end(self, error: BaseException | None, started: float) -> None:
        with suppress(Exception):
            is_canceled = isinstance(error, JobCanceled) and not self._is_suspending
            if self.run.resuming is not None and not is_canceled:
                self._leave_for_the_next_run(error)
            elif error is not None or not os.environ.get("DAGSTER_HOME"):
                self._delete_data_sets()
        if error is None:
            self._status = JobStatus.FINISHED
            runtime_ms = round((time.monotonic() - started) * 1000)
            self._finished.set_result(
                JobExecutionResult(JobID(self.job_id), runtime_ms, accumulators(self.run))
            )
        else:
            ended_early = JobStatus.SUSPENDED if self._is_suspending else JobStatus.CANCELED
            self._status = ended_early if isinstance(error, JobCanceled) else JobStatus.FAILED
            self._finished.set_exception(error)
        self.outputs.close()

    def _leave_for_the_next_run(self, error: BaseException | None) -> None:
        """What a run of the same job id goes on from, until the job has finished."""
        if error is None and os.environ.get("DAGSTER_HOME") and self.run.resuming is not None:
            self.run.resuming.forget()
        elif error is None:
            self._delete_data_sets()

    def _delete_data_sets(self) -> None:
        """Nobody can look at them: the job failed, or its Dagster instance is gone with it."""
        if self.run.store is not None:
            self.run.store.delete_all(self._spark.session())

    def _make_runner(self) -> Any:
        runner: Any = region_runner(
            self._spark.session,
            self.graph.job_graph,
            self.configuration,
            self.folder,
            self.outputs,
            self.job_id,
        )
        self.run.store = runner.store
        return runner


def fixed_job_id(configuration: Configuration) -> str | None:
    """The id that the job is to have (Flink's ``$internal.pipeline.job-id``), None for one of its own.

    A job that is given the id of one that has not finished goes on from its stored results. Raises ConfigurationError.
    """
    text = configuration.get_string(JOB_ID_OPTION, None)
    if text is not None and re.fullmatch("[0-9a-f]{32}", text) is None:
        raise ConfigurationError(f"{JOB_ID_OPTION} is '{text}'; it takes 32 hex digits.")
    return text


def program_name(job_name: str) -> str:
    """The job's name, or for a job without one the name of the program's file."""
    if job_name in _UNNAMED_JOBS and sys.argv and sys.argv[0].endswith(".py"):
        return os.path.splitext(os.path.basename(sys.argv[0]))[0]
    return job_name
