"""Rows about the processes of any cluster: their memory, slots, number, JVM options, Kerberos."""

from flinkpy_dagster.config.targets.names import ACTIVE, CLUSTERS, TargetKind
from flinkpy_dagster.config.targets.rows import Request, Row, Settings, as_text, seconds
from flinkpy_dagster.config.targets.specification import MIB
from flinkpy_dagster.errors import ConfigurationError

_OWN_DRIVER = CLUSTERS | {TargetKind.LOCAL}
FIXED_NUMBER = ("spark.executor.instances", "spark.cores.max", "spark.dynamicAllocation.enabled")
"""Spark's settings by which a user says how many executors there are, or that Spark is not to decide it."""

_LEAST_WORKER_MIB = 3 * 1024
"""Address space of a Python worker is what Spark bounds, and a worker takes one GiB of it before it does anything."""

_EXECUTOR_MEMORY = ("spark.executor.memory", "spark.executor.memoryOverhead", "spark.executor.pyspark.memory")


def _driver_memory(request: Request) -> Settings:
    memory = request.specification.master
    if memory is None:
        return {}
    return {
        "spark.driver.memory": f"{memory.heap // MIB}m",
        "spark.driver.memoryOverhead": f"{memory.other // MIB}m",
    }


def _executor_memory(request: Request) -> Settings:
    """The three add up to the container. Where a slot's Python memory is too little to bound, it is overhead."""
    memory = request.specification.task_manager
    if memory is None:
        return {}
    python_mib = memory.python // MIB
    heap_mib = memory.heap // MIB
    if python_mib // request.specification.slots_per_task_manager < _LEAST_WORKER_MIB:
        return {
            "spark.executor.memory": f"{heap_mib}m",
            "spark.executor.memoryOverhead": f"{memory.total // MIB - heap_mib}m",
        }
    return {
        "spark.executor.memory": f"{heap_mib}m",
        "spark.executor.memoryOverhead": f"{memory.total // MIB - heap_mib - python_mib}m",
        "spark.executor.pyspark.memory": f"{python_mib}m",
    }


def cores_of(vcores: int, slots: int) -> Settings:
    """``vcores`` of a container shared by its slots. Raises ConfigurationError if they are no multiple."""
    if vcores < slots or vcores % slots:
        raise ConfigurationError(
            f"yarn.containers.vcores {vcores} is no multiple of taskmanager.numberOfTaskSlots {slots}: a slot is a "
            "task of Spark, which takes whole cores."
        )
    return {"spark.executor.cores": str(vcores), "spark.task.cpus": str(vcores // slots)}


def _slots(request: Request) -> Settings:
    return {"spark.executor.cores": str(request.specification.slots_per_task_manager)}


def _idle_time(request: Request) -> Settings:
    """A driver that does not collect its garbage keeps shuffles that nobody reads, and their executors with them."""
    idle = seconds("spark.dynamicAllocation.executorIdleTimeout")(request)
    is_fixed = any(request.configuration.contains_key(key) for key in FIXED_NUMBER)
    return idle if is_fixed else idle | seconds("spark.cleaner.periodicGC.interval")(request)


def _most_slots(request: Request) -> Settings:
    per_manager = request.specification.slots_per_task_manager
    managers = request.value // per_manager
    if managers == 0:
        raise ConfigurationError(
            f"slotmanager.number-of-slots.max {request.value} is less than the {per_manager} slots of one TaskManager "
            "(taskmanager.numberOfTaskSlots): raise it, or lower those."
        )
    found = {"spark.dynamicAllocation.maxExecutors": str(managers)}
    if request.kind is TargetKind.STANDALONE:
        found["spark.cores.max"] = str(managers * per_manager)
    return found


def least_managers(request: Request) -> int:
    """TaskManagers that are kept while nothing runs."""
    least = -(-request.get("slotmanager.number-of-slots.min") // request.specification.slots_per_task_manager)
    return int(least + request.get("slotmanager.redundant-taskmanager-num"))


def _least_slots(request: Request) -> Settings:
    return {"spark.dynamicAllocation.minExecutors": str(least_managers(request))}


def _java_options(request: Request) -> Settings:
    found = {}
    for process, setting in (("jobmanager", "driver"), ("taskmanager", "executor")):
        words = filter(None, (request.get("env.java.opts.all"), request.get(f"env.java.opts.{process}")))
        if text := " ".join(words):
            found[f"spark.{setting}.extraJavaOptions"] = text
    return found


def _of_memory(who: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{who}.memory.{name}" for name in names)


_DRIVER_SIZES = _of_memory(
    "jobmanager",
    "process.size",
    "flink.size",
    "heap.size",
    "off-heap.size",
    "jvm-metaspace.size",
    "jvm-overhead.min",
    "jvm-overhead.max",
    "jvm-overhead.fraction",
)
_EXECUTOR_SIZES = _of_memory(
    "taskmanager",
    "process.size",
    "flink.size",
    "framework.heap.size",
    "framework.off-heap.size",
    "task.heap.size",
    "task.off-heap.size",
    "managed.size",
    "managed.fraction",
    "network.min",
    "network.max",
    "network.fraction",
    "jvm-metaspace.size",
    "jvm-overhead.min",
    "jvm-overhead.max",
    "jvm-overhead.fraction",
)

PROCESS_ROWS: tuple[Row, ...] = (
    *(
        Row(
            option=key,
            targets=_OWN_DRIVER,
            settings=("spark.driver.memory", "spark.driver.memoryOverhead"),
            convert=_driver_memory,
            how="Flink's memory model: heap, and all the rest",
        )
        for key in _DRIVER_SIZES
    ),
    *(
        Row(
            option=key,
            targets=CLUSTERS,
            settings=_EXECUTOR_MEMORY,
            convert=_executor_memory,
            how="Flink's memory model: heap; managed memory for Python workers, bounded from 3 GiB a slot on; all the "
            "rest",
            is_always=key == "taskmanager.memory.process.size",
        )
        for key in _EXECUTOR_SIZES
    ),
    Row(
        option="taskmanager.numberOfTaskSlots",
        targets=CLUSTERS,
        settings=("spark.executor.cores",),
        convert=_slots,
        how="one core per slot",
        is_always=True,
    ),
    Row(
        option="resourcemanager.taskmanager-timeout",
        targets=CLUSTERS,
        settings=("spark.dynamicAllocation.executorIdleTimeout", "spark.cleaner.periodicGC.interval"),
        convert=_idle_time,
        how="in whole seconds; the second so that files of ended shuffles do not hold TaskManagers",
        is_always=True,
    ),
    Row(
        option="slotmanager.number-of-slots.max",
        targets=CLUSTERS,
        settings=("spark.dynamicAllocation.maxExecutors", "spark.cores.max"),
        convert=_most_slots,
        how="by slots per TaskManager, rounded down",
    ),
    *(
        Row(
            option=key,
            targets=CLUSTERS,
            settings=("spark.dynamicAllocation.minExecutors",),
            convert=_least_slots,
            how="TaskManagers for number-of-slots.min, rounded up, and the redundant ones",
        )
        for key in ("slotmanager.number-of-slots.min", "slotmanager.redundant-taskmanager-num")
    ),
    *(
        Row(
            option=f"env.java.opts.{process}",
            targets=_OWN_DRIVER if process != "taskmanager" else CLUSTERS,
            settings=settings,
            convert=_java_options,
            how="those of all first",
        )
        for process, settings in (
            ("all", ("spark.driver.extraJavaOptions", "spark.executor.extraJavaOptions")),
            ("jobmanager", ("spark.driver.extraJavaOptions",)),
            ("taskmanager", ("spark.executor.extraJavaOptions",)),
        )
    ),
    *(
        Row(
            option=f"security.kerberos.login.{name}",
            targets=ACTIVE,
            settings=(f"spark.kerberos.{name}",),
            convert=as_text(f"spark.kerberos.{name}"),
            how="as it is",
        )
        for name in ("principal", "keytab")
    ),
    *(
        Row(
            option=key,
            targets=frozenset({TargetKind.STANDALONE}),
            settings=("spark.master",),
            convert=lambda request: {},
            how="spark://ADDRESS:PORT, for the target remote",
        )
        for key in ("jobmanager.rpc.address", "jobmanager.rpc.port")
    ),
)
