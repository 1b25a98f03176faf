"""The jobs of the Dagster instance of DAGSTER_HOME, asked without a server."""

from typing import Any

from flinkpy_dagster.cli.cluster import Cluster, JobLine, TaskManagers
from flinkpy_dagster.errors import JobFailed
from flinkpy_dagster.orchestration.dispatcher import requests
from flinkpy_dagster.orchestration.dispatcher.details import JobDetails, job_details
from flinkpy_dagster.orchestration.dispatcher.job_log import JobLog, kept
from flinkpy_dagster.orchestration.dispatcher.jobs import JobOverview, find_job, list_jobs


class LocalCluster(Cluster):
    """See ``cluster.Cluster``."""

    def __init__(self, instance: Any):
        self._instance = instance

    def jobs(self) -> list[JobLine]:
        return [
            JobLine(
                job_id=job.job_id,
                name=job.name,
                state=job.status,
                start_ms=job.start_ms,
                end_ms=job.end_ms,
                duration_ms=job.duration_ms(),
                last_modified_ms=job.last_modified_ms,
            )
            for job in list_jobs(self._instance)
        ]

    def cancel(self, job_id: str) -> None:
        requests.cancel_job(self._instance, job_id)

    def trigger_savepoint(self, job_id: str, folder: str | None, *, cancels: bool = False) -> str:
        return requests.trigger_savepoint(self._instance, job_id, folder, cancels=cancels)

    def trigger_stop(self, job_id: str, folder: str | None, *, drains: bool) -> str:
        return requests.trigger_stop(self._instance, job_id, folder, drains=drains)

    def await_savepoint(self, job_id: str, request_id: str) -> str:
        done = requests.await_request(self._instance, job_id, request_id)
        if done.path is None:
            raise JobFailed(job_id, done.error)
        return done.path

    def checkpoint(self, job_id: str) -> int:
        request_id = requests.trigger_checkpoint(self._instance, job_id)
        done = requests.await_request(self._instance, job_id, request_id)
        if done.checkpoint_id is None:
            raise JobFailed(job_id, done.error)
        return done.checkpoint_id

    def dispose(self, path: str) -> None:
        requests.dispose_savepoint(path)

    def task_managers(self, job_id: str | None) -> TaskManagers:
        from flinkpy_dagster.gateway.answers.cluster_json import manager_json
        from flinkpy_dagster.orchestration.dispatcher.task_managers import lost_task_managers, task_managers

        if job_id is not None:
            jobs = [find_job(self._instance, job_id)]
        else:
            jobs = [job for job in list_jobs(self._instance) if not job.is_terminal]
        details = [_details(self._instance, job) for job in jobs]
        return TaskManagers(
            [manager_json(each) | _about(each) for each in task_managers(details)],
            [{"id": each.id} | _about(each) for each in lost_task_managers(details)],
        )


def _details(instance: Any, job: JobOverview) -> JobDetails:
    log = JobLog(job.run_id)
    log.read(instance)
    return job_details(job, log.told, kept(instance, job.run_id))


def _about(manager: Any) -> dict[str, Any]:
    executor = manager.executor
    about = {"jobId": manager.details.overview.job_id, "registeredAt": executor.registered_ms}
    if manager.details.overview.is_terminal:
        about["endedAt"] = manager.details.overview.end_ms
    if executor.lost_ms is not None:
        about |= {"slotsNumber": manager.slots, "lostAt": executor.lost_ms, "reason": executor.reason}
    return about
