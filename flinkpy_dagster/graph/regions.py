"""Pipelined regions: vertices connected by results that are read while they are made. They run, and fail, together.

Source of the rules: Flink's ``PipelinedRegionComputeUtil``; a region is merged with others it forms a cycle with.
"""

from dataclasses import dataclass

from flinkpy_dagster.graph.grouping import grouped
from flinkpy_dagster.graph.job_graph import JobEdge, JobGraph, JobVertex


@dataclass(frozen=True, kw_only=True, slots=True)
class PipelinedRegion:
    """``vertices`` in topological order; ``inputs`` are the stored results it reads, ``outputs`` those it makes."""

    id: int
    vertices: tuple[JobVertex, ...]
    inputs: tuple[JobEdge, ...]
    inner_edges: tuple[JobEdge, ...]
    outputs: tuple[JobEdge, ...]

    @property
    def vertex_ids(self) -> frozenset[str]:
        """Of all vertices of the region."""
        return frozenset(vertex.id for vertex in self.vertices)


def pipelined_regions(job_graph: JobGraph) -> tuple[PipelinedRegion, ...]:
    """All regions in topological order: a region comes after those whose results it reads."""
    blocking = {data_set.id for data_set in job_graph.data_sets if data_set.result_type.is_blocking}
    pipelined = [(edge.source, edge.target) for edge in job_graph.edges if edge.data_set not in blocking]
    groups = grouped([vertex.id for vertex in job_graph.vertices], pipelined)
    ordered = _ordered(job_graph, _acyclic(job_graph, groups))
    return tuple(_region(job_graph, number, set(group)) for number, group in enumerate(ordered))


def _region(job_graph: JobGraph, number: int, members: set[str]) -> PipelinedRegion:
    touching = [edge for edge in job_graph.edges if edge.source in members or edge.target in members]
    return PipelinedRegion(
        id=number,
        vertices=tuple(vertex for vertex in job_graph.vertices if vertex.id in members),
        inputs=tuple(edge for edge in touching if edge.source not in members),
        inner_edges=tuple(edge for edge in touching if edge.source in members and edge.target in members),
        outputs=tuple(edge for edge in touching if edge.target not in members),
    )


def _acyclic(job_graph: JobGraph, groups: list[list[str]]) -> list[list[str]]:
    """Groups that read one another's results (a blocking edge beside a pipelined detour) become one."""
    owner = {vertex: index for index, group in enumerate(groups) for vertex in group}
    reads: dict[int, set[int]] = {index: set() for index in range(len(groups))}
    for edge in job_graph.edges:
        if owner[edge.source] != owner[edge.target]:
            reads[owner[edge.target]].add(owner[edge.source])
    upstream = {index: _all_upstream(index, reads) for index in reads}
    mutual = [(one, other) for one in reads for other in upstream[one] if one in upstream[other]]
    return [
        [vertex for index in merged for vertex in groups[index]]
        for merged in grouped(range(len(groups)), mutual)
    ]


def _all_upstream(index: int, reads: dict[int, set[int]]) -> set[int]:
    found: set[int] = set()
    open_ends = list(reads[index])
    while open_ends:
        candidate = open_ends.pop()
        if candidate not in found:
            found.add(candidate)
            open_ends.extend(reads[candidate])
    return found


def _ordered(job_graph: JobGraph, groups: list[list[str]]) -> list[list[str]]:
    """Groups such that producers come before consumers; ties in the order of the vertices."""
    owner = {vertex: index for index, group in enumerate(groups) for vertex in group}
    waiting = {
        index: {owner[edge.source] for edge in job_graph.edges if owner[edge.target] == index} - {index}
        for index in range(len(groups))
    }
    ordered: list[list[str]] = []
    while waiting:
        ready = next(index for index, producers in waiting.items() if not producers & waiting.keys())
        del waiting[ready]
        ordered.append(groups[ready])
    return ordered
