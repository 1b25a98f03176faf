"""The files of docs/deployment, as far as they can be checked without containers: that the recipe's instance works on a
real PostgreSQL is shown by tests/clusters/test_postgres_instance.py.
"""

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from dagster import DagsterInstance

from flinkpy_dagster.cli.arguments import parse

RECIPES = Path(__file__).parents[2] / "docs" / "deployment"
SERVICE_KEYS = {
    "image",
    "build",
    "restart",
    "environment",
    "volumes",
    "depends_on",
    "healthcheck",
    "command",
    "ports",
    "deploy",
}


def recipe(name: str) -> dict[str, Any]:
    return yaml.safe_load((RECIPES / name).read_text())


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    return recipe("compose.yaml")["services"]


def test_services_when_they_name_volumes_and_each_other_then_these_are_there(services) -> None:
    volumes = set(recipe("compose.yaml")["volumes"])
    for name, service in services.items():
        assert set(service) <= SERVICE_KEYS, name
        assert {each.partition(":")[0] for each in service.get("volumes", ())} <= volumes
        assert set(service.get("depends_on", ())) <= set(services)
        assert "/" not in service["image"]  # no registry's host


def test_commands_when_they_are_ours_or_a_packages_then_they_exist_here(services) -> None:
    commands = [service["command"] for service in services.values() if "command" in service]
    assert len(commands) == len(services) - 1  # PostgreSQL's image has its own
    for command in commands:
        assert all(isinstance(word, str) for word in command)
        assert shutil.which(command[0], path=Path(sys.executable).parent) is not None, command
        if command[0] == "flinkpy":
            parse(command[1:])


def test_addresses_when_services_are_asked_then_under_their_names_and_ports(services) -> None:
    (location,) = (each["grpc_server"] for each in recipe("workspace.yaml")["load_from"])
    assert services[location["host"]]["command"][5:7] == ["-p", str(location["port"])]
    host, port = services["worker"]["command"][-1].removeprefix("spark://").split(":")
    assert services[host]["command"][-2:] == ["--port", port]


def test_environment_when_the_instance_reads_variables_then_all_services_have_them(services) -> None:
    database = recipe("dagster.yaml")["storage"]["postgres"]["postgres_db"]
    wanted = {value["env"] for value in database.values() if isinstance(value, dict)}
    for name, service in services.items():
        if name != "postgres":
            assert wanted <= set(service["environment"]), name
            assert "jobs:/opt/dagster/flinkpy" in service["volumes"]  # submitted programs, seen by all


def test_instance_when_its_storage_is_this_machines_then_dagster_takes_all_else(tmp_path) -> None:
    settings = recipe("dagster.yaml")
    del settings["storage"]
    (tmp_path / "dagster.yaml").write_text(yaml.safe_dump(settings))
    with DagsterInstance.from_config(str(tmp_path)) as instance:
        assert instance.run_retries_enabled
        assert instance.run_monitoring_enabled
        assert instance.run_monitoring_max_resume_run_attempts == 0


def test_values_when_runs_mount_a_volume_then_it_is_one_of_their_pods() -> None:
    values = recipe("values.yaml")
    (shop,) = values["dagster-user-deployments"]["deployments"]
    volumes = {each["name"] for each in shop["volumes"]}
    assert {each["name"] for each in shop["volumeMounts"]} <= volumes
    pod = values["runLauncher"]["config"]["k8sRunLauncher"]["runK8sConfig"]["podSpecConfig"]
    assert pod["volumes"] == shop["volumes"]
    assert values["runLauncher"]["type"] == "K8sRunLauncher"
    assert values["dagsterDaemon"]["runMonitoring"]["maxResumeRunAttempts"] == 0
