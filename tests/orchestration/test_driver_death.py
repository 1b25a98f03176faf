"""The driver's JVM is killed while a job runs: what is said, and how the job goes on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.dataplane.streaming import lines_below, put_file

pytestmark = [pytest.mark.spark, pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[2]
SAYS = "Spark's driver JVM (process "
KILLED = ") was killed (SIGKILL"
RESTARTS = ["-D", "restart-strategy.type=fixed-delay", "-D", "restart-strategy.fixed-delay.delay=10 ms"]

KILLING = """
import os
import signal
from pathlib import Path

folder = os.getcwd()


def kills_the_driver(value):
    # this worker was forked from a daemon, which the driver's JVM has started; once
    if os.path.exists(f"{folder}/kill"):
        os.remove(f"{folder}/kill")
        os.kill(int(Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1]), signal.SIGKILL)
    return value
"""
BATCH = (
    KILLING
    + """
from pyflink.common import Types
from pyflink.datastream import RuntimeExecutionMode, StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_runtime_mode(RuntimeExecutionMode.BATCH)
env.set_parallelism(1)
pair = Types.TUPLE([Types.STRING(), Types.INT()])
pairs = env.from_collection([1, 2, 3], Types.INT()).map(lambda n: ("sum", n), pair)
sums = pairs.key_by(lambda pair: pair[0]).reduce(lambda one, other: (one[0], one[1] + other[1]))
sums.map(lambda pair: kills_the_driver(pair[1]), Types.INT()).print()
env.execute("batch")
"""
)
UNBOUNDED = (
    KILLING
    + """
from flinkpy_dagster.api import Encoder, FileSink, StreamExecutionEnvironment, Types

env = StreamExecutionEnvironment.get_execution_environment()
rows = env.from_csv(f"{folder}/in", row_type=Types.ROW_NAMED(["number"], [Types.INT()]), monitor_continuously=True)
pairs = rows.map(lambda row: ("sum", row.number), Types.TUPLE([Types.STRING(), Types.INT()]))
sums = pairs.key_by(lambda pair: pair[0]).reduce(lambda one, other: (one[0], one[1] + other[1])).uid("sums")
sink = FileSink.for_row_format(f"{folder}/out", Encoder.simple_string_encoder()).build()
sums.map(lambda pair: str(kills_the_driver(pair[1])), Types.STRING()).sink_to(sink)
env.execute("unbounded")
"""
)


def flinkpy_run(folder: Path, program: str, *options: str) -> "subprocess.CompletedProcess[str]":
    """``flinkpy run`` in a folder, on two slots."""
    (folder / "job.py").write_text(program)
    command = [
        sys.executable,
        "-m",
        "flinkpy_dagster",
        "run",
        "-t",
        "local[2]",
        "-p",
        "1",
        *options,
        "job.py",
    ]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=1800)


def test_bounded_job_when_the_driver_dies_then_it_restarts_in_the_same_run_with_a_new_one(tmp_path) -> None:
    (tmp_path / "kill").touch()
    done = flinkpy_run(tmp_path, BATCH, *RESTARTS)
    assert done.returncode == 0, done.stderr[-3000:]
    assert not (tmp_path / "kill").exists()
    assert done.stdout.splitlines() == ["6"]
    assert SAYS in done.stderr
    assert KILLED in done.stderr
    assert "Traceback" not in done.stderr


def test_unbounded_job_when_the_driver_dies_and_nothing_restarts_it_then_the_run_fails_and_the_next_goes_on(
    tmp_path,
) -> None:
    one_file_an_epoch = ["-D", "execution.trigger=available-now", "-D", "flinkpy.epoch.max-files=1"]
    put_file(tmp_path / "in", "1.csv", [1, 2])
    assert flinkpy_run(tmp_path, UNBOUNDED, *one_file_an_epoch).returncode == 0
    put_file(tmp_path / "in", "2.csv", [10])
    put_file(tmp_path / "in", "3.csv", [100])
    (tmp_path / "kill").touch()
    failed = flinkpy_run(tmp_path, UNBOUNDED, *one_file_an_epoch)
    assert failed.returncode == 1
    last = failed.stderr.splitlines()[-1]
    assert last.startswith(f"flinkpy: Job 'unbounded' failed: {SAYS}"), failed.stderr[-3000:]
    assert KILLED in last
    assert "Traceback" not in failed.stderr
    assert lines_below(tmp_path / "out") == ["1", "3"]
    assert flinkpy_run(tmp_path, UNBOUNDED, *one_file_an_epoch).returncode == 0
    assert lines_below(tmp_path / "out") == ["1", "113", "13", "3"]
