"""What the scheduler is told; in the past tense."""

from dataclasses import dataclass

from flinkpy_dagster.runtime.slots import ANY_RESOURCES, ResourceProfile, SlotRequest


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskSpec:
    """One task as the scheduler sees it.

    ``region``: tasks that start and end together (pipelined results). ``blocking_inputs``: tasks of other regions
    whose complete result it reads. ``vertex``: tasks of one vertex never share a slot. ``slots``: its parallelism.
    ``profile``: what each of its slots must have. ``co_location``: its subtasks are in the slots of the subtasks of
    one index of the others of that name. ``is_unbounded``: it holds its slots until somebody stops it.
    """

    key: str
    vertex: str
    region: str
    slot_sharing_group: str
    slots: int = 1
    blocking_inputs: frozenset[str] = frozenset()
    priority: int = 0
    profile: ResourceProfile = ANY_RESOURCES
    co_location: str | None = None
    is_unbounded: bool = False

    @property
    def slot_request(self) -> SlotRequest:
        return SlotRequest(
            owner=self.key,
            vertex=self.vertex,
            group=self.slot_sharing_group,
            count=self.slots,
            profile=self.profile,
            co_location=self.co_location,
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
    """``is_carried``: inside of the task that reads its result (see TasksRestarting), not by itself."""

    key: str
    is_carried: bool = False


@dataclass(frozen=True, slots=True)
class TaskFinished:
    """``is_carried`` as in TaskStarted; its own attempt may still report its end while it is carried."""

    key: str
    is_carried: bool = False


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
class TasksRestarting:
    """It was decided that these run again: each has ended, or is told to, and becomes ready once more.

    ``culprit`` is the one that failed. ``carried``: tasks that have finished, whose results are lost; they run again
    together with the others, on slots of their own, and are not deployed apart.
    """

    keys: tuple[str, ...]
    culprit: str | None = None
    cause: str = ""
    carried: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JobFailing:
    """It was decided that the job fails: ``culprit`` has failed for good, the rest of ``keys`` are told to end."""

    keys: tuple[str, ...]
    culprit: str | None = None
    cause: str = ""


@dataclass(frozen=True, slots=True)
class TasksRestored:
    """Earlier runs of the job have left the complete results of these: they take no slots and compute nothing."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReconciliationStarted:
    """There was an earlier run of the job; what it left is looked at."""


@dataclass(frozen=True, slots=True)
class SlotsRegistered:
    """So many slots exist now; never fewer than before."""

    total: int


@dataclass(frozen=True, slots=True)
class TimePassed:
    """Nothing but that; told now and then while tasks wait for slots."""


@dataclass(frozen=True, slots=True)
class CancelRequested:
    """Somebody wants the whole job to end."""


@dataclass(frozen=True, slots=True)
class SuspendRequested:
    """The process is to end, the job is to go on in another one."""


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
    | TasksRestarting
    | JobFailing
    | TasksRestored
    | ReconciliationStarted
    | SlotsRegistered
    | TimePassed
    | CancelRequested
    | SuspendRequested
    | NoTasksLeft
)
