"""A gateway over an instance in memory, and one over a job that runs have told about."""

import warnings
from pathlib import Path

import pytest
from dagster import DagsterInstance

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.gateway.serving.app import gateway_app
from flinkpy_dagster.gateway.settings import GatewaySettings
from tests.gateway.told_jobs import tell_jobs

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it would rather have httpx2, which does the same
    from starlette.testclient import TestClient


def settings(folder: Path, **more) -> GatewaySettings:
    return GatewaySettings(upload_dir=folder / "uploads", configuration=Configuration(), **more)


@pytest.fixture
def instance(tmp_path):
    with DagsterInstance.ephemeral(tempdir=str(tmp_path)) as made:
        yield made


@pytest.fixture
def client(instance, tmp_path):
    """Of a gateway whose instance has no jobs."""
    with TestClient(gateway_app(instance, settings(tmp_path)), raise_server_exceptions=False) as made:
        yield made


@pytest.fixture(scope="session")
def told(tmp_path_factory):
    """A gateway over jobs in every situation that Flink was recorded in, and their ids by situation."""
    folder = tmp_path_factory.mktemp("told")
    with DagsterInstance.ephemeral(tempdir=str(folder)) as made:
        ids = tell_jobs(made)
        with TestClient(gateway_app(made, settings(folder)), raise_server_exceptions=False) as client:
            yield client, ids
