"""A sensor daemon in a process of its own that is killed on its way: the target of a spawned process."""

import logging
import signal

from dagster import DagsterInstance
from dagster._core.test_utils import create_test_daemon_workspace_context, freeze_time
from dagster._core.workspace.load_target import ModuleTarget
from dagster._daemon.sensor import execute_sensor_iteration

TARGET = ModuleTarget("tests.orchestration.sensor_location", None, ".", "location")


def tick_and_die(instance_ref, now, sensor: str, point: str) -> None:
    """One iteration at time ``now``; kill -9 at ``point`` of that sensor's tick."""
    with (
        DagsterInstance.from_ref(instance_ref) as instance,
        create_test_daemon_workspace_context(TARGET, instance) as workspace,
        freeze_time(now),
    ):
        list(
            execute_sensor_iteration(
                workspace,
                logging.getLogger("quiet"),
                threadpool_executor=None,
                submit_threadpool_executor=None,
                debug_crash_flags={sensor: {point: signal.SIGKILL}},
            )
        )
