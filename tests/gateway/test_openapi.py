"""The OpenAPI document: it is made from the routes, it is valid, and what it says is what happens."""

import json

import pytest
from jsonschema import Draft202012Validator

from flinkpy_dagster.gateway.handlers import program_routes
from flinkpy_dagster.gateway.serving.app import ROUTES, gateway_app
from tests.gateway.conftest import TestClient, settings
from tests.gateway.fuzz import fuzz, refuses_to_run
from tests.gateway.told_jobs import tell_jobs


def test_document_when_asked_for_then_has_every_route_and_valid_schemas(client) -> None:
    document = client.get("/openapi.json").json()
    told = {(method.upper(), path) for path, each in document["paths"].items() for method in each}
    assert told == {(route.method, route.path) for route in ROUTES}
    ids = [each["operationId"] for path in document["paths"].values() for each in path.values()]
    assert len(set(ids)) == len(ids)
    for path in document["paths"].values():
        for operation in path.values():
            for answer in operation["responses"].values():
                for content in answer["content"].values():
                    Draft202012Validator.check_schema(content["schema"])


def test_document_when_there_is_a_token_then_says_so(instance, tmp_path) -> None:
    client = TestClient(gateway_app(instance, settings(tmp_path, token="x")))
    document = client.get("/openapi.json", headers={"Authorization": "Bearer x"}).json()
    assert document["security"] == [{"token": []}]
    assert "401" in document["paths"]["/overview"]["get"]["responses"]


@pytest.mark.parametrize(
    "route", [each for each in ROUTES if each.method == "GET"], ids=lambda each: each.path
)
def test_answers_when_of_real_jobs_then_as_declared(told, route) -> None:
    client, ids = told
    for job_id in ids.values():
        filled = route.path.replace("{jobid}", job_id).replace("{applicationid}", job_id)
        if "{vertexid}" in filled:
            filled = filled.replace("{vertexid}", client.get(f"/jobs/{job_id}").json()["vertices"][0]["id"])
        for name, value in (("checkpointid", "1"), ("subtaskindex", "0"), ("attempt", "0")):
            filled = filled.replace(f"{{{name}}}", value)
        if "{taskmanagerid}" in filled:
            manager = client.get("/taskmanagers").json()["taskmanagers"][0]["id"]
            filled = filled.replace("{taskmanagerid}", manager)
        answer = client.get(filled.replace("{", "").replace("}", ""))
        if answer.status_code == 200:
            Draft202012Validator(route.answer).validate(answer.text if route.is_text else answer.json())
        else:
            assert answer.status_code in (400, *route.refusals), json.dumps(answer.json())


@pytest.mark.filterwarnings("ignore")
def test_requests_when_made_up_then_no_internal_error(instance, tmp_path, monkeypatch) -> None:
    ids = tell_jobs(instance)
    monkeypatch.setattr(program_routes, "submit", refuses_to_run)
    monkeypatch.setattr(program_routes, "plan", refuses_to_run)
    statuses = fuzz(gateway_app(instance, settings(tmp_path)), 4, ids)
    assert sum(statuses.values()) > 200
    assert statuses[200] > 50
