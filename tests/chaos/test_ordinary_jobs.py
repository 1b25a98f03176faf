"""Random ordinary jobs, with failures, retries, slow ops and cancels, against an oracle.

A few of them here; ``make chaos`` plays 200 (CHAOS_RUNS).
"""

import os

import pytest
from dagster import DagsterInstance
from pyspark.sql import SparkSession

from tests.chaos.plans import SLOTS, RunPlan, random_plan
from tests.chaos.playing import Player, Seen

pytestmark = pytest.mark.dagster
RUNS = int(os.environ.get("CHAOS_RUNS", "12"))
RUNS_ON_SPARK = max(3, RUNS // 20)


@pytest.fixture(scope="module")
def instance():
    with DagsterInstance.ephemeral() as made:
        yield made


def check(plan: RunPlan, seen: Seen) -> None:
    assert seen.status == plan.status
    if plan.status == "CANCELED":
        assert seen.values.items() <= plan.values.items()
        assert seen.starts <= type(seen.starts)(plan.attempts)
    else:
        assert seen.values == plan.values
        assert seen.starts == plan.attempts
    assert seen.most_slots <= SLOTS
    assert seen.left_threads == []
    if seen.scheduler is not None:
        assert (seen.scheduler.slots.available, seen.scheduler.slots.owners()) == (SLOTS, frozenset())
        assert seen.scheduler.status.name == {"SUCCESS": "FINISHED", "FAILURE": "FAILED"}.get(
            plan.status, "CANCELED"
        )


@pytest.mark.parametrize("seed", range(RUNS))
def test_run_when_anything_happens_then_as_the_oracle_says(instance: DagsterInstance, seed: int) -> None:
    plan = random_plan(seed)
    check(plan, Player(plan).play(instance))


@pytest.mark.spark
@pytest.mark.parametrize("seed", range(1000, 1000 + RUNS_ON_SPARK))
def test_run_on_spark_when_anything_happens_then_no_spark_job_is_left(
    instance: DagsterInstance, spark: SparkSession, seed: int
) -> None:
    def work(is_endless: bool) -> None:
        if is_endless:
            spark.range(0, 10**13, 1, 4).selectExpr("max(hash(id))").collect()
        assert spark.range(0, 100, 1, 2).where("id % 2 = 0").count() == 50

    plan = random_plan(seed)
    check(plan, Player(plan, work).play(instance))
    assert list(spark.sparkContext.statusTracker().getActiveJobsIds()) == []


def test_plans_when_drawn_then_every_end_and_every_mode_is_among_them() -> None:
    plans = [random_plan(seed) for seed in range(200)]
    assert {plan.status for plan in plans} == {"SUCCESS", "FAILURE", "CANCELED"}
    assert len({plan.mode for plan in plans}) == 3
