"""What Flink's Dispatcher does when it starts: jobs that were submitted and have not ended are run again.

Here that is asked for (``flinkpy recover``; a gateway does it when it starts), for nothing of ours runs in between.
"""

import json
import socket
from dataclasses import dataclass
from typing import Any

from dagster import DagsterError, DagsterInstance, DagsterRun, DagsterRunStatus, RunsFilter

from flinkpy_dagster.errors import DuplicateJobSubmission, FlinkpyError, one_line
from flinkpy_dagster.orchestration.dispatcher.job_store import JobStore
from flinkpy_dagster.orchestration.dispatcher.jobs import overview_of, runs_of_job
from flinkpy_dagster.orchestration.dispatcher.submission import start
from flinkpy_dagster.orchestration.job.job_results import JobResultStore
from flinkpy_dagster.orchestration.job.processes import PROCESS_TAG, is_gone
from flinkpy_dagster.orchestration.naming import JOB_TAG

NEVER_STARTED = "launched, it had never started"
LAUNCHED_AGAIN = "launched again, its process is gone"
MARKED_AS_FAILED = "marked as failed, its process is gone"

_GRPC_TAG = ".dagster/grpc_info"  # Dagster's own: where the code server is that launched the run
_REASON_TAG = "dagster/failure_reason"  # not there if nothing of the run itself has ended it
_UNEXPECTED = "UNEXPECTED_TERMINATION"
_GOING = [
    DagsterRunStatus.NOT_STARTED,
    DagsterRunStatus.STARTING,
    DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """A job that was looked after, and what was done."""

    job_id: str
    name: str
    what: str


def recover_jobs(instance: DagsterInstance) -> list[Recovered]:
    """Runs without a process are ended; submitted jobs that have no end go on in a new run.

    A job that somebody wanted canceled is not launched again. One that cannot be is told, and keeps nobody else back.
    """
    found = _end_dead_runs(instance)
    store, results = JobStore(instance.root_directory), JobResultStore(instance.root_directory)
    with store.locked():
        for job_id in store.ids():
            records = runs_of_job(instance, job_id)
            job = store.get(job_id)
            if job is None or results.get(job_id) is not None or not _goes_on(records):
                continue
            what = LAUNCHED_AGAIN if records else NEVER_STARTED
            try:
                start(instance, store, job)
            except (
                FlinkpyError,
                DagsterError,
            ) as error:  # its files are gone, say: the others can still go on
                what = f"cannot be launched again: {one_line(str(error))}"
            found = [each for each in found if each.job_id != job_id]
            found.append(Recovered(job_id=job_id, name=job.name, what=what))
    return found


def require_not_running(instance: DagsterInstance, job_id: str) -> None:
    """For a job that is about to run in this process. A run of it whose process is gone is ended.

    Raises DuplicateJobSubmission.
    """
    for record in runs_of_job(instance, job_id):
        run = record.dagster_run
        if run.is_finished:
            continue
        if not _has_lost_its_process(run):
            raise DuplicateJobSubmission(job_id, overview_of(record).status)
        _end(instance, run)


def _end_dead_runs(instance: DagsterInstance) -> list[Recovered]:
    found = []
    for record in instance.get_run_records(RunsFilter(tags={JOB_TAG: "true"}, statuses=_GOING)):
        run, job = record.dagster_run, overview_of(record)
        if not _has_lost_its_process(run):
            continue
        _end(instance, run)
        found.append(Recovered(job_id=job.job_id, name=job.name, what=MARKED_AS_FAILED))
    return found


def _end(instance: DagsterInstance, run: DagsterRun) -> None:
    if run.status is DagsterRunStatus.CANCELING:
        instance.report_run_canceled(run, "It was to be canceled, and its process is gone.")
    else:
        instance.report_run_failed(run, "Its process is gone.")


def _has_lost_its_process(run: DagsterRun) -> bool:
    """A process that has begun has left its name; before that there is the code server that is to start it."""
    process = run.tags.get(PROCESS_TAG)
    if process is not None and run.status is not DagsterRunStatus.STARTING:
        return is_gone(process)
    server = run.tags.get(_GRPC_TAG)
    if server is None:
        return run.status is DagsterRunStatus.NOT_STARTED and process is None
    return run.status is DagsterRunStatus.STARTING and not _answers(json.loads(server))


def _answers(server: dict[str, Any]) -> bool:
    if not server.get("socket"):
        return True  # on another machine, perhaps: nobody here can tell
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(server["socket"])
        except OSError:
            return False
    return True


def _goes_on(records: Any) -> bool:
    """Nothing has ended the job but the loss of its process."""
    if not records:
        return True
    run = records[0].dagster_run
    return run.status is DagsterRunStatus.FAILURE and run.tags.get(_REASON_TAG, _UNEXPECTED) == _UNEXPECTED
