"""Named groups of operators that share slots (``pyflink.datastream.slot_sharing_group``)."""

from dataclasses import dataclass, field
from functools import total_ordering

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.slot_sharing import resource_key

_MEBI = 1 << 20


@total_ordering
class MemorySize:
    """A number of bytes."""

    def __init__(self, bytes_size: int) -> None:
        if bytes_size < 0:
            raise ValueError(f"A memory size cannot be negative: {bytes_size} bytes.")
        self._bytes = bytes_size

    @staticmethod
    def of_mebi_bytes(mebi_bytes: int) -> "MemorySize":
        return MemorySize(mebi_bytes * _MEBI)

    def get_bytes(self) -> int:
        return self._bytes

    def get_kibi_bytes(self) -> int:
        return self._bytes >> 10

    def get_mebi_bytes(self) -> int:
        return self._bytes >> 20

    def get_gibi_bytes(self) -> int:
        return self._bytes >> 30

    def get_tebi_bytes(self) -> int:
        return self._bytes >> 40

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MemorySize) and self._bytes == other._bytes

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, MemorySize):
            raise TypeError(f"A MemorySize cannot be compared with {other!r}.")
        return self._bytes < other._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __str__(self) -> str:
        """The largest unit that divides it, as Flink writes it (``64 mb``)."""
        for shift, unit in ((40, "tb"), (30, "gb"), (20, "mb"), (10, "kb")):
            if self._bytes and not self._bytes % (1 << shift):
                return f"{self._bytes >> shift} {unit}"
        return f"{self._bytes} bytes"


@dataclass(frozen=True)
class SlotSharingGroup:
    """A name and the resources a slot of the group has; no resources: whatever a slot has."""

    _name: str
    _cpu_cores: float | None = None
    _task_heap_memory: MemorySize | None = None
    _task_off_heap_memory: MemorySize | None = None
    _managed_memory: MemorySize | None = None
    _external_resources: dict[str, float] = field(default_factory=dict, hash=False)

    def get_name(self) -> str:
        return self._name

    def get_cpu_cores(self) -> float | None:
        return self._cpu_cores

    def get_task_heap_memory(self) -> MemorySize | None:
        return self._task_heap_memory

    def get_task_off_heap_memory(self) -> MemorySize | None:
        return self._task_off_heap_memory

    def get_managed_memory(self) -> MemorySize | None:
        return self._managed_memory

    def get_external_resources(self) -> dict[str, float]:
        return dict(self._external_resources)

    @staticmethod
    def builder(name: str) -> "SlotSharingGroup.Builder":
        return SlotSharingGroup.Builder(name)

    class Builder:
        """Collects the resources of a group."""

        def __init__(self, name: str) -> None:
            self._name = name
            self._cpu_cores: float | None = None
            self._memory: dict[str, MemorySize] = {}
            self._external_resources: dict[str, float] = {}

        def set_cpu_cores(self, cpu_cores: float) -> "SlotSharingGroup.Builder":
            if cpu_cores <= 0:
                raise ValueError(f"The cpu cores should be positive. They are {cpu_cores}.")
            self._cpu_cores = cpu_cores
            return self

        def set_task_heap_memory(self, task_heap_memory: MemorySize) -> "SlotSharingGroup.Builder":
            return self._with("_task_heap_memory", task_heap_memory)

        def set_task_heap_memory_mb(self, task_heap_memory_mb: int) -> "SlotSharingGroup.Builder":
            return self._with("_task_heap_memory", MemorySize.of_mebi_bytes(task_heap_memory_mb))

        def set_task_off_heap_memory(self, task_off_heap_memory: MemorySize) -> "SlotSharingGroup.Builder":
            return self._with("_task_off_heap_memory", task_off_heap_memory)

        def set_task_off_heap_memory_mb(self, task_off_heap_memory_mb: int) -> "SlotSharingGroup.Builder":
            return self._with("_task_off_heap_memory", MemorySize.of_mebi_bytes(task_off_heap_memory_mb))

        def set_managed_memory(self, managed_memory: MemorySize) -> "SlotSharingGroup.Builder":
            return self._with("_managed_memory", managed_memory)

        def set_managed_memory_mb(self, managed_memory_mb: int) -> "SlotSharingGroup.Builder":
            return self._with("_managed_memory", MemorySize.of_mebi_bytes(managed_memory_mb))

        def set_external_resource(self, name: str, value: float) -> "SlotSharingGroup.Builder":
            self._external_resources[name] = value
            return self

        def build(self) -> "SlotSharingGroup":
            """The group. Raises ValueError for resources without both cpu cores and task heap memory."""
            has_some = bool(self._memory or self._external_resources or self._cpu_cores is not None)
            if has_some and (self._cpu_cores is None or "_task_heap_memory" not in self._memory):
                raise ValueError(
                    f"Slot sharing group '{self._name}': the cpu cores and task heap memory must both be specified "
                    "when other resources are."
                )
            return SlotSharingGroup(
                self._name,
                self._cpu_cores,
                _external_resources=dict(self._external_resources),
                **self._memory,
            )

        def _with(self, kind: str, size: MemorySize) -> "SlotSharingGroup.Builder":
            self._memory[kind] = size
            return self


def record_resources(group: SlotSharingGroup, configuration: Configuration) -> None:
    """Notes in the job's configuration what a slot of the group must have.

    Raises InvalidProgram when the group was given other resources before (Flink's ``StreamGraphGenerator``).
    """
    parts = (group.get_task_heap_memory(), group.get_task_off_heap_memory(), group.get_managed_memory())
    memory = [part.get_bytes() for part in parts if part is not None]
    if group.get_cpu_cores() is None:
        return
    for resource, value in (("cpu-cores", group.get_cpu_cores()), ("memory", sum(memory))):
        key = resource_key(group.get_name(), resource)
        before = configuration.get_string(key, None)
        if before not in (None, str(value)):
            raise InvalidProgram(
                f"Slot sharing group '{group.get_name()}' has been defined with different resources already: its "
                f"{resource} was {before}, now it is {value}."
            )
        configuration.set_string(key, str(value))
