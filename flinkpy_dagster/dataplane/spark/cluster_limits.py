"""What a cluster can never give is refused at once: Spark would wait for it, and say so in a log that nobody sees."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from flinkpy_dagster.dataplane.spark.yarn_limits import check_yarn
from flinkpy_dagster.errors import NonRetryable, TargetUnavailable

_MESSAGES = "org.apache.spark.deploy.DeployMessages"


def check_before_start(settings: Mapping[str, str]) -> None:
    """What the settings tell before there is a JVM. Raises TargetUnavailable."""
    master = settings["spark.master"]
    if master == "yarn":
        check_yarn(settings)
    elif master.startswith("k8s://") and not _has_image(settings):
        raise TargetUnavailable(
            "Kubernetes does not know which image TaskManagers run: give kubernetes.container.image.ref."
        ) from NonRetryable()


def _has_image(settings: Mapping[str, str]) -> bool:
    prefix = "spark.kubernetes"
    return f"{prefix}.container.image" in settings or f"{prefix}.executor.container.image" in settings


@dataclass(frozen=True, slots=True)
class Worker:
    """One of a standalone cluster: what it has altogether."""

    cores: int
    memory_mib: int


def check_workers(spark: SparkSession) -> None:
    """Raises TargetUnavailable if no worker of a standalone cluster could ever hold an executor of this application."""
    context = spark.sparkContext
    if not context.master.startswith("spark://"):
        return
    workers = standalone_workers(context)
    cores = int(context.getConf().get("spark.executor.cores", "1") or "1")
    sentence = unfit(workers, cores, context._jsc.sc().executorMemory(), context.master)
    if sentence is not None:
        raise TargetUnavailable(sentence) from NonRetryable()


def unfit(workers: Iterable[Worker], cores: int, memory_mib: int, master: str) -> str | None:
    """The sentence about workers that are all too small; None if there is one that fits, or none at all."""
    found = list(workers)
    if not found or any(each.cores >= cores and each.memory_mib >= memory_mib for each in found):
        return None
    most = max(found, key=lambda each: (each.memory_mib, each.cores))
    return (
        f"No worker of '{master}' can hold a TaskManager of {cores} cores (taskmanager.numberOfTaskSlots) and "
        f"{memory_mib} mb of heap (taskmanager.memory.process.size, spark.executor.memory): the largest of "
        f"{len(found)} has {most.cores} cores and {most.memory_mib} mb."
    )


def standalone_workers(context: Any) -> list[Worker]:
    """Those that live, asked of the master by Spark's own RPC: its web page may be anywhere.

    The message is what that page asks, too; it is none of Spark's public API.
    """
    environment = context._jsc.sc().schedulerBackend().rpcEnv()
    jvm = context._jvm
    class_of = jvm.java.lang.Class.forName
    question = class_of(f"{_MESSAGES}$RequestMasterState$").getField("MODULE$").get(None)
    answer = jvm.scala.reflect.ClassTag.apply(class_of(f"{_MESSAGES}$MasterStateResponse"))
    for address in context.master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        place = jvm.org.apache.spark.rpc.RpcAddress(host.strip("[]"), int(port))
        try:
            state = environment.setupEndpointRef(place, "Master").askSync(question, answer)
        except Exception:  # a master that does not answer, or stands by: the next one
            continue
        found = [
            Worker(each.cores(), each.memory())
            for each in state.workers()
            if each.state().toString() == "ALIVE"
        ]
        if found:
            return found
    return []
