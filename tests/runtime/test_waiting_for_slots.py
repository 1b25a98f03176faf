"""Too few slots: refused, waited for, timed out; and what is said of it."""

import pytest

from flinkpy_dagster.errors import SlotsUnavailable
from flinkpy_dagster.runtime.events import SlotsRegistered, TaskBecameReady, TimePassed
from flinkpy_dagster.runtime.instructions import DeployTask
from flinkpy_dagster.runtime.slots_report import needs_by_group, waves
from tests.runtime.test_job_master import EAGER, JOB, running, start, task


def test_slots_when_too_few_then_error_says_what_is_needed_is_there_and_helps() -> None:
    with pytest.raises(SlotsUnavailable) as raised:
        running(*JOB, mode=EAGER, slots=2)
    assert str(raised.value) == (
        "Could not acquire the minimum required resources: job job (all of it, under EAGER) needs 3 slots at once "
        "(group 'other': 2; group 'default': 1), 2 exist. Lower the parallelism, put operators into one slot sharing "
        "group, use another jobmanager.scheduling-mode or give more slots (taskmanager.numberOfTaskSlots)."
    )


def test_slots_when_they_may_still_register_then_time_out_or_start() -> None:
    made = running(task("a", "1", slots=4), slots=1, may_grow=True, slot_timeout_ms=1000)
    assert made.handle(TaskBecameReady("a"), 100) == []
    assert made.is_waiting_for_slots
    assert made.handle(TimePassed(), 1100) == []
    made.handle(SlotsRegistered(3), 1100)
    with pytest.raises(SlotsUnavailable, match=r"needs 4 slots at once.* 3 exist"):
        made.handle(TimePassed(), 1101)
    assert made.handle(SlotsRegistered(4), 1102) == [DeployTask("a")]


def test_slots_when_held_by_tasks_that_end_then_waiting_for_them_never_times_out() -> None:
    made = running(task("a", "1"), task("b", "2", group="b"), slots=1, slot_timeout_ms=1000)
    start(made, "a")
    assert made.handle(TaskBecameReady("b"), 0) == []
    assert made.handle(TimePassed(), 1_000_000) == []


def test_slots_when_held_by_a_task_without_end_then_waiting_times_out() -> None:
    made = running(
        task("a", "1", is_unbounded=True), task("b", "2", group="b"), slots=1, slot_timeout_ms=1000
    )
    start(made, "a")
    assert made.handle(TaskBecameReady("b"), 0) == []
    with pytest.raises(SlotsUnavailable, match="within 2 s"):
        made.handle(TimePassed(), 2000)


def test_report_when_asked_then_needs_per_group_and_waves() -> None:
    needs = [(need.group, need.slots, need.vertices) for need in needs_by_group(JOB)]
    assert needs == [("other", 2, ("count",)), ("default", 1, ("source", "map"))]
    assert [(wave.regions, wave.slots) for wave in waves(JOB)] == [(("1",), 1), (("2",), 2)]
