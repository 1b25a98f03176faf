"""Ordinary ops on the Spark session of the process, and jobs of them."""

from dagster import JobDefinition, OpDefinition, job, op
from pyspark.sql import SparkSession

from flinkpy_dagster import slot_sharing_executor

HEAVY = "heavy"
heavy_was: list[str] = []
"""The status of the heavy Spark job at the end of the light one: RUNNING or SUCCEEDED."""


def session() -> SparkSession:
    return SparkSession.builder.getOrCreate()


def heavy_op(group: str) -> OpDefinition:
    """One Spark job with far more tasks than slots."""

    @op(name="heavy_op", tags={"flinkpy/slot_sharing_group": group})
    def run() -> None:
        spark = session()
        spark.sparkContext.setJobGroup(HEAVY, HEAVY)
        spark.range(0, 60_000_000, 1, 300).selectExpr("max(hash(id))").collect()

    return run


def light_op(group: str) -> OpDefinition:
    """One Spark job of two tasks, begun when the heavy job has the slots and tasks that wait for them."""

    @op(name="light_op", tags={"flinkpy/slot_sharing_group": group})
    def run() -> None:
        spark = session()
        tracker = spark.sparkContext.statusTracker()
        while not (jobs := tracker.getJobIdsForGroup(HEAVY)) or not tracker.getActiveStageIds():
            pass
        spark.range(0, 100, 1, 2).selectExpr("max(id)").collect()
        info = tracker.getJobInfo(max(jobs))
        assert info is not None
        heavy_was.append(info.status)

    return run


def competing(heavy_group: str, light_group: str) -> JobDefinition:
    heavy, light = heavy_op(heavy_group), light_op(light_group)

    @job(name="competing", executor_def=slot_sharing_executor)
    def made():
        heavy()
        light()

    return made
