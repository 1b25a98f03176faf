"""Stages: the vertices of a region that run in one Python pass.

Vertices joined by pipelined FORWARD edges of one parallelism need no exchange between them. Everything else that
connects stages goes through Spark's shuffle or a stored data set.
"""

from collections.abc import Callable
from dataclasses import dataclass

from flinkpy_dagster.graph.job_graph import JobEdge, JobGraph, JobVertex
from flinkpy_dagster.graph.regions import PipelinedRegion
from flinkpy_dagster.graph.stream_graph import ShipStrategy, StreamNode


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """``inputs`` and ``outputs`` are exchanges with other stages and stored data sets; ``sources`` its source nodes."""

    id: int
    vertices: tuple[JobVertex, ...]
    parallelism: int
    inner_edges: tuple[JobEdge, ...]
    inputs: tuple[JobEdge, ...]
    outputs: tuple[JobEdge, ...]
    sources: tuple[StreamNode, ...]


def is_spark_side(node: StreamNode) -> bool:
    """Does Spark read this source, rather than the task itself?"""
    return node.is_source and any(getattr(operator, "is_spark_side", False) for operator in node.operators)


def plan_stages(job_graph: JobGraph, region: PipelinedRegion) -> tuple[Stage, ...]:
    """The stages of a region in topological order."""
    members = {vertex.id: vertex for vertex in region.vertices}
    merging = _Merging(job_graph, members)
    for edge in region.inner_edges:
        merging.try_to_merge(edge)
    return tuple(_stage(job_graph, number, stage, members) for number, stage in enumerate(merging.ordered()))


class _Merging:
    """Stages as sets of vertex ids, merged edge by edge as long as that is allowed."""

    def __init__(self, job_graph: JobGraph, members: dict[str, JobVertex]) -> None:
        self._job_graph = job_graph
        self._members = members
        self._stage_of: dict[str, frozenset[str]] = {
            vertex_id: frozenset({vertex_id}) for vertex_id in members
        }

    def try_to_merge(self, edge: JobEdge) -> None:
        source, target = self._stage_of[edge.source], self._stage_of[edge.target]
        is_forward = edge.ship_strategy is ShipStrategy.FORWARD
        parallelisms = {
            self._members[vertex_id].execution_parallelism for vertex_id in (edge.source, edge.target)
        }
        if source == target or not is_forward or len(parallelisms) > 1:
            return
        merged = source | target
        if self._sources_fit(merged) and not self._makes_a_cycle(merged):
            self._stage_of |= dict.fromkeys(merged, merged)

    def _sources_fit(self, merged: frozenset[str]) -> bool:
        """One pass reads either one Spark-side source or exchanges."""
        nodes = [node for vertex_id in merged for node in self._members[vertex_id].nodes]
        spark_side = sum(1 for node in nodes if is_spark_side(node))
        # edges inside that cannot be merged are exchanges of the stage with itself: they count as inputs too
        has_exchanges = any(
            edge.target in merged
            and (edge.source not in merged or edge.ship_strategy is not ShipStrategy.FORWARD)
            for edge in self._job_graph.edges
        )
        return spark_side == 0 or (spark_side == 1 and not has_exchanges)

    def _makes_a_cycle(self, merged: frozenset[str]) -> bool:
        """Does a path leave the merged stage and come back, or would a shuffle be inside it?"""
        inside = [edge for edge in self._job_graph.edges if edge.source in merged and edge.target in merged]
        if any(edge.ship_strategy is not ShipStrategy.FORWARD for edge in inside):
            return True
        open_ends = self._successors(merged) - merged
        seen: set[str] = set()
        while open_ends:
            vertex_id = open_ends.pop()
            stage = self._stage_of[vertex_id]
            if vertex_id in seen:
                continue
            seen |= stage
            successors = self._successors(stage)
            if successors & merged:
                return True
            open_ends |= successors - seen
        return False

    def _successors(self, stage: frozenset[str]) -> set[str]:
        edges = self._job_graph.edges
        return {
            edge.target for edge in edges if edge.source in stage and edge.target in self._members
        } - stage

    def ordered(self) -> list[frozenset[str]]:
        """Producers before consumers."""
        waiting = list(dict.fromkeys(self._stage_of[vertex_id] for vertex_id in self._members))
        ordered: list[frozenset[str]] = []
        while waiting:
            ready = next(
                stage
                for stage in waiting
                if not any(stage & self._successors(other) for other in waiting if other != stage)
            )
            waiting.remove(ready)
            ordered.append(ready)
        return ordered


def _stage(job_graph: JobGraph, number: int, stage: frozenset[str], members: dict[str, JobVertex]) -> Stage:
    vertices = tuple(vertex for vertex_id, vertex in members.items() if vertex_id in stage)

    def edges(condition: Callable[[JobEdge], bool]) -> tuple[JobEdge, ...]:
        return tuple(edge for edge in job_graph.edges if condition(edge))

    return Stage(
        id=number,
        vertices=vertices,
        parallelism=vertices[0].execution_parallelism,
        inner_edges=edges(lambda edge: edge.source in stage and edge.target in stage),
        inputs=edges(lambda edge: edge.target in stage and edge.source not in stage),
        outputs=edges(lambda edge: edge.source in stage and edge.target not in stage),
        sources=tuple(node for vertex in vertices for node in vertex.nodes if node.is_source),
    )
