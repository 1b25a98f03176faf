"""Op tags that say how a step uses slots, and the tasks that the steps of an execution plan are."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flinkpy_dagster.errors import ConfigurationError
from flinkpy_dagster.orchestration.spark_jobs import slots_of_spark
from flinkpy_dagster.runtime.events import TaskSpec
from flinkpy_dagster.runtime.scheduling import SchedulingMode, slots_for_job

SLOTS = "flinkpy/slots"
"""How many slots the op takes; for a FlinkPy op the parallelism of its vertex."""

SLOT_SHARING_GROUP = "flinkpy/slot_sharing_group"
"""Ops of one group share slots. An op without it has slots of its own."""

REGION = "flinkpy/region"
"""Set on ops of FlinkPy jobs only: ops of one region start together."""

PRIORITY = "dagster/priority"


def is_flink_task(spec: TaskSpec) -> bool:
    return not spec.region.startswith("step ")


def is_flink_op(tags: Mapping[str, str]) -> bool:
    return REGION in tags


def task_specs(plan: Any) -> tuple[TaskSpec, ...]:
    """A task for every step of the ExecutionPlan that is known before the run (dynamic ones come later)."""
    dependencies = plan.get_executable_step_deps()
    steps = {key: plan.get_step_by_key(key) for key in dependencies}
    regions = {key: _region_of(step) for key, step in steps.items()}
    return tuple(
        task_spec(step, (name for name in dependencies[key] if regions.get(name) != regions[key]))
        for key, step in steps.items()
    )


def task_spec(step: Any, inputs: Iterable[str] = ()) -> TaskSpec:
    """The task that a Dagster ExecutionStep is; ``inputs`` are the steps whose complete results it reads."""
    group = step.tags.get(SLOT_SHARING_GROUP)
    return TaskSpec(
        key=step.key,
        vertex=str(step.node_handle),
        region=_region_of(step),
        slot_sharing_group=group if group is not None else f"only {step.key}",
        slots=_whole_number(step, SLOTS, 1, at_least=1),
        blocking_inputs=frozenset(inputs),
        priority=_whole_number(step, PRIORITY, 0),
    )


def total_slots(specs: Sequence[TaskSpec], configured: int | None, mode: SchedulingMode) -> int:
    """The configured number; else what FlinkPy jobs need (as in Flink's local cluster), the cores for others."""
    if configured is not None:
        return configured
    ours = [spec for spec in specs if is_flink_task(spec)]
    wanted = slots_for_job(specs if mode is SchedulingMode.EAGER else ours)
    if ours and len(ours) == len(specs):
        return wanted
    return max(wanted, slots_of_spark() or os.cpu_count() or 1)


def _region_of(step: Any) -> str:
    return step.tags.get(REGION, f"step {step.key}")


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
