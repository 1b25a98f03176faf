"""The executors of a Spark application, which are what Flink's TaskManagers are: who came, who went and why.

Spark's own listener keeps them (``AppStatusStore``, there without the UI, too), those that have gone included. So
looking from time to time misses nobody, and one call brings all of them as JSON. A listener in Python would be called
by the JVM for every task, and the JVM would wait for it.
"""

import json
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from flinkpy_dagster.dataplane.spark.connect import is_connect
from flinkpy_dagster.dataplane.spark.driver_loss import CONNECTION_ERRORS
from flinkpy_dagster.dataplane.spark.engines import engine_of

_RELEASED = "Executor killed by driver."
"""What Spark says of an executor that it has given back because it was idle."""


@dataclass(frozen=True, slots=True)
class ExecutorInfo:
    """``slots``: tasks that it runs at once; ``memory_bytes``: for blocks in its heap; ``since_ms``: when it was seen.

    ``lost_ms`` and ``reason`` are of one that has gone; ``reason`` is empty if it was idle and released.
    """

    id: str
    host: str
    port: int
    slots: int
    memory_bytes: int
    since_ms: int
    registered_ms: int = 0
    lost_ms: int | None = None
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """As it is told in a run's event log."""
        return asdict(self)


class ExecutorWatch:
    """The executors of one session; remembers whom it has seen. A shared session tells of none: it stands for all."""

    def __init__(self, spark: SparkSession):
        self._known: dict[str, ExecutorInfo] = {}
        self._shared = engine_of(spark) if is_connect(spark) else None
        if self._shared is not None:
            self.is_local = True  # nobody comes or goes that could be seen
            return
        self._context = spark.sparkContext
        self.is_local = self._context.master.startswith("local")
        jvm: Any = self._context._jvm
        self._mapper = jvm.org.apache.spark.status.api.v1.JacksonMessageWriter().mapper()
        self._tasks = int(self._context.getConf().get("spark.task.cpus", "1") or "1")

    def look(self) -> list[ExecutorInfo]:
        """All that there have been, in the order in which they came. On this machine the driver is the only one."""
        if self._shared is not None:
            return [ExecutorInfo("session", "", 0, self._shared.slots(), 0, now_ms())]
        store = self._context._jsc.sc().statusStore()
        return self._parsed(self._mapper.writeValueAsString(store.executorList(False)), now_ms())

    def changes(self) -> list[ExecutorInfo]:
        """Those that have come or gone since this was last called; none when the driver has ended."""
        try:
            seen = self.look()
        except (Py4JError, AttributeError, *CONNECTION_ERRORS):
            return []
        changed = [each for each in seen if self._differs(each)]
        self._known |= {each.id: each for each in changed}
        return changed

    def _differs(self, found: ExecutorInfo) -> bool:
        known = self._known.get(found.id)
        return known is None or known.lost_ms != found.lost_ms

    def _parsed(self, text: str, at_ms: int) -> list[ExecutorInfo]:
        told = [
            each
            for each in json.loads(text)
            if (each["id"] == "driver") == self.is_local and not _is_registering(each)
        ]
        driver_slots = self._context.defaultParallelism if self.is_local else 0
        found = [parsed(each, driver_slots or each["totalCores"] // self._tasks, at_ms) for each in told]
        return sorted(found, key=lambda each: (each.registered_ms, each.id))


def executors(spark: SparkSession) -> list[ExecutorInfo]:
    """Those that are registered now."""
    return [each for each in ExecutorWatch(spark).look() if each.lost_ms is None]


def parsed(told: dict[str, Any], slots: int, at_ms: int) -> ExecutorInfo:
    """One of Spark's ``ExecutorSummary``."""
    host, colon, port = told["hostPort"].rpartition(":")
    reason = told.get("removeReason") or ""
    return ExecutorInfo(
        id=told["id"],
        host=host if colon else port,
        port=int(port) if colon else 0,
        slots=max(slots, 1),
        memory_bytes=told["maxMemory"],
        since_ms=at_ms,
        registered_ms=_ms(told["addTime"]),
        lost_ms=None if told["isActive"] else _ms(told.get("removeTime")) or at_ms,
        reason="" if reason == _RELEASED else reason,
    )


def _is_registering(told: dict[str, Any]) -> bool:
    """It has come, but takes no blocks yet, and has no port."""
    return told["isActive"] and ":" not in told["hostPort"]


def _ms(text: str | None) -> int:
    """``2026-11-20T20:34:19.637GMT`` as ms since 1970."""
    if text is None:
        return 0
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fGMT").replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)


def now_ms() -> int:
    """Now."""
    return time.time_ns() // 1_000_000
