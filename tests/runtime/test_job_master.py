"""Restarts, restored results, cancel and suspend as events in, instructions and told transitions out."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from flinkpy_dagster.runtime.events import (
    CancelRequested,
    JobFailing,
    NoTasksLeft,
    ReconciliationStarted,
    SuspendRequested,
    TaskBecameReady,
    TaskFailed,
    TaskFinished,
    TasksAdded,
    TaskSpec,
    TasksRestarting,
    TasksRestored,
    TaskStarted,
)
from flinkpy_dagster.runtime.execution_states import (
    HOLDS_SLOTS,
    TERMINAL,
    ExecutionState,
    IllegalTransition,
    JobStatus,
)
from flinkpy_dagster.runtime.instructions import DeployTask, StopTask
from flinkpy_dagster.runtime.job_metrics import downtime_ms, restarting_time_ms, uptime_ms
from flinkpy_dagster.runtime.scheduling import Scheduler
from flinkpy_dagster.runtime.scheduling_modes import SchedulingMode
from flinkpy_dagster.runtime.slots import SlotPool

EAGER, LAZY, REGION = SchedulingMode.EAGER, SchedulingMode.LAZY_FROM_SOURCES, SchedulingMode.PIPELINED_REGION


def task(key: str, region: str, *, after: str = "", slots: int = 1, group: str = "", **more) -> TaskSpec:
    return TaskSpec(
        key=key,
        vertex=key,
        region=region,
        slot_sharing_group=group or "default",
        slots=slots,
        blocking_inputs=frozenset(after.split()),
        **more,
    )


# region 1: source -> map, whose complete result region 2 reads
JOB = (task("source", "1"), task("map", "1"), task("count", "2", after="map", group="other", slots=2))


def running(*tasks: TaskSpec, mode=REGION, slots: int = 3, **more) -> Scheduler:
    made = Scheduler("job", mode, SlotPool(slots), **more)
    made.handle(TasksAdded(tasks), 0)
    return made


def start(made: Scheduler, *keys: str, at_ms: int | None = None) -> None:
    """Ready, deployed, running."""
    deployed = [each.key for key in keys for each in made.handle(TaskBecameReady(key), at_ms)]
    for key in deployed:
        made.handle(TaskStarted(key), at_ms)
    assert sorted(deployed) == sorted(keys)


def told(made: Scheduler) -> list[str]:
    return [f"{each.task or 'job'} {each}" for each in made.execution.take_transitions()]


def test_transitions_when_a_task_runs_then_each_is_told_once_with_its_time() -> None:
    made = running(task("a", "1"))
    made.handle(TaskBecameReady("a"), 5)
    made.handle(TaskStarted("a"), 7)
    assert told(made) == [
        "a CREATED -> SCHEDULED",
        "a SCHEDULED -> DEPLOYING",
        "job CREATED -> RUNNING",
        "a DEPLOYING -> RUNNING",
    ]
    made.handle(TaskFinished("a"), 9)
    made.handle(NoTasksLeft(), 9)
    assert told(made) == ["a RUNNING -> FINISHED", "job RUNNING -> FINISHED"]
    (attempt,) = made.execution.attempts("a")
    assert {state.name: at for state, at in attempt.times_ms.items()} == {
        "CREATED": 0,
        "SCHEDULED": 5,
        "DEPLOYING": 5,
        "RUNNING": 7,
        "FINISHED": 9,
    }


def test_restart_when_a_region_fails_then_it_ends_as_one_and_begins_as_one() -> None:
    made = running(*JOB)
    start(made, "source", "map")
    told(made)
    made.handle(TasksRestarting(("source", "map"), culprit="map", cause="no"), 10)
    assert told(made) == [
        "source RUNNING -> CANCELING",
        "map RUNNING -> FAILED: no",
        "job RUNNING -> RESTARTING: no",
    ]
    made.handle(TaskFailed("map", will_retry=True))
    assert made.handle(TaskBecameReady("map"), 20) == []  # the rest of the region has not ended
    made.handle(TaskFailed("source", will_retry=True))
    assert made.slots.available == 3
    assert made.handle(TaskBecameReady("source"), 30) == [DeployTask("map"), DeployTask("source")]
    assert (made.status, made.execution.attempt_of("map")) == (JobStatus.RUNNING, 1)
    assert told(made)[:3] == [
        "map FAILED -> CREATED (attempt 1)",
        "source CANCELING -> CANCELED",
        "source CANCELED -> CREATED (attempt 1)",
    ]


def test_restart_when_a_result_is_lost_then_its_producer_runs_again_on_slots_of_its_own() -> None:
    made = running(*JOB, slots=3)
    start(made, "source", "map")
    for key in ("source", "map"):
        made.handle(TaskFinished(key))
    start(made, "count")
    made.handle(TasksRestarting(("count",), culprit="count", cause="lost", carried=("source", "map")))
    made.handle(TaskFailed("count", will_retry=True))
    assert made.handle(TaskBecameReady("count")) == [DeployTask("count")]
    assert made.slots.available == 0
    made.handle(TaskStarted("count"))
    for key in ("source", "map"):
        assert made.state_of(key) is ExecutionState.DEPLOYING
        made.handle(TaskFinished(key))  # its own attempt, late
        made.handle(TaskStarted(key, is_carried=True))
        made.handle(TaskFinished(key, is_carried=True))
    assert made.slots.available == 1
    made.handle(TaskFinished("count"))
    made.handle(NoTasksLeft())
    assert (made.status, made.slots.available) == (JobStatus.FINISHED, 3)
    assert [made.execution.attempt_of(key) for key in ("source", "map", "count")] == [1, 1, 1]


def test_failure_when_the_job_gives_up_then_culprit_failed_and_others_are_canceled() -> None:
    made = running(*JOB)
    start(made, "source", "map")
    made.handle(JobFailing(("source", "map"), culprit="map", cause="no"))
    assert made.status is JobStatus.FAILING
    for key in ("source", "map"):
        made.handle(TaskFailed(key))
    assert (made.state_of("source"), made.state_of("map")) == (
        ExecutionState.CANCELED,
        ExecutionState.FAILED,
    )
    assert [type(each).__name__ for each in made.handle(TaskBecameReady("count"))] == ["AbandonTask"]
    made.handle(NoTasksLeft())
    assert (made.status, made.slots.available) == (JobStatus.FAILED, 3)


def test_failure_when_a_region_is_about_to_restart_then_its_tasks_do_not_wait_for_each_other() -> None:
    made = running(*JOB)
    start(made, "source", "map")
    made.handle(TasksRestarting(("source", "map"), culprit="map", cause="no"))
    made.handle(TaskFailed("map", will_retry=True))
    assert made.handle(TaskBecameReady("map")) == []
    failing = JobFailing(("source",), culprit="source", cause="no, never")
    assert made.handle(failing) == [DeployTask("map")]  # to hear that the job has failed


def test_carried_task_when_it_began_before_its_carrier_was_deployed_then_it_finishes_all_the_same() -> None:
    made = running(*JOB, slots=3)
    start(made, "source", "map")
    for key in ("source", "map"):
        made.handle(TaskFinished(key))
    start(made, "count")
    made.handle(TasksRestarting(("count",), culprit="count", cause="lost", carried=("source", "map")))
    made.handle(TaskStarted("map", is_carried=True))  # inside of another task that needs it, too
    made.handle(TaskFailed("count", will_retry=True))
    made.handle(TaskBecameReady("count"))
    made.handle(TaskFinished("map", is_carried=True))
    assert made.state_of("map") is ExecutionState.FINISHED


@pytest.mark.parametrize("event", [JobFailing(("count",), "count"), CancelRequested()])
def test_carried_task_when_the_job_ends_early_then_it_ends_with_its_carrier(event) -> None:
    made = running(*JOB, slots=3)
    start(made, "source", "map")
    for key in ("source", "map"):
        made.handle(TaskFinished(key))
    start(made, "count")
    made.handle(TasksRestarting(("count",), culprit="count", cause="lost", carried=("source", "map")))
    made.handle(TaskFailed("count", will_retry=True))
    made.handle(TaskBecameReady("count"))
    made.handle(event)
    made.handle(TaskFailed("count"))
    made.handle(NoTasksLeft())
    assert made.status in (JobStatus.FAILED, JobStatus.CANCELED)
    assert (made.state_of("map"), made.slots.available) == (ExecutionState.CANCELED, 3)


def test_restored_when_an_earlier_run_left_results_then_no_slots_and_consumer_follows() -> None:
    made = running(*JOB, slots=2)
    made.handle(ReconciliationStarted(), 1)
    made.handle(TasksRestored(("source", "map")), 2)
    assert made.status is JobStatus.RECONCILING
    start(made, "source", "map", at_ms=3)
    assert (made.status, made.slots.available) == (JobStatus.RUNNING, 2)
    assert made.state_of("map") is ExecutionState.RECONCILING
    made.handle(TaskFinished("source"))
    made.handle(TaskFinished("map"))
    start(made, "count")
    assert (made.state_of("map"), made.slots.available) == (ExecutionState.FINISHED, 0)


def test_cancel_when_restarting_then_nothing_is_left_to_wait_for() -> None:
    made = running(*JOB)
    start(made, "source", "map")
    made.handle(TasksRestarting(("source", "map"), culprit="map"))
    for key in ("source", "map"):
        made.handle(TaskFailed(key, will_retry=True))
    assert made.status is JobStatus.RESTARTING
    assert made.handle(CancelRequested()) == []
    assert made.handle(CancelRequested()) == []
    made.handle(NoTasksLeft())
    assert (made.status, made.slots.available) == (JobStatus.CANCELED, 3)


def test_suspend_when_running_then_tasks_stop_and_the_job_is_suspended() -> None:
    made = running(*JOB)
    start(made, "source", "map")
    assert made.handle(SuspendRequested()) == [StopTask("source"), StopTask("map")]
    assert made.handle(SuspendRequested()) == []
    for key in ("source", "map"):
        made.handle(TaskFailed(key))
    made.handle(NoTasksLeft())
    assert (made.status, made.slots.available) == (JobStatus.SUSPENDED, 3)


def test_times_when_restarting_then_uptime_downtime_and_restarting_time_follow_flinks_gauges() -> None:
    made = running(task("a", "1"))
    assert (uptime_ms(made.execution, 50), downtime_ms(made.execution, 50)) == (0, 0)
    start(made, "a", at_ms=100)
    assert (uptime_ms(made.execution, 150), downtime_ms(made.execution, 150)) == (50, 0)
    made.handle(TaskFailed("a", will_retry=True), 200)
    assert (uptime_ms(made.execution, 260), downtime_ms(made.execution, 260)) == (0, 60)
    assert restarting_time_ms(made.execution, 260) == 60
    start(made, "a", at_ms=300)
    assert (uptime_ms(made.execution, 310), restarting_time_ms(made.execution, 310)) == (10, 100)
    made.handle(TaskFinished("a"), 400)
    made.handle(NoTasksLeft(), 400)
    assert (uptime_ms(made.execution, 500), downtime_ms(made.execution, 500)) == (-1, -1)


def test_attempt_when_the_one_before_has_not_ended_then_illegal() -> None:
    made = running(*JOB)
    start(made, "source", "map")
    with pytest.raises(IllegalTransition, match="cannot go to CREATED"):
        made.execution.begin_attempt("map")


class Failures(RuleBasedStateMachine):
    """Failures, restarts, lost results and cancels in any order: no leak, no over-allocation, no deadlock."""

    @initialize(
        mode=st.sampled_from(SchedulingMode),
        shape=st.lists(
            st.tuples(st.integers(1, 2), st.integers(1, 2), st.booleans()), min_size=1, max_size=4
        ),
        spare=st.integers(0, 2),
    )
    def begin(self, mode, shape, spare) -> None:
        specs: list[TaskSpec] = []
        for region, (members, slots, reads) in enumerate(shape):
            after = specs[-1].key if specs and reads else ""
            for member in range(members):
                specs.append(
                    task(f"t{region}{member}", str(region), after=after, slots=slots, group=f"g{region % 2}")
                )
        self.specs = {spec.key: spec for spec in specs}
        # a lost result is made again beside its reader
        total = sum(spec.slots for spec in specs) + spare
        self.made = running(*specs, mode=mode, slots=total)
        self.ready = set()
        self.canceled = False
        self.carried: set[str] = set()

    def region(self, key: str) -> tuple[str, ...]:
        return tuple(each for each, spec in self.specs.items() if spec.region == self.specs[key].region)

    def in_state(self, *states: ExecutionState) -> list[str]:
        return [key for key in self.specs if self.made.state_of(key) in states]

    def carry_out(self, instructions) -> None:
        for each in instructions:
            if isinstance(each, DeployTask):
                self.made.handle(TaskStarted(each.key))
        for key in self.in_state(ExecutionState.DEPLOYING):
            self.made.handle(TaskStarted(key, is_carried=True))

    @precondition(lambda self: not self.canceled and set(self.specs) - self.ready)
    @rule(data=st.data())
    def become_ready(self, data) -> None:
        key = data.draw(st.sampled_from(sorted(set(self.specs) - self.ready)))
        if self.made.state_of(key) is ExecutionState.CANCELING:
            return
        self.ready.add(key)
        self.carry_out(self.made.handle(TaskBecameReady(key)))

    def may_finish(self, key: str) -> bool:
        inputs = {name for each in self.region(key) for name in self.specs[each].blocking_inputs}
        begun = {ExecutionState.RUNNING, ExecutionState.FINISHED}
        return {self.made.state_of(each) for each in self.region(key)} <= begun and all(
            self.made.state_of(name) is ExecutionState.FINISHED for name in inputs
        )

    @precondition(lambda self: any(map(self.may_finish, self.in_state(ExecutionState.RUNNING))))
    @rule(data=st.data())
    def finish(self, data) -> None:
        able = [key for key in self.in_state(ExecutionState.RUNNING) if self.may_finish(key)]
        self.end(data.draw(st.sampled_from(able)))

    def end(self, key: str) -> None:
        self.carry_out(self.made.handle(TaskFinished(key)))
        self.carry_out(self.made.handle(TaskFinished(key, is_carried=True)))

    @precondition(lambda self: not self.canceled and self.in_state(ExecutionState.RUNNING))
    @rule(data=st.data(), loses=st.booleans())
    def fail(self, data, loses) -> None:
        able = [
            key
            for key in self.in_state(ExecutionState.RUNNING)
            if {self.made.state_of(each) for each in self.region(key)} == {ExecutionState.RUNNING}
        ]
        if not able:
            return
        key = data.draw(st.sampled_from(able))
        keys = self.region(key)
        inputs = {name for each in keys for name in self.specs[each].blocking_inputs}
        lost = [name for name in inputs if loses and self.made.state_of(name) is ExecutionState.FINISHED]
        carried = tuple({each for name in lost for each in self.region(name)})
        if any(self.made.state_of(each) is not ExecutionState.FINISHED for each in carried):
            carried = ()
        self.made.handle(TasksRestarting(keys, culprit=key, cause="no", carried=carried))
        for each in keys:
            self.made.handle(TaskFailed(each, will_retry=True))
            self.ready.discard(each)

    @rule()
    def cancel(self) -> None:
        self.canceled = True
        for instruction in self.made.handle(CancelRequested()):
            self.made.handle(TaskFailed(instruction.key))

    @invariant()
    def slots_are_held_by_those_in_the_right_states(self) -> None:
        if hasattr(self, "made"):
            assert self.made.slots.owners() == set(self.in_state(*HOLDS_SLOTS))
            assert self.made.slots.available >= 0

    def teardown(self) -> None:
        """It can always be brought to its end."""
        if not hasattr(self, "made"):
            return
        for _ in range(50):
            for key in sorted(set(self.specs) - self.ready) if not self.canceled else ():
                self.ready.add(key)
                self.carry_out(self.made.handle(TaskBecameReady(key)))
            for key in [key for key in self.in_state(ExecutionState.RUNNING) if self.may_finish(key)]:
                self.end(key)
        assert set(self.in_state(*TERMINAL)) == set(self.specs)
        self.made.handle(NoTasksLeft())
        assert self.made.status is (JobStatus.CANCELED if self.canceled else JobStatus.FINISHED)
        assert self.made.slots.available == self.made.slots.total


TestFailures = Failures.TestCase
TestFailures.settings = settings(max_examples=150, stateful_step_count=25, deadline=None)
