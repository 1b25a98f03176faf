"""Slot requests become executors: how many an application asks for before Spark's own tasks wait for them."""

from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRequest:
    """``needed`` slots at once, in executors of ``slots`` each, and ``spare`` executors beyond, at ``most`` so many.

    ``least``: what the session asks for by itself when it starts, which a request must not take back.
    """

    needed: int
    slots: int = 1
    spare: int = 0
    most: int | None = None
    least: int = 0

    @property
    def executors(self) -> int:
        """How many that are."""
        wanted = max(-(-self.needed // self.slots) + self.spare, self.least)
        return wanted if self.most is None else min(wanted, self.most)


def request_of(spark: SparkSession, needed: int, spare: int) -> SlotRequest:
    """By the settings of the session."""
    conf = spark.sparkContext.getConf()
    most = conf.get("spark.dynamicAllocation.maxExecutors")
    cores, per_task = (int(conf.get(key, "1") or "1") for key in ("spark.executor.cores", "spark.task.cpus"))
    return SlotRequest(
        needed=needed,
        slots=max(1, cores // per_task),
        spare=spare,
        most=int(most) if most is not None else None,
        least=int(conf.get("spark.dynamicAllocation.initialExecutors", "0") or "0"),
    )


def ask(spark: SparkSession, request: SlotRequest) -> None:
    """Asks for as many executors, those that are there included.

    Spark's dynamic allocation takes over with the first stage, and may forget the request whenever it releases an
    executor before: who waits asks again.
    """
    context: Any = spark.sparkContext
    nowhere = context._jvm.scala.collection.immutable.HashMap()
    context._jsc.sc().requestTotalExecutors(request.executors, 0, nowhere)
