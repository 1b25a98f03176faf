"""An instance with 200 jobs: wall clock of what is asked of all of them. ``python -m benchmarks.many_jobs [--write]``.

The instance is on disk (SQLite, as Dagster makes it), its jobs have told what real ones do; the gateway is the command
``flinkpy gateway`` in a process of its own and is asked over HTTP; the local ``list`` reads the instance in this one.
Warm: after the first request of a kind, which reads the logs of all jobs.
"""

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from statistics import median

from benchmarks.report import machine, with_section

RESULTS = Path(__file__).with_name("RESULTS.md")
LIMIT_MS = 300
PATHS = ("/jobs/overview", "/jobs", "/overview", "/applications/overview", "/taskmanagers")
_HEAD = """\
## An instance with {jobs} jobs

Asked over HTTP of `flinkpy gateway` on an instance on disk, and of the instance itself; ms of wall clock, {repeats}
times after the first. `list -m` is the whole command, Python's start included. At most {limit} ms warm.

| what | first | median | longest | |
|---|--:|--:|--:|---|"""


def fill(home: str, jobs: int) -> None:
    """Jobs that have told everything; the first one runs."""
    from dagster import DagsterEventType, DagsterInstance

    from flinkpy_dagster.runtime.execution_states import ExecutionState, JobStatus
    from tests.gateway.told_jobs import ToldJob, captured

    graph = captured("bounded")
    with DagsterInstance.from_config(home) as instance:
        for number in range(jobs):
            job = ToldJob(instance, graph).begin()
            if number:
                job.numbers().move(ExecutionState.FINISHED)
                job.end(JobStatus.FINISHED, DagsterEventType.RUN_SUCCESS)


def timed(work: Callable[[], object], repeats: int) -> list[float]:
    """ms of each call, the first one included."""
    taken = []
    for _ in range(repeats + 1):
        began = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - began))
    return taken


def measured(home: str, repeats: int) -> dict[str, list[float]]:
    """ms by what was asked."""
    from flinkpy_dagster.orchestration.dispatcher.jobs import list_jobs, open_instance

    os.environ["DAGSTER_HOME"] = home
    found = {}
    with open_instance() as instance:
        found["the instance's jobs (`flinkpy list`)"] = timed(lambda: list_jobs(instance), repeats)
    port = 18273
    command = [sys.executable, "-m", "flinkpy_dagster", "gateway", "--port", str(port)]
    gateway = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        connection = _connected(port)
        for path in PATHS:
            found[f"`{path}`"] = timed(lambda path=path: _asked(connection, path), repeats)
        list_command = [*command[:3], "list", "-a", "--json", "-m", f"127.0.0.1:{port}"]
        listing = timed(lambda: subprocess.run(list_command, check=True, capture_output=True), repeats)
        found["`flinkpy list -a -m`"] = listing
    finally:
        gateway.terminate()
        gateway.wait(30)
    return found


def _connected(port: int) -> http.client.HTTPConnection:
    """As soon as the gateway listens."""
    deadline = time.monotonic() + 120
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.connect()
            return connection
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def _asked(connection: http.client.HTTPConnection, path: str) -> object:
    connection.request("GET", path)
    answer = connection.getresponse()
    assert answer.status == 200, path
    return json.loads(answer.read())


def section(found: dict[str, list[float]], jobs: int, repeats: int) -> str:
    """As Markdown."""
    lines = [_HEAD.format(jobs=jobs, repeats=repeats, limit=LIMIT_MS)]
    for what, (first, *warm) in found.items():
        met = "met" if median(warm) <= LIMIT_MS else "missed"
        lines.append(f"| {what} | {first:.0f} | {median(warm):.0f} | {max(warm):.0f} | {met} |")
    command = f"python -m benchmarks.many_jobs --jobs {jobs} --repeats {repeats} --write"
    return "\n".join([*lines, "", f"`{command}`, {date.today()}, {machine()}."])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--write", action="store_true", help="into RESULTS.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        fill(home, options.jobs)
        text = section(measured(home, options.repeats), options.jobs, options.repeats)
    print(text)
    if options.write:
        RESULTS.write_text(
            with_section(RESULTS.read_text(encoding="utf-8"), "many_jobs", text), encoding="utf-8"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
