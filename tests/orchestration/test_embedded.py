"""Embedded jobs and Dagster runs of programs on a real SparkSession."""

import time
from pathlib import Path

import pytest
from dagster import DagsterInstance, build_reconstructable_job, execute_job

from flinkpy_dagster import definitions_from
from flinkpy_dagster.api import StreamExecutionEnvironment, Types
from flinkpy_dagster.api.job_client import JobStatus
from flinkpy_dagster.api.running import recording_jobs
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import JobCanceled, SlotsUnavailable, UserCodeError
from tests.orchestration import programs

pytestmark = [pytest.mark.dagster, pytest.mark.spark]
ROOT = Path(__file__).resolve().parents[2]
QUIET = {"console": {"config": {"log_level": "CRITICAL"}}}


@pytest.fixture
def env(spark, tmp_path) -> StreamExecutionEnvironment:
    configuration = Configuration.from_dict({"flinkpy.data-sets.dir": str(tmp_path / "data_sets")})
    made = StreamExecutionEnvironment.get_execution_environment(configuration)
    made.set_parallelism(2)
    return made


def active_spark_jobs(spark) -> list[int]:
    return list(spark.sparkContext.statusTracker().getActiveJobsIds())


@pytest.mark.parametrize("mode", ["PIPELINED_REGION", "LAZY_FROM_SOURCES", "EAGER"])
@pytest.mark.parametrize("runtime", ["STREAMING", "BATCH"])
def test_collect_when_run_then_values_come_back(env, mode, runtime) -> None:
    env.configure(
        Configuration.from_dict({"jobmanager.scheduling-mode": mode, "execution.runtime-mode": runtime})
    )
    with programs.counted(env, ["a", "b", "a"]).execute_and_collect() as results:
        found = sorted(results)
    assert found == ([("a", 2), ("b", 1)] if runtime == "BATCH" else [("a", 1), ("a", 2), ("b", 1)])


def test_print_when_run_then_lines_on_standard_output_and_result_of_the_job(env, capsys) -> None:
    env.from_collection([1, 2], Types.INT()).map(lambda value: value + 1, Types.INT()).print("p")
    result = env.execute("printing")
    lines = capsys.readouterr().out.splitlines()
    assert sorted(line.partition("> ")[2] for line in lines) == ["2", "3"]
    assert len(str(result.get_job_id())) == 32
    assert result.get_net_runtime() > 0


def test_failure_when_user_code_raises_then_its_error_comes_out(env) -> None:
    def refuse(value):
        raise ValueError(f"no {value}")

    env.from_collection([1], Types.INT()).map(refuse).print()
    with pytest.raises(UserCodeError, match=r"Map.*ValueError: no 1 \(File .*test_embedded\.py"):
        env.execute("failing")


def test_slots_when_configured_too_few_then_error_before_anything_starts(env) -> None:
    env.configure(Configuration.from_dict({"taskmanager.numberOfTaskSlots": "1"}))
    env.from_collection([1], Types.INT()).map(lambda value: value).print()
    with pytest.raises(SlotsUnavailable, match="needs 2 slots at once, 1 exist"):
        env.execute("greedy")


def test_failure_when_the_program_asks_for_it_then_it_knows(env) -> None:
    env.configure(Configuration.from_dict({"taskmanager.numberOfTaskSlots": "1"}))
    env.from_collection([1], Types.INT()).map(lambda value: value).print()
    with recording_jobs() as started:
        client = env.execute_async("greedy")
        assert not started.is_told(client)
        with pytest.raises(SlotsUnavailable):
            client.get_job_execution_result().result()
        assert started.is_told(client)


def test_cancel_when_spark_runs_then_no_spark_job_is_left(env, spark) -> None:
    def dawdle(value):
        time.sleep(0.5)
        return value

    env.from_collection(list(range(1000)), Types.INT()).map(dawdle).print()
    client = env.execute_async("endless")
    while not active_spark_jobs(spark):
        time.sleep(0.1)
        assert not client.get_job_status().result().is_terminal_state()
    began = time.monotonic()
    with recording_jobs() as started:
        client.cancel().result()
    assert time.monotonic() - began < 5
    assert started.is_told(client)
    assert active_spark_jobs(spark) == []
    assert client.get_job_status().result() is JobStatus.CANCELED
    with pytest.raises(JobCanceled):
        client.get_job_execution_result().result()


def test_dagster_run_when_word_count_then_assets_tell_rows_schema_and_place(spark, tmp_path) -> None:
    configuration = {"flinkpy.data-sets.dir": str(tmp_path / "data_sets"), "parallelism.default": "2"}
    config = {
        "args": ["--mode", "batch", "--output", str(tmp_path / "counts")],
        "configuration": configuration,
    }
    job = build_reconstructable_job(__name__, "word_count_to_parquet")
    with DagsterInstance.ephemeral() as instance:
        result = execute_job(
            job,
            instance,
            run_config={"resources": {"word_count_run": {"config": config}}, "loggers": QUIET},
        )
    assert result.success
    made = {
        event.asset_key.path[-1]: {key: value.value for key, value in event.materialization.metadata.items()}
        for event in result.get_asset_materialization_events()
    }
    assert set(made) == {"words", "word_counts"}
    assert made["words"]["dagster/row_count"] == 166
    assert made["word_counts"]["dagster/row_count"] == 90
    assert made["word_counts"]["path"].endswith("counts")
    assert spark.read.parquet(made["word_counts"]["path"]).count() == 90


def word_count_to_parquet():
    program = ROOT / "jobs" / "word_count.py"
    return definitions_from(program, args={"word_count": ["--output", "counts"]}).resolve_job_def(
        "word_count_job"
    )


def test_dagster_run_when_vertices_differ_from_those_loaded_then_error_says_so(spark) -> None:
    config = {"resources": {"by_argument_run": {"config": {"args": ["more"]}}}, "loggers": QUIET}
    with DagsterInstance.ephemeral() as instance:
        result = execute_job(build_reconstructable_job(__name__, "by_argument"), instance, run_config=config)
    assert not result.success
    errors = [event.engine_event_data.error for event in result.all_events if event.is_resource_init_failure]
    assert "With these arguments and options program 'by_argument' has the vertices" in errors[0].to_string()


def by_argument():
    return definitions_from(programs.by_argument).resolve_job_def("by_argument_job")


def with_users_session():
    from dagster_pyspark import PySparkResource

    resources = {"pyspark": PySparkResource(spark_config={"spark.app.name": "the user's"})}
    return definitions_from(programs.streaming, resources=resources).resolve_job_def("streaming_job")


def test_dagster_run_when_user_gives_pyspark_then_its_session_is_used(spark, monkeypatch) -> None:
    monkeypatch.setattr("flinkpy_dagster.orchestration.programs.run_making.SessionStart", None)
    job = build_reconstructable_job(__name__, "with_users_session")
    with DagsterInstance.ephemeral() as instance:
        result = execute_job(job, instance, run_config={"loggers": QUIET})
        texts = [record.user_message for record in instance.all_logs(result.run_id)]
    assert result.success
    assert any("records in" in text for text in texts)
