"""Jobs that run in other processes, found in the Dagster instance of DAGSTER_HOME."""

import os

from dagster import DagsterInstance, RunsFilter

from flinkpy_dagster.errors import JobFailed, TargetUnavailable
from flinkpy_dagster.orchestration.naming import JOB_ID_TAG
from flinkpy_dagster.orchestration.streaming.run_requests import request_savepoint


def savepoint_of_job(job_id: str, folder: str | None, *, stops: bool, drains: bool) -> str:
    """The path of a savepoint of that job, which ends with ``stops``. Raises TargetUnavailable, JobFailed."""
    if not os.environ.get("DAGSTER_HOME"):
        raise TargetUnavailable(
            "Other processes are reached through a Dagster instance: set DAGSTER_HOME to the one the job runs on."
        )
    with DagsterInstance.get() as instance:
        run_id = _run_id(instance, job_id)
        where = None if folder is None else os.path.abspath(folder)
        return request_savepoint(instance, run_id, where, stops=stops, drains=drains)


def _run_id(instance: DagsterInstance, job_id: str) -> str:
    """That of the newest run of the job; also a run id is taken."""
    if instance.get_run_by_id(job_id) is not None:
        return job_id
    records = instance.get_runs(RunsFilter(tags={JOB_ID_TAG: job_id}), limit=1)
    if not records:
        raise JobFailed(job_id, "this Dagster instance knows no run of it.")
    return records[0].run_id
