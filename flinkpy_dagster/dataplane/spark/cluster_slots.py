"""Slots of a Spark cluster: executors register some time after the session has started, or never.

Spark itself waits for ever and says so in a log that nobody sees; Flink's jobs fail after ``slot.request.timeout``.
"""

import time

from pyspark.sql import SparkSession

from flinkpy_dagster.dataplane.spark.connect import is_connect
from flinkpy_dagster.dataplane.spark.engines import engine_of
from flinkpy_dagster.errors import SlotsUnavailable

_POLL_SECONDS = 0.2


def registered_slots(spark: SparkSession) -> int:
    """Task slots that exist now: those of ``local[N]``, or the cores of all executors by the cores a task takes."""
    context = spark.sparkContext
    if context.master.startswith("local"):
        return context.defaultParallelism
    executors = context._jsc.sc().statusTracker().getExecutorInfos()
    if len(executors) == 1:  # the driver
        return 0
    return max(1, context.defaultParallelism // int(context.getConf().get("spark.task.cpus", "1") or "1"))


def await_slots(spark: SparkSession, needed: int, timeout_s: float, who: str) -> int:
    """Waits until a cluster has ``needed`` slots; how many there are.

    On this machine the options have been asked before, and under dynamic allocation executors come when tasks wait.
    Raises SlotsUnavailable when too few have registered in time.
    """
    if is_connect(spark):
        return _session_slots(spark, needed, who)
    context = spark.sparkContext
    if context.master.startswith("local"):
        return registered_slots(spark)
    least = 1 if context.getConf().get("spark.dynamicAllocation.enabled", "false") == "true" else needed
    deadline = time.monotonic() + timeout_s
    while (slots := registered_slots(spark)) < least:
        if time.monotonic() > deadline:
            master = context.master
            raise SlotsUnavailable(
                needed,
                slots,
                f"{who} on '{master}', within {timeout_s:g} s,",
                remedy="Lower the parallelism, start workers there, ask for executors that fit them "
                "(spark.executor.memory, spark.executor.cores), or raise slot.request.timeout.",
            )
        time.sleep(_POLL_SECONDS)
    return slots


def _session_slots(spark: SparkSession, needed: int, who: str) -> int:
    """Those of a shared session, which all its jobs use in turn. Its workers are there, or come as tasks wait."""
    slots = engine_of(spark).slots()
    if slots < needed and spark.conf.get("spark.dynamicAllocation.enabled", "false") != "true":
        raise SlotsUnavailable(
            needed,
            slots,
            f"{who} in the shared session",
            remedy="Lower the parallelism, or start a session with more slots (flinkpy session start --master).",
        )
    return slots
