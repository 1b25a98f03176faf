"""A run process that is killed with kill -9, and the run that goes on from what it has left. Real Spark, real kill."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

pytestmark = [pytest.mark.dagster, pytest.mark.spark, pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[2]
JOB_ID = "0123456789abcdef0123456789abcdef"

DAGSTER_RUN = """
import sys
from dagster import DagsterInstance, ReexecutionOptions, build_reconstructable_job, execute_job

folder, before, *more = sys.argv[1:]
job = build_reconstructable_job("tests.orchestration.resumed_programs", "job")
config = {
    "resources": {"resumed_programs_run": {"config": {
        "args": [folder, *more], "configuration": {"flinkpy.data-sets.dir": f"{folder}/data_sets"},
    }}},
    "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
}
with DagsterInstance.get() as instance:
    options = None
    if before == "from_failure":
        run = instance.get_runs(limit=1)[0]
        if not run.is_finished:  # what Dagster's run monitoring does
            instance.report_run_failed(run)
        options = ReexecutionOptions.from_failure(run.run_id, instance)
    result = execute_job(job, instance, run_config=config, reexecution_options=options)
    for record in instance.all_logs(result.run_id):
        event = record.dagster_event
        if event is not None and event.event_type_value in ("ENGINE_EVENT", "STEP_START"):
            print((event.step_key or "job").rpartition(".")[2], event.message.partition(":")[0])
        if event is not None and "FAILURE" in event.event_type_value:
            print("FAILURE", str(event.event_specific_data)[:3000])
    sys.exit(not result.success)
"""

EMBEDDED_RUN = """
import sys
from tests.orchestration import resumed_programs
from flinkpy_dagster.api.defaults import environments_start_with
from flinkpy_dagster.config import Configuration

folder, _, *more = sys.argv[1:]
options = {"flinkpy.data-sets.dir": f"{folder}/data_sets", "$internal.pipeline.job-id": "JOB_ID"}
with environments_start_with(Configuration.from_dict(options)):
    resumed_programs.main([folder, *more])
""".replace("JOB_ID", JOB_ID)


def started(script: str, folder: Path, *arguments: str) -> subprocess.Popen:
    home = folder / "dagster_home"
    home.mkdir(exist_ok=True)
    (home / "dagster.yaml").write_text("telemetry:\n  enabled: false\n")
    environment = os.environ | {
        "DAGSTER_HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "RESUMED_FOLDER": str(folder),
    }
    with open(folder / "printed", "w") as printed:  # no pipe: a JVM that outlives its process would hold it
        return subprocess.Popen(
            [sys.executable, "-c", script, str(folder), *(arguments or ("new",))],
            cwd=ROOT,
            env=environment,
            stdout=printed,
            stderr=subprocess.STDOUT,
        )


def ended(script: str, folder: Path, *arguments: str) -> tuple[int, str]:
    """Exit code and what was printed."""
    process = started(script, folder, *arguments)
    process.wait(timeout=300)
    return process.returncode, (folder / "printed").read_text()


def calls(folder: Path) -> list[str]:
    path = folder / "calls"
    return path.read_text().splitlines() if path.exists() else []


def kill_while_counting(script: str, folder: Path) -> None:
    """The first region has finished, the second is at work: kill -9."""
    (folder / "hold").touch()
    process = started(script, folder)
    deadline = time.monotonic() + 300
    while "add" not in calls(folder):
        assert process.poll() is None, (folder / "printed").read_text()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (folder / "hold").unlink()


def counts(folder: Path) -> list[tuple]:
    table = pq.read_table(folder / "counts").to_pydict()
    return sorted(zip(*table.values()))


@pytest.mark.parametrize("script", [DAGSTER_RUN, EMBEDDED_RUN], ids=["re-execution", "same job id"])
def test_kill_when_a_blocking_result_survives_then_the_next_run_does_not_compute_it_again(
    script, tmp_path
) -> None:
    kill_while_counting(script, tmp_path)
    assert [call for call in calls(tmp_path) if call.startswith("pairs")] == ["pairs a", "pairs a", "pairs b"]
    code, printed = ended(script, tmp_path, "from_failure")
    assert code == 0, printed
    assert [call for call in calls(tmp_path) if call.startswith("pairs")] == ["pairs a", "pairs a", "pairs b"]
    assert counts(tmp_path) == [("a", 2), ("b", 1)]


@pytest.mark.parametrize(
    ("fixed_id", "stays"), [(JOB_ID, True), (None, False)], ids=["suspended", "canceled"]
)
def test_sigterm_when_flinkpy_runs_then_suspended_with_an_id_and_canceled_without(
    fixed_id, stays, tmp_path
) -> None:
    program = ROOT / "tests" / "orchestration" / "resumed_programs.py"
    options = ["-D", f"flinkpy.data-sets.dir={tmp_path}/data_sets"]
    options += ["-D", f"$internal.pipeline.job-id={fixed_id}"] if fixed_id else []
    script = (
        "import sys; from flinkpy_dagster.cli.main import main; "
        f"sys.exit(main(['run', *{options!r}, {str(program)!r}, {str(tmp_path)!r}]))"
    )
    (tmp_path / "hold").touch()
    process = started(script, tmp_path)
    deadline = time.monotonic() + 300
    while "add" not in calls(tmp_path):
        assert process.poll() is None, (tmp_path / "printed").read_text()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=120) == 143
    assert bool(list((tmp_path / "data_sets").rglob("*.parquet"))) is stays
    (tmp_path / "hold").unlink()
    if stays:
        code, printed = ended(script, tmp_path)
        assert code == 0, printed
        assert len([call for call in calls(tmp_path) if call.startswith("pairs")]) == 3
        assert counts(tmp_path) == [("a", 2), ("b", 1)]


def test_re_execution_when_a_result_is_lost_then_it_is_computed_again(tmp_path) -> None:
    kill_while_counting(DAGSTER_RUN, tmp_path)
    for file in (tmp_path / "data_sets").rglob("*.parquet"):
        file.unlink()
    code, printed = ended(DAGSTER_RUN, tmp_path, "from_failure")
    assert code == 0, printed
    assert len([call for call in calls(tmp_path) if call.startswith("pairs")]) == 6
    assert counts(tmp_path) == [("a", 2), ("b", 1)]


def test_re_execution_when_the_program_is_another_one_then_refused_by_name(tmp_path) -> None:
    kill_while_counting(DAGSTER_RUN, tmp_path)
    code, printed = ended(DAGSTER_RUN, tmp_path, "from_failure", "c")
    assert code == 1, printed
    assert "whose stored results are those of another version of the program" in printed
