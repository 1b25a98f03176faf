"""Checks of an unbounded job in Dagster: of what an epoch writes, and of its state, alone and before savepoints."""

from pathlib import Path

import pytest
from dagster import DagsterInstance, build_reconstructable_job, execute_job

from tests.dataplane.streaming import put_file
from tests.orchestration.quality import checked_stream
from tests.orchestration.test_stream_run import FOLDER, sums_of

pytestmark = [pytest.mark.dagster, pytest.mark.spark]


def test_checks_when_a_job_has_made_epochs_then_told_and_its_state_can_be_looked_at(
    spark, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    put_file(tmp_path / "in", "1.csv", [1, 2])
    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}

    def launch(instance: DagsterInstance, name: str):
        job = build_reconstructable_job(checked_stream.__name__, "job", (name,))
        result = execute_job(job, instance, run_config=quiet)
        assert result.success
        return {
            (each.check_name, each.asset_key.path[-1], each.passed)
            for each in result.get_asset_check_evaluations()
        }

    with DagsterInstance.ephemeral() as instance:
        assert launch(instance, "sums_job") == {("digits", "writer", True)}
        assert launch(instance, "look_at_state") == {("positive", "checkpoints", True)}
    assert sums_of(tmp_path) == [1, 3]
