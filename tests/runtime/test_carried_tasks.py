"""Carried tasks: those that run again inside of a task that needs their results. What the chaos suite has found."""

from flinkpy_dagster.runtime.events import TaskBecameReady, TaskFailed, TaskFinished, TasksRestarting
from flinkpy_dagster.runtime.instructions import DeployTask
from tests.runtime.test_job_master import JOB, running, start, told


def test_restart_when_a_carried_task_has_ended_again_before_then_its_reader_does_not_wait_for_it() -> None:
    made = running(*JOB, slots=3)
    start(made, "source", "map")
    for key in ("source", "map"):
        made.handle(TaskFinished(key))
    start(made, "count")
    made.handle(TasksRestarting(("count",), culprit="count", cause="no", carried=("source", "map")))
    made.handle(TaskFailed("count", will_retry=True))
    for key in ("source", "map"):  # inside of another region that reads them
        made.handle(TaskFinished(key, is_carried=True))
    assert made.handle(TaskBecameReady("count")) == [DeployTask("count")]


def test_restart_when_a_carried_task_has_ended_before_its_start_was_told_then_it_finished() -> None:
    made = running(*JOB, slots=3)
    start(made, "source")
    assert made.handle(TaskBecameReady("map")) == [DeployTask("map")]
    told(made)
    made.handle(TasksRestarting(("count",), culprit="count", cause="no", carried=("map",)))
    assert [each for each in told(made) if each.startswith("map")][:2] == [
        "map DEPLOYING -> RUNNING",
        "map RUNNING -> FINISHED",
    ]
