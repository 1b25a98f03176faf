"""A pipelined data set that is asked for is stored beside its way: one more sink in the chain of its producer."""

from collections.abc import Mapping
from dataclasses import replace

from flinkpy_dagster.graph.job_graph import IntermediateDataSet, JobEdge, JobGraph, JobVertex
from flinkpy_dagster.graph.stream_graph import NodeRole, ShipStrategy, StreamEdge, StreamNode
from flinkpy_dagster.ids import id_of
from flinkpy_dagster.operators.specs import TableSink
from flinkpy_dagster.orchestration.naming import TAP


def with_taps(
    job_graph: JobGraph, data_sets: list[IntermediateDataSet]
) -> tuple[JobGraph, Mapping[str, int]]:
    """The graph with one tap per data set, and the id of its node by data set id.

    The tap writes typed rows to the job's folder of data sets. It is no sink of the program: it has no asset.
    """
    nodes = [node for vertex in job_graph.vertices for node in vertex.nodes]
    next_node = max(node.id for node in nodes) + 1
    next_edge = 1 + max(
        [edge.id for edge in job_graph.edges]
        + [edge.id for vertex in job_graph.vertices for edge in vertex.chained_edges]
    )
    taps: dict[str, int] = {}
    for place, data_set in enumerate(data_sets):
        edge = next(each for each in job_graph.edges if each.data_set == data_set.id)
        taps[data_set.id] = next_node + place
        job_graph = _tapped(job_graph, data_set, edge, next_node + place, next_edge + place)
    return job_graph, taps


def _tapped(
    job_graph: JobGraph, data_set: IntermediateDataSet, edge: JobEdge, node_id: int, edge_id: int
) -> JobGraph:
    vertex = job_graph.vertex(data_set.producer)
    source = next(node for node in vertex.nodes if node.id == edge.source_node)
    tap = StreamNode(
        id=node_id,
        name=TAP,
        role=NodeRole.OPERATOR,
        operators=(TableSink(row_type=edge.value_type),),
        output_type=None,
        parallelism=source.parallelism,
        max_parallelism=source.max_parallelism,
        slot_sharing_group=source.slot_sharing_group,
        operator_id=id_of("tap", data_set.id),
    )
    chained = StreamEdge(
        id=edge_id,
        source=source.id,
        target=node_id,
        ship_strategy=ShipStrategy.FORWARD,
        side_output=edge.side_output,
        side_output_type=edge.value_type if edge.side_output is not None else None,
        value_type=edge.value_type,
    )
    tapped: JobVertex = replace(
        vertex, nodes=(*vertex.nodes, tap), chained_edges=(*vertex.chained_edges, chained)
    )
    vertices = tuple(tapped if each.id == vertex.id else each for each in job_graph.vertices)
    return replace(job_graph, vertices=vertices)
