"""The executors of a Spark application, which are what Flink's TaskManagers are."""

import time
from dataclasses import asdict, dataclass
from typing import Any

from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class ExecutorInfo:
    """``slots``: tasks that it runs at once; ``since_ms``: when it was looked at."""

    id: str
    host: str
    port: int
    slots: int
    memory_bytes: int
    since_ms: int

    def to_json(self) -> dict[str, Any]:
        """As it is told in a run's event log."""
        return asdict(self)


def executors(spark: SparkSession) -> list[ExecutorInfo]:
    """Those that are registered now. On this machine the driver is the only one."""
    context = spark.sparkContext
    is_local = context.master.startswith("local")
    found = context._jsc.sc().statusTracker().getExecutorInfos()
    now_ms = time.time_ns() // 1_000_000
    hosts = [(each.host(), each.port(), each.totalOnHeapStorageMemory()) for each in found]
    driver = (
        context.getConf().get("spark.driver.host", ""),
        int(context.getConf().get("spark.driver.port", "0") or 0),
    )
    if not is_local:
        hosts = [each for each in hosts if each[:2] != driver] if len(hosts) > 1 else []
    per_task = int(context.getConf().get("spark.task.cpus", "1") or "1")
    slots = context.defaultParallelism // per_task // max(len(hosts), 1)
    return [
        ExecutorInfo("driver" if is_local else str(number), host, port, max(slots, 1), memory, now_ms)
        for number, (host, port, memory) in enumerate(hosts)
    ]
