"""The jobs of the Dagster instance of DAGSTER_HOME, asked without a server."""

from typing import Any

from flinkpy_dagster.cli.cluster import Cluster, JobLine
from flinkpy_dagster.errors import JobFailed
from flinkpy_dagster.orchestration.dispatcher import requests
from flinkpy_dagster.orchestration.dispatcher.jobs import list_jobs


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
