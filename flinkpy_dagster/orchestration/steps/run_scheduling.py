"""The scheduler of a Dagster run, and how its moves are told in the run's event log."""

import time
from collections.abc import Sequence
from typing import Any

from flinkpy_dagster.orchestration.steps import step_tasks
from flinkpy_dagster.orchestration.steps.executor_config import ExecutorSettings
from flinkpy_dagster.runtime import events
from flinkpy_dagster.runtime.events import TaskSpec
from flinkpy_dagster.runtime.execution_graph import Transition
from flinkpy_dagster.runtime.scheduling import Scheduler
from flinkpy_dagster.runtime.slots import ONE_CORE, ResourceProfile, SlotPool


def now_ms() -> int:
    """The time that the scheduler is told with every event."""
    return time.time_ns() // 1_000_000


def scheduler_of(job_name: str, specs: Sequence[TaskSpec], settings: ExecutorSettings) -> Scheduler:
    """With these tasks. Raises SlotsUnavailable when the slots can never suffice."""
    total = step_tasks.total_slots(specs, settings.slots, settings.mode)
    scheduler = Scheduler(
        job_name,
        settings.mode,
        SlotPool(total, _slot(specs, total)),
        slot_timeout_ms=round(1000 * settings.slot_request_timeout_seconds),
        at_ms=now_ms(),
    )
    scheduler.handle(events.TasksAdded(tuple(specs)))
    return scheduler


def _slot(specs: Sequence[TaskSpec], total: int) -> ResourceProfile:
    """What one slot has: a core, and the share of this machine's memory that its Python worker may use."""
    if all(spec.profile.memory_bytes is None for spec in specs):
        return ONE_CORE
    from flinkpy_dagster.dataplane.spark.session import worker_memory_mib  # loads pyspark

    return ResourceProfile(cpu_cores=1.0, memory_bytes=worker_memory_mib(max(total, 1)) * 2**20)


def told(move: Transition) -> tuple[str, dict[str, Any]]:
    """Message and metadata of the event that tells a move."""
    about: dict[str, Any] = {"state": move.after.name, "at_ms": move.at_ms}
    if move.task is not None:
        about["attempt"] = move.attempt
    return (str(move) if move.task is not None else f"Job {move}"), about
