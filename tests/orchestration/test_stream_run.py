"""Unbounded jobs in Dagster runs: savepoints, stops, restarts, checkpoints as assets, and who may not run them."""

import os
from pathlib import Path

import pytest
from dagster import DagsterInstance, build_reconstructable_job, execute_job

from flinkpy_dagster import definitions_from
from flinkpy_dagster.api import Encoder, FileSink, StreamExecutionEnvironment, Types
from flinkpy_dagster.api.job_client import JobStatus
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import CheckpointNotFound
from flinkpy_dagster.state.savepoints import open_checkpoint
from tests.dataplane.streaming import lines_below, put_file

pytestmark = [pytest.mark.dagster, pytest.mark.spark]

NUMBER = Types.ROW_NAMED(["number"], [Types.INT()])
QUIET = {"console": {"config": {"log_level": "CRITICAL"}}}
FOLDER = "FLINKPY_TEST_FOLDER"  # environment variable: programs in Dagster locations get no objects


def environment(folder: Path, **settings: str) -> StreamExecutionEnvironment:
    pairs = {
        "parallelism.default": "1",
        "execution.trigger": "available-now",
        "execution.trigger-interval": "50 ms",
        "execution.checkpointing.dir": str(folder / "checkpoints"),
        **settings,
    }
    return StreamExecutionEnvironment.get_execution_environment(Configuration.from_dict(pairs))


def summing(env: StreamExecutionEnvironment, folder: Path, function=lambda row: ("sum", row.number)) -> None:
    """The sum so far, after each number."""
    rows = env.from_csv(str(folder / "in"), row_type=NUMBER, monitor_continuously=True)
    pairs = rows.map(function, Types.TUPLE([Types.STRING(), Types.INT()]))
    sums = pairs.key_by(lambda pair: pair[0], Types.STRING()).reduce(
        lambda one, other: (one[0], one[1] + other[1])
    )
    sink = FileSink.for_row_format(str(folder / "out"), Encoder.simple_string_encoder()).build()
    sums.uid("sums").map(lambda pair: str(pair[1]), Types.STRING()).sink_to(sink)


def sums_of(folder: Path) -> list[int]:
    return sorted(map(int, lines_below(folder / "out")))


def test_runs_that_are_available_now_go_on_where_the_last_one_ended(spark, tmp_path: Path, capsys) -> None:
    for number, says in ((1, "starts afresh"), (10, "goes on from epoch 1"), (100, "goes on from epoch 2")):
        put_file(tmp_path / "in", f"{number}.csv", [number])
        env = environment(tmp_path)
        summing(env, tmp_path)
        env.execute("sums")
        assert says in capsys.readouterr().err
    assert sums_of(tmp_path) == [1, 11, 111]


def test_a_running_job_makes_savepoints_and_stops_with_one(spark, tmp_path: Path) -> None:
    put_file(tmp_path / "in", "1.csv", [1])
    env = environment(tmp_path, **{"execution.trigger": "continuous"})
    summing(env, tmp_path)
    client = env.execute_async("sums")
    while client.run.runner is None:
        assert not client.get_job_status().result().is_terminal_state()
    first = client.trigger_savepoint(str(tmp_path / "savepoints")).result()
    assert client.get_job_status().result() is JobStatus.RUNNING
    last = client.stop_with_savepoint(False, str(tmp_path / "savepoints")).result()
    client.get_job_execution_result().result()
    assert client.get_job_status().result() is JobStatus.FINISHED
    assert open_checkpoint(first).metadata.epoch <= open_checkpoint(last).metadata.epoch
    assert spark.streams.active == []

    put_file(tmp_path / "in", "2.csv", [10])
    env = environment(tmp_path, **{"execution.state-recovery.path": last})
    summing(env, tmp_path)
    env.execute("sums")
    assert sums_of(tmp_path) == [1, 11]


def test_a_savepoint_that_is_not_there_is_refused(spark, tmp_path: Path) -> None:
    put_file(tmp_path / "in", "1.csv", [1])
    env = environment(tmp_path, **{"execution.state-recovery.path": str(tmp_path / "nothing")})
    summing(env, tmp_path)
    with pytest.raises(CheckpointNotFound, match="nothing"):
        env.execute("sums")


def test_a_job_that_fails_restarts_from_its_newest_epoch(spark, tmp_path: Path) -> None:
    (tmp_path / "fail").touch()
    put_file(tmp_path / "in", "1.csv", [1])
    put_file(tmp_path / "in", "2.csv", [10])
    settings = {
        "flinkpy.epoch.max-files": "1",
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.delay": "10 ms",
    }
    env = environment(tmp_path, **settings)
    marker = str(tmp_path / "fail")

    def failing_once(row):
        if row.number == 10 and os.path.exists(marker):
            os.remove(marker)
            raise ValueError("once")
        return "sum", row.number

    summing(env, tmp_path, failing_once)
    env.execute("sums")
    assert not os.path.exists(marker)
    assert sums_of(tmp_path) == [1, 11]


def sums_program() -> None:
    folder = Path(os.environ[FOLDER])
    env = environment(folder)
    summing(env, folder)
    env.execute("sums")


def sums_job():
    return definitions_from(sums_program).resolve_job_def("sums_program_job")


def test_checkpoints_are_materializations_with_numbers(spark, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    put_file(tmp_path / "in", "1.csv", [1, 2])
    with DagsterInstance.ephemeral() as instance:
        result = execute_job(
            build_reconstructable_job(__name__, "sums_job"), instance, run_config={"loggers": QUIET}
        )
        assert result.success
        made = [
            {name: value.value for name, value in event.materialization.metadata.items()}
            for event in result.get_asset_materialization_events()
            if event.asset_key.path[-1] == "checkpoints"
        ]
    assert len(made) == 1
    assert {name: made[0][name] for name in ("id", "epoch", "keys", "kind", "not_reported")} == {
        "id": 1,
        "epoch": 1,
        "keys": 1,
        "kind": "checkpoint",
        "not_reported": 0,
    }
    assert made[0]["bytes_full"] > 0
    assert open_checkpoint(made[0]["path"]).metadata.epoch == 1
    assert made[0]["state_bytes sums"] > 0


def test_executors_that_run_op_after_op_refuse_sources_that_never_end(
    spark, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    (tmp_path / "in").mkdir()
    with pytest.raises(Exception, match=r"'Source: CSV Source', which never ends.*execute_in_process"):
        sums_job().execute_in_process(run_config={"loggers": QUIET})


def test_pipelines_that_know_nothing_of_each_other_share_their_epochs(spark, tmp_path: Path) -> None:
    """Two regions in Dagster, one query in Spark; a failure in one restarts both from one epoch."""
    (tmp_path / "fail").touch()
    env = environment(
        tmp_path,
        **{"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.delay": "10 ms"},
    )
    marker = str(tmp_path / "fail")

    def failing_once(row):
        if os.path.exists(marker):
            os.remove(marker)
            raise ValueError("once")
        return "sum", row.number

    for name, function in (("one", failing_once), ("other", lambda row: ("sum", row.number))):
        put_file(tmp_path / name / "in", "1.csv", [1, 2])
        rows = env.from_csv(str(tmp_path / name / "in"), row_type=NUMBER, monitor_continuously=True)
        sink = FileSink.for_row_format(str(tmp_path / name / "out"), Encoder.simple_string_encoder()).build()
        pairs = rows.map(function, Types.TUPLE([Types.STRING(), Types.INT()]))
        pairs.map(lambda pair: str(pair[1]), Types.STRING()).sink_to(sink)
    env.execute("two pipelines")
    assert not os.path.exists(marker)
    assert sums_of(tmp_path / "one") == sums_of(tmp_path / "other") == [1, 2]
