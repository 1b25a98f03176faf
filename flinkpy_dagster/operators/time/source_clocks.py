"""Whose event time is the clock of a source.

After an epoch a source's clock is the highest one of its subtasks: which of them read something is a matter of how
Spark cut the epoch, so an empty one must hold nobody back. That holds for what runs in the same subtask as the source,
or as a watermark generator. Behind an exchange every subtask hears all senders, and the lowest counts as ever.
"""

from collections.abc import Iterable

from flinkpy_dagster.graph.job_graph import JobEdge, JobGraph
from flinkpy_dagster.graph.stream_graph import ShipStrategy, StreamNode
from flinkpy_dagster.operators.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flinkpy_dagster.operators.specs import GenerateWatermarks


def source_side(job_graph: JobGraph) -> frozenset[int]:
    """The ids of all nodes whose event time is the clock of a source."""
    found: set[int] = set()
    for vertex in job_graph.vertices:
        incoming = job_graph.edges_into(vertex.id)
        for node in vertex.nodes:
            chained = [edge.source for edge in vertex.chained_edges if edge.target == node.id]
            entering = [edge for edge in incoming if edge.target_node == node.id]
            sources = chained + [edge.source_node for edge in entering]
            is_beside = all(_stays_in_subtask(job_graph, edge) for edge in entering)
            if _makes_watermarks(node) or (sources and is_beside and found.issuperset(sources)):
                found.add(node.id)
    return frozenset(found)


def _makes_watermarks(node: StreamNode) -> bool:
    return node.is_source or any(isinstance(spec, GenerateWatermarks) for spec in node.operators)


def _stays_in_subtask(job_graph: JobGraph, edge: JobEdge) -> bool:
    source, target = job_graph.vertex(edge.source), job_graph.vertex(edge.target)
    same = source.execution_parallelism == target.execution_parallelism
    return same and edge.ship_strategy is ShipStrategy.FORWARD


def clock_of(watermarks: Iterable[int]) -> int:
    """The clock of a source by the watermarks of its subtasks: those that have ended do not count until all have."""
    told = list(watermarks)
    running = [timestamp for timestamp in told if timestamp < MAX_WATERMARK]
    if told and not running:
        return MAX_WATERMARK
    return max(running, default=MIN_TIMESTAMP)
