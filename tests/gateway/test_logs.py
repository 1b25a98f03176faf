"""Logs over HTTP: the gateway's own, those of submitted jobs, those of the steps of a running one."""

import os
from pathlib import Path

import pytest
from dagster import DagsterInstance

from flinkpy_dagster.gateway.serving.app import gateway_app
from flinkpy_dagster.orchestration.dispatcher.job_store import JobStore
from tests.gateway.conftest import TestClient, settings
from tests.gateway.told_jobs import ToldJob, captured


@pytest.fixture
def on_disk(tmp_path):
    """A gateway over an instance with files, a running job of it, and that job's log."""
    (tmp_path / "home").mkdir()
    with DagsterInstance.local_temp(str(tmp_path / "home")) as instance:
        job = ToldJob(instance, captured("bounded")).begin()
        log = Path(JobStore(instance.root_directory).log_of(job.job_id))
        log.parent.mkdir(parents=True)
        (log.parent / "job.json").write_text("{}")
        log.write_text("line one\nline two\n")
        with TestClient(gateway_app(instance, settings(tmp_path))) as client:
            yield client, instance, job, log


def test_job_manager_logs_when_jobs_were_submitted_then_each_has_one(on_disk) -> None:
    client, _, job, log = on_disk
    own, submitted = client.get("/jobmanager/logs").json()["logs"]
    assert own["name"] == "gateway.log"
    assert submitted == {
        "name": f"{job.job_id}.log",
        "size": 18,
        "mtime": round(log.stat().st_mtime * 1000),
    }
    text = client.get(f"/jobmanager/logs/{job.job_id}.log")
    assert (text.text, text.headers["content-type"]) == (log.read_text(), "text/plain; charset=utf-8")


def test_job_manager_log_when_something_was_asked_for_then_it_is_told(on_disk) -> None:
    client, _, job, _ = on_disk
    client.patch(f"/jobs/{job.job_id}/rescaling?parallelism=3")
    client.post("/jobs")
    assert client.get("/jobmanager/log").text == client.get("/jobmanager/logs/gateway.log").text
    assert "INFO  flinkpy_dagster.gateway.serving.app" in client.get("/jobmanager/log").text


def test_task_manager_logs_when_steps_have_printed_then_they_are_files_of_its_job(on_disk) -> None:
    client, instance, job, log = on_disk
    folder = Path(
        instance.compute_log_manager.get_captured_local_path([job.run.run_id, "compute_logs", "x"], "out")
    ).parent
    folder.mkdir(parents=True)
    (folder / "Map.out").write_text("printed")
    (folder / "Map.err").write_text("")
    (manager,) = client.get("/taskmanagers").json()["taskmanagers"]
    one = f"/taskmanagers/{manager['id']}"
    assert [each["name"] for each in client.get(f"{one}/logs").json()["logs"]] == [log_name(job), "Map.out"]
    assert client.get(f"{one}/stdout").text == client.get(f"{one}/logs/Map.out").text == "printed"
    assert client.get(f"{one}/log").text == log.read_text()


@pytest.mark.parametrize(
    "name", ["job.json", "..", "../job.json", "%2e%2e%2fjob.json", "/etc/passwd", "x\x00"]
)
def test_logs_when_a_name_is_made_up_then_no_file_is_read(on_disk, name) -> None:
    client, _, _, log = on_disk
    os.symlink("/etc/passwd", log.parent / "passwd")
    answer = client.get(f"/jobmanager/logs/{name}".replace("\x00", "%00"))
    assert answer.status_code == 404
    assert list(answer.json()) == ["errors"]


def log_name(job: ToldJob) -> str:
    return f"{job.job_id}.log"
