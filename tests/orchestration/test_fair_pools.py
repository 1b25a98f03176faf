"""Slot sharing groups are pools of Spark's scheduler: an op with many tasks does not starve the others."""

import pytest
from dagster import DagsterInstance, build_reconstructable_job, execute_job

from flinkpy_dagster.api import StreamExecutionEnvironment, Types
from flinkpy_dagster.config import Configuration
from tests.orchestration import spark_ops

pytestmark = [pytest.mark.dagster, pytest.mark.spark]


@pytest.mark.parametrize(
    ("light_group", "heavy_was"),
    [("light", "RUNNING"), ("heavy", "SUCCEEDED")],
    ids=["own pool", "same pool"],
)
def test_light_op_when_slots_are_taken_then_its_pool_decides_how_long_it_waits(
    spark, light_group, heavy_was
) -> None:
    assert spark.sparkContext.getConf().get("spark.scheduler.mode") == "FAIR"
    spark_ops.heavy_was.clear()
    made = build_reconstructable_job(spark_ops.__name__, "competing", ("heavy", light_group))
    with DagsterInstance.ephemeral() as instance:
        result = execute_job(
            made,
            instance,
            run_config={
                "execution": {"config": {"slots": 2}},
                "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
            },
        )
    assert result.success
    assert spark_ops.heavy_was == [heavy_was]


def test_region_when_run_then_in_the_pool_of_its_slot_sharing_group(spark, tmp_path) -> None:
    configuration = Configuration.from_dict({"flinkpy.data-sets.dir": str(tmp_path)})
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    env.from_collection([1], Types.INT()).slot_sharing_group("solo").map(lambda value: value).print()
    env.execute("in a pool")
    pools = spark.sparkContext._jsc.sc().getAllPools()
    assert "solo 0" in [pools.apply(number).name() for number in range(pools.size())]
