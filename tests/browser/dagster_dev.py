"""A real ``dagster dev`` in a folder of its own, on the example code location and on that of these tests."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES, TESTS = "assets.definitions", "tests.browser.examples"
START_SECONDS, RUN_SECONDS = 300.0, 600.0

_WORKSPACE = f"""\
load_from:
  - python_module: {{module_name: {EXAMPLES}, working_directory: {ROOT}}}
  - python_module: {{module_name: {TESTS}, working_directory: {ROOT}}}
"""
_LOCATIONS = """
{ workspaceOrError { ... on Workspace { locationEntries {
    name locationOrLoadError { __typename ... on PythonError { message } } } } } }
"""
_RUN = """
query($id: ID!) { runOrError(runId: $id) { ... on Run {
    status stepStats { stepKey status startTime endTime } } } }
"""
_RUNS = (
    "query($filter: RunsFilter) { runsOrError(filter: $filter) { ... on Runs { results { runId status } } } }"
)


class DagsterDev:
    """The server. ``folder``: where it and its runs live, and where programs write. ``ask``: GraphQL."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        home = folder / "dagster_home"
        home.mkdir(parents=True)
        shutil.copy(ROOT / "docs" / "dagster.yaml", home / "dagster.yaml")
        (folder / "workspace.yaml").write_text(_WORKSPACE)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{free.getsockname()[1]}"
        environment = {
            **os.environ,
            "DAGSTER_HOME": str(home),
            "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
        }
        port = self.url.rpartition(":")[2]
        command = [
            sys.executable,
            "-m",
            "dagster",
            "dev",
            "-w",
            "workspace.yaml",
            "-h",
            "127.0.0.1",
            "-p",
            port,
        ]
        with (folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True
            )

    def wait_until_loaded(self) -> None:
        """Raises AssertionError if a code location does not load."""

        def loaded() -> bool:
            assert self._process.poll() is None, self.log()
            with suppress(OSError):
                entries = self.ask(_LOCATIONS)["workspaceOrError"]["locationEntries"]
                found = {each["name"]: each["locationOrLoadError"] for each in entries}
                errors = {name: it["message"] for name, it in found.items() if it and "message" in it}
                assert errors == {}, errors
                return len(found) == 2 and all(found.values())
            return False

        eventually(loaded, START_SECONDS)

    def stop(self) -> None:
        """Ends the server with its daemon, its code servers and all runs."""
        self._process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(30)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")[-4000:]

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        """The data that GraphQL answers."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(f"{self.url}/graphql", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            data = json.load(answer)
        assert "errors" not in data, data["errors"]
        found: dict[str, Any] = data["data"]
        return found

    def run(self, run_id: str) -> dict[str, Any]:
        """Status and steps of a run."""
        found: dict[str, Any] = self.ask(_RUN, id=run_id)["runOrError"]
        return found

    def await_status(self, run_id: str, *wanted: str) -> str:
        """The status, once it is one of those. Raises AssertionError when the run ends with another one."""
        ends = {"SUCCESS", "FAILURE", "CANCELED"}

        def reached() -> bool:
            status = self.run(run_id)["status"]
            assert status in wanted or status not in ends, f"{status}\n{self.log()}"
            return status in wanted

        eventually(reached, RUN_SECONDS)
        return str(self.run(run_id)["status"])

    def runs_of(self, job_name: str) -> list[str]:
        """Ids, the newest first."""
        results = self.ask(_RUNS, filter={"pipelineName": job_name})["runsOrError"]["results"]
        return [each["runId"] for each in results]


def eventually(what: Callable[[], object], seconds: float) -> None:
    """Waits until it is true. Raises AssertionError if it does not become so in time."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, f"{what.__qualname__} not within {seconds:.0f} s"
        time.sleep(0.5)
