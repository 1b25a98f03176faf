"""kill -9 of a run's process under the real daemon: Dagster's run retries start the next run, which goes on."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dagster import DagsterInstance, DagsterRunStatus
from dagster._core.test_utils import environ

from flinkpy_dagster.orchestration.dispatcher.requests import trigger_stop
from tests.dataplane.streaming import lines_below, put_file
from tests.orchestration.stopping import eventually
from tests.orchestration.unbounded_programs import FOLDER, JOB

pytestmark = [pytest.mark.dagster, pytest.mark.spark, pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[2]
MODULE = "tests.orchestration.unbounded_programs"
INSTANCE = """
telemetry: {enabled: false}
run_monitoring: {enabled: true, poll_interval_seconds: 2}
run_retries: {enabled: true, max_retries: 3}
"""
LONG = 300.0


class Daemon:
    """``dagster-daemon run`` with a code location, on an instance of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "home").mkdir()
        (folder / "home" / "dagster.yaml").write_text(INSTANCE)
        self.environment = {
            **os.environ,
            "DAGSTER_HOME": str(folder / "home"),
            "PYTHONPATH": str(ROOT),
            FOLDER: str(folder),
        }
        with DagsterInstance.from_config(str(folder / "home")):
            pass  # it is there before several processes look: Dagster makes its tables when the first one does
        self.process = self.start("dagster._daemon", "run", "-m", MODULE)

    def start(self, module: str, *arguments: str) -> "subprocess.Popen[bytes]":
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def launch(self) -> None:
        """Through the queue, as the UI does; the daemon's code server starts the process."""
        launched = self.start("dagster", "job", "launch", "-m", MODULE, "-j", JOB)
        assert launched.wait(LONG) == 0, self.said()

    def await_lines(self, expected: Callable[[list[str]], bool]) -> None:
        """Until the sink's lines are as expected. AssertionError with what was said when the daemon has ended."""

        def come() -> bool:
            assert self.process.poll() is None, self.said()
            return expected(lines_below(self.folder / "out"))

        eventually(come, LONG)

    def said(self) -> str:
        return (self.folder / "log").read_text()[-3000:]


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    made = Daemon(tmp_path)
    try:
        yield made
    finally:
        os.killpg(made.process.pid, signal.SIGKILL)
        made.process.wait()


def test_run_of_an_unbounded_job_when_its_process_is_killed_then_the_next_goes_on_by_itself(
    daemon: Daemon, tmp_path: Path
) -> None:
    put_file(tmp_path / "in", "1.csv", [1, 2])
    with environ({"DAGSTER_HOME": str(tmp_path / "home")}), DagsterInstance.get() as instance:
        daemon.launch()
        daemon.await_lines(lambda lines: lines == ["1", "3"])
        (first,) = instance.get_runs()
        pid = pid_of(instance, first.run_id)
        os.kill(pid, signal.SIGKILL)
        put_file(tmp_path / "in", "2.csv", [10])
        daemon.await_lines(lambda lines: len(lines) == 3)
        second, _ = instance.get_runs()
        assert second.root_run_id == first.run_id
        assert instance.get_run_by_id(first.run_id).status is DagsterRunStatus.FAILURE
        assert second.tags["dagster/retry_number"] == "1"
        trigger_stop(instance, second.run_id, str(tmp_path / "savepoints"))
        eventually(lambda: instance.get_run_by_id(second.run_id).is_finished, LONG)
        assert instance.get_run_by_id(second.run_id).is_success
    assert lines_below(tmp_path / "out") == ["1", "13", "3"]


def pid_of(instance: DagsterInstance, run_id: str) -> int:
    """As the run's own events say."""
    for record in instance.all_logs(run_id):
        text = record.dagster_event.message if record.dagster_event else ""
        if found := re.search(r"pid: (\d+)", text or ""):
            return int(found[1])
    raise AssertionError("The run has not said its process.")
