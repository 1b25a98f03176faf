"""Checks in Dagster runs on Spark: what they report, what they stop, what is stored for them."""

import os

import pytest
from dagster import DagsterInstance, build_reconstructable_job, execute_job

from tests.orchestration.quality import checked_programs

pytestmark = [pytest.mark.spark, pytest.mark.dagster]
QUIET = {"console": {"config": {"log_level": "CRITICAL"}}}


@pytest.fixture
def run(spark, tmp_path, monkeypatch):
    """A function that runs a job of ``checked_programs``; gives its result."""
    monkeypatch.setenv(checked_programs.FOLDER, str(tmp_path))

    def launch(name: str, program: str, *args):
        options = {"flinkpy.data-sets.dir": str(tmp_path / "data_sets")}
        config = {
            "resources": {f"{program}_run": {"config": {"configuration": options}}},
            "loggers": QUIET,
        }
        job = build_reconstructable_job(checked_programs.__name__, name, args)
        with DagsterInstance.ephemeral() as instance:
            return execute_job(job, instance, run_config=config, raise_on_error=False)

    return launch


def found(result) -> dict[str, tuple]:
    """Passed, severity and blocking by name of the check."""
    return {
        each.check_name: (each.passed, each.severity.name, each.blocking)
        for each in result.get_asset_check_evaluations()
    }


def made(result) -> set[str]:
    return {event.asset_key.path[-1] for event in result.get_asset_materialization_events()}


def test_checks_when_none_blocks_then_all_are_told_and_results_are_in_place(run, tmp_path) -> None:
    result = run("batch_job", "words_batch", False)
    assert result.success
    assert found(result) == {
        "sane": (True, "ERROR", False),
        "mild": (False, "WARN", False),
        "few": (False, "ERROR", False),
    }
    evaluation = next(each for each in result.get_asset_check_evaluations() if each.check_name == "few")
    assert evaluation.asset_key.path == ["counts"]
    samples = evaluation.metadata["failing_samples"].records
    assert [record.data["value"] for record in samples] == ["2", "2"]
    assert evaluation.metadata["unexpected"].value == 2
    assert os.path.exists(tmp_path / "counts")


def test_checks_when_one_blocks_then_the_table_is_not_there_and_its_op_says_why(run, tmp_path) -> None:
    result = run("batch_job", "words_batch", True)
    assert not result.success
    assert found(result)["few"] == (False, "ERROR", True)
    assert found(result)["sane"] == (True, "ERROR", False)
    assert not {"counts", "long_words"} & made(result)
    assert os.listdir(tmp_path) == ["data_sets"]
    (event,) = [event for event in result.all_events if event.is_step_failure]
    assert event.step_key.endswith("counts_writer")
    assert (
        "Blocking check 'few' of 'counts' has failed" in event.step_failure_data.user_failure_data.description
    )


def test_checks_when_a_data_set_does_not_pass_then_the_next_region_does_not_run(run) -> None:
    result = run("stopped_region_job", "words_batch")
    assert not result.success
    assert found(result) == {"few": (False, "ERROR", True)}
    assert made(result) == {"collection_source", "map"}
    started = {event.step_key.rpartition(".")[2] for event in result.all_events if event.is_step_start}
    assert "counts_writer" not in started


def test_checks_when_a_pipelined_data_set_is_asked_for_then_it_is_stored_and_checked(run) -> None:
    result = run("pipelined_job", "words_streaming")
    assert result.success
    assert found(result) == {"sane": (True, "ERROR", True)}
    about = next(
        event.materialization.metadata
        for event in result.get_asset_materialization_events()
        if event.asset_key.path[-1] == "reduce"
    )
    assert about["dagster/row_count"].value == 5
    assert os.path.exists(about["path"].value)
