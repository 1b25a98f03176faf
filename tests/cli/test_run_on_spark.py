"""``flinkpy run`` as a person runs it: a process of its own, a JVM, an embedded Dagster instance."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.dagster, pytest.mark.slow]
PROGRAMS = Path(__file__).resolve().parents[1] / "conformance" / "programs"
TIMEOUT_SECONDS = 180


def flinkpy(*arguments, folder):
    command = [sys.executable, "-m", "flinkpy_dagster", *map(str, arguments)]
    return subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"PYTHONFAULTHANDLER": "1"},  # says where it was, should it have to be aborted
        text=True,
        start_new_session=True,
    )


def finished(process):
    try:
        out, err = process.communicate(timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)
        process.wait()
        os.killpg(process.pid, signal.SIGKILL)
        raise AssertionError(f"It does not end:\n{process.communicate()[1]}") from None
    return process.returncode, out, err


def test_run_when_the_job_finishes_then_stdout_is_the_programs_alone(tmp_path):
    code, out, err = finished(flinkpy("run", PROGRAMS / "app_wordcount_batch.py", folder=tmp_path))
    assert (code, out.splitlines()[0]) == (0, "RESULT")
    assert err.splitlines()[0].startswith("Job has been submitted with JobID ")
    assert "Program execution finished" in err


def test_run_when_user_code_raises_then_the_last_line_names_operator_cause_and_line(tmp_path):
    program = PROGRAMS / "err_user_exception.py"
    code, out, err = finished(flinkpy("run", program, folder=tmp_path))
    assert (code, out) == (1, "")
    assert "User code of operator 'Map' failed: ValueError: refusing to map 13" in err.splitlines()[-1]
    assert f'File "{program}", line 8, in checked' in err.splitlines()[-1]
    assert "Traceback" not in err


def test_run_when_a_file_is_missing_then_names_the_source_and_leaves_no_result(tmp_path):
    (tmp_path / "job.py").write_text(
        "from flinkpy_dagster.api import ParquetSink, StreamExecutionEnvironment, Types\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "lines = env.read_text_file('nowhere.txt').name('orders')\n"
        "lines.map(lambda line: (line,), Types.TUPLE([Types.STRING()])).sink_to(ParquetSink('out'))\n"
        "env.execute('bad')\n"
    )
    code, _, err = finished(flinkpy("run", "job.py", folder=tmp_path))
    assert code == 1
    assert "orders" in err.splitlines()[-1]
    assert "nowhere.txt" in err.splitlines()[-1]
    assert not (tmp_path / "out").exists()


def test_run_on_local_n_when_the_job_needs_more_slots_then_nothing_starts(tmp_path):
    (tmp_path / "job.py").write_text(
        "from flinkpy_dagster.api import StreamExecutionEnvironment\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "env.from_collection([1]).map(print).set_parallelism(3)\n"
        "env.execute('wide')\n"
    )
    code, out, err = finished(flinkpy("run", "-t", "local[2]", "job.py", folder=tmp_path))
    assert (code, out) == (1, "")
    assert "needs 3 slots at once" in err.splitlines()[-1]
    assert "2 exist" in err.splitlines()[-1]


SLOW = """
import pathlib, time
from flinkpy_dagster.api import StreamExecutionEnvironment

def slowly(folder):
    pathlib.Path(folder, "started").touch()
    time.sleep(600)

env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([%r]).map(slowly).print()
env.execute("slow")
"""


def wait_for(path, process):
    give_up = time.monotonic() + TIMEOUT_SECONDS
    while not path.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < give_up
        time.sleep(0.2)


def test_run_when_interrupted_then_stops_and_exits_with_130(tmp_path):
    (tmp_path / "job.py").write_text(SLOW % str(tmp_path))
    process = flinkpy("run", "job.py", folder=tmp_path)
    wait_for(tmp_path / "started", process)
    process.send_signal(signal.SIGINT)
    code, out, err = finished(process)
    assert (code, out) == (130, "")
    assert err.splitlines()[-1] == "flinkpy: interrupted."
