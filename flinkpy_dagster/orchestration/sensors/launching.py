"""``launch_on``: something is new, so the job runs, processes what has come, and ends. Nothing is launched twice."""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any

from dagster import (
    DagsterInstance,
    DagsterRunStatus,
    RunRequest,
    RunsFilter,
    SensorDefinition,
    SensorEvaluationContext,
    SensorResult,
    SkipReason,
)

from flinkpy_dagster.orchestration.sensors.sensor_making import made_sensor
from flinkpy_dagster.orchestration.sensors.triggers import News, Trigger
from flinkpy_dagster.orchestration.sensors.watched_job import WatchedJob

LAUNCH_TAG = "flinkpy/launch"
"""Of a run that a sensor has launched: what for. Its retries have the same."""
TRIGGER_TAG = "flinkpy/trigger"
Requests = Callable[[Sequence[News]], RunRequest | Sequence[RunRequest]]


def launch_on(
    job: Any,
    *triggers: Trigger,
    name: str | None = None,
    run_config: Mapping[str, Any] | None = None,
    tags: Mapping[str, str] | None = None,
    interval: timedelta = timedelta(seconds=30),
    retries: int = 3,
    retry_delay: timedelta = timedelta(seconds=30),
    requests: Requests | None = None,
    running: bool = True,
) -> SensorDefinition:
    """A sensor that launches ``job`` when one of the triggers has news.

    ``job``: a program's name, whose run is then an available-now one, or any Dagster job. Its run key names the news,
    so no news are launched for twice, whatever becomes of the daemon; while a run of the job is under way nothing is
    launched, and the news wait. A run that failed is launched again, up to ``retries`` times, with pauses from
    ``retry_delay`` on that double. ``requests``: makes the run requests from the news instead, for example one per
    partition. ``running``: the sensor is switched on by itself.
    """
    watched = WatchedJob.of(job)
    launching = _Launching(
        watched, tuple(triggers), run_config, dict(tags or {}), retries, retry_delay, requests
    )
    return made_sensor(
        name or f"{watched.name}_on_news",
        launching.evaluate,
        interval=interval,
        running=running,
        description=f"Launches {watched.name} on {', '.join(each.name for each in triggers)}.",
        launched=job,
    )


@dataclass(frozen=True)
class _Launching:
    job: WatchedJob
    triggers: tuple[Trigger, ...]
    run_config: Mapping[str, Any] | None
    tags: Mapping[str, str]
    retries: int
    retry_delay: timedelta
    requests: Requests | None

    def evaluate(self, context: SensorEvaluationContext) -> SensorResult | SkipReason:
        under_way = self.job.unfinished(context.instance)
        if under_way is not None:
            return SkipReason(f"Run {under_way.dagster_run.run_id} of {self.job.name} is under way.")
        state = json.loads(context.cursor) if context.cursor else {"seen": {}, "launch": None}
        again = self._retry(context.instance, state["launch"])
        if again is not None:
            return again
        news = {
            each.name: each.look(context.instance, state["seen"].get(each.name)) for each in self.triggers
        }
        found = {name: each for name, each in news.items() if each is not None}
        if not found:
            return SkipReason("There is nothing new.")
        key = self._key(found)
        cursors = {name: each.cursor for name, each in found.items()}
        cursor = json.dumps({"seen": state["seen"] | cursors, "launch": key})
        return SensorResult(run_requests=self._requests(list(found.values()), key), cursor=cursor)

    def _key(self, found: Mapping[str, News]) -> str:
        text = "|".join(f"{name}={each.key}" for name, each in sorted(found.items()))
        return f"{self.job.name}:{sha256(text.encode()).hexdigest()[:24]}"

    def _requests(self, news: Sequence[News], key: str) -> list[RunRequest]:
        if self.requests is None:
            return [self._request(key, "; ".join(each.says for each in news))]
        made: Any = self.requests(news)
        wanted: Iterable[RunRequest] = [made] if isinstance(made, RunRequest) else list(made)
        return [
            replace_request(each, each.run_key or f"{key}:{number}", {LAUNCH_TAG: key, **self.tags})
            for number, each in enumerate(wanted)
        ]

    def _request(self, key: str, says: str, attempt: int = 0) -> RunRequest:
        about = {LAUNCH_TAG: key, TRIGGER_TAG: says[:250]}
        return RunRequest(
            run_key=f"{key}#{attempt}" if attempt else key,
            run_config=self.job.available_now(self.run_config),
            tags={**self.tags, **about},
        )

    def _retry(self, instance: DagsterInstance, key: str | None) -> SensorResult | SkipReason | None:
        """The last launch again, if its run has failed and nobody else sees to that."""
        if key is None or self.requests is not None or not self.retries:
            return None
        runs = instance.get_run_records(RunsFilter(job_name=self.job.name, tags={LAUNCH_TAG: key}))
        if not runs or runs[0].dagster_run.status is not DagsterRunStatus.FAILURE:
            return None
        if len(runs) > self.retries:
            return None
        last = runs[0].dagster_run
        if last.tags.get("dagster/will_retry") == "true":
            return SkipReason(f"Run {last.run_id} has failed; Dagster retries it itself.")
        pause = self.retry_delay.total_seconds() * 2 ** (len(runs) - 1)
        if (left := (runs[0].end_time or 0) + pause - time.time()) > 0:
            return SkipReason(f"Run {last.run_id} has failed; it is launched again in {left:.0f} s.")
        return SensorResult(run_requests=[self._request(key, f"run {last.run_id} has failed", len(runs))])


def replace_request(request: RunRequest, run_key: str, tags: Mapping[str, str]) -> RunRequest:
    """The request with that run key, and with these tags beside its own."""
    return RunRequest(
        run_key=run_key,
        run_config=request.run_config,
        tags={**request.tags, **tags},
        job_name=request.job_name,
        asset_selection=request.asset_selection,
        partition_key=request.partition_key,
    )
