"""What is made of a run's log: attempts, failures, ends of runs that were killed, where tasks run."""

import pytest
from dagster import DagsterEventType

from flinkpy_dagster.orchestration.dispatcher.details import Attempt, Numbers, job_details
from flinkpy_dagster.orchestration.dispatcher.job_log import JobLog, kept
from flinkpy_dagster.orchestration.dispatcher.jobs import find_job
from flinkpy_dagster.runtime.execution_states import ExecutionState, JobStatus
from tests.gateway.told_jobs import CAUSE, ToldJob, captured


def details_of(instance, job: ToldJob):
    overview = find_job(instance, job.job_id)
    log = JobLog(overview.run_id)
    log.read(instance)
    return job_details(overview, log.told, kept(instance, overview.run_id))


@pytest.fixture(scope="module")
def bounded():
    return captured("bounded")


def test_job_when_it_waits_for_a_worker_then_nothing_is_known_but_its_name(instance, bounded) -> None:
    details = details_of(instance, ToldJob(instance, bounded))
    assert (details.status, details.is_told, details.vertices, details.slots) == ("CREATED", False, (), 0)
    assert details.plan["nodes"] == []


def test_job_when_it_runs_then_vertices_are_in_the_order_of_the_program(instance, bounded) -> None:
    details = details_of(instance, ToldJob(instance, bounded).begin())
    assert [vertex.name for vertex in details.vertices] == [
        "Source: Collection Source",
        "Map, _stream_key_by_map_operator",
        "Reduce -> Sink: Print to Std. Out",
    ]
    assert [vertex.max_parallelism for vertex in details.vertices] == [1, 128, 128]
    assert details.task_counts() == {"RUNNING": 5}
    assert (details.slots, details.restarts, details.worker["pid"] > 0) == (2, 0, True)
    assert [executor.host for executor in details.executors] == ["127.0.0.1"]
    assert not details.vertices[0].is_told


def test_numbers_when_told_then_by_subtask(instance, bounded) -> None:
    details = details_of(instance, ToldJob(instance, bounded).begin().numbers())
    vertex = details.vertices[1]
    assert vertex.subtasks == (Numbers(10, 9, 8), Numbers(10, 9, 8))
    assert (vertex.total, vertex.is_told, vertex.accumulators) == (Numbers(20, 18, 16), True, {"seen": 20})


def test_watermarks_when_epochs_were_made_then_by_subtask(told) -> None:
    client, ids = told
    job = f"/jobs/{ids['running']}"
    sources, *_ = client.get(job).json()["vertices"]
    marks = client.get(f"{job}/vertices/{sources['id']}/watermarks").json()
    assert marks == [
        {"id": f"{index}.currentInputWatermark", "value": "7000"} for index in range(sources["parallelism"])
    ]
    chosen = client.get(f"{job}/vertices/{sources['id']}/metrics?get=0.currentInputWatermark").json()
    assert chosen == marks[:1]


def test_checkpoints_when_a_job_has_several_runs_then_of_all_of_them(instance, client) -> None:
    graph = captured("streaming")
    first = ToldJob(instance, graph).begin().checkpoints()
    first.end(JobStatus.FAILED, DagsterEventType.RUN_FAILURE)
    alone = client.get(f"/jobs/{first.job_id}/checkpoints").json()
    ToldJob(instance, graph, first.job_id).begin().checkpoints()
    both = client.get(f"/jobs/{first.job_id}/checkpoints").json()
    assert {name: count * 2 for name, count in alone["counts"].items()} == both["counts"]
    assert [each["id"] for each in both["history"]] == [3, 2, 1, 3, 2, 1]
    assert both["latest"] == alone["latest"]


def test_failures_when_a_job_restarted_then_newest_first_with_their_attempts(instance, bounded) -> None:
    details = details_of(instance, ToldJob(instance, bounded).begin().fail(again=True).fail(again=False))
    assert [(failure.attempt, failure.text) for failure in details.failures[:1]] == [(1, CAUSE)]
    assert {failure.attempt for failure in details.failures} == {0, 1}
    assert details.restarts == 1
    assert [len(vertex.attempts) for vertex in details.vertices] == [2, 2, 2]
    times = details.vertices[0].attempts[0].times_ms
    assert list(times) == ["CREATED", "SCHEDULED", "DEPLOYING", "RUNNING", "FAILED"]


def test_job_when_its_process_was_killed_then_its_vertices_have_ended_with_it(instance, bounded) -> None:
    job = ToldJob(instance, bounded).begin()
    job.report(DagsterEventType.RUN_FAILURE)  # Dagster noticed; nobody told of the vertices
    details = details_of(instance, job)
    assert details.status == "FAILED"
    assert {vertex.attempt.state for vertex in details.vertices} == {"FAILED"}
    assert details.vertices[0].attempt.end_ms == details.overview.end_ms


def test_log_when_read_again_then_only_what_is_new(instance, bounded) -> None:
    job = ToldJob(instance, bounded).begin()
    log = JobLog(job.run.run_id)
    assert log.read(instance)
    before = len(log.told)
    assert not log.read(instance)
    job.move(ExecutionState.FINISHED)
    job.execution.move_job(JobStatus.FINISHED, job.clock)
    assert log.read(instance)
    assert len(log.told) == before + 3


def test_attempt_when_it_has_ended_then_durations_are_final() -> None:
    attempt = Attempt(0, {"CREATED": 10, "SCHEDULED": 20, "DEPLOYING": 30, "RUNNING": 45, "FINISHED": 100})
    assert attempt.durations_ms(5000) == {"CREATED": 10, "SCHEDULED": 10, "DEPLOYING": 15, "RUNNING": 55}
    assert (attempt.start_ms, attempt.end_ms, attempt.duration_ms(5000)) == (30, 100, 70)
    waiting = Attempt(0, {"CREATED": 10})
    assert (waiting.state, waiting.start_ms, waiting.end_ms, waiting.duration_ms(50)) == (
        "CREATED",
        -1,
        -1,
        -1,
    )
