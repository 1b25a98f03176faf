"""What the UI does: a run launched and terminated by GraphQL lives in a process of the run launcher."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.orchestration.stopping import eventually, python_workers, run_workers, spark_processes
from tests.orchestration.stopping_jobs import MARKS

pytestmark = [pytest.mark.dagster, pytest.mark.spark, pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[2]
MODULE = "tests.orchestration.stopping_jobs"
SOON, START = 5.0, 240.0

LAUNCH = """
mutation($params: ExecutionParams!) { launchRun(executionParams: $params) {
  __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message } } }
"""
TERMINATE = """
mutation($id: String!) { terminateRun(runId: $id) { __typename ... on TerminateRunFailure { message } } }
"""
STATUS = "query($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"


class Webserver:
    def __init__(self, folder: Path):
        self.folder, self.marks = folder, folder / "marks"
        (folder / "home").mkdir()
        self.marks.mkdir()
        (folder / "home" / "dagster.yaml").write_text(
            "telemetry: {enabled: false}\n"
            "run_coordinator: {module: dagster._core.run_coordinator, class: DefaultRunCoordinator}\n"
        )  # no queue: no daemon
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        environment = {
            **os.environ,
            "DAGSTER_HOME": str(folder / "home"),
            "PYTHONPATH": str(ROOT),
            MARKS: str(self.marks),
        }
        command = ["-m", "dagster_webserver", "-m", MODULE, "-h", "127.0.0.1", "-p", str(self.port)]
        with (folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, *command],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        eventually(self.answers, START)

    def answers(self) -> bool:
        assert self.process.poll() is None, (self.folder / "log").read_text()[-2000:]
        with suppress(OSError):
            self.ask("{ version }")
            return True
        return False

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/graphql", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            data = json.load(answer)
        assert "errors" not in data, data["errors"]
        return data["data"]

    def launch(self, job_name: str) -> str:
        """The id of a run whose workers have begun."""
        for old in self.marks.iterdir():
            old.unlink()
        selector = {
            "repositoryLocationName": MODULE,
            "repositoryName": "__repository__",
            "jobName": job_name,
        }
        answer = self.ask(LAUNCH, params={"selector": selector, "runConfigData": {}})["launchRun"]
        assert answer["__typename"] == "LaunchRunSuccess", answer
        run_id = answer["run"]["runId"]
        eventually(lambda: self.has("open0", "open1") or self.status(run_id) == "FAILURE", START)
        assert self.status(run_id) == "STARTED"
        return run_id

    def status(self, run_id: str) -> str:
        return self.ask(STATUS, id=run_id)["runOrError"]["status"]

    def has(self, *names: str) -> bool:
        return all((self.marks / name).exists() for name in names)


@pytest.fixture(scope="module")
def webserver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Webserver]:
    made = Webserver(tmp_path_factory.mktemp("webserver"))
    yield made
    os.killpg(made.process.pid, signal.SIGKILL)  # with its code server and what it has launched
    made.process.wait()


def test_run_when_terminated_twice_then_canceled_closed_and_no_worker_is_left(webserver: Webserver) -> None:
    run_id = webserver.launch("endless_job")
    for _ in range(2):  # once more is harmless
        webserver.ask(TERMINATE, id=run_id)
    took = eventually(lambda: not python_workers(webserver.marks), SOON)
    print(f"no workers after {took:.2f} s")
    eventually(lambda: webserver.status(run_id) == "CANCELED", 30)
    eventually(lambda: not spark_processes(webserver.marks), 30)
    assert webserver.has("close0", "close1")


def test_run_when_its_worker_is_killed_then_failure_and_nothing_is_left(webserver: Webserver) -> None:
    run_id = webserver.launch("endless_job")
    (worker,) = run_workers(webserver.marks)
    os.kill(worker, signal.SIGKILL)
    took = eventually(lambda: not spark_processes(webserver.marks), SOON)
    print(f"nothing left after {took:.2f} s")
    eventually(lambda: webserver.status(run_id) == "FAILURE", 30)
