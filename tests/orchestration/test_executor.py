"""Ordinary Dagster jobs under the slot-sharing executor."""

import threading
import time

import pytest
from dagster import DagsterEventType, DagsterInstance, execute_job, reconstructable

from flinkpy_dagster.errors import SlotsUnavailable
from flinkpy_dagster.orchestration.run_control import run_control
from tests.orchestration import ordinary_jobs as jobs


@pytest.fixture(scope="module")
def instance(tmp_path_factory):
    with DagsterInstance.local_temp(str(tmp_path_factory.mktemp("dagster"))) as made:
        yield made


def execution(**config):
    return {"execution": {"config": config}, "loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def steps(result, kind: DagsterEventType) -> list[str]:
    return [event.step_key for event in result.all_events if event.event_type is kind]


def test_diamond_when_run_then_steps_are_threads_and_output_is_right(instance) -> None:
    jobs.hook_calls.clear()
    with execute_job(reconstructable(jobs.diamond), instance, run_config=execution()) as result:
        assert result.success
        assert result.output_for_node("add") == 3
    assert jobs.threads["one"] == "step:one"
    assert sorted(jobs.hook_calls) == ["success add", "success one", "success two"]


def test_prints_when_steps_are_threads_then_each_has_its_own_log(instance) -> None:
    result = execute_job(reconstructable(jobs.diamond), instance, run_config=execution())
    logs = instance.compute_log_manager
    texts = {
        key: logs.get_log_data(logs.build_log_key_for_run(result.run_id, key)).stdout
        for key in ("one", "two", "add")
    }
    assert texts == {"one": b"printed by one\n", "two": b"printed by two\n", "add": None}


def test_failure_when_op_raises_then_hooks_run_and_reader_is_not_executed(instance) -> None:
    jobs.hook_calls.clear()
    result = execute_job(reconstructable(jobs.failing), instance, run_config=execution())
    assert not result.success
    assert steps(result, DagsterEventType.STEP_FAILURE) == ["fail"]
    assert "add" not in steps(result, DagsterEventType.STEP_START)
    assert sorted(jobs.hook_calls) == ["failure fail", "success one", "success two"]


def test_failure_when_raise_on_error_then_users_exception_comes_out(instance) -> None:
    with pytest.raises(ValueError, match="no such luck"):
        execute_job(reconstructable(jobs.failing), instance, run_config=execution(), raise_on_error=True)


def test_retries_when_policy_allows_then_step_succeeds(instance) -> None:
    jobs.attempts.clear()
    with execute_job(reconstructable(jobs.retrying), instance, run_config=execution()) as result:
        assert result.output_for_node("add") == 4
    assert steps(result, DagsterEventType.STEP_UP_FOR_RETRY) == ["flaky", "flaky"]


def test_retries_when_disabled_then_first_failure_is_final(instance) -> None:
    jobs.attempts.clear()
    result = execute_job(
        reconstructable(jobs.retrying), instance, run_config=execution(retries={"disabled": {}})
    )
    assert not result.success
    assert len(jobs.attempts) == 1


@pytest.mark.parametrize("mode", ["EAGER", "LAZY_FROM_SOURCES", "PIPELINED_REGION"])
def test_dynamic_outputs_when_mapped_then_every_mapping_runs(instance, mode) -> None:
    config = execution(scheduling_mode=mode)
    with execute_job(reconstructable(jobs.dynamic), instance, run_config=config) as result:
        assert result.output_for_node("total") == 20


@pytest.mark.parametrize("mode", ["EAGER", "LAZY_FROM_SOURCES", "PIPELINED_REGION"])
def test_optional_output_when_missing_then_readers_are_skipped(instance, mode) -> None:
    result = execute_job(
        reconstructable(jobs.branching), instance, run_config=execution(scheduling_mode=mode)
    )
    assert result.success
    assert steps(result, DagsterEventType.STEP_SKIPPED) == ["not_taken", "skipped"]


def test_order_when_not_eager_then_reader_starts_after_success(instance) -> None:
    result = execute_job(reconstructable(jobs.diamond), instance, run_config=execution())
    records = [record.dagster_event for record in instance.all_logs(result.run_id) if record.dagster_event]
    order = [(event.event_type_value, event.step_key) for event in records]
    assert order.index(("STEP_SUCCESS", "one")) < order.index(("STEP_START", "add"))
    assert order.index(("STEP_SUCCESS", "two")) < order.index(("STEP_START", "add"))


def most_at_once(result) -> int:
    running, most = 0, 0
    for event in result.all_events:
        running += event.event_type is DagsterEventType.STEP_START
        running -= event.event_type is DagsterEventType.STEP_SUCCESS
        most = max(most, running)
    return most


def test_slots_when_fewer_than_steps_then_bound_is_kept(instance) -> None:
    result = execute_job(reconstructable(jobs.slow_job), instance, run_config=execution(slots=2))
    assert result.success
    assert most_at_once(result) == 2


def test_slots_when_group_is_shared_then_its_ops_run_at_once(instance) -> None:
    result = execute_job(reconstructable(jobs.sharing), instance, run_config=execution(slots=2))
    assert result.success
    assert most_at_once(result) == 6


def test_slots_when_too_few_then_run_fails_before_any_step(instance) -> None:
    with pytest.raises(SlotsUnavailable, match="needs 8 slots at once, 2 exist"):
        execute_job(
            reconstructable(jobs.greedy), instance, run_config=execution(slots=2), raise_on_error=True
        )
    run = instance.get_runs()[0]
    assert not [r for r in instance.all_logs(run.run_id) if r.dagster_event and r.dagster_event.step_key]


def test_assets_when_run_then_checks_and_materializations_are_there(instance) -> None:
    result = execute_job(reconstructable(jobs.two_assets), instance, run_config=execution())
    assert result.success
    assert [event.asset_key.to_user_string() for event in result.get_asset_materialization_events()] == [
        "upstream",
        "downstream",
    ]
    assert [check.passed for check in result.get_asset_check_evaluations()] == [True]


def test_cancel_when_steps_never_end_then_they_fail_and_run_is_canceled(instance) -> None:
    def cancel() -> None:
        while (runs := instance.get_runs(limit=1))[0].job_name != "endless" or runs[
            0
        ].status.value != "STARTED":
            time.sleep(0.02)
        time.sleep(0.2)
        instance.report_run_canceling(runs[0])
        run_control(runs[0].run_id).request_cancel()

    threading.Thread(target=cancel).start()
    started = time.monotonic()
    result = execute_job(
        reconstructable(jobs.endless), instance, run_config=execution(slots=4, cancel_grace_seconds=0.2)
    )
    assert time.monotonic() - started < 5
    assert instance.get_run_by_id(result.run_id).status.value == "CANCELED"
    assert sorted(steps(result, DagsterEventType.STEP_FAILURE)) == ["endless_op", "endless_too"]
