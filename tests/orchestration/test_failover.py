"""FlinkPy jobs that fail and go on, under the executor, with a runner that is no Spark."""

import threading
import time
from dataclasses import dataclass, field

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import NonRetryable, UserCodeError
from flinkpy_dagster.orchestration.job.job_report import metrics_of
from flinkpy_dagster.orchestration.job.job_run import JobRun
from flinkpy_dagster.orchestration.run_control import run_control
from tests.orchestration import programs
from tests.orchestration.fake_runner import FakeRunner
from tests.orchestration.test_job_run import instance, job_run, launch, places  # noqa: F401

pytestmark = pytest.mark.dagster
FIXED = {
    "restart-strategy.type": "fixed-delay",
    "restart-strategy.fixed-delay.attempts": "2",
    "restart-strategy.fixed-delay.delay": "20 ms",
}
MODES = ["PIPELINED_REGION", "LAZY_FROM_SOURCES", "EAGER"]


def restarting(program, runner: FakeRunner, **options: str) -> JobRun:
    graph = job_run(program, runner).graph
    configuration = Configuration.from_dict(FIXED | options)
    return JobRun(graph, lambda: runner, configuration=configuration)


def moves(instance, result, key_end: str = "") -> list[str]:  # noqa: F811
    """The transitions of a vertex, or of the job, as the event log has them."""
    found = []
    for record in instance.all_logs(result.run_id):
        event = record.dagster_event
        if event is not None and event.event_type_value == "ENGINE_EVENT" and " -> " in event.message:
            name = (event.step_key or "job").rpartition(".")[2]
            if name == (key_end or "job"):
                found.append(event.message)
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", [programs.streaming, programs.batch])
def test_region_when_it_fails_once_then_its_steps_are_retried_and_no_others(instance, mode, program) -> None:  # noqa: F811
    runner = FakeRunner(errors={0: [OSError("disk"), None]})
    run = restarting(program, runner)
    result, order = launch(instance, run, scheduling_mode=mode)
    assert result.success
    size = len(run.regions[0].vertices)
    assert len(places(order, "STEP_UP_FOR_RETRY")) == len(places(order, "STEP_RESTARTED")) == size
    assert runner.attempts[:2] == [(0, 0), (0, 1)]
    assert runner.attempts[2:] == [(region.id, 0) for region in run.regions[1:]]
    assert moves(instance, result) == [
        "Job CREATED -> RUNNING",
        f"Job RUNNING -> RESTARTING: Job '{run.graph.job_graph.name}' failed: OSError: disk",
        "Job RESTARTING -> RUNNING",
        "Job RUNNING -> FINISHED",
    ]


def test_transitions_when_a_region_fails_then_culprit_failed_and_the_rest_is_canceled(instance) -> None:  # noqa: F811
    streaming = job_run(programs.streaming, FakeRunner()).graph
    head = streaming.job_graph.vertices[1].nodes[0]
    runner = FakeRunner(errors={0: [UserCodeError(head.name, "ValueError", "no"), None]})
    result, _ = launch(instance, restarting(programs.streaming, runner))
    names = list(streaming.op_names.values())
    assert "CANCELING -> CANCELED" in moves(instance, result, names[0])
    assert moves(instance, result, names[1])[3] == (
        f"RUNNING -> FAILED: User code of operator '{head.name}' failed: ValueError: no"
    )


def test_failure_when_attempts_are_used_up_then_job_fails_and_history_is_told(instance) -> None:  # noqa: F811
    runner = FakeRunner(errors={1: [OSError("one"), OSError("two"), OSError("three")]})
    run = restarting(programs.batch, runner)
    result, order = launch(instance, run)
    assert not result.success
    assert runner.attempts == [(0, 0), (1, 0), (1, 1), (1, 2)]
    assert (len(places(order, "STEP_UP_FOR_RETRY")), len(places(order, "STEP_FAILURE"))) == (2, 1)
    failure = next(event for event in result.all_events if event.is_step_failure)
    table = failure.step_failure_data.user_failure_data.metadata["exception_history"]
    assert [(record.data["attempt"], record.data["cause"]) for record in table.records] == [
        (2, "Job 'words' failed: OSError: three"),
        (1, "Job 'words' failed: OSError: two"),
        (0, "Job 'words' failed: OSError: one"),
    ]
    assert metrics_of(run).numbers() | {"uptime": 0, "restartingTime": 0, "downtime": 0} == {
        "numRestarts": 2,
        "fullRestarts": 0,
        "restartingTime": 0,
        "uptime": 0,
        "downtime": 0,
        "taskSlotsTotal": 5,
        "taskSlotsAvailable": 5,
    }


class MyOwn(NonRetryable):
    """What a program may declare."""


@pytest.mark.parametrize(
    ("options", "execution", "error"),
    [
        ({"restart-strategy.type": "none"}, {}, OSError("disk")),
        ({}, {"retries": {"disabled": {}}}, OSError("disk")),
        ({}, {}, UserCodeError.of("Map", MyOwn("no"))),
    ],
)
def test_failure_when_it_must_not_be_retried_then_it_is_not(instance, options, execution, error) -> None:  # noqa: F811
    runner = FakeRunner(errors={0: [error, None]})
    result, order = launch(instance, restarting(programs.streaming, runner, **options), **execution)
    assert not result.success
    assert (runner.ran, places(order, "STEP_UP_FOR_RETRY")) == ([0], [])
    assert moves(instance, result)[-2:][1] == "Job FAILING -> FAILED"


@dataclass
class LosingRunner(FakeRunner):
    """When region ``loses`` fails, these data sets of it have gone."""

    losing: dict[int, set[str]] = field(default_factory=dict)

    def run(self, region, attempt=0):
        try:
            return super().run(region, attempt)
        except OSError:
            self.gone |= self.losing.pop(region.id, set())
            raise


@pytest.mark.parametrize("mode", MODES)
def test_result_when_lost_then_its_producer_runs_again_without_a_step_of_its_own(instance, mode) -> None:  # noqa: F811
    plain = job_run(programs.batch, FakeRunner())
    data_set = plain.regions[1].inputs[0].data_set
    runner = LosingRunner(errors={1: [OSError("no such file"), None]}, losing={1: {data_set}})
    run = restarting(programs.batch, runner)
    result, order = launch(instance, run, scheduling_mode=mode)
    assert result.success
    assert runner.attempts == [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0)]
    producer = run.graph.op_names[plain.regions[0].vertices[0].id]
    retried = [name for kind, name in order if kind == "STEP_RESTARTED"]
    assert producer not in retried
    assert "FINISHED -> CREATED (attempt 1)" in moves(instance, result, producer)
    assert "RUNNING -> FINISHED (attempt 1)" in moves(instance, result, producer)
    assert metrics_of(run).slots_available == metrics_of(run).slots_total


def test_recomputation_when_it_fails_too_then_its_reader_waits_and_tries_again(instance) -> None:  # noqa: F811
    plain = job_run(programs.batch, FakeRunner())
    data_set = plain.regions[1].inputs[0].data_set
    runner = LosingRunner(
        errors={0: [None, OSError("still"), None], 1: [OSError("lost"), None]}, losing={1: {data_set}}
    )
    run = restarting(programs.batch, runner)
    result, _ = launch(instance, run)
    assert result.success
    assert runner.attempts == [(0, 0), (1, 0), (0, 1), (0, 2), (1, 2), (2, 0)]
    assert (run.failures.num_restarts, metrics_of(run).slots_available) == (2, 5)


def test_full_strategy_when_a_region_fails_then_finished_producers_run_again(instance) -> None:  # noqa: F811
    runner = FakeRunner(errors={2: [OSError("disk"), None]})
    run = restarting(programs.batch, runner, **{"jobmanager.execution.failover-strategy": "full"})
    result, _ = launch(instance, run)
    assert result.success
    assert runner.attempts == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
    assert (run.failures.num_restarts, run.failures.full_restarts) == (1, 1)


def test_full_strategy_when_another_region_runs_then_it_is_interrupted_and_runs_again(instance) -> None:  # noqa: F811
    runner = SlowFirst(errors={1: [OSError("disk"), None]})
    options = {"jobmanager.execution.failover-strategy": "full"}
    run = restarting(programs.two_jobs_in_one, runner, **options)
    result, order = launch(instance, run)
    assert result.success
    assert sorted(runner.attempts) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert len(places(order, "STEP_RESTARTED")) == 2


@dataclass
class SlowFirst(FakeRunner):
    """Region 0 lasts until it is interrupted; region 1 begins after it."""

    begun: threading.Event = field(default_factory=threading.Event)

    def run(self, region, attempt=0):
        if region.id == 0 and attempt == 0:
            self.begun.set()
            self.seconds = 60
            try:
                return super().run(region, attempt)
            finally:
                self.seconds = 0
        self.begun.wait(10)
        return FakeRunner(errors=self.errors, attempts=self.attempts).run(region, attempt)


@dataclass
class Deaf(FakeRunner):
    """The first attempt of the deaf region ends well when it is interrupted; the other one begins after it."""

    deaf: int = 0
    begun: threading.Event = field(default_factory=threading.Event)

    def run(self, region, attempt=0):
        if region.id == self.deaf and attempt == 0:
            self.begun.set()
            while region.id not in self.interrupted and not self.canceled.wait(0.01):
                pass
            return FakeRunner(attempts=self.attempts).run(region, attempt)
        if region.id != 0:
            self.begun.wait(10)
        return FakeRunner(errors=self.errors, attempts=self.attempts).run(region, attempt)


def test_region_when_it_ends_before_it_hears_of_its_restart_then_it_runs_again(instance) -> None:  # noqa: F811
    runner = Deaf(deaf=1, errors={3: [OSError("disk"), None]})
    options = {"jobmanager.execution.failover-strategy": "full"}
    run = restarting(programs.two_readers, runner, **options)
    result, _ = launch(instance, run, slots=8)
    assert result.success
    assert [attempt for region, attempt in runner.attempts if region == 1] == [0, 1]


def test_region_with_sinks_when_it_ends_before_it_hears_of_its_restart_then_the_job_fails(instance) -> None:  # noqa: F811
    runner = Deaf(deaf=0, errors={1: [OSError("disk"), None]})
    options = {"jobmanager.execution.failover-strategy": "full"}
    run = restarting(programs.two_jobs_in_one, runner, **options)
    result, _ = launch(instance, run, slots=8)
    assert not result.success
    assert "had put its results in place when it was to restart" in str(run.failure)
    assert [attempt for region, attempt in runner.attempts if region == 0] == [0]


def test_cancel_when_waiting_for_a_restart_then_it_ends_at_once(instance) -> None:  # noqa: F811
    runner = FakeRunner(errors={0: [OSError("disk"), None]})
    run = restarting(programs.streaming, runner, **{"restart-strategy.fixed-delay.delay": "60 s"})

    def cancel() -> None:
        while not (run.control and run.control.scheduler.status.name == "RESTARTING"):
            time.sleep(0.01)
        dagster_run = instance.get_runs()[0]
        instance.report_run_canceling(dagster_run)
        run_control(dagster_run.run_id).request_cancel()
        run_control(dagster_run.run_id).request_cancel()

    threading.Thread(target=cancel).start()
    started = time.monotonic()
    result, _ = launch(instance, run)
    assert time.monotonic() - started < 5
    assert instance.get_run_by_id(result.run_id).status.value == "CANCELED"
    assert moves(instance, result)[-1] == "Job CANCELLING -> CANCELED"


def told(instance, result) -> list[tuple[str, str]]:  # noqa: F811
    """(op, move) of all vertices in the order of the event log."""
    events = (record.dagster_event for record in instance.all_logs(result.run_id))
    return [
        (event.step_key.rpartition(".")[2], event.message)
        for event in events
        if event is not None and event.event_type_value == "ENGINE_EVENT" and event.step_key
    ]


def test_event_log_when_eager_then_all_slots_come_before_the_first_deployment(instance) -> None:  # noqa: F811
    result, _ = launch(instance, restarting(programs.batch, FakeRunner()), scheduling_mode="EAGER")
    states = [move for _, move in told(instance, result)]
    assert states[:3] == ["CREATED -> SCHEDULED"] * 3


@pytest.mark.parametrize(("mode", "waits"), [("PIPELINED_REGION", True), ("LAZY_FROM_SOURCES", False)])
def test_event_log_when_not_eager_then_consumers_slots_come_as_the_mode_says(instance, mode, waits) -> None:  # noqa: F811
    run = restarting(programs.batch, FakeRunner(seconds=0.2))
    result, _ = launch(instance, run, scheduling_mode=mode)
    producer, consumer, _ = run.graph.op_names.values()
    log = told(instance, result)
    finished = log.index((producer, "RUNNING -> FINISHED"))
    assert (finished < log.index((consumer, "CREATED -> SCHEDULED"))) is waits
    assert finished < log.index((consumer, "SCHEDULED -> DEPLOYING"))


def test_sinks_when_a_job_begins_then_all_are_checked_before_the_first_region_runs(instance) -> None:  # noqa: F811
    @dataclass
    class Checking(FakeRunner):
        def run(self, region, attempt=0):
            assert self.initialized == [0, 1, 2]
            return super().run(region, attempt)

    result, _ = launch(instance, restarting(programs.batch, Checking()))
    assert result.success


def test_event_log_when_a_job_runs_then_every_vertex_tells_its_way(instance) -> None:  # noqa: F811
    run = restarting(programs.batch, FakeRunner())
    result, _ = launch(instance, run)
    for name in run.graph.op_names.values():
        assert moves(instance, result, name) == [
            "CREATED -> SCHEDULED",
            "SCHEDULED -> DEPLOYING",
            "DEPLOYING -> RUNNING",
            "RUNNING -> FINISHED",
        ]


class GivesBack(JobRun):
    """A region elsewhere restarts, and needs this one again, before the op of this one has looked."""

    def _wait_until(self, condition):
        super()._wait_until(condition)
        for number in list(self.results):
            del self.results[number]
            self._parts[number].give_back()


def test_op_when_its_result_is_given_back_before_it_looks_then_it_has_it_all_the_same() -> None:
    runner = FakeRunner()
    run = GivesBack(job_run(programs.batch, runner).graph, lambda: runner)
    assert run.take_part(run.regions[0].vertices[0]).tables == {}
    assert (run.results, runner.ran) == ({}, [0])
