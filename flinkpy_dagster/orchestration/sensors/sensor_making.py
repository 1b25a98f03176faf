"""What all of our sensors have in common as Dagster's."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from dagster import DefaultSensorStatus, SensorDefinition

from flinkpy_dagster.orchestration.sensors.watched_job import WatchedJob


def made_sensor(
    name: str,
    evaluate: Callable[..., Any],
    *,
    interval: timedelta,
    running: bool,
    description: str,
    launched: Any = None,
    launches: Sequence[Any] = (),
) -> SensorDefinition:
    """``interval``: between two looks, a second at least; ``running``: it is switched on by itself.

    ``launched``: the one job that it launches (see ``WatchedJob.of``); else ``launches``, the jobs that it may launch.
    """
    target: dict[str, Any] = {"jobs": list(launches) or None}
    if launched is not None:
        is_named = isinstance(launched, str)
        target = {"job_name": WatchedJob.of(launched).name} if is_named else {"job": launched}
    return SensorDefinition(
        name=name,
        evaluation_fn=evaluate,
        minimum_interval_seconds=max(1, round(interval.total_seconds())),
        default_status=DefaultSensorStatus.RUNNING if running else DefaultSensorStatus.STOPPED,
        description=description,
        **target,
    )
