"""Who may ask: tokens, origins; what errors tell."""

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import ConfigurationError
from flinkpy_dagster.gateway.handlers import cluster_routes
from flinkpy_dagster.gateway.serving.app import gateway_app
from flinkpy_dagster.gateway.settings import GatewaySettings
from tests.gateway.conftest import TestClient, settings


def client_of(instance, tmp_path, **more) -> TestClient:
    return TestClient(gateway_app(instance, settings(tmp_path, **more)), raise_server_exceptions=False)


def test_token_when_it_is_set_then_every_request_needs_it(instance, tmp_path) -> None:
    client = client_of(instance, tmp_path, token="s3cret")
    for path in ("/overview", "/v1/jobs", "/openapi.json", "/", "/nothing"):
        refused = client.get(path)
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        assert list(refused.json()) == ["errors"]
    for wrong in ("Bearer s3cre", "Bearer S3cret", "Basic s3cret", "s3cret", "Bearer s3cret ü"):
        assert client.get("/overview", headers={"Authorization": wrong.encode()}).status_code == 401
    assert client.get("/overview", headers={"Authorization": "Bearer s3cret"}).status_code == 200


def test_origins_when_none_is_allowed_then_no_header_and_no_foreign_request(instance, tmp_path) -> None:
    client = client_of(instance, tmp_path)
    asked = client.get("/overview", headers={"Origin": "http://evil.example"})
    assert "access-control-allow-origin" not in asked.headers
    foreign = client.post("/jars/upload", headers={"Origin": "http://evil.example"})
    assert (foreign.status_code, foreign.json()) == (
        403,
        {"errors": ["Requests from other origins are refused."]},
    )
    own = client.post("/jars/upload", headers={"Origin": "http://testserver"})
    assert own.status_code == 400
    preflight = client.options("/jars/upload", headers={"Origin": "http://evil.example"})
    assert "access-control-allow-origin" not in preflight.headers


def test_origins_when_one_is_allowed_then_it_is_told(instance, tmp_path) -> None:
    client = client_of(instance, tmp_path, allow_origin="http://ui.example")
    asked = client.get("/overview", headers={"Origin": "http://ui.example"})
    assert asked.headers["access-control-allow-origin"] == "http://ui.example"
    assert client.options("/jars/upload", headers={"Origin": "http://ui.example"}).status_code == 200
    assert client.post("/jars/upload", headers={"Origin": "http://evil.example"}).status_code == 403


def broken(gateway, call):
    raise RuntimeError("a secret inside")


@pytest.mark.parametrize("with_tracebacks", [False, True])
def test_errors_when_unforeseen_then_a_traceback_only_if_asked(
    instance, tmp_path, monkeypatch, caplog, with_tracebacks
) -> None:
    route = next(each for each in cluster_routes.ROUTES if each.path == "/overview")
    object.__setattr__(route, "handler", broken)
    try:
        answer = client_of(instance, tmp_path, with_tracebacks=with_tracebacks).get("/overview")
    finally:
        object.__setattr__(route, "handler", cluster_routes.overview)
    assert answer.status_code == 500
    assert answer.json()["errors"][0] == "Internal server error."
    assert ("a secret inside" in answer.text) is with_tracebacks
    assert "a secret inside" in caplog.text


def test_submission_when_disabled_then_forbidden(instance, tmp_path) -> None:
    client = client_of(instance, tmp_path, can_submit=False)
    answers = [
        client.get("/jars"),
        client.post("/jars/upload"),
        client.post("/jobs"),
        client.post("/jars/x/run"),
    ]
    assert [each.status_code for each in answers] == [403] * 4
    assert client.get("/config").json()["features"]["web-submit"] is False


def test_settings_when_tls_has_no_key_then_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    pairs = ["flinkpy.gateway.tls.certificate=cert.pem", "rest.port=0"]
    with pytest.raises(ConfigurationError, match="set the other one, too"):
        GatewaySettings.of(Configuration.from_pairs(pairs))
    made = GatewaySettings.of(Configuration.from_pairs(["rest.port=0"]))
    assert (made.host, made.port, made.token, made.allow_origin) == ("127.0.0.1", 0, None, None)
    assert made.upload_dir == tmp_path / "flinkpy/uploads"
