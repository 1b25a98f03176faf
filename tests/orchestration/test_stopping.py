"""Runs that are stopped from outside: within five seconds nothing of Spark is left, and user functions were closed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from dagster import DagsterInstance

from tests.orchestration.stopping import eventually, python_workers, spark_processes
from tests.orchestration.stopping_jobs import MARKS

pytestmark = [pytest.mark.dagster, pytest.mark.spark, pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[2]
SOON = 5.0
AT_ALL = 30.0
START = 180.0


class Run:
    """A process that runs one job; ``marks``: what its workers have left."""

    def __init__(self, job_name: str, folder: Path):
        self.home, self.marks = folder / "home", folder / "marks"
        self.home.mkdir()
        self.marks.mkdir()
        environment = {**os.environ, "DAGSTER_HOME": str(self.home), MARKS: str(self.marks)}
        environment["PYSPARK_PYTHON"] = sys.executable  # of the job that starts Spark by itself
        command = [sys.executable, "-m", "tests.orchestration.stopping_jobs", job_name]
        with (folder / "log").open("wb") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        eventually(lambda: self.has("open0", "open1") or self.process.poll() is not None, START)
        assert self.process.poll() is None, (folder / "log").read_text()[-2000:]

    def has(self, *names: str) -> bool:
        return all((self.marks / name).exists() for name in names)

    def status(self) -> str:
        with DagsterInstance.from_config(str(self.home)) as instance:
            (run,) = instance.get_runs()
            return run.status.value

    def has_no_workers(self) -> bool:
        return not python_workers(self.marks)

    def is_gone(self) -> bool:
        return not spark_processes(self.marks)


@pytest.fixture
def started(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Run]:
    made = Run(request.param, tmp_path)
    assert len(python_workers(made.marks)) >= 2
    yield made
    made.process.kill()
    made.process.wait()


@pytest.mark.parametrize("started", ["endless_job"], indirect=True)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_job_when_told_to_end_then_canceled_closed_and_nothing_is_left(started: Run, number: int) -> None:
    started.process.send_signal(number)
    started.process.send_signal(number)  # once more is harmless
    took = eventually(started.has_no_workers, SOON)
    print(f"no workers after {took:.2f} s")
    started.process.wait(AT_ALL)
    eventually(started.is_gone, SOON)
    assert started.has("close0", "close1")
    assert started.status() == "CANCELED"


@pytest.mark.parametrize("started", ["ordinary_job"], indirect=True)
def test_ordinary_job_when_told_to_end_then_canceled_and_nothing_is_left(started: Run) -> None:
    started.process.send_signal(signal.SIGTERM)
    took = eventually(started.has_no_workers, SOON)
    print(f"no workers after {took:.2f} s")
    started.process.wait(AT_ALL)
    eventually(started.is_gone, SOON)
    assert started.status() == "CANCELED"


@pytest.mark.parametrize("started", ["endless_job", "ordinary_job"], indirect=True)
def test_run_when_its_process_is_killed_then_nothing_of_spark_is_left(started: Run) -> None:
    started.process.kill()
    took = eventually(started.is_gone, SOON)
    print(f"nothing left after {took:.2f} s")
