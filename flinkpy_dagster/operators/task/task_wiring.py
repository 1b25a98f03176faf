"""Turning a stage into connected nodes: who runs, who feeds whom, and what leaves the task."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from flinkpy_dagster.graph.job_graph import JobEdge, JobVertex
from flinkpy_dagster.graph.stages import Stage
from flinkpy_dagster.graph.stream_graph import StreamEdge, StreamNode
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.departures import Emission, SinkOutput
from flinkpy_dagster.operators.elements.keyed_operator import KeyedOperator
from flinkpy_dagster.operators.epochs.epoch import Epoch
from flinkpy_dagster.operators.epochs.input import KeyedEpochInput
from flinkpy_dagster.operators.epochs.nodes import NodeEpoch, NodePlace
from flinkpy_dagster.operators.epochs.sources import LocalSourceEpoch
from flinkpy_dagster.operators.metric_registry import MetricRegistry
from flinkpy_dagster.operators.operator import Operator, Setup
from flinkpy_dagster.operators.snapshots import is_immutable
from flinkpy_dagster.operators.task.building import build
from flinkpy_dagster.operators.task.node_outputs import Consumer, ExchangeConsumer, NodeOutput
from flinkpy_dagster.operators.task.node_running import InnerConsumer, NodeRunner
from flinkpy_dagster.operators.task.partitioning import Partitioner, connected_senders, partitioner_of
from flinkpy_dagster.operators.task.sinking import SINKS, build_sink
from flinkpy_dagster.operators.task.task_environment import TaskEnvironment, key_groups_of
from flinkpy_dagster.types.typed_values import ColumnsOf, no_columns

Depart = Callable[[Emission | SinkOutput], None]

UNTIMED = (
    specs.Map,
    specs.FlatMap,
    specs.Filter,
    specs.KeyBy,
    specs.DropKeys,
    specs.Reduce,
    specs.ExtractTimestamps,
    specs.RemoveTimestamps,
    specs.Identity,
    specs.PrintSink,
    specs.CollectSink,
    specs.TableSink,
    specs.CommitFiles,
    specs.SourceSpec,
)
"""What never has anything to do by the clock."""

PASSING = (
    specs.Filter,
    specs.KeyBy,
    specs.DropKeys,
    specs.ExtractTimestamps,
    specs.GenerateWatermarks,
    specs.RemoveTimestamps,
)
"""What gives the values it gets."""


@dataclass(frozen=True)
class Inlet:
    """Where arrivals of a port go."""

    runner: NodeRunner
    input_index: int


@dataclass(frozen=True)
class LocalSource:
    """A source the task reads itself."""

    node: StreamNode
    spec: specs.SourceSpec


@dataclass
class Wiring:
    """``runners`` (by node id) in topological order; ``entries`` are the nodes where elements enter their vertex.

    ``epochs``: one per runner, in their order; empty in a bounded run.
    """

    runners: dict[int, NodeRunner] = field(default_factory=dict)
    inlets: dict[int, Inlet] = field(default_factory=dict)
    local_sources: list[LocalSource] = field(default_factory=list)
    partitioners: list[tuple[Partitioner, NodeRunner]] = field(default_factory=list)
    timed: list[NodeRunner] = field(default_factory=list)
    entries: set[int] = field(default_factory=set)
    epochs: list[NodeEpoch] = field(default_factory=list)


def wire(
    stage: Stage,
    subtask_index: int,
    environment: TaskEnvironment,
    depart: Depart,
    columns_of: ColumnsOf = no_columns,
) -> Wiring:
    """Builds and connects everything a subtask of a stage needs; nothing is opened yet."""
    wiring = Wiring()
    for vertex in stage.vertices:
        for node in vertex.nodes:
            wiring.runners[node.id] = _runner(node, vertex, subtask_index, environment, depart, columns_of)
            _note_source(wiring, node)
    wiring.timed = [
        runner
        for runner in wiring.runners.values()
        if not all(isinstance(spec, UNTIMED) for spec in runner.node.operators)
    ]
    for vertex in stage.vertices:
        for edge in vertex.chained_edges:
            _connect_chained(wiring, edge)
    for inner in stage.inner_edges:
        consumer = InnerConsumer(wiring.runners[inner.target_node], inner.input_index, ("inner", inner.id))
        _attach(wiring, inner, consumer)
        wiring.entries.add(inner.target_node)
    for outgoing in stage.outputs:
        _connect_exchange(wiring, outgoing, subtask_index, stage.parallelism, environment, depart)
    for incoming in stage.inputs:
        _connect_inlet(wiring, incoming, subtask_index, stage.parallelism, environment)
    if environment.epoch is not None:
        wiring.epochs = _node_epochs(wiring, stage, environment, environment.epoch)
    return wiring


def _node_epochs(wiring: Wiring, stage: Stage, environment: TaskEnvironment, epoch: Epoch) -> list[NodeEpoch]:
    source_side, batch_size = environment.source_side, environment.batch_size
    sources = {edge.id: edge.id for edge in stage.inputs if edge.source_node in source_side}

    def source_of(channel: Any) -> Hashable:
        return sources.get(channel[0], channel)

    local = {
        source.node.id: LocalSourceEpoch(source.spec, source.node.output_type, batch_size)
        for source in wiring.local_sources
    }
    return [
        NodeEpoch(
            runner,
            NodePlace(epoch=epoch, is_source_side=node_id in source_side, source_of=source_of),
            local.get(node_id),
        )
        for node_id, runner in wiring.runners.items()
    ]


def _runner(
    node: StreamNode,
    vertex: JobVertex,
    subtask_index: int,
    environment: TaskEnvironment,
    depart: Depart,
    columns_of: ColumnsOf,
) -> NodeRunner:
    setup = Setup(
        name=node.name,
        task_name=vertex.name,
        clock=environment.clock,
        metrics=MetricRegistry(),
        output_type=node.output_type,
        is_batch=environment.is_batch,
        parallelism=vertex.execution_parallelism,
        max_parallelism=key_groups_of(vertex),
        subtask_index=subtask_index,
        attempt=environment.attempt,
        job_parameters=environment.job_parameters,
        watermark_interval_ms=environment.watermark_interval_ms,
    )
    keys = [spec.key_type for spec in node.operators if isinstance(spec, specs.KeyBy)]
    output = NodeOutput(node.name, node.output_type, keys[-1] if keys else None, columns_of)
    payloads = [spec for spec in node.operators if not isinstance(spec, specs.SourceSpec)]
    operators: list[Operator] = [_operator(spec, node, environment, depart) for spec in payloads]
    if environment.epoch is not None:
        operators = [
            KeyedEpochInput(operator) if isinstance(operator, KeyedOperator) else operator
            for operator in operators
        ]
    return NodeRunner(node, operators, output, setup)


def _operator(spec: Any, node: StreamNode, environment: TaskEnvironment, depart: Depart) -> Operator:
    if type(spec) in SINKS:
        return build_sink(spec, node.id, depart)
    return build(spec, is_batch=environment.is_batch)


def _note_source(wiring: Wiring, node: StreamNode) -> None:
    for spec in node.operators:
        if isinstance(spec, specs.SourceSpec):
            wiring.entries.add(node.id)
            if spec.is_spark_side:
                wiring.inlets[node.id] = Inlet(wiring.runners[node.id], 0)
            else:
                wiring.local_sources.append(LocalSource(node, spec))


def _connect_chained(wiring: Wiring, edge: StreamEdge) -> None:
    consumer = InnerConsumer(wiring.runners[edge.target], edge.input_index, ("chained", edge.id))
    source, target = wiring.runners[edge.source], wiring.runners[edge.target]
    if edge.side_output is None:
        source.output.add(consumer)
        if _keeps_values(source.node, target.node):
            target.output.values_are_typed()
    else:
        source.output.add_side(edge.side_output, edge.side_output_type, consumer)


def _keeps_values(source: StreamNode, target: StreamNode) -> bool:
    """Do values that have the source's type have the target's without looking at each?"""
    return (
        source.output_type == target.output_type
        and is_immutable(target.output_type)
        and all(isinstance(spec, PASSING) for spec in target.operators)
    )


def _attach(wiring: Wiring, edge: JobEdge, consumer: Consumer) -> None:
    output = wiring.runners[edge.source_node].output
    if edge.side_output is None:
        output.add(consumer)
    else:
        output.add_side(edge.side_output, edge.value_type, consumer)


def _connect_exchange(
    wiring: Wiring,
    edge: JobEdge,
    subtask_index: int,
    parallelism: int,
    environment: TaskEnvironment,
    depart: Depart,
) -> None:
    channels, key_groups = environment.channels[edge.id], environment.key_groups[edge.id]
    partitioner = partitioner_of(edge, subtask_index, parallelism, channels, key_groups)
    wiring.partitioners.append((partitioner, wiring.runners[edge.source_node]))
    _attach(
        wiring,
        edge,
        ExchangeConsumer(edge, partitioner, depart, None if environment.is_batch else environment.clock),
    )


def _connect_inlet(
    wiring: Wiring, edge: JobEdge, subtask_index: int, parallelism: int, environment: TaskEnvironment
) -> None:
    runner = wiring.runners[edge.target_node]
    wiring.inlets[edge.id] = Inlet(runner, edge.input_index)
    wiring.entries.add(edge.target_node)
    senders = environment.senders.get(edge.id, 0)
    for sender in connected_senders(edge.ship_strategy, subtask_index, senders, parallelism):
        runner.add_channel((edge.id, sender))
    if not senders:
        runner.add_channel((edge.id, "stored"))
