"""Real ticks of Dagster's daemons: a code location in its own process, runs that are launched and end."""

import json
import logging
import multiprocessing
import signal
from contextlib import contextmanager
from datetime import timedelta

import pytest
from dagster import DagsterRunStatus
from dagster._core.scheduler.instigation import InstigatorType
from dagster._core.test_utils import (
    create_test_daemon_workspace_context,
    freeze_time,
    instance_for_test,
    wait_for_runs_to_finish,
)
from dagster._daemon.sensor import execute_sensor_iteration
from dagster._scheduler.scheduler import launch_scheduled_runs
from dagster._time import get_current_datetime

from tests.orchestration.dying_daemon import TARGET, tick_and_die

pytestmark = [pytest.mark.dagster, pytest.mark.slow]
SPAWN = multiprocessing.get_context("spawn")
QUIET = logging.getLogger("quiet")
COORDINATOR = {
    "run_coordinator": {
        "module": "dagster._core.run_coordinator.default_run_coordinator",
        "class": "DefaultRunCoordinator",
    }
}


class Daemon:
    """The sensor daemon and the scheduler, one iteration at a time."""

    def __init__(self, workspace, instance, folder):
        self.workspace, self.instance, self.folder = workspace, instance, folder
        self.schedules = {}

    def tick(self) -> None:
        """All sensors whose time has come."""
        list(
            execute_sensor_iteration(
                self.workspace,
                QUIET,
                threadpool_executor=None,
                submit_threadpool_executor=None,
            )
        )

    def tick_schedules(self) -> None:
        list(launch_scheduled_runs(self.workspace, QUIET, get_current_datetime(), self.schedules))

    def runs(self, job="takes"):
        wait_for_runs_to_finish(self.instance, timeout=60)
        return [run for run in self.instance.get_runs() if run.job_name == job]

    def arrive(self, *names):
        for name in names:
            hidden = self.folder / "landing" / f".{name}"
            hidden.write_text(name)
            hidden.rename(self.folder / "landing" / name)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sensors")
    for name in ("landing", "done"):
        (folder / name).mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SENSOR_LOCATION_FOLDER", str(folder))
        with running(folder) as made:
            yield made


@contextmanager
def running(folder):
    with (
        instance_for_test(overrides=COORDINATOR) as instance,
        create_test_daemon_workspace_context(TARGET, instance) as workspace,
    ):
        yield Daemon(workspace, instance, folder)


def test_sensor_when_files_arrive_then_the_daemon_launches_one_run_for_them(daemon) -> None:
    now = get_current_datetime()
    with freeze_time(now):
        daemon.tick()
    assert daemon.runs() == []
    daemon.arrive("a.txt", "b.txt")
    for second in (2, 4, 6):
        with freeze_time(now + timedelta(seconds=second)):
            daemon.tick()
        runs = daemon.runs()
    assert [run.status for run in runs] == [DagsterRunStatus.SUCCESS]
    assert runs[0].tags["dagster/sensor_name"] == "new_files"
    assert sorted(path.name for path in (daemon.folder / "done").iterdir()) == ["a.txt", "b.txt"]


@pytest.mark.parametrize(("minutes", "point"), [(1, "RUN_CREATED"), (2, "RUN_LAUNCHED"), (3, "TICK_HELD")])
def test_sensor_when_the_daemon_dies_on_the_way_then_the_next_one_launches_nothing_twice(
    daemon, minutes, point
) -> None:
    before = len(daemon.runs())
    now = get_current_datetime() + timedelta(minutes=minutes)  # due again, after the ticks of the one before
    daemon.arrive(f"{point}.txt")
    dying = SPAWN.Process(target=tick_and_die, args=(daemon.instance.get_ref(), now, "new_files", point))
    dying.start()
    dying.join(60)
    assert dying.exitcode == -signal.SIGKILL
    for second in (5, 10):
        with freeze_time(now + timedelta(seconds=second)):
            daemon.tick()
        runs = daemon.runs()
    assert len(runs) == before + 1
    assert runs[0].status is DagsterRunStatus.SUCCESS
    assert (daemon.folder / "done" / f"{point}.txt").exists()


def test_keep_when_nothing_runs_then_launched_and_not_again_once_it_has_finished(daemon) -> None:
    assert len(daemon.runs("stays")) == 1  # by the ticks of the tests before
    states = daemon.instance.all_instigator_state(instigator_type=InstigatorType.SENSOR)
    keep = next(state for state in states if state.instigator_name == "keep")
    ticks = daemon.instance.get_ticks(keep.instigator_origin_id, keep.selector_id)
    assert "has ended as SUCCESS" in ticks[0].skip_reason


def test_schedule_when_its_time_has_come_then_one_run_however_often_the_scheduler_ticks(daemon) -> None:
    before = len(daemon.runs())
    start = get_current_datetime().replace(minute=1, second=0, microsecond=0) + timedelta(hours=1)
    with freeze_time(start):
        daemon.tick_schedules()  # it is switched on now
    with freeze_time(start + timedelta(minutes=5)):
        daemon.tick_schedules()
        daemon.tick_schedules()
    runs = daemon.runs()
    assert len(runs) == before + 1
    assert "at " in runs[0].tags["dagster/run_key"]
    assert json.loads((daemon.folder / "runs").read_text().splitlines()[-1])[0] == runs[0].run_id
