"""Decides when tasks start, by mode (see ``scheduling_modes``), and what becomes of them.

In every mode tasks that must run together get their slots together or not at all, so waiting tasks never block each
other.
"""

import math

from flinkpy_dagster.runtime import events
from flinkpy_dagster.runtime.bundles import Bundle, Task, bundle_of, slots_for_job
from flinkpy_dagster.runtime.events import Event, TaskSpec
from flinkpy_dagster.runtime.execution_graph import ExecutionGraph
from flinkpy_dagster.runtime.execution_states import (
    HOLDS_SLOTS,
    STARTS_NOTHING,
    TERMINAL,
    TERMINAL_JOB,
    ExecutionState,
    JobStatus,
)
from flinkpy_dagster.runtime.instructions import AbandonTask, DeployTask, Instruction, StopTask
from flinkpy_dagster.runtime.scheduling_modes import SchedulingMode
from flinkpy_dagster.runtime.slots import SlotPool
from flinkpy_dagster.runtime.slots_report import slots_unavailable

_BEGUN = (ExecutionState.DEPLOYING, ExecutionState.RUNNING)
_LEAVING = frozenset({ExecutionState.CANCELING, *TERMINAL})


class Scheduler:
    """Takes events, returns instructions. One per job, or per Dagster run of an ordinary job.

    ``slot_timeout_ms``: how long tasks wait for slots that nothing that runs will give back (Flink's
    ``slot.request.timeout``). ``may_grow``: more slots may register, so too few are no reason to refuse a job at once.
    """

    def __init__(
        self,
        name: str,
        mode: SchedulingMode,
        slots: SlotPool,
        *,
        slot_timeout_ms: int = 300_000,
        may_grow: bool = False,
        at_ms: int = 0,
    ):
        self.mode, self.slots = mode, slots
        self.execution = ExecutionGraph(name, at_ms)
        self._slot_timeout_ms, self._may_grow, self._now_ms = slot_timeout_ms, may_grow, at_ms
        self.placements: dict[tuple[str, int], tuple[int, ...]] = {}  # by task and attempt: the slots it got
        self._tasks: dict[str, Task] = {}
        self._waiting: list[Bundle] = []  # most urgent first
        self._bundle_of: dict[str, Bundle] = {}  # in which a task waits, or waited last
        self._called: dict[str, Task] = {}  # can be called and have not been deployed, in order
        self._restarting: dict[str, Bundle] = {}  # told to run again and not deployed since
        self._due: dict[str, None] = {}  # of the called ones: have what they need but for results
        self._calls, self._next_time_out_ms = 0, math.inf
        self._has_lost = self._has_changed = self._is_suspending = False

    @property
    def status(self) -> JobStatus:
        """Of the job, in Flink's words."""
        return self.execution.status

    @property
    def is_waiting_for_slots(self) -> bool:
        """Does something wait for slots that times out?"""
        return bool(self._waiting) and self._next_time_out_ms < math.inf

    def state_of(self, key: str) -> ExecutionState:
        return self.execution.state_of(key)

    def handle(self, event: Event, at_ms: int | None = None) -> list[Instruction]:
        """Take one event in, which happened at ``at_ms`` (None: when the one before it did).

        Raises SlotsUnavailable when tasks can never get their slots, or have not got them in time.
        """
        self._now_ms = self._now_ms if at_ms is None else at_ms
        self._has_changed |= not isinstance(event, events.TaskBecameReady | events.TimePassed)
        match event:
            case events.TasksAdded(tasks):
                self._add(tasks)
            case events.TaskBecameReady(key):
                self._become_ready(key)
            case events.TaskStarted(key, is_carried):
                if (
                    self._tasks[key].is_carried is is_carried
                    and self.state_of(key) is ExecutionState.DEPLOYING
                ):
                    self._move(key, ExecutionState.RUNNING)
                return []
            case events.TaskFinished(key, is_carried):
                if self._tasks[key].is_carried is is_carried:
                    self._end(key, ExecutionState.FINISHED)
            case events.TaskSkipped(key):
                self._end(key, ExecutionState.FINISHED)
            case events.TaskFailed(key, will_retry):
                self._fail(key, will_retry)
            case events.TaskCanceled(key):
                self._end(key, ExecutionState.CANCELED, is_lost=True)
            case events.TasksRestarting():
                self._restart(event)
            case events.JobFailing():
                self._give_up(event)
            case events.TasksRestored(keys):
                self._restore(keys)
            case events.ReconciliationStarted():
                self._move_job(JobStatus.RECONCILING)
            case events.SlotsRegistered(total):
                self.slots.grow_to(total)
            case events.CancelRequested() | events.SuspendRequested():
                return self._stop(is_suspending=isinstance(event, events.SuspendRequested))
            case events.NoTasksLeft():
                self._end_job()
        done = self._abandon() + self._reserve_and_deploy()
        self._check_slot_time_out()
        return done

    # -- events ------------------------------------------------------------------------------------------------

    def _add(self, specs: tuple[TaskSpec, ...]) -> None:
        bundles = self._bundles_of(specs)
        known = {spec.key: spec for spec in specs}
        if not self._may_grow:
            for bundle in bundles:
                self._require_possible([known[key] for key in bundle.keys])
        for spec in specs:
            self._tasks[spec.key] = Task(spec)
            self.execution.add(spec.key, self._now_ms)
        self._wait(bundles)

    def _wait(self, bundles: list[Bundle]) -> None:
        self._waiting.extend(bundles)
        self._bundle_of |= {key: bundle for bundle in bundles for key in bundle.keys}
        self._waiting.sort(key=lambda bundle: -bundle.priority)  # stable: else in order of arrival

    def _become_ready(self, key: str) -> None:
        task = self._tasks[key]
        self._calls += 1
        task.is_ready, task.call = True, self._calls
        self._called[key] = task
        if self.state_of(key) in TERMINAL:
            self.execution.begin_attempt(key, self._now_ms)
            task.is_carried = False
            bundle = self._restarting.setdefault(key, bundle_of((task.spec,)))
            if bundle not in self._waiting:
                self._wait([bundle])
            self._has_changed = True
        elif self.state_of(key) is not ExecutionState.CREATED:
            self._due[key] = None
        elif not self._has_changed:
            self._has_changed = self._is_settled(self._bundle_of[key])

    def _fail(self, key: str, will_retry: bool) -> None:
        told_before = self.state_of(key) in _LEAVING
        state = ExecutionState.CANCELED if told_before else ExecutionState.FAILED
        self._end(key, state, is_lost=not will_retry)
        if will_retry:
            self._restarting.setdefault(key, bundle_of((self._tasks[key].spec,)))
            self._move_job(JobStatus.RESTARTING)
        elif not told_before or self.state_of(key) is ExecutionState.FAILED:
            self._move_job(JobStatus.FAILING)

    def _restart(self, event: events.TasksRestarting) -> None:
        bundle = bundle_of(self._tasks[key].spec for key in (*event.keys, *event.carried))
        self._restarting |= dict.fromkeys(event.keys, bundle)
        self._tell_to_end(event.keys, event.culprit, event.cause)
        for key in event.carried:
            if self.state_of(key) is ExecutionState.DEPLOYING:  # its start is told later than this
                self._move(key, ExecutionState.RUNNING)
            if self.state_of(key) not in TERMINAL:
                self._end(key, self._end_of_carried(key, event.culprit))
            self._tasks[key].is_carried = True
            self.execution.begin_attempt(key, self._now_ms)
        self._move_job(JobStatus.RESTARTING, event.cause)

    def _give_up(self, event: events.JobFailing) -> None:
        self._end_carried(event.culprit)
        self._tell_to_end(event.keys, event.culprit, event.cause)
        self._restarting.clear()  # what was to begin again together may not all come: each task ends by itself
        self._move_job(JobStatus.FAILING, event.cause)

    def _end_carried(self, culprit: str | None = None) -> None:
        """They end with what carries them, and do not say so."""
        for key, task in self._tasks.items():
            if task.is_carried:
                self._end(key, self._end_of_carried(key, culprit), is_lost=True)

    def _end_of_carried(self, key: str, culprit: str | None) -> ExecutionState:
        """Its result was there, or it was being made again inside of its reader already, and that failed."""
        if key == culprit:
            return ExecutionState.FAILED
        return ExecutionState.CANCELED if self._tasks[key].is_carried else ExecutionState.FINISHED

    def _tell_to_end(self, keys: tuple[str, ...], culprit: str | None, cause: str) -> None:
        for key in keys:
            state = ExecutionState.FAILED if key == culprit else ExecutionState.CANCELING
            if self.execution.may_move(key, state):
                self._move(key, state, cause if key == culprit else "")

    def _restore(self, keys: tuple[str, ...]) -> None:
        for key in keys:
            if self.execution.may_move(key, ExecutionState.RECONCILING):
                self._move(key, ExecutionState.RECONCILING)
                self._due |= dict.fromkeys(self._called.keys() & {key})

    def _end(self, key: str, state: ExecutionState, *, is_lost: bool = False) -> None:
        task = self._tasks[key]
        self._called.pop(key, None)
        self._due.pop(key, None)
        self._has_lost |= is_lost
        self.slots.release(key)
        if self.state_of(key) in TERMINAL:  # a canceled task may still report how it ended
            task.is_lost |= is_lost
            return
        if self.state_of(key) is ExecutionState.CANCELING:
            state = ExecutionState.CANCELED
        elif state is ExecutionState.CANCELED and self.state_of(key) in _BEGUN:
            self._move(key, ExecutionState.CANCELING)
        elif state is ExecutionState.FINISHED and self.state_of(key) is ExecutionState.DEPLOYING:
            self._move(key, ExecutionState.RUNNING)  # carried, and began inside of another reader before that
        self._move(key, state)
        task.is_lost, task.is_carried = is_lost, False

    def _stop(self, *, is_suspending: bool) -> list[Instruction]:
        """Cancel, or suspend. Asking twice is harmless."""
        if self.status in STARTS_NOTHING or self._is_suspending:
            return []
        self._is_suspending = is_suspending
        if not is_suspending:
            self._move_job(JobStatus.CANCELLING)
        self._waiting.clear()
        self._restarting.clear()
        stops: list[Instruction] = []
        self._end_carried()
        for key in self.execution:
            if self.state_of(key) in _BEGUN:
                self._move(key, ExecutionState.CANCELING)
                stops.append(StopTask(key))
            elif self.execution.may_move(key, ExecutionState.CANCELED):
                self._end(key, ExecutionState.CANCELED, is_lost=True)
        return stops

    # -- decisions ---------------------------------------------------------------------------------------------

    def _abandon(self) -> list[Instruction]:
        """Tasks that wait for a result that will not come; those that run hear of it from their inputs."""
        if not self._called or not self._has_lost:
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
        if self.status in STARTS_NOTHING or self._is_suspending:
            return []
        if self._has_changed:  # else nothing that waits can begin
            self._has_changed = False
            self._waiting = [bundle for bundle in self._waiting if not self._is_settled(bundle)]
        deployed: list[Instruction] = []
        for key in sorted(self._due, key=lambda key: self._tasks[key].call):
            state = self.state_of(key)
            if state is ExecutionState.SCHEDULED and self._may_start(self._tasks[key]):
                self._deploy(key)
            elif state is not ExecutionState.RECONCILING:
                continue
            del self._called[key], self._due[key]
            deployed.append(DeployTask(key))
        if deployed and not self._restarting:
            self._move_job(JobStatus.RUNNING)
        return deployed

    def _deploy(self, key: str) -> None:
        self._move(key, ExecutionState.DEPLOYING)
        bundle = self._restarting.pop(key, None)
        for other in bundle.keys if bundle is not None else ():
            if self._tasks[other].is_carried and self.state_of(other) is ExecutionState.SCHEDULED:
                self._move(other, ExecutionState.DEPLOYING)

    def _is_settled(self, bundle: Bundle) -> bool:
        """Has it its slots (reserved just now, if possible), or does it need none any more?"""
        may_have = self.slots.may_have(bundle.groups)
        if (not may_have and bundle.since_ms is not None) or not self._may_reserve(bundle):
            return False
        alive = [key for key in bundle.keys if self.state_of(key) is ExecutionState.CREATED]
        requests = [self._tasks[key].spec.slot_request for key in alive]
        if requests and not (may_have and self.slots.allocate(requests)):
            if bundle.since_ms is None:
                bundle.since_ms = self._now_ms
                self._next_time_out_ms = min(self._next_time_out_ms, self._now_ms + self._slot_timeout_ms + 1)
            return False
        for key in alive:
            self._move(key, ExecutionState.SCHEDULED)
            self.placements[key, self.execution.attempt_of(key)] = self.slots.slots_of(key)
            self._due |= dict.fromkeys(self._called.keys() & {key})
        return True

    def _may_reserve(self, bundle: Bundle) -> bool:
        if any(self._restarting.get(key) is bundle for key in bundle.keys):
            return self._have_all_begun_again(bundle)
        if self.mode is SchedulingMode.EAGER:
            return True
        if not any(self._tasks[key].is_ready for key in bundle.keys):
            return False
        enough = {ExecutionState.FINISHED}
        if self.mode is SchedulingMode.LAZY_FROM_SOURCES:
            enough |= HOLDS_SLOTS
        return all(self.state_of(name) in enough for name in bundle.inputs if name in self._tasks)

    def _have_all_begun_again(self, bundle: Bundle) -> bool:
        """A restarted region gets its slots when all of it is ready, not task by task."""
        # but for carried tasks that have ended again: another region needed their results, too, and was first
        ended = {key for key in bundle.keys if self.state_of(key) in _LEAVING}
        return all(key not in self._restarting and self._is_finished(key) for key in ended)

    def _may_start(self, task: Task) -> bool:
        if self.mode is SchedulingMode.LAZY_FROM_SOURCES:
            return self._are_complete(task.spec.blocking_inputs)
        return True

    def _are_complete(self, keys: frozenset[str]) -> bool:
        """Results that are being made again inside of the reader count: the reader waits for them itself."""
        return all(self._is_finished(key) or self._tasks[key].is_carried for key in keys & self._tasks.keys())

    # -- slots -------------------------------------------------------------------------------------------------

    def _bundles_of(self, specs: tuple[TaskSpec, ...]) -> list[Bundle]:
        regions: dict[str, list[TaskSpec]] = {}
        for spec in specs:
            regions.setdefault("" if self.mode is SchedulingMode.EAGER else spec.region, []).append(spec)
        return [bundle_of(members) for members in regions.values()]

    def _require_possible(self, specs: list[TaskSpec], waited_ms: int | None = None) -> None:
        if slots_for_job(specs, self.slots.profile) > self.slots.total or waited_ms is not None:
            is_all = self.mode is SchedulingMode.EAGER
            raise slots_unavailable(self.execution.job.who.lower(), specs, self.slots, is_all, waited_ms)

    def _check_slot_time_out(self) -> None:
        if self._now_ms < self._next_time_out_ms:
            return
        self._next_time_out_ms = math.inf
        for bundle in self._waiting:
            is_settled = all(self.state_of(key) is not ExecutionState.CREATED for key in bundle.keys)
            if bundle.since_ms is None or is_settled:
                continue
            waited_ms = self._now_ms - bundle.since_ms
            if waited_ms > self._slot_timeout_ms and not self._will_be_fulfilled(bundle):
                self._require_possible([self._tasks[key].spec for key in bundle.keys], waited_ms)
            again_ms = max(bundle.since_ms + self._slot_timeout_ms, self._now_ms) + 1
            self._next_time_out_ms = min(self._next_time_out_ms, again_ms)

    def _will_be_fulfilled(self, bundle: Bundle) -> bool:
        """Would its slots be free if everything ended that ends by itself (``PhysicalSlotRequestBulkChecker``)?"""
        forever = [
            task.spec
            for key, task in self._tasks.items()
            if task.spec.is_unbounded and self.state_of(key) in HOLDS_SLOTS
        ]
        needed = [*forever, *(self._tasks[key].spec for key in bundle.keys)]
        return slots_for_job(needed, self.slots.profile) <= self.slots.total

    def _is_finished(self, key: str) -> bool:
        return self.state_of(key) is ExecutionState.FINISHED

    # -- states ------------------------------------------------------------------------------------------------

    def _move(self, key: str, state: ExecutionState, cause: str = "") -> None:
        self.execution.move(key, state, self._now_ms, cause)

    def _move_job(self, status: JobStatus, cause: str = "") -> None:
        self.execution.move_job(status, self._now_ms, cause)

    def _end_job(self) -> None:
        ends = {JobStatus.FAILING: JobStatus.FAILED, JobStatus.CANCELLING: JobStatus.CANCELED}
        if self.status not in TERMINAL_JOB:
            self._move_job(
                JobStatus.SUSPENDED if self._is_suspending else ends.get(self.status, JobStatus.FINISHED)
            )
