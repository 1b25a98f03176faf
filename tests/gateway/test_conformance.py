"""Answers of the gateway, field by field, against those recorded from Flink 2.3 (``record.py``)."""

import json
from pathlib import Path

import pytest

from tests.gateway.paths import CHECKPOINT, CLUSTER, JOB, UNKNOWN_JOB, VERTEX, WRONG
from tests.gateway.shapes import differences, merged, shape_of

RECORDED = {
    path.stem: json.loads(path.read_text()) for path in (Path(__file__).parent / "recorded").glob("*.json")
}
SITUATIONS = ("running", "finished", "failed", "canceled", "stopped")

_TASKS = "CREATED SCHEDULED DEPLOYING INITIALIZING RUNNING FINISHED CANCELING CANCELED FAILED RECONCILING"
_JOBS = "INITIALIZING CREATED RUNNING FAILING FAILED CANCELLING CANCELED FINISHED RESTARTING SUSPENDED RECONCILING"
WORDS = {
    "status": {*_TASKS.split(), *_JOBS.split(), "ok", "deprecated", "completed", "COMPLETED", "IN_PROGRESS"},
    "state": set(_JOBS.split()),
    "checkpoint_type": {"CHECKPOINT", "SAVEPOINT", "SYNC_SAVEPOINT"},
    "className": {"completed", "failed", "in_progress", "pending"},
}
"""Flink's ``ExecutionState``, ``JobStatus``, ``CheckpointStatsStatus`` and their kin: all that a field may say."""

BETTER = {
    f"GET /jobs/{UNKNOWN_JOB}/status": 404,
    f"GET /jobs/{UNKNOWN_JOB}/jobmanager/config": 404,
    f"GET /jobs/{UNKNOWN_JOB}/jobmanager/environment": 404,
    f"GET /jobs/{UNKNOWN_JOB}/metrics": 404,
    f"GET /jobs/{UNKNOWN_JOB}/resource-requirements": 404,
    "GET /taskmanagers/none": 404,
    "POST /jars/none.jar/run": 404,
    "POST /jars/none.jar/plan": 404,
    "GET /jars/none.jar/plan": 404,
}
"""Where Flink has an internal error, or answers as if the job existed, the gateway says that it does not exist."""


def _allowed(request: str):
    """What Flink has answered in any situation: whether a job was caught in a state is chance."""
    request = request.replace("?maxExceptions=1", "")  # of the one failure it knew
    found = None
    for situation in (*SITUATIONS, "busy", "used"):
        recorded = RECORDED[situation].get(request)
        if recorded is not None and recorded["status"] < 400:
            found = merged(found, recorded["body"])
    return found


def _answer(client, method: str, path: str):
    return client.request(method, f"/v1{path}")


def _compared(request: str, recorded, answer) -> list[str]:
    assert answer.status_code == recorded["status"], answer.text
    allowed = _allowed(request) if answer.is_success else recorded["body"]
    return differences(shape_of(answer.json()), allowed, words=WORDS)


@pytest.mark.parametrize("path", [path for path in JOB if "resource-requirements" not in path])
@pytest.mark.parametrize("situation", SITUATIONS)
def test_job_when_asked_for_then_as_flink_answers(told, situation, path) -> None:
    client, ids = told
    recorded = RECORDED[situation][f"GET {path}"]
    if situation in ("finished", "failed") and path.endswith("/checkpoints/config"):
        assert _answer(client, "GET", path.replace(":jobid", ids[situation])).status_code == 404
        return  # Flink says what would hold if the job made checkpoints
    assert (
        _compared(f"GET {path}", recorded, _answer(client, "GET", path.replace(":jobid", ids[situation])))
        == []
    )


@pytest.mark.parametrize("path", VERTEX)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_vertices_when_asked_for_then_as_flink_answers(told, situation, path) -> None:
    client, ids = told
    recorded = RECORDED[situation][f"GET {path}"]
    job_id = ids[situation]
    for vertex in client.get(f"/jobs/{job_id}").json()["vertices"]:
        filled = path.replace(":jobid", job_id).replace(":vertexid", vertex["id"])
        assert _compared(f"GET {path}", recorded, _answer(client, "GET", filled)) == [], vertex["name"]


@pytest.mark.parametrize("path", CHECKPOINT)
@pytest.mark.parametrize("situation", ["running", "canceled", "stopped"])
def test_checkpoints_when_asked_for_then_as_flink_answers(told, situation, path) -> None:
    client, ids = told
    recorded = RECORDED[situation][f"GET {path}"]
    job_id = ids[situation]
    vertex_id = client.get(f"/jobs/{job_id}").json()["vertices"][0]["id"]
    for number in ("1", "3"):
        filled = (
            path.replace(":jobid", job_id).replace(":vertexid", vertex_id).replace(":checkpointid", number)
        )
        assert _compared(f"GET {path}", recorded, _answer(client, "GET", filled)) == []


@pytest.mark.parametrize("path", CLUSTER)
def test_cluster_when_jobs_run_then_as_flink_answers(told, path) -> None:
    client, _ = told
    manager = client.get("/taskmanagers").json()["taskmanagers"][0]["id"]
    recorded = RECORDED["busy"][f"GET {path}"]
    answer = _answer(client, "GET", path.replace(":taskmanagerid", manager))
    assert _compared(f"GET {path}", recorded, answer) == []


@pytest.mark.parametrize(("method", "path"), WRONG)
def test_wrong_requests_when_made_then_refused_as_flink_does(client, method, path) -> None:
    recorded = RECORDED["wrong"][f"{method} {path}"]
    answer = _answer(client, method, path)
    assert answer.status_code == BETTER.get(f"{method} {path}", recorded["status"]), answer.text
    assert (
        differences(shape_of(answer.json()), RECORDED["wrong"]["GET /nothing"]["body"]) == []
        or answer.is_success
    )


def test_results_when_a_job_has_ended_then_only_failed_ones_have_a_cause(told) -> None:
    client, ids = told
    for situation in ("finished", "failed", "canceled", "stopped"):
        recorded = RECORDED[situation]["GET /jobs/:jobid/execution-result"]["body"]["fields"][
            "job-execution-result"
        ]
        result = client.get(f"/jobs/{ids[situation]}/execution-result").json()["job-execution-result"]
        assert set(result) == set(recorded["fields"])
        assert [f"={result['application-status']}"] == recorded["fields"]["application-status"]


def test_shapes_when_a_field_is_missing_or_of_another_type_then_told() -> None:
    recorded = shape_of({"a": 1, "state": "RUNNING", "list": [{"b": "x"}]})
    answer = shape_of({"state": "SLEEPING", "list": [{"b": 2, "c": 3}]})
    assert differences(answer, recorded) == [
        ".a: missing",
        ".list[].c: Flink has no such field",
        ".list[].b: integer is none of ['string']",
        ".state: =SLEEPING is none of ['=RUNNING']",
    ]
