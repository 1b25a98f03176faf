"""20 parallel ops with a small Spark job each: one Spark application per run, or one per step."""

import sys

from benchmarks.executors import no_inputs, on_sqlite
from benchmarks.harness import Benchmark, Contender, Goal, main

MODULE = "benchmarks.executor_spark_ops"


def job_of(executor, steps: int):
    from dagster import job, op

    @op
    def counted() -> int:
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        spark = builder.config("spark.log.level", "ERROR").getOrCreate()
        return spark.range(0, 100_000, 1, 2).where("id % 3 = 0").count()

    @job(name="spark_ops", executor_def=executor)
    def made():
        for number in range(steps):
            counted.alias(f"step{number}")()

    return made


BENCHMARK = Benchmark(
    name="executor_spark_ops",
    title="Executor: 20 parallel ops with a small Spark job each",
    description="A Dagster job on a SQLite instance whose independent ops each count 100,000 rows with Spark; rows are "
    "steps, the start of Spark is included. The multiprocess executor starts a process and a Spark "
    "application per step, two at once.",
    rows=20,
    inputs=no_inputs,
    contenders=tuple(
        Contender(name=name, run=on_sqlite(MODULE, name)) for name in ("ours", "in process", "multiprocess")
    ),
    goals=(Goal(contender="ours", against=("multiprocess",), at_least=10),),
    repeats=1,
)

if __name__ == "__main__":
    sys.exit(main(BENCHMARK))
