"""Flink's own command line and web dashboard, out of a venv with apache-flink 2.3, against a gateway."""

from pathlib import Path

import pytest
from dagster import DagsterInstance

from flinkpy_dagster.gateway.serving.app import gateway_app
from flinkpy_dagster.orchestration.dispatcher.jobs import find_job
from flinkpy_dagster.orchestration.streaming.run_requests import ANSWER, REQUEST
from tests.gateway.conftest import settings
from tests.gateway.flink_cli import CHROMIUM, VENV, flink
from tests.gateway.serving import served
from tests.gateway.told_jobs import tell_jobs

pytestmark = [
    pytest.mark.pyflink,
    pytest.mark.slow,
    pytest.mark.skipif(not VENV, reason="FLINK_VENV names no venv with apache-flink"),
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture
def cluster(tmp_path):
    """A gateway with Flink's dashboard: port, ids of jobs by situation, and the instance, which is on disk.

    The gateway's threads and the test use it at once, which one in memory does not bear.
    """
    home = tmp_path / "dagster"
    home.mkdir()
    with DagsterInstance.local_temp(str(home)) as instance:
        ids = tell_jobs(instance)
        with served(gateway_app(instance, settings(tmp_path, dashboard=VENV))) as port:
            yield port, ids, instance


def test_list_when_jobs_are_there_then_flink_shows_them(cluster, tmp_path) -> None:
    port, ids, _ = cluster
    text = flink(port, tmp_path, "list", "-a")
    running, _, ended = text.partition("Terminated Jobs")
    assert f"{ids['running']} : streaming (RUNNING)" in running
    for situation, status in {"finished": "FINISHED", "failed": "FAILED", "canceled": "CANCELED"}.items():
        assert f"{ids[situation]} : " in ended
        assert f"({status})" in ended


def test_cancel_when_the_job_runs_then_it_is_told(cluster, tmp_path) -> None:
    port, ids, instance = cluster
    assert f"Cancelled job {ids['running']}." in flink(port, tmp_path, "cancel", ids["running"])
    assert find_job(instance, ids["running"]).status == "CANCELLING"
    assert "another terminal state (FINISHED)" in flink(port, tmp_path, "cancel", ids["finished"])
    assert "Job could not be found." in flink(port, tmp_path, "cancel", "f" * 32)


@pytest.mark.parametrize("action", ["savepoint", "stop"])
def test_savepoint_when_the_job_answers_then_flink_has_its_path(cluster, tmp_path, action) -> None:
    port, ids, instance = cluster
    where = [ids["running"], "/sv"] if action == "savepoint" else ["-p", "/sv", ids["running"]]
    command = _in_background(flink, port, tmp_path, action, *where)
    run_id = find_job(instance, ids["running"]).run_id
    while not (asked := [tag for tag in instance.get_run_by_id(run_id).tags if tag.startswith(REQUEST)]):
        assert not command.done(), command.result()
    instance.add_run_tags(run_id, {ANSWER + asked[0].removeprefix(REQUEST): '{"path": "/sv/savepoint-1"}'})
    assert "Savepoint completed. Path: /sv/savepoint-1" in command.result(300)


def test_savepoint_when_it_fails_then_flink_shows_why(cluster, tmp_path) -> None:
    port, _, _ = cluster
    text = flink(port, tmp_path, "savepoint", "f" * 32)
    assert f"Caused by: JobNotFound: Could not find Flink job ({'f' * 32})" in text


def _in_background(function, *arguments):
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(1).submit(function, *arguments)


# -- dashboard -----------------------------------------------------------------------------------------

PAGES = {
    "/#/overview": ["Running Application List", "SingleJobApplication(streaming)", "RUNNING", "FAILED"],
    "/#/job/running/{running}/overview": [
        "streaming",
        "Source: lines",
        "Reduce -> Sink: Print",
        "HASH",
        "20",
    ],
    "/#/job/running/{running}/overview/{vertex}/detail": ["Records Received", "Max Parallelism"],
    "/#/job/running/{running}/overview/{vertex}/subtasks": ["127.0.0.1"],
    "/#/job/running/{running}/checkpoints": ["Triggered: 3", "Completed: 2", "Failed: 1", "chk-1"],
    "/#/job/completed/{failed}/exceptions": ["refusing 13"],
    "/#/job/completed/{finished}/timeline": ["bounded"],
    "/#/job/completed/{finished}/configuration": ["Execution configuration"],
    "/#/task-manager": ["127.0.0.1"],
    "/#/job-manager/config": ["Configuration"],
    "/#/submit": ["Add New"],
}


def test_dashboard_when_driven_in_a_browser_then_shows_the_jobs(cluster, tmp_path) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"there is no browser at {CHROMIUM}: CHROMIUM names one")
    port, ids, _ = cluster
    wrong: list[str] = []
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1600, "height": 1000})
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("response", lambda answer: wrong.append(answer.url) if answer.status >= 400 else None)
        for path, texts in PAGES.items():
            vertex = _vertex_of(page, port, ids["running"])
            page.goto(f"http://127.0.0.1:{port}{path.format(**ids, vertex=vertex)}")
            page.reload()
            for text in texts:
                page.get_by_text(text).first.wait_for(state="attached", timeout=60_000)
        browser.close()
    assert wrong == []


def _vertex_of(page, port: int, job_id: str) -> str:
    job = page.request.get(f"http://127.0.0.1:{port}/jobs/{job_id}").json()
    return str(job["vertices"][0]["id"])
