"""``keep_running``: a job that should run and does not is launched; it goes on from its last epoch."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from dagster import (
    DagsterInstance,
    DagsterRun,
    DagsterRunStatus,
    RunRequest,
    SensorDefinition,
    SensorEvaluationContext,
    SkipReason,
)

from flinkpy_dagster.orchestration.job.processes import PROCESS_TAG, is_gone
from flinkpy_dagster.orchestration.sensors.sensor_making import made_sensor
from flinkpy_dagster.orchestration.sensors.watched_job import WatchedJob

_FAILURES_LOOKED_AT = 50
_LONGEST_PAUSE_SECONDS = 600.0


def keep_running(
    job: Any,
    *,
    name: str | None = None,
    run_config: Mapping[str, Any] | None = None,
    tags: Mapping[str, str] | None = None,
    interval: timedelta = timedelta(seconds=30),
    pause: timedelta = timedelta(seconds=10),
    stable: timedelta = timedelta(minutes=10),
    even_if_stopped: bool = False,
    running: bool = True,
) -> SensorDefinition:
    """A sensor that launches ``job`` whenever no run of it is under way.

    It does so if there has never been one, and when the last one failed or was killed: it then goes on from its last
    epoch. A run that was canceled, stopped with a savepoint, or has finished stays down, because somebody wanted that,
    until it is launched by hand; with ``even_if_stopped`` it is launched again, too. After failures in a row it waits:
    ``pause``, twice that, and so on up to 10 minutes; a run that lasted ``stable`` begins the count anew. The run key
    names the run before, so two ticks, or two daemons, launch one run.

    A run whose process is gone, although nobody has noticed (the code server that watched it died with it), is marked
    as failed; that takes a daemon on the machine of the run.
    """
    watched = WatchedJob.of(job)
    keeping = _Keeping(watched, dict(run_config or {}), dict(tags or {}), pause, stable, even_if_stopped)
    return made_sensor(
        name or f"keep_{watched.name}_running",
        keeping.evaluate,
        interval=interval,
        running=running,
        description=f"Launches {watched.name} when it does not run although it should.",
        launched=job,
    )


@dataclass(frozen=True)
class _Keeping:
    job: WatchedJob
    run_config: Mapping[str, Any]
    tags: Mapping[str, str]
    pause: timedelta
    stable: timedelta
    even_if_stopped: bool

    def evaluate(self, context: SensorEvaluationContext) -> RunRequest | SkipReason:
        under_way = self.job.unfinished(context.instance)
        if under_way is not None and not _ended_if_dead(context.instance, under_way.dagster_run):
            return SkipReason(f"{self.job.name} runs: {under_way.dagster_run.run_id}.")
        records = self.job.newest(context.instance, _FAILURES_LOOKED_AT)
        if not records:
            return self._launch("never")
        last = records[0]
        run = last.dagster_run
        if run.status is not DagsterRunStatus.FAILURE:
            if self.even_if_stopped:
                return self._launch(run.run_id)
            return SkipReason(
                f"Run {run.run_id} has ended as {run.status.value}: launch it when it is to run again."
            )
        if run.tags.get("dagster/will_retry") == "true":
            return SkipReason(f"Run {run.run_id} has failed; Dagster retries it itself.")
        left = (last.end_time or 0) + self._pause_after(records) - time.time()
        if left > 0:
            return SkipReason(f"Run {run.run_id} has failed; it is launched again in {left:.0f} s.")
        return self._launch(run.run_id)

    def _launch(self, after: str) -> RunRequest:
        return RunRequest(
            run_key=f"{self.job.name} after {after}", run_config=self.run_config, tags=dict(self.tags)
        )

    def _pause_after(self, records: Sequence[Any]) -> float:
        """Seconds to wait after the failures at the head of ``records`` that came soon after their start."""
        failures = 0
        for record in records:
            is_failure = record.dagster_run.status is DagsterRunStatus.FAILURE
            lasted = (record.end_time or 0) - (record.start_time or record.end_time or 0)
            if not is_failure or lasted >= self.stable.total_seconds():
                break
            failures += 1
        seconds: float = self.pause.total_seconds() * 2 ** max(failures - 1, 0) if failures else 0.0
        return min(seconds, _LONGEST_PAUSE_SECONDS)


def _ended_if_dead(instance: DagsterInstance, run: DagsterRun) -> bool:
    """Is the process gone that a run was in? Then the run is marked as failed."""
    process = run.tags.get(PROCESS_TAG)
    if run.status is not DagsterRunStatus.STARTED or process is None or not is_gone(process):
        return False
    instance.report_run_failed(run, f"Its process ({process}) is gone.")
    return True
