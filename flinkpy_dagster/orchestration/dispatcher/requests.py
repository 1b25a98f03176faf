"""What can be asked of a job that runs in another process: cancel, stop, savepoints, checkpoints.

Nothing here waits for the job, but for ``await_request`` and ``await_end``. Requests and their answers are tags of the
job's Dagster run (``orchestration.streaming.run_requests``); the id of a request is also Flink's trigger id.
"""

import json
import time
from contextlib import suppress
from dataclasses import dataclass

from dagster import DagsterError, DagsterInstance, DagsterRun, DagsterRunStatus

from flinkpy_dagster.errors import InvalidProgram, JobFailed, JobNotFound
from flinkpy_dagster.ids import random_id
from flinkpy_dagster.orchestration.dispatcher.jobs import JobOverview, find_job
from flinkpy_dagster.orchestration.naming import UNBOUNDED_TAG
from flinkpy_dagster.orchestration.streaming.run_requests import ANSWER, REQUEST
from flinkpy_dagster.state.savepoints import dispose
from flinkpy_dagster.state.storage.schemes import state_folder

_LOOK_SECONDS = 0.2


class JobTerminated(JobFailed):
    """What was asked for cannot be done any more: the job has ended (Flink answers 409). ``job`` is its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestStatus:
    """A savepoint or checkpoint that was asked for: in progress while all of it is None.

    A savepoint has a ``path``, a checkpoint a ``checkpoint_id``.
    """

    path: str | None = None
    checkpoint_id: int | None = None
    error: str | None = None

    @property
    def is_completed(self) -> bool:
        """Has it been made, or failed?"""
        return (self.path, self.checkpoint_id, self.error) != (None, None, None)


def cancel_job(instance: DagsterInstance, job_id: str) -> JobOverview:
    """Asks the job to cancel; a second time does nothing. Raises JobNotFound, JobTerminated."""
    job = find_job(instance, job_id)
    run = _run(instance, job)
    if job.is_terminal:
        raise JobTerminated(job_id, f"it cannot be canceled: it has ended as {job.status}.")
    if run.status in (DagsterRunStatus.NOT_STARTED, DagsterRunStatus.QUEUED, DagsterRunStatus.MANAGED):
        instance.report_run_canceled(run)
    elif run.status is not DagsterRunStatus.CANCELING:
        instance.report_run_canceling(run)
        with suppress(DagsterError):  # its code server is gone; a run looks at its status itself, too
            instance.run_launcher.terminate(run.run_id)
    return find_job(instance, job_id)


def trigger_savepoint(
    instance: DagsterInstance,
    job_id: str,
    folder: str | None = None,
    *,
    cancels: bool = False,
    request_id: str | None = None,
) -> str:
    """Asks for a savepoint; the id of the request. ``cancels``: the job ends as CANCELED once it is made.

    ``request_id``: what the request is to be called; one that the job knows already is not made again. Raises
    JobNotFound, JobTerminated.
    """
    return _ask(instance, job_id, {"folder": _absolute(folder), "cancels": cancels}, request_id)


def trigger_stop(
    instance: DagsterInstance,
    job_id: str,
    folder: str | None = None,
    *,
    drains: bool = False,
    request_id: str | None = None,
) -> str:
    """Asks for stop-with-savepoint; the id of the request. ``drains``: event time is brought to its end before."""
    content = {"folder": _absolute(folder), "stops": True, "drains": drains}
    return _ask(instance, job_id, content, request_id)


def trigger_checkpoint(instance: DagsterInstance, job_id: str, *, request_id: str | None = None) -> str:
    """Asks for a checkpoint now; the id of the request."""
    return _ask(instance, job_id, {"is_checkpoint": True}, request_id)


def request_status(instance: DagsterInstance, job_id: str, request_id: str) -> RequestStatus:
    """How a request is. Raises JobNotFound, InvalidProgram if the job was never asked with this id."""
    job = find_job(instance, job_id)
    run = _run(instance, job)
    if (text := run.tags.get(ANSWER + request_id)) is not None:
        answer = json.loads(text)
        return RequestStatus(
            path=answer.get("path"), checkpoint_id=answer.get("checkpoint_id"), error=answer.get("error")
        )
    if REQUEST + request_id not in run.tags:
        raise InvalidProgram(f"There is no savepoint operation with triggerId={request_id} for job {job_id}.")
    if job.is_terminal:
        return RequestStatus(error=f"Job '{job.name}' has ended as {job.status} before it was made.")
    return RequestStatus()


def await_request(
    instance: DagsterInstance, job_id: str, request_id: str, timeout_s: float = 600
) -> RequestStatus:
    """Waits until it is completed. Raises JobFailed if it is not within that time."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        status = request_status(instance, job_id, request_id)
        if status.is_completed:
            return status
        time.sleep(_LOOK_SECONDS)
    raise JobFailed(job_id, f"it has not answered within {timeout_s:.0f} s.")


def await_end(instance: DagsterInstance, job_id: str, timeout_s: float = 600) -> JobOverview:
    """Waits until the job has ended. Raises JobFailed if it has not within that time."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        job = find_job(instance, job_id)
        if job.is_terminal:
            return job
        time.sleep(_LOOK_SECONDS)
    raise JobFailed(job_id, f"it has not ended within {timeout_s:.0f} s.")


def dispose_savepoint(path: str) -> None:
    """Deletes a savepoint. Raises CheckpointNotFound if there is none at ``path``."""
    dispose(state_folder(path))


def _ask(instance: DagsterInstance, job_id: str, content: dict, request_id: str | None = None) -> str:
    job = find_job(instance, job_id)
    if job.is_terminal:
        raise JobTerminated(job_id, f"it is not running, but {job.status}, so there is no savepoint of it.")
    if _run(instance, job).tags.get(UNBOUNDED_TAG) == "false":
        raise JobTerminated(job_id, "there is no savepoint of it: it is not a streaming job.")
    request_id = request_id or random_id()
    if REQUEST + request_id in _run(instance, job).tags:
        return request_id
    instance.add_run_tags(job.run_id, {REQUEST + request_id: json.dumps(content)})
    return request_id


def _run(instance: DagsterInstance, job: JobOverview) -> DagsterRun:
    run = instance.get_run_by_id(job.run_id)
    if run is None:
        raise JobNotFound(job.job_id)
    return run


def _absolute(folder: str | None) -> str | None:
    return None if folder is None else state_folder(folder)
