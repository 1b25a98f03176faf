"""``after_savepoint``: a program has made a savepoint, and something is to be done with it."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from dagster import (
    AssetRecordsFilter,
    RunRequest,
    SensorDefinition,
    SensorEvaluationContext,
    SensorResult,
    SkipReason,
)

from flinkpy_dagster.orchestration.sensors.sensor_making import made_sensor
from flinkpy_dagster.orchestration.sensors.watched_job import Checkpoint, WatchedJob

_AT_ONCE = 100
Action = Callable[[SensorEvaluationContext, Checkpoint], RunRequest | Sequence[RunRequest] | None]


def after_savepoint(
    job: Any,
    do: Action,
    *,
    launches: Sequence[Any] = (),
    name: str | None = None,
    key_prefix: Sequence[str] = (),
    interval: timedelta = timedelta(seconds=30),
    running: bool = True,
) -> SensorDefinition:
    """A sensor that calls ``do(context, savepoint)`` for every savepoint that ``job`` makes from its first tick on.

    ``do`` may copy it, test it, tell somebody, and may return run requests for the jobs in ``launches``. What it raises
    fails the tick, and the next tick calls it again. ``key_prefix``: that of ``definitions_from``.
    """
    watched = WatchedJob.of(job, key_prefix)

    def evaluate(context: SensorEvaluationContext) -> SensorResult | SkipReason:
        if context.cursor is None:
            newest = watched.newest_checkpoint(context.instance)
            context.update_cursor(str(newest.storage_id if newest is not None else 0))
            return SkipReason("Savepoints from now on.")
        wanted = AssetRecordsFilter(watched.checkpoints_key, after_storage_id=int(context.cursor))
        records = context.instance.fetch_materializations(wanted, limit=_AT_ONCE, ascending=True).records
        told = [Checkpoint.of(record) for record in records]
        requests: list[RunRequest] = []
        for savepoint in told:
            if savepoint.is_savepoint:
                made: Any = do(context, savepoint)
                requests += [made] if isinstance(made, RunRequest) else list(made or ())
        cursor = str(told[-1].storage_id) if told else context.cursor
        if requests:
            return SensorResult(run_requests=requests, cursor=cursor)
        count = sum(each.is_savepoint for each in told)
        return SensorResult(
            skip_reason=SkipReason(f"{count} new savepoints of {watched.name}."), cursor=cursor
        )

    return made_sensor(
        name or f"after_savepoint_of_{watched.name}",
        evaluate,
        interval=interval,
        running=running,
        description=f"Savepoints of {watched.name}.",
        launches=launches,
    )
