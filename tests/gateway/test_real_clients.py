"""Real clients, a gateway process and a job on Spark: Flink's command line and dashboard, flink-rest-client."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.gateway.flink_cli import CHROMIUM, VENV, flink

pytestmark = [
    pytest.mark.pyflink,
    pytest.mark.spark,
    pytest.mark.dagster,
    pytest.mark.slow,
    pytest.mark.skipif(not VENV, reason="FLINK_VENV names no venv with apache-flink"),
    pytest.mark.filterwarnings("ignore"),
]
PROGRAM = Path(__file__).parent / "programs" / "clicks.py"
PATIENCE = 400.0  # seconds; a JVM on a busy machine
ENDED = {"FINISHED", "FAILED", "CANCELED"}
PAGES = {
    "overview": ("/#/overview", ["Running Application List", "clicks"]),
    "job": ("/#/job/running/{job}/overview", ["Source: lines", "RUNNING", "HASH", "Low Watermark: 2999"]),
    "vertex": ("/#/job/running/{job}/overview/{vertex}/watermarks", ["Watermark"]),
    "checkpoints": ("/#/job/running/{job}/checkpoints", ["Completed: ", "chk-1"]),
    "exceptions": ("/#/job/running/{job}/exceptions", ["Exception"]),
    "managers": ("/#/task-manager", ["127.0.0.1"]),
    "log": ("/#/job-manager/logs", ["gateway.serving.app"]),
}


@pytest.fixture
def gateway(tmp_path):
    """Its port. Jobs that a failed test leaves are canceled."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "flinkpy_dagster", "gateway", "--port", str(port)]
    command += ["-D", f"flinkpy.gateway.dashboard={VENV}"]
    environment = os.environ | {"DAGSTER_HOME": str(home)}
    with (tmp_path / "gateway.out").open("w") as output:
        process = subprocess.Popen(
            command, env=environment, cwd=tmp_path, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        yield port
        listed = subprocess.run(
            [*command[:3], "list", "--json"], env=environment, capture_output=True, text=True
        )
        for job in json.loads(listed.stdout or '{"jobs": []}')["jobs"]:
            subprocess.run([*command[:3], "cancel", job["jid"]], env=environment, capture_output=True)
    finally:
        process.terminate()
        process.wait(60)


def connected(port: int):
    """The client of flink-rest-client, once the gateway answers."""
    from flink_rest_client import FlinkRestClient

    client = FlinkRestClient.get("127.0.0.1", port)
    await_(lambda: client.overview() if is_listening(port) else None)
    return client


def is_listening(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def await_(look):
    """What ``look`` gives as soon as it gives something."""
    deadline = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < deadline, f"nothing came of {look}"
        time.sleep(0.3)
    return found


def await_running(client, job_id: str, checkpoints: int) -> None:
    """Until it runs and has made so many checkpoints; a job that fails meanwhile does not."""
    await_state(client, job_id, "RUNNING")

    def checkpointed():
        history = client.jobs.get_exceptions(job_id)["exceptionHistory"]["entries"]
        assert history == [], history[0]["stacktrace"]
        return client.jobs.get_checkpoints(job_id)["counts"]["completed"] >= checkpoints

    await_(checkpointed)


def await_state(client, job_id: str, *states: str) -> None:
    def state():
        now = client.jobs.get(job_id)["state"]
        assert now in states or now not in ENDED, (now, client.jobs.get_exceptions(job_id))
        return now in states

    await_(state)


def test_clients_when_a_job_runs_on_spark_then_each_can_do_what_it_does_with_flink(gateway, tmp_path) -> None:
    client = connected(gateway)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "one.txt").write_text("a 1\nb 2\na 3\n")
    jar = client.jars.upload(str(PROGRAM))["filename"].rpartition("/")[2]
    job_id = client.jars.run(jar, arguments={"folder": str(tmp_path / "in")})
    await_running(client, job_id, checkpoints=1)

    # flink-rest-client
    vertices = client.jobs.get(job_id)["vertices"]
    reader = client.jobs.get_vertex(job_id, vertices[-1]["id"])
    await_(lambda: reader.details()["subtasks"][0]["metrics"]["read-records"] >= 3)
    assert reader.metrics(["0.currentInputWatermark"]) == {"0.currentInputWatermark": "2999"}
    (manager,) = client.taskmanagers.taskmanager_ids()
    assert [each["name"] for each in client.taskmanagers.get_logs(manager)][:1] == [f"{job_id}.log"]

    # the dashboard
    assert browse(gateway, tmp_path, job=job_id, vertex=vertices[-1]["id"]) == []

    # the command line
    assert f"{job_id} : clicks (RUNNING)" in flink(gateway, tmp_path, "list")
    told = flink(gateway, tmp_path, "savepoint", job_id, str(tmp_path / "saved"))
    savepoint = told.partition("Savepoint completed. Path: ")[2].split()[0]
    assert (Path(savepoint) / "_metadata").exists(), told
    told = flink(gateway, tmp_path, "stop", "-p", str(tmp_path / "saved"), job_id)
    assert "Savepoint completed. Path: " in told
    await_state(client, job_id, "FINISHED")

    # once more, from the savepoint, which it claims; canceled by the command line
    run = {
        "programArgsList": ["--folder", str(tmp_path / "in")],
        "savepointPath": savepoint,
        "claimMode": "CLAIM",
    }
    (tmp_path / "in" / "two.txt").write_text("b 4\n")  # without news there are no epochs
    again = posted(gateway, f"/jars/{jar}/run", run)["jobid"]
    await_running(client, again, checkpoints=1)
    assert client.jobs.get_checkpoints(again)["latest"]["restored"]["external_path"] == savepoint
    await_(lambda: not Path(savepoint).exists())
    assert f"Cancelled job {again}." in flink(gateway, tmp_path, "cancel", again)
    await_state(client, again, "CANCELED")
    ended = flink(gateway, tmp_path, "list", "-a").partition("Terminated Jobs")[2]
    assert f"{job_id} : clicks (FINISHED)" in ended
    assert f"{again} : clicks (CANCELED)" in ended


def posted(port: int, path: str, body: dict) -> dict:
    from urllib.request import Request, urlopen

    request = Request(f"http://127.0.0.1:{port}{path}", json.dumps(body).encode())
    request.add_header("Content-Type", "application/json")
    with urlopen(request, timeout=PATIENCE) as answer:
        return json.loads(answer.read())


def browse(port: int, folder: Path, **ids: str) -> list[str]:
    """Looks at the pages, with a picture of each in ``folder`` (or FLINKPY_PICTURES); errors there were."""
    playwright = pytest.importorskip("playwright.sync_api")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"there is no browser at {CHROMIUM}: CHROMIUM names one")
    pictures = Path(os.environ.get("FLINKPY_PICTURES", folder))
    wrong: list[str] = []
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1500, "height": 900})
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("response", lambda answer: wrong.append(answer.url) if answer.status >= 400 else None)
        for name, (path, texts) in PAGES.items():
            page.goto(f"http://127.0.0.1:{port}{path.format(**ids)}")
            page.reload()
            for text in texts:
                page.get_by_text(text).first.wait_for(state="attached", timeout=120_000)
            page.screenshot(path=str(pictures / f"flink-{name}.png"))
        browser.close()
    return wrong
