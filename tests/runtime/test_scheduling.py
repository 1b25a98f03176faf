"""Scheduling modes as events in and instructions out."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flinkpy_dagster.errors import SlotsUnavailable
from flinkpy_dagster.runtime.events import (
    CancelRequested,
    NoTasksLeft,
    TaskBecameReady,
    TaskCanceled,
    TaskFailed,
    TaskFinished,
    TasksAdded,
    TaskSpec,
    TaskStarted,
)
from flinkpy_dagster.runtime.execution_states import ExecutionState, JobStatus
from flinkpy_dagster.runtime.instructions import AbandonTask, DeployTask, StopTask
from flinkpy_dagster.runtime.scheduling import Scheduler, slots_for_job
from flinkpy_dagster.runtime.scheduling_modes import SchedulingMode
from flinkpy_dagster.runtime.slots import SlotPool

EAGER, LAZY, REGION = SchedulingMode.EAGER, SchedulingMode.LAZY_FROM_SOURCES, SchedulingMode.PIPELINED_REGION


def task(
    key: str, region: str | None = None, *, after: str = "", slots: int = 1, group: str = "default"
) -> TaskSpec:
    return TaskSpec(
        key=key,
        vertex=key,
        region=region or key,
        slot_sharing_group=group,
        slots=slots,
        blocking_inputs=frozenset(after.split()),
    )


def scheduler(mode: SchedulingMode, *tasks: TaskSpec, slots: int = 4) -> Scheduler:
    made = Scheduler("job", mode, SlotPool(slots))
    assert made.handle(TasksAdded(tasks)) == []
    return made


def run(made: Scheduler, key: str) -> None:
    made.handle(TaskStarted(key))


# region one: source -> map, blocking to region two: count, which also reads the pipelined source "side"
TWO_REGIONS = (task("source", "1"), task("map", "1"), task("side", "2"), task("count", "2", after="map"))


def test_region_mode_when_blocking_input_is_missing_then_whole_region_waits() -> None:
    made = scheduler(REGION, *TWO_REGIONS)
    assert made.handle(TaskBecameReady("source")) == [DeployTask("source")]
    assert made.handle(TaskBecameReady("side")) == []
    assert made.handle(TaskBecameReady("map")) == [DeployTask("map")]
    for key in ("source", "map"):
        run(made, key)
    assert made.handle(TaskBecameReady("count")) == []
    made.handle(TaskFinished("source"))
    assert made.handle(TaskFinished("map")) == [DeployTask("side"), DeployTask("count")]


def test_lazy_mode_when_blocking_input_is_missing_then_only_its_reader_waits() -> None:
    made = scheduler(LAZY, *TWO_REGIONS)
    assert made.handle(TaskBecameReady("side")) == []  # its region's producers have no slots yet
    assert set(made.handle(TaskBecameReady("source"))) == {DeployTask("source"), DeployTask("side")}
    made.handle(TaskBecameReady("map"))
    made.handle(TaskBecameReady("count"))
    assert made.state_of("count") is ExecutionState.SCHEDULED
    run(made, "map")
    assert made.handle(TaskFinished("map")) == [DeployTask("count")]


def test_eager_mode_when_submitted_then_all_slots_first_and_every_task_starts_at_once() -> None:
    made = scheduler(EAGER, *TWO_REGIONS, slots=1)
    assert made.slots.available == 0
    for spec in TWO_REGIONS:
        assert made.handle(TaskBecameReady(spec.key)) == [DeployTask(spec.key)]


@pytest.mark.parametrize(("mode", "needed"), [(EAGER, 5), (REGION, 3), (LAZY, 3)])
def test_submit_when_slots_can_never_suffice_then_error_before_anything_starts(mode, needed) -> None:
    tasks = (task("a", "1", slots=2, group="x"), task("b", "2", slots=3, group="y", after="a"))
    with pytest.raises(SlotsUnavailable) as raised:
        Scheduler("job", mode, SlotPool(2)).handle(TasksAdded(tasks))
    assert (raised.value.required, raised.value.available) == (needed, 2)


def test_slots_when_taken_then_next_task_starts_on_release() -> None:
    made = scheduler(REGION, task("a", group="a"), task("b", group="b"), slots=1)
    assert made.handle(TaskBecameReady("a")) == [DeployTask("a")]
    assert made.handle(TaskBecameReady("b")) == []
    run(made, "a")
    assert made.handle(TaskFinished("a")) == [DeployTask("b")]


def test_failure_when_consumer_waits_then_it_is_abandoned_and_the_job_fails() -> None:
    made = scheduler(REGION, *TWO_REGIONS)
    for key in ("source", "map", "side", "count"):
        made.handle(TaskBecameReady(key))
    run(made, "source")
    run(made, "map")
    made.handle(TaskFailed("source"))
    assert made.status is JobStatus.FAILING
    abandoned = made.handle(TaskFailed("map"))
    assert abandoned == [AbandonTask("side", "map"), AbandonTask("count", "map")]
    made.handle(NoTasksLeft())
    assert (made.status, made.slots.available) == (JobStatus.FAILED, 4)


def test_failure_when_readers_of_readers_wait_then_all_are_abandoned_at_once() -> None:
    made = scheduler(REGION, task("c", after="b"), task("b", after="a"), task("a"))
    for key in "abc":
        made.handle(TaskBecameReady(key))
    run(made, "a")
    assert made.handle(TaskFailed("a")) == [AbandonTask("b", "a"), AbandonTask("c", "b")]


def test_slots_when_several_wait_then_the_most_urgent_gets_them_first() -> None:
    waiting = [
        replace(task(key, group=key), priority=priority)
        for key, priority in (("low", 1), ("high", 5), ("mid", 3))
    ]
    made = scheduler(REGION, task("first", group="first"), *waiting, slots=1)
    for key in ("first", "low", "high", "mid"):
        made.handle(TaskBecameReady(key))
    told = []
    for key in ("first", "high", "mid"):
        run(made, key)
        told += made.handle(TaskFinished(key))
    assert told == [DeployTask("high"), DeployTask("mid"), DeployTask("low")]


def test_failure_when_retried_then_task_asks_for_slots_again() -> None:
    made = scheduler(REGION, task("a"))
    made.handle(TaskBecameReady("a"))
    run(made, "a")
    assert made.handle(TaskFailed("a", will_retry=True)) == []
    assert (made.slots.available, made.status) == (4, JobStatus.RESTARTING)
    assert made.handle(TaskBecameReady("a")) == [DeployTask("a")]
    assert (made.status, made.execution.attempt_of("a")) == (JobStatus.RUNNING, 1)
    run(made, "a")
    made.handle(TaskFinished("a"))
    made.handle(NoTasksLeft())
    assert made.status is JobStatus.FINISHED


def test_cancel_when_running_then_running_tasks_stop_and_no_slot_leaks() -> None:
    made = scheduler(REGION, *TWO_REGIONS)
    made.handle(TaskBecameReady("source"))
    run(made, "source")
    assert made.handle(CancelRequested()) == [StopTask("source")]
    assert made.handle(CancelRequested()) == []
    made.handle(TaskCanceled("source"))
    made.handle(NoTasksLeft())
    assert (made.status, made.slots.available) == (JobStatus.CANCELED, 4)


@st.composite
def jobs(draw: st.DrawFn) -> tuple[TaskSpec, ...]:
    """Regions in topological order; a task may read finished tasks of earlier regions."""
    made: list[TaskSpec] = []
    for region in range(draw(st.integers(1, 4))):
        earlier = [spec.key for spec in made]
        for member in range(draw(st.integers(1, 3))):
            inputs = draw(st.sets(st.sampled_from(earlier), max_size=2)) if earlier else set()
            made.append(
                task(
                    f"t{region}{member}",
                    str(region),
                    after=" ".join(inputs),
                    slots=draw(st.integers(1, 3)),
                    group=draw(st.sampled_from(["g", "h", "i"])),
                )
            )
    return tuple(made)


class Driver:
    """Plays the executor: a region ends only when all of it runs and its inputs are complete."""

    def __init__(self, made: Scheduler, tasks: tuple[TaskSpec, ...]):
        self.made, self.tasks = made, tasks
        self.unready = list(tasks)

    def states(self, keys) -> set[ExecutionState]:
        return {self.made.state_of(key) for key in keys}

    def can_end(self, spec: TaskSpec) -> bool:
        region = [each for each in self.tasks if each.region == spec.region]
        inputs = {name for each in region for name in each.blocking_inputs}
        begun = {ExecutionState.RUNNING, ExecutionState.FINISHED}
        return (
            self.made.state_of(spec.key) is ExecutionState.RUNNING
            and self.states(each.key for each in region) <= begun
            and self.states(inputs) <= {ExecutionState.FINISHED}
        )

    def choices(self) -> list[TaskSpec]:
        return self.unready + [spec for spec in self.tasks if spec not in self.unready and self.can_end(spec)]

    def play(self, spec: TaskSpec) -> None:
        if spec in self.unready:
            self.unready.remove(spec)
            instructions = self.made.handle(TaskBecameReady(spec.key))
        else:
            instructions = self.made.handle(TaskFinished(spec.key))
        for instruction in instructions:
            assert isinstance(instruction, DeployTask)
            self.made.handle(TaskStarted(instruction.key))


@settings(max_examples=150, deadline=None)
@given(tasks=jobs(), mode=st.sampled_from(SchedulingMode), spare=st.integers(0, 3), data=st.data())
def test_any_job_when_slots_can_suffice_then_no_deadlock_and_no_leak(tasks, mode, spare, data) -> None:
    regions = {spec.region: [each for each in tasks if each.region == spec.region] for spec in tasks}
    least = slots_for_job(tasks) if mode is EAGER else max(slots_for_job(each) for each in regions.values())
    made = scheduler(mode, *tasks, slots=least + spare)
    driver = Driver(made, tasks)
    while driver.states(spec.key for spec in tasks) != {ExecutionState.FINISHED}:
        choices = driver.choices()
        assert choices, "deadlock"
        driver.play(data.draw(st.sampled_from(choices)))
    assert made.slots.available == made.slots.total
