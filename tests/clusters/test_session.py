"""Jobs that share one Spark application through Spark Connect: one server for all tests, its clients are processes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.spark import session_registry
from flinkpy_dagster.dataplane.spark.session_registry import StartedSession, started_sessions
from flinkpy_dagster.dataplane.spark.session_server import start_session, stop_session
from tests.clusters import session_programs as programs

pytestmark = [pytest.mark.spark, pytest.mark.cluster]
_RELEASED_WITHIN_SECONDS = 60.0
ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "conformance"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """DAGSTER_HOME of the module."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def session(home: Path) -> Iterator[StartedSession]:
    """One with four slots."""
    settings = {
        "execution.target": "local[4]",
        "spark.connect.execute.reattachable.senderMaxStreamDuration": "3s",
        "spark.connect.execute.manager.detachedTimeout": "2s",
        "spark.connect.execute.manager.maintenanceInterval": "1s",
    }
    started = start_session(Configuration.from_dict(settings), "localhost", 0)
    try:
        yield started
    finally:
        stop_session(started)
        assert started_sessions() == []


Launch = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def launch(session: StartedSession, tmp_path: Path) -> Iterator[Launch]:
    """Starts ``flinkpy run`` of a program's text in the session."""
    started: list[subprocess.Popen[str]] = []

    def launched(text: str, *words: str, options: tuple[str, ...] = ()) -> "subprocess.Popen[str]":
        program = tmp_path / f"program{len(started)}.py"
        program.write_text(text)
        command = [sys.executable, "-m", "flinkpy_dagster", "run", "-t", session.address, *options]
        pipe = subprocess.PIPE
        process = subprocess.Popen([*command, str(program), *words], stdout=pipe, stderr=pipe, text=True)
        started.append(process)
        return process

    yield launched
    for process in started:
        process.kill()
        process.communicate()


def result(process: "subprocess.Popen[str]") -> tuple[list[str], str]:
    """The printed lines, sorted, without subtask numbers; and what was said on standard error."""
    output, errors = process.communicate(timeout=240)
    lines = [line.partition("> ")[2] for line in output.splitlines() if "> " in line]
    return sorted(lines), errors


def await_that(condition: Callable[[], bool], seconds: float) -> bool:
    """Does it come true in time?"""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return condition()


def test_bounded_jobs_when_two_need_more_slots_than_there_are_then_each_has_its_own_results(
    launch: Launch, tmp_path: Path
) -> None:
    (tmp_path / "lines.txt").write_text("to be or\nnot to be\n")
    keyed, words = launch(programs.KEYED), launch(programs.FILES, str(tmp_path))
    lines, errors = result(keyed)
    assert (lines, keyed.returncode) == (["(a,1)", "(a,4)", "(b,2)"], 0), errors
    lines, errors = result(words)
    assert (lines, words.returncode) == (["be 2", "not 1", "or 1", "to 2"], 0), errors


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_slots_when_a_run_is_killed_or_canceled_then_nothing_of_it_runs_any_more(
    launch: Launch, tmp_path: Path, number: signal.Signals
) -> None:
    marks = [tmp_path / "began-0", tmp_path / "began-1"]
    holder = launch(programs.SLOW.format(folder=str(tmp_path), seconds=600, count=2))
    assert await_that(lambda: all(mark.exists() and mark.read_text() for mark in marks), 240)
    workers = [int(mark.read_text()) for mark in marks]  # they hold two slots for ten minutes
    os.kill(holder.pid, number)
    holder.communicate(timeout=120)
    assert await_that(lambda: not any(map(is_at_work, workers)), _RELEASED_WITHIN_SECONDS)


def is_at_work(pid: int) -> bool:
    """Is the process there, and no zombie?"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_corpus_when_programs_run_in_a_session_then_they_print_what_flink_prints(
    session: StartedSession,
) -> None:
    names = "app_csv_orders,app_wordcount_batch,err_user_exception,key_batch_timers,win_late_side_output"
    run = f"{sys.executable} -m flinkpy_dagster run -t {session.address} {{program}}"
    command = [
        sys.executable,
        str(CORPUS / "check.py"),
        str(CORPUS),
        "--cmd",
        run,
        "--only",
        names,
        "--jobs",
        "2",
    ]
    checked = subprocess.run([*command, "--timeout", "240"], capture_output=True, text=True)
    assert "5 passed, 0 failed" in checked.stdout, checked.stdout


def test_fairness_when_one_client_has_many_tasks_then_another_gets_the_next_slot(
    session: StartedSession,
) -> None:
    command = [sys.executable, "-c", programs.MANY_AND_FEW, session.address]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert ended.stdout.split() == ["few", "many"], ended.stderr


def test_checks_when_a_job_runs_in_a_session_then_they_look_and_a_blocking_one_keeps_the_table_away(
    session: StartedSession, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", programs.CHECKED, session.address, str(tmp_path / "data-sets")]
    own = {"FLINKPY_TEST_FOLDER": str(tmp_path / "out"), "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, capture_output=True, text=True, timeout=240, env=os.environ | own)
    assert sorted(ended.stdout.splitlines()) == ["few False", "mild False", "sane True"], ended.stderr
    assert "Blocking check 'few' of 'counts' has failed" in ended.stderr
    assert not (tmp_path / "out" / "counts").exists()


def test_session_when_a_job_cannot_run_in_it_then_it_is_refused_by_name(
    launch: Launch, tmp_path: Path
) -> None:
    (tmp_path / "requirements.txt").write_text("six\n")
    asked = {
        "it never ends, and epochs need the driver of their Spark": launch(programs.UNBOUNDED),
        "has no packages of one job (-pyreq)": launch(
            programs.KEYED, options=("-pyreq", str(tmp_path / "requirements.txt"))
        ),
        "'spark.executor.memory' is a setting of a whole Spark application": launch(
            programs.KEYED, options=("-D", "spark.executor.memory=2g")
        ),
    }
    for said, process in asked.items():
        lines, errors = result(process)
        assert said in errors
        assert (lines, process.returncode) == ([], 1)


def test_list_when_a_session_runs_then_it_is_there_and_only_its_owner_reads_the_token(
    session: StartedSession,
) -> None:
    assert started_sessions() == [session]
    (file,) = session_registry.registry_folder().glob("*.json")
    assert file.stat().st_mode & 0o077 == 0
    assert session_registry.token_of(session.address) == session.token != ""
