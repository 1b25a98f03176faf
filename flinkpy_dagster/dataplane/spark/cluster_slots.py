"""Slots of a Spark cluster: executors register some time after the session has started, or never.

Spark itself waits for ever and says so in a log that nobody sees; Flink's jobs fail after ``slot.request.timeout``.
"""

import time

from pyspark.sql import SparkSession

from flinkpy_dagster.dataplane.spark.cluster_limits import check_workers
from flinkpy_dagster.dataplane.spark.connect import is_connect
from flinkpy_dagster.dataplane.spark.engines import engine_of
from flinkpy_dagster.dataplane.spark.executors import executors
from flinkpy_dagster.dataplane.spark.slot_requests import ask, request_of
from flinkpy_dagster.errors import SlotsUnavailable

_POLL_SECONDS = 0.2
_ASK_SECONDS = 5.0


def registered_slots(spark: SparkSession) -> int:
    """Task slots that exist now: those of ``local[N]``, or the cores of all executors by the cores a task takes."""
    context = spark.sparkContext
    if context.master.startswith("local"):
        return context.defaultParallelism
    return sum(each.slots for each in executors(spark))


def await_slots(
    spark: SparkSession, needed: int, timeout_s: float, who: str, *, at_once: bool = False, spare: int = 0
) -> int:
    """Waits until a cluster has ``needed`` slots; how many there are.

    On this machine the options have been asked before. Under dynamic allocation executors come when tasks wait, so one
    is enough to begin with; ``at_once`` (EAGER) all are asked for, and waited for. ``spare``: executors beyond those.

    Raises SlotsUnavailable when too few have registered in time, TargetUnavailable when none ever can.
    """
    if is_connect(spark):
        return _session_slots(spark, needed, who)
    context = spark.sparkContext
    if context.master.startswith("local"):
        return registered_slots(spark)
    is_dynamic = context.getConf().get("spark.dynamicAllocation.enabled", "false") == "true"
    least = needed if at_once or not is_dynamic else 1
    request = request_of(spark, needed if at_once else 1, spare) if is_dynamic else None
    begun = asked = time.monotonic()
    if request is not None and (at_once or spare):
        ask(spark, request)
    while (slots := registered_slots(spark)) < least:
        now = time.monotonic()
        if now - asked > _ASK_SECONDS or asked == begun:
            asked = now
            check_workers(spark)
            if request is not None:
                ask(spark, request)
        if now > begun + timeout_s:
            master = context.master
            raise SlotsUnavailable(
                needed,
                slots,
                f"{who} on '{master}', within {timeout_s:g} s,",
                remedy="Lower the parallelism, start workers there, ask for executors that fit them "
                "(taskmanager.memory.process.size, taskmanager.numberOfTaskSlots), or raise slot.request.timeout.",
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
