"""StreamGraph -> JobGraph: chains of operators become vertices, the edges between them data sets.

Source of the rules: Flink's ``StreamingJobGraphGenerator`` (``createChain``, ``isChainable``,
``setVertexParallelismsForDynamicGraphIfNecessary``, ``mayReuseNonChainedOutputs``).
"""

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from typing import Any

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.graph.hashing import check_uids
from flinkpy_dagster.graph.job_graph import IntermediateDataSet, JobEdge, JobGraph, JobVertex
from flinkpy_dagster.graph.slot_sharing import slot_sharing_groups
from flinkpy_dagster.graph.stream_graph import (
    ChainingStrategy,
    ResultPartitionType,
    ShipStrategy,
    StreamEdge,
    StreamGraph,
    StreamNode,
)
from flinkpy_dagster.graph.vertex_names import with_index_prefixes
from flinkpy_dagster.graph.vertex_parallelism import DecidedParallelism, decide_parallelism
from flinkpy_dagster.ids import id_of

Steps = Generator[Any, Any, Any]
"""Yields other steps, is sent what they return."""


def job_graph_of(graph: StreamGraph) -> JobGraph:
    """The JobGraph. Vertices and their nodes are in topological order, the reverse of the order Flink makes them in."""
    check_uids(graph)
    chains = _Chaining(graph).chains()
    if graph.is_dynamic:
        chains = [_with_rescaled_outputs(chain) for chain in chains]
    decided = decide_parallelism(graph, [(chain.nodes, chain.outputs) for chain in chains])
    edges, data_sets = _connections(graph, chains, decided)
    vertices = [_vertex(chain, decided[chain.head.id]) for chain in chains]
    if Configuration.from_dict(graph.configuration).get("pipeline.vertex-name-include-index-prefix"):
        vertices = with_index_prefixes(vertices, edges)
    groups = slot_sharing_groups(vertices, edges, data_sets, are_regions_apart=graph.is_batch)
    return JobGraph(
        name=graph.job_name,
        is_batch=graph.is_batch,
        vertices=tuple(
            replace(vertex, slot_sharing_group=groups[vertex.id]) for vertex in reversed(vertices)
        ),
        edges=tuple(edges),
        data_sets=tuple(data_sets),
        configuration=graph.configuration,
    )


@dataclass
class Chain:
    """Operators that run as one vertex; ``outputs`` are the edges out of it, in Flink's order."""

    nodes: list[StreamNode] = field(default_factory=list)
    inner_edges: list[StreamEdge] = field(default_factory=list)
    outputs: list[StreamEdge] = field(default_factory=list)
    name: str = ""

    @property
    def head(self) -> StreamNode:
        """The node that the inputs of the chain reach."""
        return self.nodes[0]


class _Chaining:
    """Walks the graph depth first from its sources; a chain is complete when all that it feeds is."""

    def __init__(self, graph: StreamGraph) -> None:
        self._nodes = {node.id: node for node in graph.nodes}
        self._inputs: dict[int, list[StreamEdge]] = {node.id: [] for node in graph.nodes}
        self._outputs: dict[int, list[StreamEdge]] = {node.id: [] for node in graph.nodes}
        for edge in graph.edges:
            self._inputs[edge.target].append(edge)
            self._outputs[edge.source].append(edge)
        self._graph = graph
        self._started: set[int] = set()
        self._complete: list[Chain] = []

    def chains(self) -> list[Chain]:
        """All chains, in the order of completion: consumers before producers."""
        for node in self._graph.nodes:
            if node.is_source:
                _walk(self._make_chain(node))
        return self._complete

    def _make_chain(self, head: StreamNode) -> Steps:
        if head.id in self._started:
            return
        self._started.add(head.id)
        chain = Chain()
        chain.name = yield self._extend(chain, head)
        self._complete.append(chain)

    def _extend(self, chain: Chain, node: StreamNode) -> Steps:
        """Adds the node and what chains to it; returns the name of that part."""
        chain.nodes.append(node)
        chained = [edge for edge in self._outputs[node.id] if self._is_chainable(edge)]
        names = []
        for edge in chained:
            chain.inner_edges.append(edge)
            names.append((yield self._extend(chain, self._nodes[edge.target])))
        for edge in self._outputs[node.id]:
            if edge not in chained:
                chain.outputs.append(edge)
                yield self._make_chain(self._nodes[edge.target])
        if len(names) > 1:
            return f"{node.name} -> ({', '.join(names)})"
        return " -> ".join([node.name, *names])

    def _is_chainable(self, edge: StreamEdge) -> bool:
        upstream, downstream = self._nodes[edge.source], self._nodes[edge.target]
        return (
            len(self._inputs[downstream.id]) == 1
            and self._graph.is_chaining_enabled
            and upstream.slot_sharing_group == downstream.slot_sharing_group
            and edge.ship_strategy is ShipStrategy.FORWARD
            and not edge.is_stored
            and self._are_operators_chainable(upstream, downstream)
        )

    def _are_operators_chainable(self, upstream: StreamNode, downstream: StreamNode) -> bool:
        if downstream.is_yielding and self._head_of(upstream).is_legacy_source:
            return False
        return (
            upstream.chaining is not ChainingStrategy.NEVER
            and downstream.chaining is ChainingStrategy.ALWAYS
            and upstream.parallelism == downstream.parallelism
            and (
                self._graph.chains_different_max_parallelisms
                or upstream.max_parallelism == downstream.max_parallelism
            )
        )

    def _head_of(self, node: StreamNode) -> StreamNode:
        """The head of the chain that the node would be in."""
        while len(self._inputs[node.id]) == 1 and self._is_chainable(self._inputs[node.id][0]):
            node = self._nodes[self._inputs[node.id][0].source]
        return node


def _walk(first: Steps) -> None:
    """Runs steps that yield the steps to be done before they go on: recursion, as deep as a graph may be."""
    stack, value = [first], None
    while stack:
        try:
            stack.append(stack[-1].send(value))
            value = None
        except StopIteration as end:
            stack.pop()
            value = end.value


def _with_rescaled_outputs(chain: Chain) -> Chain:
    """A FORWARD that nobody asked for is RESCALE where parallelisms are decided late."""
    rescaled = [
        replace(edge, ship_strategy=ShipStrategy.RESCALE) if edge.is_forward_inferred else edge
        for edge in chain.outputs
    ]
    return replace(chain, outputs=rescaled)


def _vertex(chain: Chain, decided: DecidedParallelism) -> JobVertex:
    return JobVertex(
        id=chain.head.operator_id,
        name=chain.name,
        parallelism=decided.shown,
        execution_parallelism=decided.execution,
        max_parallelism=decided.max_parallelism,
        nodes=tuple(chain.nodes),
        chained_edges=tuple(chain.inner_edges),
    )


def _connections(
    graph: StreamGraph, chains: list[Chain], decided: dict[int, DecidedParallelism]
) -> tuple[list[JobEdge], list[IntermediateDataSet]]:
    """Edges and data sets between the chains. Blocking data sets of one content are shared by their readers."""
    edges: list[JobEdge] = []
    data_sets: list[IntermediateDataSet] = []
    heads = {node.id: chain.head for chain in chains for node in chain.nodes}
    nodes = {node.id: node for node in graph.nodes}
    shared: dict[tuple[object, ...], str] = {}
    for chain in chains:
        made = 0
        for edge in chain.outputs:
            result_type = _result_type(graph, edge)
            content = _content(edge, decided[edge.target])
            data_set_id = shared.get(content) if result_type.is_blocking else None
            if data_set_id is None:
                data_set_id = id_of(
                    "data set", chain.head.operator_id, nodes[edge.source].operator_id, str(made)
                )
                made += 1
                data_sets.append(
                    IntermediateDataSet(
                        id=data_set_id,
                        producer=chain.head.operator_id,
                        result_type=result_type,
                        value_type=edge.value_type,
                    )
                )
                if result_type.is_blocking:
                    shared[content] = data_set_id
            edges.append(_job_edge(edge, len(edges), data_set_id, heads))
    return edges, data_sets


def _content(edge: StreamEdge, reader: DecidedParallelism) -> tuple[object, ...]:
    """Two edges with equal contents carry the same records to the same places."""
    is_asked_for = edge.is_keyed or edge.ship_strategy is ShipStrategy.CUSTOM
    return (
        edge.source,
        edge.side_output,
        edge.ship_strategy,
        edge.partitioning if is_asked_for else None,
        reader.shown,
        reader.max_parallelism,
    )


def _result_type(graph: StreamGraph, edge: StreamEdge) -> ResultPartitionType:
    is_blocking = edge.is_stored or graph.stores_shuffles
    return ResultPartitionType.BLOCKING if is_blocking else ResultPartitionType.PIPELINED_BOUNDED


def _job_edge(edge: StreamEdge, number: int, data_set_id: str, heads: dict[int, StreamNode]) -> JobEdge:
    return JobEdge(
        id=number,
        data_set=data_set_id,
        source=heads[edge.source].operator_id,
        target=heads[edge.target].operator_id,
        source_node=edge.source,
        target_node=edge.target,
        input_index=edge.input_index,
        ship_strategy=edge.ship_strategy,
        partitioner=edge.partitioner,
        side_output=edge.side_output,
        value_type=edge.value_type,
        key_type=edge.key_type,
        is_keyed=edge.is_keyed,
    )
