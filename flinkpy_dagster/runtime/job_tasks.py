"""The tasks that a JobGraph is, as the scheduler sees them, before anything runs."""

from collections.abc import Iterable

from flinkpy_dagster.graph.job_graph import JobGraph, JobVertex
from flinkpy_dagster.graph.regions import pipelined_regions
from flinkpy_dagster.graph.slot_sharing import resources_of
from flinkpy_dagster.runtime.events import TaskSpec
from flinkpy_dagster.runtime.slots import ResourceProfile


def tasks_of(job_graph: JobGraph) -> tuple[TaskSpec, ...]:
    """One per vertex, under the vertex's name; names that occur twice get the beginning of the vertex's id."""
    names = [vertex.name for vertex in job_graph.vertices]
    keys = {
        vertex.id: vertex.name if names.count(vertex.name) == 1 else f"{vertex.name} ({vertex.id[:6]})"
        for vertex in job_graph.vertices
    }
    regions = {vertex: region for region in pipelined_regions(job_graph) for vertex in region.vertex_ids}
    found = []
    for vertex in job_graph.vertices:
        inputs = {edge.source for edge in job_graph.edges_into(vertex.id)}
        apart = {keys[each] for each in inputs if regions[each] is not regions[vertex.id]}
        found.append(_task(job_graph, vertex, keys[vertex.id], f"region {regions[vertex.id].id}", apart))
    return tuple(found)


def tasks_by_region(tasks: Iterable[TaskSpec]) -> dict[str, list[TaskSpec]]:
    """Tasks that start and end together, in the order in which they are given."""
    regions: dict[str, list[TaskSpec]] = {}
    for task in tasks:
        regions.setdefault(task.region, []).append(task)
    return regions


def _task(job_graph: JobGraph, vertex: JobVertex, key: str, region: str, inputs: set[str]) -> TaskSpec:
    group = vertex.slot_sharing_group
    cores, memory = resources_of(group.name, job_graph.configuration)
    return TaskSpec(
        key=key,
        vertex=key,
        region=region,
        slot_sharing_group=f"{group.name} {group.index}",
        slots=vertex.execution_parallelism,
        blocking_inputs=frozenset(inputs),
        profile=ResourceProfile(cpu_cores=cores, memory_bytes=memory),
    )
