"""Jobs that never end, for tests of what is left when they are stopped; a code location, and a process.

``python -m tests.orchestration.stopping_jobs JOB`` runs one on the instance of DAGSTER_HOME. Their workers leave marks
in the folder MARKS: ``open<subtask>`` and ``close<subtask>``.
"""

import os
import sys
import time
from pathlib import Path

from dagster import DagsterInstance, build_reconstructable_job, execute_job, job, op

from flinkpy_dagster import definitions_from, slot_sharing_executor
from flinkpy_dagster.api import MapFunction, RuntimeContext, StreamExecutionEnvironment, Types

MARKS = "FLINKPY_TEST_MARKS"


def mark(name: str) -> None:
    Path(os.environ[MARKS], name).touch()


class Endless(MapFunction):
    """Sleeps in every element, as a function does that waits for a service."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.subtask = runtime_context.get_index_of_this_subtask()
        mark(f"open{self.subtask}")

    def map(self, value: int) -> int:
        time.sleep(600)
        return value

    def close(self) -> None:
        mark(f"close{self.subtask}")


def endless() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    env.from_collection(list(range(100)), Types.INT()).map(Endless(), Types.INT()).print()
    env.execute("endless")


def sleep_in_worker(number: int) -> int:
    mark(f"open{number}")
    time.sleep(600)
    return number


@op
def with_spark_of_its_own() -> None:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.python.task.killTimeout", "100ms")  # Spark's own default is 2 s
    spark = builder.config("spark.log.level", "ERROR").getOrCreate()
    spark.sparkContext.parallelize([0, 1], 2).map(sleep_in_worker).collect()


@job(executor_def=slot_sharing_executor)
def ordinary_job():
    with_spark_of_its_own()


defs = definitions_from(endless)
defs = type(defs).merge(defs, type(defs)(jobs=[ordinary_job]))


def job_called(name: str):
    return defs.resolve_job_def(name)


if __name__ == "__main__":
    made = build_reconstructable_job("tests.orchestration.stopping_jobs", "job_called", (sys.argv[1],))
    with DagsterInstance.get() as instance:
        execute_job(made, instance)
