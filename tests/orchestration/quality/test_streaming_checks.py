"""Checks of an unbounded job in Dagster: of what an epoch writes, and of its state, alone and before savepoints."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from dagster import DagsterInstance, build_reconstructable_job, execute_job

from flinkpy_dagster.cli.main import main
from flinkpy_dagster.state.browsing import read_state
from flinkpy_dagster.state.savepoints import open_state
from tests.dataplane.streaming import put_file
from tests.orchestration.quality import checked_stream
from tests.orchestration.stopping import eventually
from tests.orchestration.test_stream_run import FOLDER, sums_of

pytestmark = [pytest.mark.dagster, pytest.mark.spark]
LONG = 120.0
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def launch(instance: DagsterInstance, name: str):
    """Its checks as they were told, one after the other: name, asset, passed."""
    job = build_reconstructable_job(checked_stream.__name__, "job", (name,))
    result = execute_job(job, instance, run_config=QUIET)
    assert result.success
    return [
        (each.check_name, each.asset_key.path[-1], each.passed)
        for each in result.get_asset_check_evaluations()
    ]


def while_it_runs(instance: DagsterInstance, ask: Callable[[str], None]) -> "Future[None]":
    """``ask(run_id)`` in a thread once the run has started; however that ends, the run does not go on without end."""

    def work() -> None:
        eventually(lambda: instance.get_runs(), LONG)
        (run,) = instance.get_runs()
        try:
            ask(run.run_id)
        finally:
            if not instance.get_run_by_id(run.run_id).is_finished:
                instance.report_run_canceling(run)

    return ThreadPoolExecutor(1).submit(work)


class Asking:
    """What somebody does beside a running job of ``folder``; ``said`` are the outputs of flinkpy."""

    def __init__(self, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self._folder, self._capfd = folder, capfd
        self._savepoints = folder / "savepoints"
        self.said: list[str] = []

    def __call__(self, run_id: str) -> None:
        eventually(lambda: sums_of(self._folder) == [0], LONG)
        assert self._flinkpy("savepoint", run_id, str(self._savepoints)) == 1
        assert self._flinkpy("stop", "-p", str(self._savepoints), run_id) == 1
        assert self._flinkpy("stop", "-d", "-p", str(self._savepoints), run_id) == 1
        assert not self._savepoints.exists()
        put_file(self._folder / "in", "2.csv", [7])  # the job has gone on
        eventually(lambda: sums_of(self._folder) == [0, 7], LONG)
        assert self._flinkpy("savepoint", run_id, str(self._savepoints)) == 0
        assert self._flinkpy("stop", "-d", "-p", str(self._savepoints), run_id) == 0

    def _flinkpy(self, *words: str) -> int:
        self._capfd.readouterr()
        code = main(list(words))
        self.said.append("".join(self._capfd.readouterr()))
        return code


def test_savepoint_when_the_state_of_a_running_job_is_bad_then_refused_until_it_is_good(
    spark, tmp_path: Path, monkeypatch, capfd
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    monkeypatch.setenv(checked_stream.TRIGGER, "continuous")
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    put_file(tmp_path / "in", "1.csv", [0])  # the sum is to be at least 1
    with DagsterInstance.from_config(str(tmp_path / "home")) as instance:
        asking = Asking(tmp_path, capfd)
        asked = while_it_runs(instance, asking)
        told = launch(instance, "sums_job")
        asked.result()
        assert [each for each in told if each[0] == "positive"] == [
            ("positive", "checkpoints", passed) for passed in (False, False, False, True, True, True)
        ]
        assert ("digits", "writer", True) in told
        assert launch(instance, "look_at_state") == [("positive", "checkpoints", True)]
    first, stopping, drained, made, stopped = asking.said
    for refused in (stopping, drained):
        assert "Could not stop with a savepoint job" in refused
    for refused in (first, stopping, drained):
        assert "'positive' of 'sums/checkpoints' has failed" in refused
        assert "so there is no savepoint, and the job goes on. 1 of 1 expectations are not met" in refused
        assert "1 unexpected (0)" in refused
    assert "Savepoint completed" in made
    assert "Savepoint completed" in stopped
    for path in (tmp_path / "savepoints").iterdir():
        assert [row.value for row in read_state(open_state(str(path)), "sums")] == [("sum", 7)]
