"""``alert_on``: something is wrong with a job that runs, and somebody is to know or to act."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from dagster import (
    RunRequest,
    SensorDefinition,
    SensorEvaluationContext,
    SensorResult,
    SkipReason,
)

from flinkpy_dagster.orchestration.sensors.conditions import Condition
from flinkpy_dagster.orchestration.sensors.sensor_making import made_sensor
from flinkpy_dagster.orchestration.sensors.watched_job import WatchedJob


@dataclass(frozen=True)
class Alert:
    """``says`` is one sentence about the job; ``since``, in seconds since 1970, when it was first seen."""

    condition: str
    job: str
    says: str
    since: float


Action = Callable[[SensorEvaluationContext, Alert], RunRequest | Sequence[RunRequest] | None]


def alert_on(
    job: Any,
    *conditions: Condition,
    do: Action | None = None,
    launches: Sequence[Any] = (),
    name: str | None = None,
    key_prefix: Sequence[str] = (),
    interval: timedelta = timedelta(seconds=30),
    repeat: timedelta | None = None,
    running: bool = True,
) -> SensorDefinition:
    """A sensor that calls ``do(context, alert)`` once when a condition of ``job`` begins to hold.

    ``do`` may tell somebody, and may return run requests for the jobs in ``launches``. Without it the sensor's log and
    its tick say what is wrong. ``repeat``: it is called again after that time if the condition still holds; it is in
    any case when it holds anew. ``key_prefix``: that of ``definitions_from``.
    """
    watched = WatchedJob.of(job, key_prefix)
    alerting = _Alerting(watched, tuple(conditions), do, repeat)
    return made_sensor(
        name or f"{watched.name}_alerts",
        alerting.evaluate,
        interval=interval,
        running=running,
        description=f"Looks after {watched.name}: {', '.join(each.name for each in conditions)}.",
        launches=launches,
    )


@dataclass(frozen=True)
class _Alerting:
    job: WatchedJob
    conditions: tuple[Condition, ...]
    do: Action | None
    repeat: timedelta | None

    def evaluate(self, context: SensorEvaluationContext) -> SensorResult:
        """The cursor holds, by condition, since when it holds and when that was last told."""
        now = time.time()
        before: dict[str, Any] = json.loads(context.cursor) if context.cursor else {}
        after: dict[str, Any] = {}
        wanted: list[RunRequest] = []
        problems: list[str] = []
        for condition in self.conditions:
            says = condition.problem(context.instance, self.job, now)
            if says is None:
                continue
            problems.append(says)
            since, told = before.get(condition.name, (now, None))
            if told is None or (self.repeat is not None and now - told >= self.repeat.total_seconds()):
                told = now
                wanted += self._act(context, Alert(condition.name, self.job.name, says, since))
            after[condition.name] = (since, told)
        cursor = json.dumps(after)
        if wanted:
            return SensorResult(run_requests=wanted, cursor=cursor)
        reason = " ".join(problems) or f"{self.job.name} is well, or does not run."
        return SensorResult(skip_reason=SkipReason(reason), cursor=cursor)

    def _act(self, context: SensorEvaluationContext, alert: Alert) -> list[RunRequest]:
        context.log.warning(alert.says)
        made: Any = self.do(context, alert) if self.do is not None else None
        if made is None:
            return []
        return [made] if isinstance(made, RunRequest) else list(made)
