"""The ClusterSpecification: how large the JobManager and a TaskManager are, and what their memory is made of.

Source: Flink's ``ClusterSpecification``, ``TaskExecutorProcessUtils``, ``JobManagerProcessUtils`` and "Set up Flink's
Process Memory". A process is JVM metaspace, JVM overhead and total Flink memory; the latter of a TaskManager is
framework and task heap, framework and task off-heap, network and managed memory.
"""

from dataclasses import dataclass

from flinkpy_dagster.config.configuration import Configuration
from flinkpy_dagster.errors import ConfigurationError

MIB = 2**20
_SPARK_LEAST_HEAP = 450 * MIB
"""Spark refuses an executor or driver with less: one and a half times what it reserves for itself."""
_LEAST_BESIDE = 256 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessMemory:
    """Bytes of one process: ``heap`` of its JVM, ``python`` for its Python workers, ``other`` beside both."""

    heap: int
    python: int
    other: int

    @property
    def total(self) -> int:
        """What the container of the process needs."""
        return self.heap + self.python + self.other


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSpecification:
    """Flink's ``ClusterSpecification``; None where no option says how large a process is."""

    master: ProcessMemory | None
    task_manager: ProcessMemory | None
    slots_per_task_manager: int


def cluster_specification(configuration: Configuration, *, is_active: bool = False) -> ClusterSpecification:
    """What the options say. With ``is_active`` (YARN, Kubernetes) a TaskManager that none sizes gets Flink's 1728m.

    Raises ConfigurationError where sizes contradict each other or leave too little heap.
    """
    return ClusterSpecification(
        master=_job_manager(configuration),
        task_manager=_task_manager(configuration, is_active),
        slots_per_task_manager=configuration.get("taskmanager.numberOfTaskSlots") or 1,
    )


DEFAULT_TASK_MANAGER = 1728 * MIB
"""``taskmanager.memory.process.size`` in the config.yaml that Flink comes with."""


def _job_manager(configuration: Configuration) -> ProcessMemory | None:
    who = "jobmanager"
    off_heap = configuration.get("jobmanager.memory.off-heap.size")
    process, flink, heap = (
        configuration.get(f"jobmanager.memory.{name}.size") for name in ("process", "flink", "heap")
    )
    if heap is not None:
        flink = heap + off_heap
    elif flink is None and process is None:
        return None
    flink, around = _flink_memory(configuration, who, process, flink)
    return _with_heap_for_spark(ProcessMemory(heap=flink - off_heap, python=0, other=off_heap + around), who)


def _task_manager(configuration: Configuration, is_active: bool) -> ProcessMemory | None:
    who = "taskmanager"
    process, flink, task_heap, managed = (
        configuration.get(f"taskmanager.memory.{name}.size")
        for name in ("process", "flink", "task.heap", "managed")
    )
    framework_heap = configuration.get("taskmanager.memory.framework.heap.size")
    off_heap = configuration.get("taskmanager.memory.framework.off-heap.size") + configuration.get(
        "taskmanager.memory.task.off-heap.size"
    )
    if process is None and flink is None and task_heap is not None and managed is not None:
        heap = framework_heap + task_heap
        fraction = configuration.get("taskmanager.memory.network.fraction")
        others = heap + off_heap + managed
        flink = others + _bounded_network(configuration, int(others * fraction / (1 - fraction)))
    elif process is None and flink is None and is_active:
        process = DEFAULT_TASK_MANAGER
    elif process is None and flink is None:
        return None
    flink, around = _flink_memory(configuration, who, process, flink)
    if managed is None:
        managed = int(flink * configuration.get("taskmanager.memory.managed.fraction"))
    if task_heap is not None:
        heap = framework_heap + task_heap  # exchanges get what is left
        _check_task_heap(task_heap, flink - off_heap - managed - framework_heap, flink)
    else:
        derived = int(flink * configuration.get("taskmanager.memory.network.fraction"))
        heap = flink - off_heap - managed - _bounded_network(configuration, derived)
    memory = ProcessMemory(heap=heap, python=managed, other=flink - heap - managed + around)
    return _with_heap_for_spark(memory, who)


def _check_task_heap(task_heap: int, left: int, flink: int) -> None:
    if task_heap > left:
        raise ConfigurationError(
            f"taskmanager.memory.task.heap.size {_written(task_heap)} does not fit: {_written(max(0, left))} are left "
            f"of {_written(flink)} of Flink memory."
        )


def _flink_memory(
    configuration: Configuration, who: str, process: int | None, flink: int | None
) -> tuple[int, int]:
    """Total Flink memory, and metaspace plus JVM overhead around it."""
    metaspace = configuration.get(f"{who}.memory.jvm-metaspace.size")
    fraction = configuration.get(f"{who}.memory.jvm-overhead.fraction")
    if process is not None:
        overhead = _bounded_overhead(configuration, who, int(process * fraction))
        left = process - metaspace - overhead
        if flink is not None and flink > left:
            raise ConfigurationError(
                f"{who}.memory.flink.size {_written(flink)} does not fit into {who}.memory.process.size "
                f"{_written(process)}: at most {_written(max(left, 0))} are left."
            )
        flink = left if flink is None else flink
        return flink, process - flink
    assert flink is not None
    overhead = _bounded_overhead(configuration, who, int((flink + metaspace) * fraction / (1 - fraction)))
    return flink, metaspace + overhead


def _bounded_overhead(configuration: Configuration, who: str, derived: int) -> int:
    least, most = (configuration.get(f"{who}.memory.jvm-overhead.{end}") for end in ("min", "max"))
    return min(max(derived, least), most)


def _bounded_network(configuration: Configuration, derived: int) -> int:
    least, most = (configuration.get(f"taskmanager.memory.network.{end}") for end in ("min", "max"))
    bounded: int = max(derived, least)
    return bounded if most is None else min(bounded, most)


def _with_heap_for_spark(memory: ProcessMemory, who: str) -> ProcessMemory:
    """A small process has less heap in Flink than Spark starts with: the rest of it is taken from what is beside."""
    missing = _SPARK_LEAST_HEAP - memory.heap
    if missing <= 0:
        return memory
    if memory.total < _SPARK_LEAST_HEAP + _LEAST_BESIDE:
        raise ConfigurationError(
            f"{who}.memory.process.size is {_written(memory.total)}: Spark needs {_written(_SPARK_LEAST_HEAP)} of "
            f"heap, and {_written(_LEAST_BESIDE)} beside it."
        )
    of_python = min(missing, memory.python)
    return ProcessMemory(
        heap=_SPARK_LEAST_HEAP,
        python=memory.python - of_python,
        other=memory.other - (missing - of_python),
    )


def _written(size: int) -> str:
    return f"{size // MIB} mb"
