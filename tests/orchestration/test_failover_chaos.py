"""Random failures, lost results, modes and cancels: the right end, no leaked slot, nobody waits for ever."""

import random
import threading
import time
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from flinkpy_dagster.api import RuntimeExecutionMode, StreamExecutionEnvironment, Types
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import JobCanceled
from flinkpy_dagster.orchestration.job.job_report import metrics_of
from flinkpy_dagster.orchestration.job.job_run import JobRun
from flinkpy_dagster.orchestration.run_control import run_control
from tests.orchestration.fake_runner import FakeRunner
from tests.orchestration.test_failover import MODES
from tests.orchestration.test_job_run import instance, job_run, launch  # noqa: F401

pytestmark = pytest.mark.dagster
ENDS = {"SUCCESS": "FINISHED", "FAILURE": "FAILED", "CANCELED": "CANCELED"}


def diamonds() -> None:
    """Six regions: 0 is read by 1 and 3, 1 by 2 and 5, 3 by 4, 4 by 5 or so; two of them print."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(RuntimeExecutionMode.BATCH).set_parallelism(1)

    def step(stream):
        return stream.rebalance().map(lambda value: value, Types.INT())

    source = env.from_collection([1], Types.INT()).map(lambda value: value, Types.INT())
    one, other = step(source), step(source)
    step(step(one).union(other)).print()
    step(other).print()
    env.execute("diamonds")


@dataclass
class ChaoticRunner(FakeRunner):
    """Fails by dice, or because a result that it reads is not there; a failure may take stored results with it."""

    dice: random.Random = field(default_factory=random.Random)
    fails: float = 0.0
    loses: float = 0.0
    made: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, region, attempt=0):
        self.interrupted.discard(region.id)
        with self.lock:
            missing = {edge.data_set for edge in region.inputs} - (self.made - self.gone)
            is_failing, takes_results = (self.dice.random() < each for each in (self.fails, self.loses))
            victims = {each for each in sorted(self.made) if self.dice.random() < 0.4}
            end = time.monotonic() + self.dice.random() * 0.02
        while time.monotonic() < end:
            if self.canceled.wait(0.002) or region.id in self.interrupted:
                raise JobCanceled("chaos")
        with self.lock:
            if missing or is_failing:
                self.gone |= victims if takes_results else set()
                raise OSError(f"no {missing}" if missing else "chaos")
            outputs = {edge.data_set for edge in region.outputs}
            self.made |= outputs
            self.gone -= outputs
        return SimpleNamespace(metrics={}, data_sets={}, rows={}, tables={}, files={})


@pytest.mark.parametrize("seed", range(40))
def test_job_when_anything_may_fail_then_right_end_and_no_slot_is_lost(instance, seed) -> None:  # noqa: F811
    dice = random.Random(seed)
    runner = ChaoticRunner(dice=dice, fails=dice.choice([0, 0.2, 0.4]), loses=dice.choice([0, 0.5]))
    options = {
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.attempts": str(dice.choice([1, 5, 50])),
        "restart-strategy.fixed-delay.delay": f"{dice.choice([0, 5, 30])} ms",
        "jobmanager.execution.failover-strategy": dice.choice(["region", "full"]),
    }
    graph = job_run(diamonds, runner).graph
    run = JobRun(graph, lambda: runner, configuration=Configuration.from_dict(options))
    if dice.random() < 0.25:
        threading.Thread(target=cancel_at, args=(run, dice.randint(1, 6), runner), daemon=True).start()
    result, _ = launch(instance, run, scheduling_mode=dice.choice(MODES), slot_request_timeout_seconds=10.0)
    status = instance.get_run_by_id(result.run_id).status.value
    metrics = metrics_of(run)
    assert (metrics.status, metrics.slots_available) == (ENDS[status], metrics.slots_total)
    assert (len(run.results) == len(run.regions)) or status != "SUCCESS"
    assert run.failures.num_restarts <= int(options["restart-strategy.fixed-delay.attempts"])


def cancel_at(run: JobRun, made: int, runner: ChaoticRunner) -> None:
    """When so many results are there; never, if the job ends before."""
    while len(runner.made) < made:
        time.sleep(0.002)
        if run.failure is not None or len(run.results) == len(run.regions):
            return
    if run.control is not None:
        run_control(run.control.run_id).request_cancel()
