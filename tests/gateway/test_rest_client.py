"""The package ``flink-rest-client`` of PyPI, as it is, against a gateway over jobs that were told about."""

import importlib.util

import pytest

from flinkpy_dagster.gateway.handlers import program_routes
from tests.gateway.serving import served

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("flink_rest_client") is None, reason="flink-rest-client is not installed"
    ),
    pytest.mark.filterwarnings("ignore"),  # it leaves files and sockets open
]
PLAN = {"jid": "a" * 32, "name": "job", "type": "STREAMING", "nodes": []}


@pytest.fixture
def rest(told):
    from flink_rest_client import FlinkRestClient

    client, ids = told
    with served(client.app) as port:
        yield FlinkRestClient.get("127.0.0.1", port), ids


def test_client_when_it_looks_at_jobs_then_gets_what_it_expects(rest) -> None:
    client, ids = rest
    job_id = ids["running"]
    assert client.overview()["jobs-running"] == 1
    assert client.config()["flink-version"] == "2.3.0"
    assert set(client.jobs.job_ids()) == set(ids.values())
    assert {job["name"] for job in client.jobs.overview()} == {"bounded", "failing", "streaming"}
    assert client.jobs.get(job_id)["state"] == "RUNNING"
    assert client.jobs.get_config(job_id)["jid"] == job_id
    assert client.jobs.get_plan(job_id)["jid"] == job_id
    assert client.jobs.get_execution_result(ids["failed"])["status"] == {"id": "COMPLETED"}
    assert "refusing 13" in str(client.jobs.get_exceptions(ids["failed"]))
    assert client.jobs.get_metrics(job_id, ["numRestarts"]) == {"numRestarts": "0"}
    assert client.jobs.metrics(["numRestarts"])["numRestarts"]["max"] == 1.0
    assert client.jobs.get_accumulators(ids["finished"])["user-task-accumulators"][0]["name"] == "seen"


def test_client_when_it_looks_at_vertices_and_checkpoints_then_gets_what_it_expects(rest) -> None:
    client, ids = rest
    job_id = ids["running"]
    vertex = client.jobs.get_vertex(job_id, client.jobs.get_vertex_ids(job_id)[0])
    assert vertex.details()["parallelism"] == 2
    assert vertex.backpressure()["status"] == "ok"
    assert vertex.metrics(["0.numRecordsIn"]) == {"0.numRecordsIn": "10"}
    assert vertex.subtasks.subtask_ids() == [0, 1]
    assert vertex.subtasks.metrics(["numRecordsIn"])["numRecordsIn"]["sum"] == 20.0
    assert vertex.subtasks.get(1)["metrics"]["read-records"] == 10
    assert vertex.subtasks.get_attempt(0)["attempt"] == 0
    assert [len(vertex.subtasktimes()["subtasks"]), len(vertex.taskmanagers()["taskmanagers"])] == [2, 1]
    assert client.jobs.get_checkpoints(job_id)["counts"]["completed"] == 2
    assert client.jobs.get_checkpointing_configuration(job_id)["mode"] == "exactly_once"
    assert client.jobs.get_checkpoint_details(job_id, 1, show_subtasks=True)["id"] == 1
    (manager,) = client.taskmanagers.taskmanager_ids()
    assert client.taskmanagers.get(manager)["slotsNumber"] == 2


def test_client_when_it_brings_a_program_then_it_runs_with_what_it_says(rest, monkeypatch, tmp_path) -> None:
    client, _ = rest
    seen = []
    monkeypatch.setattr(program_routes, "submit", lambda run, home: seen.append(run.arguments()) or "b" * 32)
    monkeypatch.setattr(program_routes, "plan", lambda run, home: PLAN)
    program = tmp_path / "words.py"
    program.write_text("pass")
    job_id = client.jars.upload_and_run(str(program), arguments={"date": "today"}, parallelism=3)
    (jar,) = client.jars.all()["files"]
    assert job_id == "b" * 32
    assert client.jars.get_plan(jar["id"]) == PLAN
    assert client.jars.delete(jar["id"]) is True
    (arguments,) = seen
    assert arguments[:2] == ["-p", "3"]
    assert arguments[-2:] == ["--date", "today"]


def test_client_when_it_asks_for_savepoints_then_they_are_asked_of_the_job(rest) -> None:
    client, ids = rest
    trigger = client.jobs.create_savepoint(ids["running"], "/savepoints")
    assert trigger.status == {"status": {"id": "IN_PROGRESS"}, "operation": None}
    refused = client.jobs.stop(ids["finished"], "/savepoints")
    status = refused.status
    assert status["status"] == {"id": "COMPLETED"}
    assert "not running" in status["operation"]["failure-cause"]["stack-trace"]
