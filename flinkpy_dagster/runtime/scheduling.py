"""When does a task start: the modes EAGER, LAZY_FROM_SOURCES and PIPELINED_REGION.

Source of the rules: Flink's ``ScheduleMode`` (EAGER and LAZY_FROM_SOURCES, up to 1.13) and
``PipelinedRegionSchedulingStrategy``. In every mode tasks that must run together get their slots together or not at
all, so waiting tasks never block each other.

=================  ==================  ==================================  ====================================
mode               slots go to         as soon as                          a task starts when
=================  ==================  ==================================  ====================================
EAGER              the whole job       it is submitted                     it can be called
LAZY_FROM_SOURCES  a region            a task of it can be called, and     it can be called, and the blocking
                                       its producers have slots or ended   results that it reads are complete
PIPELINED_REGION   a region            all blocking results that it reads  it can be called
                                       are complete
=================  ==================  ==================================  ====================================
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from flinkpy_dagster.errors import SlotsUnavailable
from flinkpy_dagster.runtime import events
from flinkpy_dagster.runtime.events import Event, TaskSpec
from flinkpy_dagster.runtime.execution_states import (
    HOLDS_SLOTS,
    TERMINAL_JOB,
    ExecutionState,
    JobStatus,
    Lifecycle,
    job_lifecycle,
    task_lifecycle,
)
from flinkpy_dagster.runtime.instructions import AbandonTask, DeployTask, Instruction, StopTask
from flinkpy_dagster.runtime.slots import SlotPool, SlotRequest, slots_needed


class SchedulingMode(Enum):
    """When tasks start; see the table of the module."""

    EAGER = "EAGER"
    LAZY_FROM_SOURCES = "LAZY_FROM_SOURCES"
    PIPELINED_REGION = "PIPELINED_REGION"


@dataclass(slots=True)
class _Task:
    spec: TaskSpec
    life: Lifecycle[ExecutionState]
    is_ready: bool = False
    is_lost: bool = False  # failed for good, or canceled: its result will not come

    @property
    def state(self) -> ExecutionState:
        return self.life.state


@dataclass(slots=True)
class _Bundle:
    """Tasks that get their slots together."""

    keys: tuple[str, ...]
    groups: frozenset[str]
    priority: int
    inputs: frozenset[str] = frozenset()


def _bundle(specs: tuple[TaskSpec, ...]) -> _Bundle:
    keys = tuple(spec.key for spec in specs)
    return _Bundle(
        keys=keys,
        groups=frozenset(spec.slot_sharing_group for spec in specs),
        priority=max(spec.priority for spec in specs),
        inputs=frozenset(name for spec in specs for name in spec.blocking_inputs) - set(keys),
    )


def slots_for_job(tasks: Iterable[TaskSpec]) -> int:
    """Slots with which every task of the job could run at once."""
    return sum(slots_needed(task.slot_request for task in tasks).values())


class Scheduler:
    """Takes events, returns instructions. One per job, or per Dagster run of an ordinary job."""

    def __init__(self, name: str, mode: SchedulingMode, slots: SlotPool):
        self.mode = mode
        self.slots = slots
        self.job = job_lifecycle(name)
        self._tasks: dict[str, _Task] = {}
        self._waiting: list[_Bundle] = []  # most urgent first
        self._called: dict[str, _Task] = {}  # can be called and have not been deployed, in order

    @property
    def status(self) -> JobStatus:
        return self.job.state

    def state_of(self, key: str) -> ExecutionState:
        return self._tasks[key].state

    def handle(self, event: Event) -> list[Instruction]:
        """Take one event in. Raises SlotsUnavailable when added tasks can never get their slots."""
        match event:
            case events.TasksAdded(tasks):
                self._add(tasks)
            case events.TaskBecameReady(key):
                self._become_ready(key)
            case events.TaskStarted(key):
                self._tasks[key].life.go_to(ExecutionState.RUNNING)
                return []
            case events.TaskFinished(key) | events.TaskSkipped(key):
                self._end(key, ExecutionState.FINISHED)
            case events.TaskFailed(key, will_retry):
                self._end(key, ExecutionState.FAILED, is_lost=not will_retry)
            case events.TaskCanceled(key):
                self._end(key, ExecutionState.CANCELED, is_lost=True)
            case events.CancelRequested():
                return self._cancel()
            case events.NoTasksLeft():
                self._end_job()
        return self._abandon() + self._reserve_and_deploy()

    # -- events ------------------------------------------------------------------------------------------------

    def _add(self, specs: tuple[TaskSpec, ...]) -> None:
        bundles = self._bundles_of(specs)
        for bundle in bundles:
            self._require_possible(bundle, {spec.key: spec for spec in specs})
        for spec in specs:
            self._tasks[spec.key] = _Task(spec, task_lifecycle(spec.key))
        self._wait(bundles)

    def _wait(self, bundles: list[_Bundle]) -> None:
        self._waiting.extend(bundles)
        self._waiting.sort(key=lambda bundle: -bundle.priority)  # stable: else in order of arrival

    def _become_ready(self, key: str) -> None:
        task = self._tasks[key]
        task.is_ready = True
        self._called[key] = task
        if task.state is ExecutionState.FAILED:  # the next attempt; it asks for its slots alone
            task.life.go_to(ExecutionState.CREATED)
            self._wait([_bundle((task.spec,))])

    def _end(self, key: str, state: ExecutionState, *, is_lost: bool = False) -> None:
        task = self._tasks[key]
        if task.state is ExecutionState.CANCELED:  # a canceled task may still report how it ended
            return
        task.life.go_to(state)
        task.is_lost = is_lost
        self._called.pop(key, None)
        self.slots.release(key)
        if is_lost and state is ExecutionState.FAILED and self.job.may_go_to(JobStatus.FAILING):
            self.job.go_to(JobStatus.FAILING)

    def _cancel(self) -> list[Instruction]:
        if self.status in TERMINAL_JOB or self.status is JobStatus.CANCELLING:  # asking twice is harmless
            return []
        self.job.go_to(JobStatus.CANCELLING)
        self._waiting.clear()
        running = (ExecutionState.DEPLOYING, ExecutionState.RUNNING)
        stops: list[Instruction] = []
        for key, task in self._tasks.items():
            if task.state in running:
                stops.append(StopTask(key))
            elif task.life.may_go_to(ExecutionState.CANCELED):
                self._end(key, ExecutionState.CANCELED, is_lost=True)
        return stops

    # -- decisions ---------------------------------------------------------------------------------------------

    def _abandon(self) -> list[Instruction]:
        """Tasks that wait for a result that will not come; those that run hear of it from their inputs."""
        if not self._called or not any(task.is_lost for task in self._tasks.values()):
            return []
        lost = {
            task.spec.region: name
            for task in self._tasks.values()
            for name in sorted(task.spec.blocking_inputs)
            if name in self._tasks and self._tasks[name].is_lost
        }
        found: list[Instruction] = []
        for key, task in list(self._called.items()):
            if task.spec.region in lost:
                self._end(key, ExecutionState.CANCELED, is_lost=True)
                found.append(AbandonTask(key, lost[task.spec.region]))
        return found + (self._abandon() if found else [])

    def _reserve_and_deploy(self) -> list[Instruction]:
        if self.status in TERMINAL_JOB or self.status is JobStatus.CANCELLING:
            return []
        self._waiting = [bundle for bundle in self._waiting if not self._is_settled(bundle)]
        deployed: list[Instruction] = []
        for key, task in list(self._called.items()):
            if task.state is ExecutionState.SCHEDULED and self._may_start(task):
                del self._called[key]
                task.life.go_to(ExecutionState.DEPLOYING)
                deployed.append(DeployTask(key))
        if deployed and self.status is JobStatus.CREATED:
            self.job.go_to(JobStatus.RUNNING)
        return deployed

    def _is_settled(self, bundle: _Bundle) -> bool:
        """Has it its slots (reserved just now, if possible), or does it need none any more?"""
        if not self.slots.may_have(bundle.groups) or not self._may_reserve(bundle):
            return False
        alive = [key for key in bundle.keys if self._tasks[key].state is ExecutionState.CREATED]
        if alive and not self.slots.allocate([self._request(key) for key in alive]):
            return False
        for key in alive:
            self._tasks[key].life.go_to(ExecutionState.SCHEDULED)
        return True

    def _request(self, key: str) -> SlotRequest:
        return self._tasks[key].spec.slot_request

    def _may_reserve(self, bundle: _Bundle) -> bool:
        if self.mode is SchedulingMode.EAGER:
            return True
        if not any(self._tasks[key].is_ready for key in bundle.keys):
            return False
        states = [self._tasks[name].state for name in bundle.inputs if name in self._tasks]
        enough = {ExecutionState.FINISHED}
        if self.mode is SchedulingMode.LAZY_FROM_SOURCES:
            enough |= HOLDS_SLOTS
        return all(state in enough for state in states)

    def _may_start(self, task: _Task) -> bool:
        if self.mode is SchedulingMode.LAZY_FROM_SOURCES:
            return self._are_complete(task.spec.blocking_inputs)
        return True

    def _are_complete(self, keys: frozenset[str]) -> bool:
        known = (self._tasks[key] for key in keys if key in self._tasks)
        return all(task.state is ExecutionState.FINISHED for task in known)

    # -- the job -----------------------------------------------------------------------------------------------

    def _bundles_of(self, specs: tuple[TaskSpec, ...]) -> list[_Bundle]:
        regions: dict[str, list[TaskSpec]] = {}
        for spec in specs:
            regions.setdefault("" if self.mode is SchedulingMode.EAGER else spec.region, []).append(spec)
        return [_bundle(tuple(members)) for members in regions.values()]

    def _require_possible(self, bundle: _Bundle, specs: dict[str, TaskSpec]) -> None:
        required = slots_for_job(specs[key] for key in bundle.keys)
        if required > self.slots.total:
            names = ", ".join(bundle.keys[:5]) + (", ..." if len(bundle.keys) > 5 else "")
            how = (
                "all of it, under EAGER" if self.mode is SchedulingMode.EAGER else f"to run {names} together"
            )
            raise SlotsUnavailable(required, self.slots.total, f"{self.job.who.lower()} ({how})")

    def _end_job(self) -> None:
        ends = {
            JobStatus.CREATED: JobStatus.FINISHED,
            JobStatus.RUNNING: JobStatus.FINISHED,
            JobStatus.FAILING: JobStatus.FAILED,
            JobStatus.CANCELLING: JobStatus.CANCELED,
        }
        if self.status in ends:
            self.job.go_to(ends[self.status])
