"""FlinkPy jobs under the executor, with a runner that is no Spark: order, slots, failure, cancel."""

import itertools
import signal
import threading
import time

import pytest
from dagster import (
    DagsterEventType,
    DagsterInstance,
    Definitions,
    ResourceDefinition,
    build_reconstructable_job,
    define_asset_job,
    execute_job,
)

from flinkpy_dagster import slot_sharing_executor
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import SlotsUnavailable, UserCodeError
from flinkpy_dagster.orchestration.job.job_run import JobRun
from flinkpy_dagster.orchestration.naming import NamedGraph
from flinkpy_dagster.orchestration.programs.program_loading import program_source
from flinkpy_dagster.orchestration.programs.program_ops import ProgramOps
from flinkpy_dagster.orchestration.run_control import run_control
from tests.orchestration import programs
from tests.orchestration.fake_runner import FakeRunner

pytestmark = pytest.mark.dagster
_current: dict[str, JobRun] = {}
_serials = itertools.count()


def job_run(program, runner: FakeRunner) -> JobRun:
    captured = program_source(program).capture([], Configuration())
    return JobRun(NamedGraph("words", captured.job_graph), lambda: runner)


def definition(serial: int = 0):
    """The Dagster job of the JobRun under test; ``serial``: Dagster caches by arguments."""

    def attached(context):
        _current["run"].attach(run_control(context.run.run_id))
        return _current["run"]

    assets = ProgramOps(_current["run"].graph, resource_key="words_run").assets()
    return Definitions(
        assets=[assets],
        jobs=[define_asset_job("words_job", [assets], executor_def=slot_sharing_executor)],
        resources={"words_run": ResourceDefinition(attached)},
    ).resolve_job_def("words_job")


@pytest.fixture
def instance():
    with DagsterInstance.ephemeral() as made:
        yield made


def launch(instance: DagsterInstance, run: JobRun, **execution):
    """(result, [(event type, op name)] in the order of the event log)"""
    _current["run"] = run
    quiet = {"console": {"config": {"log_level": "CRITICAL"}}}
    raise_on_error = execution.pop("raise_on_error", False)
    result = execute_job(
        build_reconstructable_job(__name__, "definition", (next(_serials),)),
        instance,
        run_config={"execution": {"config": execution}, "loggers": quiet},
        raise_on_error=raise_on_error,
    )
    logged = [record.dagster_event for record in instance.all_logs(result.run_id) if record.is_dagster_event]
    return result, [(each.event_type_value, (each.step_key or "").rpartition(".")[2]) for each in logged]


def places(order, kind: str) -> list[int]:
    return [place for place, (each, _) in enumerate(order) if each == kind]


@pytest.mark.parametrize("program", [programs.streaming, programs.batch])
def test_eager_when_run_then_every_start_precedes_the_first_success(instance, program) -> None:
    run = job_run(program, FakeRunner())
    result, order = launch(instance, run, scheduling_mode="EAGER")
    assert result.success
    assert max(places(order, "STEP_START")) < min(places(order, "STEP_SUCCESS"))


@pytest.mark.parametrize("mode", ["LAZY_FROM_SOURCES", "PIPELINED_REGION"])
def test_blocking_consumer_when_not_eager_then_starts_after_its_producers_success(instance, mode) -> None:
    run = job_run(programs.batch, FakeRunner())
    assert len(run.regions) == 3
    result, order = launch(instance, run, scheduling_mode=mode)
    assert result.success
    starts, successes = places(order, "STEP_START"), places(order, "STEP_SUCCESS")
    assert sorted(starts + successes) == [place for pair in zip(starts, successes) for place in pair]


@pytest.mark.parametrize("mode", ["LAZY_FROM_SOURCES", "PIPELINED_REGION", "EAGER"])
def test_pipelined_region_when_run_then_all_start_and_spark_is_asked_once(instance, mode) -> None:
    runner = FakeRunner(seconds=0.1)
    result, order = launch(instance, job_run(programs.streaming, runner), scheduling_mode=mode)
    assert result.success
    assert runner.ran == [0]
    assert max(places(order, "STEP_START")) < min(places(order, "STEP_SUCCESS"))
    assert len(result.get_asset_materialization_events()) == 3


def test_assets_when_made_in_one_region_then_none_is_older_than_what_it_is_made_of(instance) -> None:
    _, order = launch(instance, job_run(programs.streaming, FakeRunner()))
    made = [op_name for kind, op_name in order if kind == "ASSET_MATERIALIZATION"]
    assert made == ["collection_source", "map", "reduce_print_to_std_out"]


def test_assets_when_made_in_one_run_then_each_is_made_of_those_of_the_same_run(instance) -> None:
    result, _ = launch(instance, job_run(programs.streaming, FakeRunner()))
    records = instance.get_records_for_run(
        result.run_id, of_type=DagsterEventType.ASSET_MATERIALIZATION
    ).records
    made = {record.asset_key.to_user_string(): record for record in records}
    pointer = "dagster/input_event_pointer/words/"
    pointers = {
        name.rpartition("/")[2]: [
            value for tag, value in record.asset_materialization.tags.items() if tag.startswith(pointer)
        ]
        for name, record in made.items()
    }
    ids = {name.rpartition("/")[2]: str(record.storage_id) for name, record in made.items()}
    assert list(pointers.values()) == [[], [list(ids.values())[0]], [list(ids.values())[1]]]


def test_sinkless_job_when_run_then_its_last_vertex_is_an_asset_all_the_same(instance) -> None:
    runner = FakeRunner()
    result, _ = launch(instance, job_run(programs.sinkless, runner))
    assert result.success
    made = {event.asset_key.path[-1] for event in result.get_asset_materialization_events()}
    assert made == {"collection_source", "map", "reduce"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_when_run_on_the_main_thread_then_run_is_canceled(instance, number) -> None:
    """Ctrl-C, or what a container gets; nobody has told Dagster before. A second one while canceling is harmless."""
    runner = FakeRunner(seconds=60)
    run = job_run(programs.streaming, runner)

    def terminate() -> None:
        while not runner.ran:
            time.sleep(0.01)
        signal.raise_signal(number)
        runner.canceled.wait()
        signal.raise_signal(number)

    threading.Thread(target=terminate).start()
    result, order = launch(instance, run)
    assert instance.get_run_by_id(result.run_id).status.value == "CANCELED"
    assert runner.canceled.is_set()
    assert order[-1] == ("PIPELINE_CANCELED", "")


def test_failure_when_operator_raises_then_every_op_of_the_region_says_so(instance) -> None:
    run = job_run(programs.streaming, FakeRunner())
    head = run.graph.job_graph.vertices[0].nodes[0]
    error = UserCodeError(head.name, "ValueError", "no")
    run = job_run(programs.streaming, FakeRunner(errors={0: error}))
    result, order = launch(instance, run)
    assert not result.success
    assert len(places(order, "STEP_FAILURE")) == 3
    texts = {
        event.step_key: event.step_failure_data.user_failure_data.description
        for event in result.all_events
        if event.is_step_failure
    }
    own = run.graph.op_names[run.graph.job_graph.vertices[0].id]
    assert texts[f"words.{own}"] == str(error)
    assert {text for key, text in texts.items() if key != f"words.{own}"} == {
        f"The region failed because: {error}"
    }


def test_failure_when_producer_fails_then_consumer_region_never_starts(instance) -> None:
    runner = FakeRunner(errors={0: RuntimeError("lost")})
    result, order = launch(instance, job_run(programs.batch, runner))
    assert not result.success
    assert (runner.ran, len(places(order, "STEP_START"))) == ([0], 1)


def test_slots_when_too_few_for_a_region_then_error_before_anything_starts(instance) -> None:
    runner = FakeRunner()
    with pytest.raises(SlotsUnavailable, match="needs 2 slots at once, 1 exist"):
        launch(instance, job_run(programs.streaming, runner), slots=1, raise_on_error=True)
    assert runner.ran == []


def test_cancel_when_running_then_run_is_canceled_and_runner_told(instance) -> None:
    runner = FakeRunner(seconds=60)
    run = job_run(programs.streaming, runner)

    def cancel() -> None:
        while not runner.ran:
            time.sleep(0.01)
        dagster_run = instance.get_runs()[0]
        instance.report_run_canceling(dagster_run)
        run_control(dagster_run.run_id).request_cancel()

    threading.Thread(target=cancel).start()
    started = time.monotonic()
    result, _ = launch(instance, run)
    assert time.monotonic() - started < 10
    assert instance.get_run_by_id(result.run_id).status.value == "CANCELED"
    assert runner.canceled.is_set()
    assert run.is_canceled


@pytest.mark.parametrize("program", [programs.streaming, programs.batch])
def test_in_process_when_executor_is_ignored_then_regions_run_one_by_one(program) -> None:
    runner = FakeRunner()
    _current["run"] = job_run(program, runner)
    assert definition().execute_in_process().success
    assert runner.ran == sorted(region.id for region in _current["run"].regions)
