"""What a run owes to those who look at its job from other processes, from its start to its end.

Its run has the tags by which jobs are found; who marks the run as canceling in Dagster's storage has it canceled,
whichever process it lives in; states that Dagster has no word for are a tag; its result is kept.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from dagster import DagsterInstance, DagsterRun, DagsterRunStatus

from flinkpy_dagster.errors import JobCanceled
from flinkpy_dagster.graph.boundedness import is_unbounded
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.orchestration.job.job_report import accumulators, tables
from flinkpy_dagster.orchestration.job.job_results import JobResult, JobResultStore
from flinkpy_dagster.orchestration.job.job_run import JobRun
from flinkpy_dagster.orchestration.job.processes import PROCESS_TAG, this_process
from flinkpy_dagster.orchestration.job.sink_outputs import KeptOutputs
from flinkpy_dagster.orchestration.job.storage_away import storage_may_be_away
from flinkpy_dagster.orchestration.naming import JOB_ID_TAG, JOB_NAME_TAG, JOB_TAG, STATUS_TAG, UNBOUNDED_TAG

_LOOK_SECONDS = 1.0
_TOLD = frozenset({"RECONCILING", "RESTARTING", "FAILING", "SUSPENDED"})


@contextmanager
def job_life(
    instance: DagsterInstance, run: DagsterRun, job_run: JobRun, job_id: str, cancel: Callable[[], Any]
) -> Iterator[None]:
    """Around all that the run does for its job. ``cancel`` must return quickly; it may be called more than once."""
    started_ms = _now_ms()
    tell_job(instance, run, job_id, job_run.graph.job_graph)
    watch = _Watch(instance, run.run_id, job_run, cancel)
    watch.start()
    try:
        yield
    finally:
        watch.stop()
        with suppress(OSError):  # a full disk must not change how the job ends
            keep_result(instance, result_of(job_run, job_id, run.run_id, started_ms))


def tell_job(instance: DagsterInstance, run: DagsterRun, job_id: str, job_graph: JobGraph) -> None:
    """The tags by which the job is found; a retry has those of the run before it."""
    tags = {
        JOB_TAG: "true",
        JOB_ID_TAG: job_id,
        JOB_NAME_TAG: job_graph.name,
        UNBOUNDED_TAG: str(is_unbounded(job_graph)).lower(),
        PROCESS_TAG: this_process(),
    }
    if run.tags.get(STATUS_TAG) in _TOLD:
        tags[STATUS_TAG] = "RUNNING"
    instance.add_run_tags(run.run_id, {key: tag for key, tag in tags.items() if run.tags.get(key) != tag})


def keep_result(instance: DagsterInstance, result: JobResult) -> None:
    """Keeps it; that a job is suspended is told of its run, too."""
    JobResultStore(instance.root_directory).put(result)
    if result.status == "SUSPENDED":
        instance.add_run_tags(result.run_id, {STATUS_TAG: result.status})


def result_of(job_run: JobRun, job_id: str, run_id: str, started_ms: int) -> JobResult:
    """What a JobRun that has ended leaves."""
    failure = job_run.failure
    canceled = "SUSPENDED" if job_run.control is not None and job_run.control.is_suspending else "CANCELED"
    status = "FINISHED" if failure is None else canceled if isinstance(failure, JobCanceled) else "FAILED"
    return JobResult(
        job_id=job_id,
        run_id=run_id,
        name=job_run.graph.job_graph.name,
        status=status,
        start_ms=started_ms,
        end_ms=_now_ms(),
        error=str(failure) if status == "FAILED" else None,
        traceback=getattr(failure, "traceback_text", ""),
        accumulators=accumulators(job_run),
        printed=_printed(job_run),
        tables=[
            {"name": name, "path": table.path, "rows": table.rows, "size_bytes": table.size_bytes}
            for name, table in tables(job_run)
        ],
    )


def _printed(job_run: JobRun) -> dict[str, list[str]]:
    sinks = job_run.sinks
    if not isinstance(sinks, KeptOutputs):
        return {}
    texts = {node.name: sinks.text(node.id) for _, node in job_run.graph.sinks()}
    return {name: text.splitlines() for name, text in texts.items() if text}


class _Watch:
    """A thread that looks at the run's status in Dagster's storage, and tells the job's there."""

    def __init__(
        self, instance: DagsterInstance, run_id: str, job_run: JobRun, cancel: Callable[[], Any]
    ) -> None:
        self._instance, self._run_id, self._job_run, self._cancel = instance, run_id, job_run, cancel
        self._told = "RUNNING"
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look, name=f"watch {run_id}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._is_over.set()
        self._thread.join()

    def _look(self) -> None:
        is_to_end = False
        while not is_to_end and not self._is_over.wait(_LOOK_SECONDS):
            with storage_may_be_away():
                is_to_end = self._is_to_end()
        if is_to_end:
            self._cancel()

    def _is_to_end(self) -> bool:
        """Tells how the job is, and looks at what has become of its run."""
        self._tell_status()
        if (control := self._job_run.control) is not None:
            control.look_around()
        run = self._instance.get_run_by_id(self._run_id)
        return run is None or run.status is DagsterRunStatus.CANCELING or run.is_finished

    def _tell_status(self) -> None:
        control = self._job_run.control
        scheduler = control.scheduler if control is not None else None
        status = scheduler.status.name if scheduler is not None else "RUNNING"
        if status != self._told and _TOLD & {status, self._told}:
            self._instance.add_run_tags(self._run_id, {STATUS_TAG: status})
        self._told = status


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
