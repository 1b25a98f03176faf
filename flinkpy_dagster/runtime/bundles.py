"""What the scheduler knows of a task, and tasks that get their slots together."""

from collections.abc import Iterable
from dataclasses import dataclass

from flinkpy_dagster.runtime.events import TaskSpec
from flinkpy_dagster.runtime.slots import ONE_CORE, ResourceProfile, total_needed


@dataclass(slots=True)
class Task:
    """``call``: the how-many-th it was to become ready."""

    spec: TaskSpec
    call: int = 0
    is_ready: bool = False
    is_lost: bool = False  # failed for good, or canceled: its result will not come
    is_carried: bool = False  # runs again inside of the task that needs its result


@dataclass(slots=True, eq=False)
class Bundle:
    """Tasks that get their slots together. ``since_ms``: since when it waits for them."""

    keys: tuple[str, ...]
    groups: frozenset[str]
    priority: int
    inputs: frozenset[str] = frozenset()
    since_ms: int | None = None


def bundle_of(specs: Iterable[TaskSpec]) -> Bundle:
    """Of these tasks, which wait for their slots from now on."""
    specs = tuple(specs)
    keys = tuple(spec.key for spec in specs)
    return Bundle(
        keys=keys,
        groups=frozenset(spec.slot_sharing_group for spec in specs),
        priority=max(spec.priority for spec in specs),
        inputs=frozenset(name for spec in specs for name in spec.blocking_inputs) - set(keys),
    )


def slots_for_job(tasks: Iterable[TaskSpec], slot: ResourceProfile = ONE_CORE) -> int:
    """Slots with which every task of the job could run at once."""
    return total_needed([task.slot_request for task in tasks], slot)
