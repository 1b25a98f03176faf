"""Runs that look alive although their process is gone: nobody was left to notice."""

import socket
import subprocess
import sys
from datetime import timedelta

import pytest
from dagster import DagsterRunStatus

from flinkpy_dagster import keep_running
from flinkpy_dagster.orchestration.job.processes import PROCESS_TAG, this_process
from tests.orchestration.test_sensors import Ticks, instance, mine, run

__all__ = ["instance"]  # the fixture
pytestmark = pytest.mark.dagster


def test_keep_when_its_process_is_gone_and_nobody_has_noticed_then_it_has_failed_and_is_launched(
    instance,
) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    gone = run(
        instance, status=DagsterRunStatus.STARTED, **{PROCESS_TAG: f"{socket.gethostname()} {dead.pid} 1"}
    )
    ticks = Ticks(keep_running(mine, pause=timedelta(0)), instance)
    (request,) = ticks.next()
    assert request.run_key == f"mine after {gone.run_id}"
    assert instance.get_run_by_id(gone.run_id).status is DagsterRunStatus.FAILURE
    here = run(instance, status=DagsterRunStatus.STARTED, **{PROCESS_TAG: this_process()})
    assert ticks.next() == f"mine runs: {here.run_id}."
