"""The jobs of a Dagster instance: every run with the tag ``flinkpy/job`` is a run of one.

A job may have several runs (retries, re-executions, recoveries); the newest one says how it is.
"""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "1")  # read when dagster is imported

from dagster import DagsterInstance, DagsterRunStatus, RunsFilter

from flinkpy_dagster.errors import JobNotFound, TargetUnavailable
from flinkpy_dagster.ids import is_id
from flinkpy_dagster.orchestration.instances import instance_of_home
from flinkpy_dagster.orchestration.job.job_results import GLOBALLY_TERMINAL
from flinkpy_dagster.orchestration.naming import JOB_ID_TAG, JOB_NAME_TAG, JOB_TAG, STATUS_TAG, job_id_of

SCHEDULED = frozenset({"INITIALIZING", "CREATED"})
TERMINAL = GLOBALLY_TERMINAL | {"SUSPENDED"}

_STATUS_OF_RUN = {
    DagsterRunStatus.NOT_STARTED: "CREATED",
    DagsterRunStatus.QUEUED: "CREATED",
    DagsterRunStatus.MANAGED: "CREATED",
    DagsterRunStatus.STARTING: "INITIALIZING",
    DagsterRunStatus.STARTED: "RUNNING",
    DagsterRunStatus.CANCELING: "CANCELLING",
    DagsterRunStatus.SUCCESS: "FINISHED",
    DagsterRunStatus.FAILURE: "FAILED",
    DagsterRunStatus.CANCELED: "CANCELED",
}
_REFINED = {
    "RUNNING": frozenset({"RECONCILING", "RESTARTING", "FAILING"}),
    "CANCELED": frozenset({"SUSPENDED"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOverview:
    """A job as Flink's ``JobDetails`` has it: ``status`` in Flink's words, times in ms since 1970.

    ``end_ms`` is -1 until it has ended; ``run_id`` is that of its newest Dagster run.
    """

    job_id: str
    name: str
    status: str
    start_ms: int
    end_ms: int
    last_modified_ms: int
    run_id: str

    @property
    def is_terminal(self) -> bool:
        """Has it ended, here at least?"""
        return self.status in TERMINAL

    def duration_ms(self, now_ms: int | None = None) -> int:
        """From its start to its end, or until now."""
        until = self.end_ms if self.end_ms >= 0 else (now_ms if now_ms is not None else _now_ms())
        return max(0, until - self.start_ms)


@contextmanager
def open_instance() -> Iterator[DagsterInstance]:
    """The instance of DAGSTER_HOME. Raises TargetUnavailable if it is not set, or no folder."""
    home = os.environ.get("DAGSTER_HOME")
    if not home:
        raise TargetUnavailable(
            "Jobs are kept in a Dagster instance: set DAGSTER_HOME to its folder, or give a gateway (-m host:port)."
        )
    if not os.path.isdir(home):
        raise TargetUnavailable(f"DAGSTER_HOME is '{home}', which is no folder: make it, or set another one.")
    with instance_of_home() as instance:
        yield instance


def list_jobs(
    instance: DagsterInstance, *, statuses: Sequence[str] | None = None, limit: int | None = None
) -> list[JobOverview]:
    """The jobs of the instance, the newest first; only those in one of ``statuses`` if they are given.

    ``limit``: look at this many of the newest runs only.
    """
    seen: dict[str, JobOverview] = {}
    filters = RunsFilter(tags={JOB_TAG: "true"}, statuses=_run_statuses(statuses))
    for record in instance.get_run_records(filters, limit=limit):
        job = overview_of(record)
        seen.setdefault(job.job_id, job)
    if statuses is None:
        return list(seen.values())
    return [job for job in seen.values() if job.status in statuses]


def find_job(instance: DagsterInstance, job_id: str) -> JobOverview:
    """The job of this id; the id of a Dagster run is taken, too. Raises JobNotFound."""
    records = runs_of_job(instance, job_id)
    if not records:
        raise JobNotFound(job_id)
    return overview_of(records[0])


def runs_of_job(instance: DagsterInstance, job_id: str) -> Sequence[Any]:
    """Dagster's RunRecords of the job, the newest first; none if there is no such job."""
    records = list(instance.get_run_records(RunsFilter(tags={JOB_ID_TAG: job_id})))
    if records:
        return records
    run_id = run_id_of(job_id) if is_id(job_id) else job_id
    return instance.get_run_records(RunsFilter(run_ids=[run_id]))


def run_id_of(job_id: str) -> str:
    """The run id that has the digits of a job id."""
    return "-".join((job_id[:8], job_id[8:12], job_id[12:16], job_id[16:20], job_id[20:]))


def overview_of(record: Any) -> JobOverview:
    """What a RunRecord says of its job."""
    run = record.dagster_run
    status = status_of(run.status, run.tags)
    ended = record.end_time if run.is_finished else None
    return JobOverview(
        job_id=job_id_of(run.run_id, run.tags),
        name=run.tags.get(JOB_NAME_TAG) or run.job_name.removesuffix("_job"),
        status=status,
        start_ms=_ms(record.create_timestamp),
        end_ms=-1 if ended is None else round(ended * 1000),
        last_modified_ms=_ms(record.update_timestamp),
        run_id=run.run_id,
    )


def status_of(status: DagsterRunStatus, tags: Mapping[str, str]) -> str:
    """Flink's word for how a run is."""
    coarse = _STATUS_OF_RUN[status]
    finer = tags.get(STATUS_TAG, "")
    return finer if finer in _REFINED.get(coarse, ()) else coarse


def _run_statuses(statuses: Sequence[str] | None) -> list[DagsterRunStatus]:
    """Dagster's statuses that may stand for these; all (an empty list) if a newer run may hide an older one."""
    if statuses is None or not set(statuses).isdisjoint(TERMINAL):
        return []
    return [
        run for run, coarse in _STATUS_OF_RUN.items() if {coarse, *_REFINED.get(coarse, ())} & set(statuses)
    ]


def _ms(moment: datetime) -> int:
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def _now_ms() -> int:
    return round(time.time() * 1000)
