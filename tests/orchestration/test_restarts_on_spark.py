"""Jobs that fail on their first attempt, on a real SparkSession: what they deliver, and what Dagster shows of it."""

import os
import shutil

import pytest
from dagster import DagsterInstance, build_reconstructable_job, execute_job

from flinkpy_dagster import NonRetryable, definitions_from
from flinkpy_dagster.api import (
    Encoder,
    FileSink,
    MapFunction,
    RuntimeExecutionMode,
    StreamExecutionEnvironment,
    Types,
)
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import UserCodeError

pytestmark = [pytest.mark.dagster, pytest.mark.spark]
QUIET = {"console": {"config": {"log_level": "CRITICAL"}}}
FIXED = {
    "restart-strategy.type": "fixed-delay",
    "restart-strategy.fixed-delay.attempts": "2",
    "restart-strategy.fixed-delay.delay": "10 ms",
}


class Flaky(MapFunction):
    """Fails on its third element, in attempts before ``until``; deletes ``losing`` before it does."""

    def __init__(self, until: int = 1, error: type[Exception] = OSError, losing: str | None = None):
        self.until, self.error, self.losing = until, error, losing

    def open(self, runtime_context):
        self.attempt = runtime_context.get_attempt_number()

    def map(self, value):
        if self.attempt < self.until and value == 3:
            if self.losing:
                shutil.rmtree(self.losing)
            raise self.error(f"attempt {self.attempt}")
        return value * 10


@pytest.fixture
def env(spark, tmp_path) -> StreamExecutionEnvironment:
    options = FIXED | {"flinkpy.data-sets.dir": str(tmp_path / "data_sets")}
    made = StreamExecutionEnvironment.get_execution_environment(Configuration.from_dict(options))
    return made.set_parallelism(1)


def numbers(env):
    return env.from_collection([1, 2, 3, 4], Types.INT())


def test_collect_when_the_first_attempt_fails_then_every_value_comes_once(env) -> None:
    with numbers(env).map(Flaky(), Types.INT()).execute_and_collect() as values:
        assert sorted(values) == [10, 20, 30, 40]


def test_files_when_the_first_attempt_fails_then_only_those_of_the_second_are_there(env, tmp_path) -> None:
    sink = FileSink.for_row_format(str(tmp_path / "out"), Encoder.simple_string_encoder()).build()
    numbers(env).map(Flaky(), Types.INT()).sink_to(sink)
    env.execute("files")
    lines = [path.read_text().split() for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert sorted(sum(lines, [])) == ["10", "20", "30", "40"]


@pytest.mark.parametrize(
    ("function", "attempts"), [(Flaky(until=9), [2, 1, 0]), (Flaky(until=9, error=NonRetryable), [0])]
)
def test_failure_when_it_goes_on_or_must_not_be_retried_then_history_has_the_attempts(
    env, function, attempts
) -> None:
    numbers(env).map(function, Types.INT()).print()
    client = env.execute_async("failing")
    with pytest.raises(UserCodeError, match=f"attempt {attempts[0]}"):
        client.get_job_execution_result().result()
    assert [
        f"attempt {number}: User code" in line
        for number, line in zip(attempts, client.get_exception_history(), strict=True)
    ] == [True] * len(attempts)


def test_blocking_result_when_deleted_then_its_producer_runs_again(env, tmp_path) -> None:
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    reads = tmp_path / "reads"

    def noted(value):
        with open(reads, "a") as lines:
            lines.write(f"{value}\n")
        return value

    data_sets = str(tmp_path / "data_sets")
    stream = numbers(env).map(noted, Types.INT()).rebalance().map(Flaky(losing=data_sets), Types.INT())
    with stream.execute_and_collect() as values:
        assert sorted(values) == [10, 20, 30, 40]
    assert sorted(reads.read_text().split()) == sorted("1 2 3 4".split() * 2)


def flaky_program(argv: list[str]) -> None:
    env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(1)
    numbers(env).map(Flaky(), Types.INT()).print()
    env.execute("flaky")


def flaky_job():
    return definitions_from(flaky_program).resolve_job_def("flaky_program_job")


def test_dagster_run_when_the_first_attempt_fails_then_steps_are_retried_and_metadata_says_so(
    spark, tmp_path
) -> None:
    options = FIXED | {"restart-strategy.fixed-delay.attempts": 2, "flinkpy.data-sets.dir": str(tmp_path)}
    config = {"resources": {"flaky_program_run": {"config": {"configuration": options}}}, "loggers": QUIET}
    with DagsterInstance.ephemeral() as instance:
        result = execute_job(build_reconstructable_job(__name__, "flaky_job"), instance, run_config=config)
        kinds = [event.event_type_value for event in result.all_events]
    assert result.success
    assert (kinds.count("STEP_UP_FOR_RETRY"), kinds.count("STEP_RESTARTED")) == (1, 1)
    (made,) = result.get_asset_materialization_events()
    metadata = {key: value.value for key, value in made.materialization.metadata.items()}
    assert (metadata["dagster/row_count"], metadata["numRestarts"], metadata["records_in"]) == (4, 1, 4)
    cause = next(event for event in result.all_events if event.is_step_up_for_retry)
    assert "OSError: attempt 0" in cause.step_retry_data.error.cause.message
    assert os.listdir(tmp_path) == []
