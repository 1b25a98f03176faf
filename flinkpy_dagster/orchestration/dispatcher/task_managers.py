"""TaskManagers: the executors of jobs that have not ended, with their slots and what runs in them."""

from collections.abc import Iterable
from dataclasses import dataclass

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.targets import ProcessMemory, TargetKind, cluster_specification, target_of
from flinkpy_dagster.config.targets.names import ACTIVE
from flinkpy_dagster.errors import FlinkpyError
from flinkpy_dagster.orchestration.dispatcher.details import Executor, JobDetails


@dataclass(frozen=True, slots=True)
class TaskManager:
    """An executor of a job that has not ended; ``executor.lost_ms`` is set if it has gone."""

    id: str
    executor: Executor
    details: JobDetails
    slots: int

    @property
    def tasks(self) -> int:
        """Subtasks that run on it: Spark decides where one runs, they are spread as it usually does."""
        share = len(self.details.executors)
        running = (each for each in self.details.vertices if each.attempt.state in ("DEPLOYING", "RUNNING"))
        return sum(-(-vertex.parallelism // share) for vertex in running)

    @property
    def slots_used(self) -> int:
        """A slot holds a subtask of each vertex of its group."""
        groups: dict[str, int] = {}
        for vertex in self.details.vertices:
            if vertex.attempt.state in ("SCHEDULED", "DEPLOYING", "RUNNING", "CANCELING"):
                group = vertex.slot_sharing_group
                groups[group] = max(groups.get(group, 0), vertex.parallelism)
        return min(self.slots, -(-sum(groups.values()) // len(self.details.executors)))


def task_managers(running: Iterable[JobDetails]) -> list[TaskManager]:
    """Those that are registered, of jobs that have not ended."""
    return [
        TaskManager(task_manager_id(details, executor), executor, details, _slots(details, executor))
        for details in running
        for executor in details.executors
    ]


def lost_task_managers(running: Iterable[JobDetails]) -> list[TaskManager]:
    """Those that such jobs have had before."""
    return [
        TaskManager(task_manager_id(details, executor), executor, details, executor.slots)
        for details in running
        for executor in details.lost_executors
    ]


def task_manager_id(details: JobDetails, executor: Executor) -> str:
    """Flink's form, ``host:port-`` and six digits; those of the run in place of random ones."""
    return f"{executor.host}:{executor.port}-{details.overview.run_id[:6]}"


def _slots(details: JobDetails, executor: Executor) -> int:
    """On this machine, where the driver is the only one, as many as the run has; else those of its cores."""
    return max(1, details.slots) if executor.id == "driver" else executor.slots


def memory_of(manager: TaskManager) -> dict[str, int]:
    """Flink's ``TaskExecutorMemoryConfiguration`` as far as it is known, in bytes.

    By the job's options where they say how large a TaskManager is, else what Spark tells: the heap for blocks.
    """
    memory = _configured(manager.details)
    if memory is None:
        return {"taskHeap": manager.executor.memory_bytes}
    return {
        "taskHeap": memory.heap,
        "managedMemory": memory.python,
        "jvmOverhead": memory.other,
        "totalFlinkMemory": memory.heap + memory.python,
        "totalProcessMemory": memory.total,
    }


def _configured(details: JobDetails) -> ProcessMemory | None:
    configuration = Configuration.from_dict(dict(details.options))
    try:
        kind = target_of(configuration).kind
        if kind is TargetKind.LOCAL:
            return None
        return cluster_specification(configuration, is_active=kind in ACTIVE).task_manager
    except FlinkpyError:  # options of another version
        return None
