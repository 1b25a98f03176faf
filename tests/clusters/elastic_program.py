"""Executors of one session come and go; prints it: ``python -m tests.clusters.elastic_program MASTER FOLDER``."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.spark.cluster_limits import standalone_workers
from flinkpy_dagster.dataplane.spark.cluster_slots import await_slots, registered_slots
from flinkpy_dagster.dataplane.spark.executors import ExecutorInfo, ExecutorWatch
from flinkpy_dagster.dataplane.spark.session import spark_session
from flinkpy_dagster.types import Types
from tests.dataplane.running import environment, run_job

IDLE_S = 5
PATIENCE_S = 240
OPTIONS = {
    "taskmanager.memory.process.size": "1728m",
    "slotmanager.number-of-slots.max": "2",
    "resourcemanager.taskmanager-timeout": f"{IDLE_S} s",
    "python.executable": "python3",
}


def main(master: str, folder: str) -> None:
    spark = spark_session(Configuration.from_dict(OPTIONS | {"execution.target": master}))
    watch = ExecutorWatch(spark)

    def until(is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not is_so():
            assert time.monotonic() < deadline, watch.look()
            time.sleep(0.2)

    def seen(is_so: Callable[[ExecutorInfo], object]) -> int:
        return len([each for each in watch.look() if is_so(each)])

    def lines(name: str) -> int:
        env = environment(2, "STREAMING")
        numbers = env.from_sequence(1, 100).map(lambda number: number, Types.LONG())
        numbers.key_by(lambda number: number % 3).reduce(lambda one, other: one + other).print()
        return len(list(run_job(spark, env.job_graph(), f"{folder}/{name}").lines))

    print("workers", standalone_workers(spark.sparkContext))
    print("at once", await_slots(spark, 2, PATIENCE_S, "the job", at_once=True))
    kept = spark.range(0, 4, 1, 2).persist()
    kept.count()
    print("lines", lines("first"))
    holding = registered_slots(spark)
    begun = time.monotonic()
    until(lambda: time.monotonic() - begun > 2 * IDLE_S)
    print("idle, but with data", 0 < registered_slots(spark) <= holding)
    kept.unpersist(True)
    until(lambda: registered_slots(spark) == 0)
    print("lost", seen(lambda each: each.reason))
    print("lines", lines("second"))
    print("back", registered_slots(spark) > 0)
    _kill_one(spark.sparkContext.applicationId)
    until(lambda: seen(lambda each: each.reason) > 0)
    print("lost", seen(lambda each: each.reason))
    spark.stop()


def _kill_one(application: str) -> None:
    command = ["pgrep", "-f", f"CoarseGrainedExecutorBackend.*{application}"]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    os.kill(int(found[0]), signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
