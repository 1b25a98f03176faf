"""Which vertices may share slots.

Source of the rules: Flink's ``StreamingJobGraphGenerator.setSlotSharing``: a group that was named is one group; the
default group is one in STREAMING and one per pipelined region in BATCH.
"""

from collections.abc import Mapping, Sequence

from flinkpy_dagster.graph.grouping import grouped
from flinkpy_dagster.graph.job_graph import IntermediateDataSet, JobEdge, JobVertex, SlotSharingGroup

DEFAULT = "default"


def resource_key(group: str, resource: str) -> str:
    """Where the configuration of a job says what a slot of a group must have: ``cpu-cores``, ``memory`` (bytes)."""
    return f"$internal.slot-sharing-group.{group}.{resource}"


def resources_of(group: str, configuration: Mapping[str, str]) -> tuple[float | None, int | None]:
    """Cores and bytes that a slot of the group must have; None: whatever a slot has."""
    cores = configuration.get(resource_key(group, "cpu-cores"))
    memory = configuration.get(resource_key(group, "memory"))
    return float(cores) if cores else None, int(memory) if memory and int(memory) else None


def slot_sharing_groups(
    vertices: Sequence[JobVertex],
    edges: Sequence[JobEdge],
    data_sets: Sequence[IntermediateDataSet],
    are_regions_apart: bool,
) -> dict[str, SlotSharingGroup]:
    """The group of each vertex by vertex id; groups are numbered in the order of ``vertices``."""
    regions = _region_numbers(vertices, edges, data_sets)
    numbers: dict[tuple[str, int], int] = {}
    groups = {}
    for vertex in vertices:
        name = vertex.head.slot_sharing_group
        part = regions[vertex.id] if name == DEFAULT and are_regions_apart else 0
        index = numbers.setdefault((name, part), len(numbers))
        groups[vertex.id] = SlotSharingGroup(name=name, index=index)
    return groups


def _region_numbers(
    vertices: Sequence[JobVertex], edges: Sequence[JobEdge], data_sets: Sequence[IntermediateDataSet]
) -> dict[str, int]:
    blocking = {data_set.id for data_set in data_sets if data_set.result_type.is_blocking}
    pipelined = [(edge.source, edge.target) for edge in edges if edge.data_set not in blocking]
    regions = grouped([vertex.id for vertex in vertices], pipelined)
    return {vertex_id: number for number, region in enumerate(regions) for vertex_id in region}
