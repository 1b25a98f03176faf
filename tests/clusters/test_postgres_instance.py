"""A Dagster instance on PostgreSQL: all that the command line asks of jobs, and a run that is found again after its
processes were killed.
"""

import gc
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dagster import DagsterInstance

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import DuplicateJobSubmission
from flinkpy_dagster.orchestration.dispatcher.jobs import SCHEDULED, find_job, list_jobs
from flinkpy_dagster.orchestration.dispatcher.recovery import LAUNCHED_AGAIN, recover_jobs
from flinkpy_dagster.orchestration.dispatcher.requests import (
    await_end,
    await_request,
    cancel_job,
    trigger_savepoint,
)
from flinkpy_dagster.orchestration.dispatcher.submission import ProgramCall, submit_program
from flinkpy_dagster.orchestration.job.processes import PROCESS_TAG, is_gone

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.dagster,
    pytest.mark.spark,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
RECIPE = Path(__file__).parents[2] / "docs" / "deployment" / "dagster.yaml"
JOB = "0123456789abcdef0123456789abcdef"
START = 300.0  # seconds; a JVM on a busy machine
PROGRAM = """
import sys
from flinkpy_dagster.api import DataGeneratorSource, Encoder, FileSink, StreamExecutionEnvironment, Types
from flinkpy_dagster.api import WatermarkStrategy

env = StreamExecutionEnvironment.get_execution_environment()
source = DataGeneratorSource(lambda number: number, Types.LONG(), records_per_second=20)
numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
counts = numbers.map(lambda number: ("all", 1), Types.TUPLE([Types.STRING(), Types.LONG()]))
counts = counts.key_by(lambda pair: pair[0]).reduce(lambda one, other: (one[0], one[1] + other[1])).uid("counts")
sink = FileSink.for_row_format(sys.argv[1], Encoder.simple_string_encoder()).build()
counts.map(lambda pair: str(pair[1]), Types.STRING()).sink_to(sink)
env.execute("counts")
"""


@pytest.fixture
def instance(postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DagsterInstance]:
    """That of the deployment recipe: all storages in the database, its folder has submitted programs only."""
    home = tmp_path / "home"
    home.mkdir()
    place, _, database = postgres.partition("/")
    host, _, port = place.partition(":")
    shutil.copy(RECIPE, home)
    settings = {"HOST": host, "PORT": port, "DB": database, "USER": "test", "PASSWORD": "any"}
    for name, value in settings.items():
        monkeypatch.setenv(f"POSTGRES_{name}", value)
    with DagsterInstance.from_config(str(home)) as made:
        yield made
    gc.collect()


def results(folder: Path) -> list[int]:
    """The counts that are visible, in order."""
    files = [path for path in folder.rglob("part-*") if not path.name.startswith(".")]
    return sorted(int(line) for path in files for line in path.read_text().split())


def await_more(folder: Path, least: int) -> None:
    """Until a count of at least ``least`` is visible."""
    await_that(lambda: (results(folder) or [0])[-1] >= least, f"a count of {least}")


def await_that(condition: Any, what: str) -> None:
    deadline = time.monotonic() + START
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not come"
        time.sleep(0.2)


def kill_run_and_code_server(instance: DagsterInstance, run_id: str) -> None:
    """The machine goes down: nobody is left who could notice."""
    run = instance.get_run_by_id(run_id)
    assert run is not None
    pid = int(run.tags[PROCESS_TAG].split()[1])
    server = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    for each in (server, pid):
        os.kill(each, signal.SIGKILL)
    await_that(lambda: is_gone(run.tags[PROCESS_TAG]), "the end of a killed process")


def test_job_when_its_instance_is_on_postgres_then_it_is_asked_canceled_and_recovered_as_on_sqlite(
    instance: DagsterInstance, tmp_path: Path
) -> None:
    (tmp_path / "counts.py").write_text(PROGRAM)
    out = tmp_path / "out"
    call = ProgramCall(path=str(tmp_path / "counts.py"), args=(str(out),), folder=str(tmp_path))
    options = Configuration.from_dict(
        {
            "parallelism.default": "1",
            "execution.target": "local[1]",
            "execution.checkpointing.interval": "1 s",
            "execution.checkpointing.dir": str(tmp_path / "checkpoints"),
        }
    )
    # submitted by one process, seen by another
    (submitted,) = submit_program(instance, call, options, job_id=JOB)
    assert [job.job_id for job in list_jobs(instance)] == [JOB]
    with pytest.raises(DuplicateJobSubmission):
        submit_program(instance, call, options, job_id=JOB)
    await_more(out, 1)
    listed = subprocess.run(
        [sys.executable, "-m", "flinkpy_dagster", "list"],
        env=os.environ | {"DAGSTER_HOME": instance.root_directory},
        capture_output=True,
        text=True,
        timeout=START,
    )
    assert f"{JOB} : counts (RUNNING)" in listed.stdout, listed.stderr
    # a request, answered through the database
    request = trigger_savepoint(instance, JOB, str(tmp_path / "savepoints"))
    done = await_request(instance, JOB, request)
    assert done.path is not None
    assert Path(done.path).exists()
    # nobody notices that its processes are gone; recovery does, and it goes on
    before = results(out)[-1]
    kill_run_and_code_server(instance, submitted.run_id)
    (recovered,) = recover_jobs(instance)
    assert (recovered.job_id, recovered.what) == (JOB, LAUNCHED_AGAIN)
    assert recover_jobs(instance) == []
    await_more(out, before + 1)
    cancel_job(instance, JOB)
    assert await_end(instance, JOB, START).status == "CANCELED"
    assert find_job(instance, JOB).status not in SCHEDULED
    counts = results(out)
    assert counts == list(range(1, len(counts) + 1))  # exactly once
