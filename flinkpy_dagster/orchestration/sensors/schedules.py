"""``launch_at``: a job by the clock."""

from collections.abc import Mapping
from typing import Any

from dagster import (
    DefaultScheduleStatus,
    RunRequest,
    ScheduleDefinition,
    ScheduleEvaluationContext,
    SkipReason,
)

from flinkpy_dagster.orchestration.sensors.watched_job import WatchedJob


def launch_at(
    job: Any,
    cron: str,
    *,
    name: str | None = None,
    timezone: str | None = None,
    run_config: Mapping[str, Any] | None = None,
    tags: Mapping[str, str] | None = None,
    overlaps: bool = False,
    running: bool = True,
) -> ScheduleDefinition:
    """A schedule that launches ``job`` at the times of ``cron`` (``"*/10 * * * *"``), in ``timezone``, else UTC.

    ``job``: a program's name, whose run is then an available-now one, or any Dagster job. A run of the job that is
    still under way is not overtaken, unless ``overlaps``: the next time takes up what has come. The run key is the
    scheduled time: a daemon that ticks again launches nothing.
    """
    watched = WatchedJob.of(job)
    config = watched.available_now(run_config)

    def request(context: ScheduleEvaluationContext) -> RunRequest | SkipReason:
        under_way = watched.unfinished(context.instance) if not overlaps else None
        if under_way is not None:
            return SkipReason(f"Run {under_way.dagster_run.run_id} of {watched.name} is under way.")
        when = context.scheduled_execution_time.isoformat()
        return RunRequest(run_key=f"{watched.name} at {when}", run_config=config, tags=dict(tags or {}))

    return ScheduleDefinition(
        name=name or f"{watched.name}_schedule",
        cron_schedule=cron,
        execution_timezone=timezone,
        execution_fn=request,
        default_status=DefaultScheduleStatus.RUNNING if running else DefaultScheduleStatus.STOPPED,
        description=f"Launches {watched.name}.",
        **({"job_name": watched.name} if isinstance(job, str) else {"job": job}),
    )
