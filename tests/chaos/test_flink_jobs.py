"""Random FlinkPy jobs whose regions fail and are restarted, under a runner that is no Spark, against an oracle."""

import os
import random
import threading
from dataclasses import dataclass

import pytest
from dagster import DagsterInstance

from flinkpy_dagster.api import (
    MapFunction,
    RuntimeContext,
    RuntimeExecutionMode,
    StreamExecutionEnvironment,
    Types,
)
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.graph.regions import pipelined_regions
from flinkpy_dagster.orchestration.job.job_run import JobRun
from flinkpy_dagster.orchestration.naming import NamedGraph
from flinkpy_dagster.orchestration.programs.program_loading import program_source
from tests.chaos.plans import MODES
from tests.orchestration.fake_runner import FakeRunner
from tests.orchestration.test_job_run import launch

pytestmark = pytest.mark.dagster
RUNS = int(os.environ.get("CHAOS_RUNS", "12"))


@dataclass(frozen=True)
class JobPlan:
    """``failures``: how often each region fails. ``canceled_in``: the region in which the run is canceled."""

    seed: int
    mode: str
    strategy: str
    run: JobRun
    runner: FakeRunner
    failures: dict[int, int]
    attempts: int
    canceled_in: int | None

    @property
    def is_enough(self) -> bool:
        """May the regions be restarted as often as they fail?"""
        return sum(self.failures.values()) <= self.attempts


class Canceling(FakeRunner):
    """Asks for the run to be canceled, twice, in one region; that region ends when it is told to."""

    region: int | None = None
    job_run: JobRun | None = None

    def run(self, region, attempt=0):
        if region.id == self.region:
            control = self.job_run.control
            for _ in range(2):
                threading.Thread(target=control.request_cancel).start()
            self.canceled.wait()
        return super().run(region, attempt)


def program_of(seed: int):
    """A tree of blocking exchanges and chains."""

    def program() -> None:
        rng = random.Random(seed)
        env = StreamExecutionEnvironment.get_execution_environment()
        env.set_runtime_mode(RuntimeExecutionMode.BATCH)
        env.set_parallelism(rng.randint(1, 2))
        streams = [env.from_collection([1, 2], Types.INT())]
        for _ in range(rng.randint(1, 4)):
            stream = rng.choice(streams)
            moved = stream.rebalance() if rng.random() < 0.7 else stream
            streams.append(moved.map(lambda value: value, Types.INT()))
        for stream in streams[-2:]:
            stream.print()
        env.execute("chaos")

    return program


def plan_of(seed: int) -> JobPlan:
    rng = random.Random(seed)
    graph = NamedGraph("words", program_source(program_of(seed)).capture([], Configuration()).job_graph)
    regions = pipelined_regions(graph.job_graph)
    failures = {region.id: rng.choice([0, 0, 0, 1, 2]) for region in regions}
    attempts, strategy = rng.randint(0, 4), rng.choice(["region", "full"])
    options = {
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.attempts": str(attempts),
        "restart-strategy.fixed-delay.delay": "1 ms",
        "jobmanager.execution.failover-strategy": strategy,
    }
    errors = {
        number: [OSError(f"{number}.{each}") for each in range(count)] for number, count in failures.items()
    }
    runner = Canceling(errors=errors)
    run = JobRun(graph, lambda: runner, configuration=Configuration.from_dict(options))
    canceled_in = rng.choice(regions).id if rng.random() < 0.2 else None
    runner.region, runner.job_run = canceled_in, run
    mode = rng.choice(MODES)
    return JobPlan(seed, mode, strategy, run, runner, failures, attempts, canceled_in)


@pytest.mark.parametrize("seed", range(RUNS))
def test_job_when_regions_fail_then_as_the_oracle_says(seed: int) -> None:
    plan = plan_of(seed)
    with DagsterInstance.ephemeral() as instance:
        result, _ = launch(instance, plan.run, scheduling_mode=plan.mode)
        status = instance.get_run_by_id(result.run_id).status.value
    control = plan.run.control
    scheduler = control.scheduler
    assert (scheduler.slots.available, scheduler.slots.owners()) == (scheduler.slots.total, frozenset())
    if status == "CANCELED":
        assert plan.canceled_in is not None
        return
    was_canceled = plan.canceled_in is not None and plan.canceled_in in plan.runner.ran
    assert not was_canceled
    assert status == ("SUCCESS" if plan.is_enough else "FAILURE")
    if plan.is_enough:
        assert set(plan.run.results) == set(plan.failures)
        assert scheduler.status.name == "FINISHED"
        for number, count in plan.failures.items():
            assert plan.runner.ran.count(number) >= count + 1
    assert len(plan.runner.attempts) == len(set(plan.runner.attempts))


class FailsAtFirst(MapFunction):
    """Its first attempts fail, in the element that is told."""

    def __init__(self, failures: int, at: int):
        self.failures, self.at = failures, at

    def open(self, runtime_context: RuntimeContext) -> None:
        self.attempt = runtime_context.get_attempt_number()

    def map(self, value: int) -> int:
        if value == self.at and self.attempt < self.failures:
            raise OSError(f"attempt {self.attempt}")
        return value


@pytest.mark.spark
@pytest.mark.parametrize("seed", range(max(2, RUNS // 20)))
def test_job_on_spark_when_attempts_fail_then_every_value_comes_once(spark, tmp_path, seed: int) -> None:
    rng = random.Random(seed)
    options = {
        "flinkpy.data-sets.dir": str(tmp_path),
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.attempts": "4",
        "restart-strategy.fixed-delay.delay": "1 ms",
        "execution.runtime-mode": rng.choice(["BATCH", "STREAMING"]),
        "jobmanager.scheduling-mode": rng.choice(MODES),
    }
    env = StreamExecutionEnvironment.get_execution_environment(Configuration.from_dict(options))
    env.set_parallelism(2)
    stream = env.from_collection(list(range(40)), Types.INT())
    for _ in range(2):
        stream = stream.rebalance().map(FailsAtFirst(rng.randint(0, 2), rng.randrange(40)), Types.INT())
    with stream.execute_and_collect() as values:
        assert sorted(values) == list(range(40))
    assert list(spark.sparkContext.statusTracker().getActiveJobsIds()) == []
