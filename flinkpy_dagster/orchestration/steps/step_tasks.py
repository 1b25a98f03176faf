"""The tasks that the steps of an execution plan are, by the tags of their ops."""

import math
import os
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from flinkpy_dagster.config.values import parse_memory
from flinkpy_dagster.errors import ConfigurationError
from flinkpy_dagster.orchestration.op_tags import (
    CO_LOCATION_GROUP,
    KNOWN,
    REGION,
    RESOURCE_PROFILE,
    SLOT_SHARING_GROUP,
    SLOTS,
    VERTEX,
)
from flinkpy_dagster.orchestration.steps.spark_jobs import slots_of_spark
from flinkpy_dagster.runtime.events import TaskSpec
from flinkpy_dagster.runtime.scheduling import slots_for_job
from flinkpy_dagster.runtime.scheduling_modes import SchedulingMode
from flinkpy_dagster.runtime.slots import ResourceProfile

PRIORITY = "dagster/priority"

_OURS = "flinkpy/"


def task_keys(specs: Iterable[TaskSpec]) -> dict[str, str]:
    """The steps of FlinkPy vertices by ``vertex_tag``."""
    return {spec.vertex: spec.key for spec in specs if is_flink_task(spec)}


def is_flink_task(spec: TaskSpec) -> bool:
    return not spec.region.startswith("step ")


def start_on_outputs(steps: Iterable[Any], mode: SchedulingMode) -> bool:
    """May a step start on the promise of a result? FlinkPy ops may; other ops, too, under EAGER, else after success."""
    return mode is SchedulingMode.EAGER or any(REGION in step.tags for step in steps)


def task_specs(plan: Any) -> tuple[TaskSpec, ...]:
    """A task for every step of the ExecutionPlan that is known before the run (dynamic ones come later).

    Raises ConfigurationError for tags that have no meaning, of dynamic ones too.
    """
    _check_tags(plan)
    dependencies = plan.get_executable_step_deps()
    steps = {key: plan.get_step_by_key(key) for key in dependencies}
    regions = {key: _region_of(step) for key, step in steps.items()}
    return tuple(
        task_spec(step, (name for name in dependencies[key] if regions.get(name) != regions[key]))
        for key, step in steps.items()
    )


def task_spec(step: Any, inputs: Iterable[str] = ()) -> TaskSpec:
    """The task that a Dagster ExecutionStep is; ``inputs`` are the steps whose complete results it reads."""
    return TaskSpec(
        key=step.key,
        vertex=step.tags.get(VERTEX, str(step.node_handle)),
        region=_region_of(step),
        slot_sharing_group=slot_sharing_group(step),
        slots=_whole_number(step, SLOTS, 1, at_least=1),
        blocking_inputs=frozenset(inputs),
        priority=_whole_number(step, PRIORITY, 0),
        profile=_profile(step),
        co_location=step.tags.get(CO_LOCATION_GROUP),
    )


def slot_sharing_group(step: Any) -> str:
    """The group of the step; the name of its pool in Spark's scheduler, too."""
    return step.tags.get(SLOT_SHARING_GROUP, f"only {step.key}")


def total_slots(specs: Sequence[TaskSpec], configured: int | None, mode: SchedulingMode) -> int:
    """The configured number; else what FlinkPy jobs need (as in Flink's local cluster), the cores for others."""
    if configured is not None:
        return configured
    ours = [spec for spec in specs if is_flink_task(spec)]
    wanted = slots_for_job(specs if mode is SchedulingMode.EAGER else ours)
    if ours and len(ours) == len(specs):
        return wanted
    return max(wanted, slots_of_spark() or os.cpu_count() or 1)


def _check_tags(plan: Any) -> None:
    for step in plan.steps:
        task_spec(step)
        for tag in step.tags:
            if tag.startswith(_OURS) and tag not in KNOWN:
                nearest = get_close_matches(tag, KNOWN, 1)
                meant = f"did you mean {nearest[0]}?" if nearest else f"there are {', '.join(sorted(KNOWN))}."
                raise ConfigurationError(f"Op '{step.key}' has the tag {tag}, which does not exist: {meant}")
        if not slot_sharing_group(step).strip():
            raise ConfigurationError(
                f"Op '{step.key}' has the tag {SLOT_SHARING_GROUP} without a value; it takes the name of a group."
            )


def _region_of(step: Any) -> str:
    return step.tags.get(REGION, f"step {step.key}")


def _profile(step: Any) -> ResourceProfile:
    text = step.tags.get(RESOURCE_PROFILE, "")
    try:
        parts = dict(part.split("=", 1) for part in text.replace(" ", "").split(",") if part)
        cores, memory = parts.pop("cpu", None), parts.pop("memory", None)
        if parts or (cores is not None and not 0 < float(cores) < math.inf):
            raise ValueError
        return ResourceProfile(
            cpu_cores=float(cores) if cores else None, memory_bytes=parse_memory(memory) if memory else None
        )
    except ValueError:
        raise ConfigurationError(
            f"Op '{step.key}' has the tag {RESOURCE_PROFILE}={text}; it takes cpu=2, memory=4g, or both with a comma."
        ) from None


def _whole_number(step: Any, tag: str, default: int, *, at_least: int | None = None) -> int:
    text = step.tags.get(tag, str(default))
    try:
        number = int(text)
    except ValueError:
        number = None
    if number is None or (at_least is not None and number < at_least):
        least = f" of at least {at_least}" if at_least is not None else ""
        raise ConfigurationError(f"Op '{step.key}' has the tag {tag}={text}; it takes a whole number{least}.")
    return number
