"""How many subtasks a vertex has: as Flink's plan shows it, and as it runs.

Source of the rules: Flink's ``setVertexParallelismsForDynamicGraphIfNecessary``, ``ForwardGroupComputeUtil`` and
``DefaultVertexParallelismAndInputInfosDecider``.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from flinkpy_dagster.config import HIGHEST_MAX_PARALLELISM
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.grouping import grouped
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.graph.stream_graph import ShipStrategy, StreamEdge, StreamGraph, StreamNode

UNDECIDED = -1


def check_parallelisms(graph: JobGraph) -> None:
    """A vertex cannot have more subtasks than key groups, nor than there can be key groups. Raises InvalidProgram.

    Source of the rule: Flink's ``ExecutionJobVertex`` and ``KeyGroupRangeAssignment``.
    """
    for vertex in graph.vertices:
        if vertex.parallelism > HIGHEST_MAX_PARALLELISM:
            raise InvalidProgram(
                f"Operator parallelism not within bounds: {vertex.parallelism}. Vertex {vertex.name} can have "
                f"{HIGHEST_MAX_PARALLELISM} subtasks at most: lower the parallelism."
            )
        if 0 < vertex.max_parallelism < vertex.parallelism:
            raise InvalidProgram(
                f"Vertex {vertex.name}'s parallelism ({vertex.parallelism}) is higher than the max parallelism "
                f"({vertex.max_parallelism}). Please lower the parallelism or increase the max parallelism."
            )


@dataclass(frozen=True)
class DecidedParallelism:
    """``shown`` is -1 where Flink's adaptive batch scheduler would decide; ``execution`` is what runs."""

    shown: int
    execution: int
    max_parallelism: int


def decide_parallelism(
    graph: StreamGraph, chains: Sequence[tuple[Sequence[StreamNode], Sequence[StreamEdge]]]
) -> dict[int, DecidedParallelism]:
    """By the id of a chain's head. ``chains`` are their nodes, head first, and the edges out of them."""
    heads = {node.id: nodes[0].id for nodes, _ in chains for node in nodes}
    decided = {nodes[0].id: _on_its_own(graph, nodes) for nodes, _ in chains}
    if not graph.is_dynamic:
        return decided
    forward = [
        (heads[edge.source], edge.target)
        for _, outputs in chains
        for edge in outputs
        if edge.ship_strategy is ShipStrategy.FORWARD
    ]
    inputs: dict[int, set[ShipStrategy]] = defaultdict(set)
    for _, outputs in chains:
        for edge in outputs:
            inputs[edge.target].add(edge.ship_strategy)
    for group in grouped(decided, forward):
        members = _aligned({head: decided[head] for head in group})
        strategies = {strategy for head in members for strategy in inputs.get(head, ())}
        if strategies - {ShipStrategy.FORWARD} == {ShipStrategy.BROADCAST}:
            members = {head: _at_its_least(member) for head, member in members.items()}
        decided |= members
    return decided


def _at_its_least(decided: DecidedParallelism) -> DecidedParallelism:
    """Broadcast data does not count for Flink's adaptive scheduler: who reads nothing else has one subtask."""
    return decided if decided.shown != UNDECIDED else replace(decided, execution=1)


def _on_its_own(graph: StreamGraph, nodes: Sequence[StreamNode]) -> DecidedParallelism:
    head = nodes[0]
    is_configured = any(node.is_parallelism_configured for node in nodes)
    shown = UNDECIDED if graph.is_dynamic and not is_configured else head.parallelism
    return DecidedParallelism(shown, head.parallelism, head.max_parallelism)


def _aligned(group: dict[int, DecidedParallelism]) -> dict[int, DecidedParallelism]:
    """Vertices connected by FORWARD have one parallelism and one maximum."""
    if len(group) == 1:
        return group
    shown = max(member.shown for member in group.values())
    maxima = [member.max_parallelism for member in group.values() if member.max_parallelism > 0]
    maximum = min(maxima) if maxima else UNDECIDED
    return {head: DecidedParallelism(shown, member.execution, maximum) for head, member in group.items()}
