"""Vertices with a number before their name (``pipeline.vertex-name-include-index-prefix``)."""

from collections.abc import Sequence
from dataclasses import replace

from flinkpy_dagster.graph.job_graph import JobEdge, JobVertex


def with_index_prefixes(vertices: Sequence[JobVertex], edges: Sequence[JobEdge]) -> list[JobVertex]:
    """The vertices in the same order, that in which Flink makes them; ``edges`` are in the order of their makers."""
    numbers = {vertex_id: number for number, vertex_id in enumerate(_from_sources(vertices, edges))}
    return [replace(vertex, name=f"[vertex-{numbers[vertex.id]}]{vertex.name}") for vertex in vertices]


def _from_sources(vertices: Sequence[JobVertex], edges: Sequence[JobEdge]) -> list[str]:
    """Ids in the order of Flink's ``JobGraph.getVerticesSortedTopologicallyFromSources``."""
    fed = {edge.target for edge in edges}
    found = [vertex.id for vertex in vertices if vertex.id not in fed]
    missing = {edge.target: {each.source for each in edges if each.target == edge.target} for edge in edges}
    consumers: dict[str, list[str]] = {vertex.id: [] for vertex in vertices}
    for edge in edges:
        consumers[edge.source].append(edge.target)
    for start in found:  # grows meanwhile
        pending = consumers[start][::-1]
        while pending:
            current = pending.pop()
            if current in missing and missing[current] <= set(found):
                del missing[current]
                found.append(current)
                pending += consumers[current][::-1]
    return found
