"""What a run owes to those who look at its job from elsewhere; without Spark."""

import threading

import pytest
from dagster import DagsterInstance, DagsterRun, DagsterRunStatus

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import JobCanceled, JobFailed
from flinkpy_dagster.orchestration.dispatcher.jobs import find_job, list_jobs
from flinkpy_dagster.orchestration.job import job_life as job_life_module
from flinkpy_dagster.orchestration.job.job_life import job_life
from flinkpy_dagster.orchestration.job.job_results import JobResultStore
from flinkpy_dagster.orchestration.job.job_run import JobRun
from flinkpy_dagster.orchestration.job.processes import PROCESS_TAG, this_process
from flinkpy_dagster.orchestration.naming import STATUS_TAG, UNBOUNDED_TAG, NamedGraph
from flinkpy_dagster.orchestration.programs.program_loading import program_source
from tests.orchestration import programs
from tests.orchestration.fake_runner import FakeRunner

pytestmark = pytest.mark.dagster
JOB = "1" * 32


@pytest.fixture
def instance(tmp_path, monkeypatch):
    monkeypatch.setattr(job_life_module, "_LOOK_SECONDS", 0.01)
    with DagsterInstance.ephemeral(tempdir=str(tmp_path)) as made:
        yield made


@pytest.fixture
def job_run():
    captured = program_source(programs.batch).capture([], Configuration())
    return JobRun(NamedGraph("words", captured.job_graph), FakeRunner)


def started(instance, **tags):
    return instance.add_run(DagsterRun(job_name="words_job", status=DagsterRunStatus.STARTED, tags=tags))


def test_run_when_it_begins_then_its_job_is_found_and_when_it_ends_then_its_result(instance, job_run):
    run = started(instance, **{STATUS_TAG: "SUSPENDED"})  # of the run that it retries
    with job_life(instance, run, job_run, JOB, lambda: None):
        (job,) = list_jobs(instance)
        tags = instance.get_run_by_id(run.run_id).tags
        assert (job.job_id, job.name, job.status) == (JOB, "words", "RUNNING")
        assert (tags[UNBOUNDED_TAG], tags[PROCESS_TAG], tags[STATUS_TAG]) == (
            "false",
            this_process(),
            "RUNNING",
        )
        assert JobResultStore(instance.root_directory).get(JOB) is None
    result = JobResultStore(instance.root_directory).get(JOB)
    assert (result.status, result.run_id, result.name, result.error) == (
        "FINISHED",
        run.run_id,
        "words",
        None,
    )


def test_run_when_marked_as_canceling_then_its_job_is_canceled_wherever_it_lives(instance, job_run):
    run, canceled = started(instance), threading.Event()

    def cancel():
        job_run.cancel()
        canceled.set()

    with job_life(instance, run, job_run, JOB, cancel):
        instance.report_run_canceling(run)
        assert canceled.wait(60)
    assert isinstance(job_run.failure, JobCanceled)
    assert JobResultStore(instance.root_directory).get(JOB).status == "CANCELED"
    assert find_job(instance, JOB).status == "CANCELLING"  # its end is Dagster's to tell


def test_run_when_it_fails_then_the_error_is_kept(instance, job_run):
    run = started(instance)
    error = JobFailed("words", "no", "the worker's traceback")
    with job_life(instance, run, job_run, JOB, lambda: None):
        job_run.fail(error)
    result = JobResultStore(instance.root_directory).get(JOB)
    assert (result.status, result.error) == ("FAILED", "Job 'words' failed: no")
