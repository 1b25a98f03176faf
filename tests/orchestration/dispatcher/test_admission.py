"""Whether the Dispatcher takes a job: Flink's reasons."""

import pytest

from flinkpy_dagster.errors import DuplicateJobSubmission, SubmissionRefused
from flinkpy_dagster.graph.job_graph import JobGraph, JobVertex
from flinkpy_dagster.orchestration.dispatcher.admission import require_free_id, require_runnable

JOB = "0" * 31 + "1"


def test_job_when_empty_then_refused():
    empty = JobGraph(name="nothing", is_batch=False, vertices=(), edges=(), data_sets=())
    with pytest.raises(SubmissionRefused, match="^The given job is empty$"):
        require_runnable(empty)


@pytest.mark.parametrize("status", [None, "SUSPENDED"])
def test_id_when_nobody_has_it_or_its_job_is_to_go_on_then_it_is_free(status):
    require_free_id(JOB, status)


@pytest.mark.parametrize("status", ["CREATED", "INITIALIZING", "RUNNING", "RESTARTING", "CANCELLING"])
def test_id_when_its_job_runs_then_a_duplicate(status):
    with pytest.raises(DuplicateJobSubmission) as caught:
        require_free_id(JOB, status)
    assert not caught.value.is_globally_terminated
    assert str(caught.value) == f"Job has already been submitted. {JOB} is {status}."


@pytest.mark.parametrize("status", ["FINISHED", "FAILED", "CANCELED"])
def test_id_when_its_job_has_ended_for_good_then_globally_terminated(status):
    with pytest.raises(DuplicateJobSubmission) as caught:
        require_free_id(JOB, status)
    assert caught.value.is_globally_terminated
    assert str(caught.value).startswith("Job has already been submitted.")
    assert status in str(caught.value)


def graph(*resources):
    vertices = tuple(
        JobVertex(
            id=f"{number:032x}",
            name="vertex",
            parallelism=1,
            execution_parallelism=1,
            max_parallelism=128,
            nodes=(),
            min_resources=each,
        )
        for number, each in enumerate(resources)
    )
    return JobGraph(name="job", is_batch=False, vertices=vertices, edges=(), data_sets=())


@pytest.mark.parametrize("resources", [(None, None), ("cpu=1", "cpu=2")])
def test_resources_when_all_vertices_or_none_have_them_then_accepted(resources):
    require_runnable(graph(*resources))


def test_resources_when_some_vertices_have_them_then_flinks_reason():
    with pytest.raises(SubmissionRefused, match="parts of the vertices have resources configured"):
        require_runnable(graph("cpu=1", None))
