"""What the scheduler is told; in the past tense."""

from dataclasses import dataclass

from flinkpy_dagster.runtime.slots import SlotRequest


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskSpec:
    """One task as the scheduler sees it.

    ``region``: tasks that start and end together (pipelined results). ``blocking_inputs``: tasks of other regions
    whose complete result it reads. ``vertex``: tasks of one vertex never share a slot. ``slots``: its parallelism.
    """

    key: str
    vertex: str
    region: str
    slot_sharing_group: str
    slots: int = 1
    blocking_inputs: frozenset[str] = frozenset()
    priority: int = 0

    @property
    def slot_request(self) -> SlotRequest:
        return SlotRequest(
            owner=self.key, vertex=self.vertex, group=self.slot_sharing_group, count=self.slots
        )


@dataclass(frozen=True, slots=True)
class TasksAdded:
    """These belong to the job; at the start all that are known, later the ones that dynamic outputs make."""

    tasks: tuple[TaskSpec, ...]


@dataclass(frozen=True, slots=True)
class TaskBecameReady:
    """What it needs to be called exists: results, or the promise of pipelined ones."""

    key: str


@dataclass(frozen=True, slots=True)
class TaskStarted:
    key: str


@dataclass(frozen=True, slots=True)
class TaskFinished:
    key: str


@dataclass(frozen=True, slots=True)
class TaskSkipped:
    """It will not run and nothing is wrong: an optional input does not exist."""

    key: str


@dataclass(frozen=True, slots=True)
class TaskFailed:
    """``will_retry``: another attempt follows, told by TaskBecameReady."""

    key: str
    will_retry: bool = False


@dataclass(frozen=True, slots=True)
class TaskCanceled:
    """It ended, or will never begin, because of something else."""

    key: str


@dataclass(frozen=True, slots=True)
class CancelRequested:
    """Somebody wants the whole job to end."""


@dataclass(frozen=True, slots=True)
class NoTasksLeft:
    """Every task has ended and none will be added."""


Event = (
    TasksAdded
    | TaskBecameReady
    | TaskStarted
    | TaskFinished
    | TaskSkipped
    | TaskFailed
    | TaskCanceled
    | CancelRequested
    | NoTasksLeft
)
