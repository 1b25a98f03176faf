"""Detached jobs: stored, launched by Dagster's run launcher in a process of their own, found by everybody."""

import dataclasses
import gc
import shutil
import sys
import time
import zipfile

import pytest
from dagster import DagsterInstance

from flinkpy_dagster.api.capturing import capture
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import DuplicateJobSubmission, InvalidProgram
from flinkpy_dagster.orchestration.dispatcher.job_store import JobStore, StoredJob
from flinkpy_dagster.orchestration.dispatcher.jobs import SCHEDULED, find_job, list_jobs, run_id_of
from flinkpy_dagster.orchestration.dispatcher.recovery import NEVER_STARTED, recover_jobs
from flinkpy_dagster.orchestration.dispatcher.requests import await_end, cancel_job
from flinkpy_dagster.orchestration.dispatcher.run_configs import run_config_of
from flinkpy_dagster.orchestration.dispatcher.stored_definitions import caller
from flinkpy_dagster.orchestration.dispatcher.submission import ProgramCall, dagster_name, submit_program
from flinkpy_dagster.orchestration.job.job_results import JobResultStore
from flinkpy_dagster.orchestration.naming import JOB_ID_TAG

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
JOB = "0123456789abcdef0123456789abcdef"
PROGRAM = """
import sys
from pyflink.datastream import StreamExecutionEnvironment
from marks import MARK

env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection(sys.argv[1:]).map(lambda word: __import__("more_marks").mark(word) + MARK).print()
env.execute("marked words")
"""
MORE_MARKS = """
from pathlib import Path
SIGN = Path("signs/sign.txt")  # of an archive, if there is one

def mark(word):
    return (SIGN.read_text() if SIGN.exists() else "?") + word
"""
START = 400.0  # seconds; a JVM on a busy machine


@pytest.fixture
def instance(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    with DagsterInstance.from_config(str(tmp_path / "home")) as made:
        yield made
    gc.collect()  # code servers live until their run has ended; that their Popen objects are gone is no mistake


@pytest.fixture
def call(tmp_path):
    """A program with a module beside it and one that -pyfs brings, which only the workers import."""
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "words.py").write_text(PROGRAM)
    (tmp_path / "job" / "marks.py").write_text("MARK = '!'")
    (tmp_path / "more_marks.py").write_text(MORE_MARKS)
    yield ProgramCall(
        path=str(tmp_path / "job" / "words.py"),
        args=("a", "b"),
        files=(str(tmp_path / "more_marks.py"),),
        folder=str(tmp_path),
    )
    for name in ("marks", "more_marks"):
        sys.modules.pop(name, None)


def make_folder(folder, *files):
    folder.mkdir()
    for file in files:
        shutil.copy(file, folder)
    return folder


def await_start(instance):
    """The job once its run has begun."""
    deadline = time.monotonic() + START
    while (found := find_job(instance, JOB)).status in SCHEDULED and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


OPTIONS = Configuration.from_dict({"parallelism.default": "1", "execution.runtime-mode": "BATCH"})


STORED = StoredJob(
    job_id=JOB,
    name="marked words",
    dagster_name="words",
    program=None,
    module=None,
    function=None,
    source="words.py",
    args=(),
    files=(),
    folder="",
    configuration=OPTIONS.to_dict(),
    plan={},
    submitted_ms=1,
)


def test_run_config_when_options_are_set_then_as_one_would_type_it():
    options = Configuration.from_pairs(
        ["parallelism.default=2", "spark.x=y", "execution.target=local[3]", "python.fn-execution.bundle.size=5",
         "jobmanager.scheduling-mode=EAGER", "slot.request.timeout=7s", "$internal.pipeline.job-id=1"]
    )  # fmt: skip
    assert run_config_of("words", ["a"], options) == {
        "resources": {
            "words_run": {
                "config": {
                    "args": ["a"],
                    "parallelism": 2,
                    "target": "local[3]",
                    "configuration": {
                        "spark.x": "y",
                        "python.fn-execution.bundle.size": 5,
                        "slot.request.timeout": "7s",
                    },
                }
            }
        },
        "execution": {
            "config": {"scheduling_mode": "EAGER", "slot_request_timeout_seconds": 7.0, "slots": 3}
        },
    }


@pytest.mark.parametrize(
    ("job_name", "program", "name"),
    [
        ("marked words", "words", "marked_words"),
        ("Flink Streaming Job", "words", "words"),
        ("2024 report", "words", "_2024_report"),
        ("Flink Streaming Job", "56b129c7-5490-4654_words", "_56b129c7_5490_4654_words"),
    ],
)
def test_dagster_name_is_the_jobs_or_the_programs(job_name, program, name):
    assert dagster_name(job_name, program) == name


@pytest.mark.dagster
def test_program_when_it_has_no_job_then_refused_and_nothing_is_left(instance, tmp_path):
    (tmp_path / "empty.py").write_text("print('no job')")
    with pytest.raises(InvalidProgram, match="ended without execute"):
        submit_program(instance, ProgramCall(path=str(tmp_path / "empty.py")), OPTIONS)
    assert (JobStore(instance.root_directory).ids(), list_jobs(instance)) == ([], [])


@pytest.mark.dagster
def test_job_when_its_session_cannot_run_it_then_refused_and_nothing_is_left(instance, tmp_path):
    endless = tmp_path / "endless.py"
    endless.write_text(
        "from pyflink.datastream import StreamExecutionEnvironment\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "env.socket_text_stream('localhost', 9).print()\n"
        "env.execute('endless')\n"
    )
    shared = Configuration.from_dict({"execution.target": "sc://localhost:15002"})
    with pytest.raises(InvalidProgram, match="'endless' cannot run in a shared session: it never ends"):
        submit_program(instance, ProgramCall(path=str(endless), folder=str(tmp_path)), shared)
    assert (JobStore(instance.root_directory).ids(), list_jobs(instance)) == ([], [])


@pytest.mark.dagster
@pytest.mark.spark
@pytest.mark.slow
def test_job_when_submitted_then_it_is_seen_at_once_runs_elsewhere_and_leaves_its_result(
    instance, call, tmp_path
):
    with zipfile.ZipFile(tmp_path / "signs.zip", "w") as archive:
        archive.writestr("sign.txt", "#")
    options = Configuration(OPTIONS)
    options.set("python.archives", f"{tmp_path}/signs.zip#signs")
    (submitted,) = submit_program(instance, call, options, job_id=JOB)
    assert (submitted.job_id, submitted.run_id, submitted.name) == (JOB, run_id_of(JOB), "marked words")
    run = instance.get_run_by_id(submitted.run_id)
    assert run.tags[JOB_ID_TAG] == JOB
    assert len(run.step_keys_to_execute) == 1  # the op graph is there before the run has begun
    assert [job.job_id for job in list_jobs(instance)] == [JOB]
    with pytest.raises(DuplicateJobSubmission) as caught:
        submit_program(instance, call, OPTIONS, job_id=JOB)
    assert not caught.value.is_globally_terminated
    for name in ("job/words.py", "signs.zip"):
        (tmp_path / name).unlink()  # what was submitted runs, whatever becomes of the files
    await_end(instance, JOB, START)
    result = JobResultStore(instance.root_directory).get(JOB)
    assert (result.status, result.error) == ("FINISHED", None)
    assert result.printed == {"Sink: Print to Std. Out": ["#a!", "#b!"]}
    (tmp_path / "job" / "words.py").write_text(PROGRAM)
    with pytest.raises(DuplicateJobSubmission) as caught:
        submit_program(instance, call, OPTIONS, job_id=JOB)
    assert caught.value.is_globally_terminated


def test_stored_job_when_it_is_the_second_of_its_program_then_the_first_is_passed_over(tmp_path):
    program = """
from flinkpy_dagster.api import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).print()
assert str(env.execute("one").get_job_id()) == "1" * 32
env.from_collection([1]).print()
env.execute("two")
"""
    (tmp_path / "two.py").write_text(program)
    store = JobStore(str(tmp_path))
    job = dataclasses.replace(
        STORED, program="two.py", source="two.py", folder=str(tmp_path), earlier=("1" * 32,)
    )
    store.put(job, [(str(tmp_path / "two.py"), "two.py")])
    with capture() as captured:
        caller(job, store.folder_of(JOB))([])
    assert [job.job_name for job in captured.jobs] == ["two"]


@pytest.mark.dagster
@pytest.mark.spark
@pytest.mark.slow
def test_job_when_its_submission_died_before_the_launch_then_recovery_launches_it(instance, call, tmp_path):
    folder = tmp_path / "job"
    JobStore(instance.root_directory).put(
        dataclasses.replace(STORED, program=call.path, args=call.args, files=("files",), folder=call.folder),
        [(str(path), path.name) for path in folder.iterdir()],
        files=str(make_folder(tmp_path / "extra", call.files[0])),
    )
    assert list_jobs(instance) == []
    (recovered,) = recover_jobs(instance)
    assert (recovered.job_id, recovered.what) == (JOB, NEVER_STARTED)
    assert await_start(instance).status == "RUNNING"
    cancel_job(instance, JOB)
    assert await_end(instance, JOB, START).status == "CANCELED"
    assert recover_jobs(instance) == []
    assert find_job(instance, JOB).status == "CANCELED"
