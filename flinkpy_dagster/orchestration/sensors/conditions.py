"""What may be wrong with a job that runs: each is a value that says so in one sentence, or None."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from dagster import DagsterEventType, DagsterInstance, DagsterRunStatus, RunsFilter

from flinkpy_dagster.config.values import text_of
from flinkpy_dagster.orchestration.sensors.watched_job import WatchedJob


class Condition(Protocol):
    """``name`` tells it from the other conditions of a sensor."""

    @property
    def name(self) -> str: ...

    def problem(self, instance: DagsterInstance, job: WatchedJob, now: float) -> str | None:
        """One sentence, None if all is well. ``now``: seconds since 1970."""


@dataclass(frozen=True)
class CheckpointTooOld:
    """The job runs, and has completed no checkpoint for ``limit``, or since it was started."""

    limit: timedelta

    @property
    def name(self) -> str:
        return "checkpoint too old"

    def problem(self, instance: DagsterInstance, job: WatchedJob, now: float) -> str | None:
        """How long there has been no checkpoint, if that is too long."""
        run = _running(instance, job)
        if run is None:
            return None
        newest = job.newest_checkpoint(instance)
        last = newest.time if newest is not None else 0.0
        age = now - max(last, run.start_time or now)
        if age <= self.limit.total_seconds():
            return None
        what = "its last checkpoint" if last > (run.start_time or now) else "its start without a checkpoint"
        return f"Job {job.name}: {_text(age)} since {what}, {text_of(self.limit)} are allowed."


@dataclass(frozen=True)
class WatermarkLag:
    """The job runs, and its watermark, as of its last checkpoint, is ``limit`` behind the clock."""

    limit: timedelta

    @property
    def name(self) -> str:
        return "watermark lag"

    def problem(self, instance: DagsterInstance, job: WatchedJob, now: float) -> str | None:
        """How far event time is behind, if that is too far."""
        run = _running(instance, job)
        newest = job.newest_checkpoint(instance) if run is not None else None
        if newest is None or newest.watermark is None or newest.run_id != run.dagster_run.run_id:
            return None
        lag = now - newest.watermark
        if lag <= self.limit.total_seconds():
            return None
        return f"Job {job.name}: its watermark is {_text(lag)} behind, {text_of(self.limit)} are allowed."


@dataclass(frozen=True)
class RestartCount:
    """The job was restarted more than ``limit`` times ``within`` a time: regions in a run, and runs that failed."""

    limit: int
    within: timedelta = timedelta(hours=1)

    @property
    def name(self) -> str:
        return "restart count"

    def problem(self, instance: DagsterInstance, job: WatchedJob, now: float) -> str | None:
        """How often it was restarted, if that is too often."""
        since = now - self.within.total_seconds()
        wanted = RunsFilter(job_name=job.name, updated_after=datetime.fromtimestamp(since).astimezone())
        records = instance.get_run_records(wanted, limit=100)
        failed = sum(record.dagster_run.status is DagsterRunStatus.FAILURE for record in records)
        count = failed + sum(_restarts(instance, each.dagster_run.run_id, since) for each in records)
        if count <= self.limit:
            return None
        return f"Job {job.name}: {count} restarts within {text_of(self.within)}, {self.limit} are allowed."


def _running(instance: DagsterInstance, job: WatchedJob) -> Any:
    record = job.unfinished(instance)
    return record if record is not None and record.dagster_run.status is DagsterRunStatus.STARTED else None


def _restarts(instance: DagsterInstance, run_id: str, since: float) -> int:
    """Of the step that has had most: the steps of a region restart together."""
    records = instance.get_records_for_run(run_id, of_type=DagsterEventType.STEP_RESTARTED).records
    steps = Counter(
        each.event_log_entry.step_key for each in records if each.event_log_entry.timestamp >= since
    )
    return max(steps.values(), default=0)


def _text(seconds: float) -> str:
    return text_of(timedelta(seconds=round(seconds)))
