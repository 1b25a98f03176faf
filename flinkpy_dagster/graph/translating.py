"""Transformations -> StreamGraph.

Source of the rules: Flink's ``StreamGraphGenerator``, its transformation translators, ``StreamGraph.addEdge`` and
``SinkTransformationTranslator``.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from flinkpy_dagster.errors import EmptyTopology, InvalidProgram
from flinkpy_dagster.graph.fusing import align_helpers, fuse
from flinkpy_dagster.graph.hashing import with_operator_ids
from flinkpy_dagster.graph.settings import GraphSettings
from flinkpy_dagster.graph.stream_graph import (
    ChainingStrategy,
    NodeRole,
    ShipStrategy,
    StreamEdge,
    StreamGraph,
    StreamNode,
)
from flinkpy_dagster.graph.transformations import (
    DEFAULT_PARALLELISM,
    LegacySinkTransformation,
    OperatorKind,
    OperatorTransformation,
    PartitionTransformation,
    PhysicalTransformation,
    SideOutputTransformation,
    SinkTransformation,
    SourceTransformation,
    Transformation,
    TransformationIds,
    UnionTransformation,
    copy_of,
    reachable,
)
from flinkpy_dagster.types import PickledBytesTypeInfo, TypeInformation

DEFAULT_SLOT_SHARING_GROUP = "default"


def stream_graph_of(
    transformations: Iterable[Transformation], settings: GraphSettings, ids: TransformationIds
) -> StreamGraph:
    """The StreamGraph of what an environment recorded, which stays as it is.

    Raises EmptyTopology and InvalidProgram (FORWARD between different parallelisms, BATCH with an unbounded source).
    """
    steps = copy_of(transformations)
    if not steps:
        raise EmptyTopology()
    settings = replace(settings, parallelism=settings.resolved(settings.parallelism))
    for step in reachable(steps):
        step.parallelism = settings.resolved(step.parallelism, step.max_parallelism)
    align_helpers(steps, ids)
    if settings.fuses_python_operators:
        steps = fuse(steps, ids)
    return with_operator_ids(_Translation(steps, settings, ids).result())


@dataclass(frozen=True)
class _Output:
    """How one node is read: the node, and what lies between it and the reader."""

    node: int
    partition: PartitionTransformation | None = None
    side_output: SideOutputTransformation | None = None
    number: int = -1


class _Translation:
    def __init__(self, steps: list[Transformation], settings: GraphSettings, ids: TransformationIds) -> None:
        self._steps = steps
        self._settings = settings
        self._ids = ids
        self._is_batch = _is_batch(steps, settings)
        self._is_dynamic = self._is_batch and _is_adaptive(settings)
        self._outputs: dict[Transformation, list[_Output]] = {}
        self._nodes: dict[int, StreamNode] = {}
        self._edges: list[StreamEdge] = []

    def result(self) -> StreamGraph:
        for step in self._steps:
            self._translate(step)
        configuration = self._settings.configuration
        return StreamGraph(
            job_name=self._settings.job_name_for(self._is_batch),
            nodes=tuple(self._nodes[node_id] for node_id in sorted(self._nodes)),
            edges=tuple(self._edges),
            is_batch=self._is_batch,
            is_dynamic=self._is_dynamic,
            is_chaining_enabled=bool(configuration.get("pipeline.operator-chaining.enabled")),
            chains_different_max_parallelisms=bool(
                configuration.get("pipeline.operator-chaining.chain-operators-with-different-max-parallelism")
            ),
            stores_shuffles=self._is_batch and self._settings.stores_batch_shuffles,
            configuration=configuration.to_dict(),
        )

    def _translate(self, step: Transformation) -> list[_Output]:
        """How the nodes that stand for ``step`` are read; makes them first if need be."""
        if step in self._outputs:
            return self._outputs[step]
        inputs = [self._translate(source) for source in step.inputs]
        match step:
            case PartitionTransformation():
                outputs = [self._partitioned(output, step) for output in inputs[0]]
            case UnionTransformation():
                outputs = [output for outputs in inputs for output in outputs]
            case SideOutputTransformation():
                outputs = [replace(output, side_output=output.side_output or step) for output in inputs[0]]
            case SinkTransformation():
                self._add_sink(step, inputs[0])
                outputs = []
            case PhysicalTransformation():
                outputs = self._add_node(step, inputs)
            case _:
                raise InvalidProgram(f"There is no translation of {type(step).__name__} '{step.name}'.")
        self._outputs[step] = outputs
        return outputs

    def _partitioned(self, output: _Output, step: PartitionTransformation) -> _Output:
        # what is closest to the reader wins: rebalance().forward() is FORWARD
        return replace(output, partition=step, number=self._ids.next())

    def _add_node(self, step: PhysicalTransformation, inputs: list[list[_Output]]) -> list[_Output]:
        group = step.slot_sharing_group or self._group_of(inputs)
        self._nodes[step.id] = self._node(step, group)
        for index, outputs in enumerate(inputs):
            for output in outputs:
                self._add_edge(output, step.id, index)
        return [] if isinstance(step, LegacySinkTransformation) else [_Output(step.id)]

    def _group_of(self, inputs: list[list[_Output]]) -> str:
        groups = {self._nodes[output.node].slot_sharing_group for outputs in inputs for output in outputs}
        return groups.pop() if len(groups) == 1 else DEFAULT_SLOT_SHARING_GROUP

    def _node(self, step: PhysicalTransformation, group: str) -> StreamNode:
        name = _PREFIXES.get(type(step), "") + step.name
        has_default = step.parallelism == DEFAULT_PARALLELISM
        operator = step if isinstance(step, OperatorTransformation) else None
        return StreamNode(
            id=step.id,
            name=name,
            role=_role_of(step),
            operators=step.operators,
            output_type=_encoded(step.output_type),
            parallelism=self._settings.parallelism if has_default else step.parallelism,
            is_parallelism_configured=step.is_parallelism_configured,
            max_parallelism=self._max_parallelism(step),
            slot_sharing_group=group,
            # Flink does not hear what is set on a broadcast connection
            chaining=ChainingStrategy.ALWAYS if _is_broadcast(operator) else step.chaining,
            is_python=operator is not None and operator.kind.is_python,
            uid=step.uid,
            uid_hash=step.uid_hash,
            description=step.description,
            is_legacy_source=isinstance(step, SourceTransformation) and step.is_legacy,
            is_yielding=operator is not None and operator.is_yielding,
            is_sink_stage=operator is not None and operator.is_sink_stage,
            places=step.places,
        )

    def _max_parallelism(self, step: Transformation) -> int:
        return step.max_parallelism if step.max_parallelism > 0 else self._settings.max_parallelism

    def _add_edge(self, output: _Output, target: int, index: int) -> None:
        source_node, target_node = self._nodes[output.node], self._nodes[target]
        same = source_node.parallelism == target_node.parallelism
        partition, side = output.partition, output.side_output
        strategy = partition.ship_strategy if partition else None
        if strategy is ShipStrategy.FORWARD and not same:
            raise InvalidProgram(_forward_problem(source_node, target_node))
        edge = StreamEdge(
            id=len(self._edges),
            source=output.node,
            target=target,
            ship_strategy=strategy or (ShipStrategy.FORWARD if same else ShipStrategy.REBALANCE),
            input_index=index,
            partitioner=partition.partitioner if partition else None,
            side_output=side.tag_id if side else None,
            side_output_type=_encoded(side.output_type) if side else None,
            value_type=_encoded(side.output_type) if side else source_node.output_type,
            key_type=_encoded(partition.key_type) if partition and partition.key_type else None,
            is_keyed=partition is not None and partition.is_keyed,
            partitioning=output.number,
            is_forward_inferred=partition is None and same,
            is_stored=self._is_batch and partition is not None and partition.is_stored,
        )
        self._edges.append(edge)

    def _add_sink(self, step: SinkTransformation, inputs: list[_Output]) -> None:
        """The Writer and, if there is one, the Committer, which reads it over a stored FORWARD edge."""
        writer = self._sink_stage(step, "Writer", step.operators, step.uid, is_sink=True)
        self._add_node(writer, [inputs])
        if step.committer is None:
            return
        uid = f"Sink Committer: {step.uid}" if step.uid is not None else None
        forward = PartitionTransformation(
            id=self._ids.next(),
            name="Partition",
            output_type=step.output_type,
            parallelism=step.parallelism,
            ship_strategy=ShipStrategy.FORWARD,
            is_stored=True,
        )
        read = self._partitioned(_Output(writer.id), forward)
        committer = self._sink_stage(step, "Committer", (step.committer,), uid, is_sink=False)
        self._add_node(committer, [[read]])

    def _sink_stage(
        self,
        sink: SinkTransformation,
        stage: str,
        operators: tuple[object, ...],
        uid: str | None,
        is_sink: bool,
    ) -> OperatorTransformation:
        return OperatorTransformation(
            id=self._ids.next(),
            name=f"{sink.name}: {stage}",
            output_type=sink.output_type,
            parallelism=sink.parallelism,
            is_parallelism_configured=sink.is_parallelism_configured,
            max_parallelism=sink.max_parallelism,
            slot_sharing_group=sink.slot_sharing_group,
            uid=uid,  # not the description: Flink drops it here
            operators=operators,
            chaining=sink.chaining,
            kind=OperatorKind.NATIVE,
            is_yielding=stage == "Writer",
            is_sink_stage=True,
            is_sink=is_sink,
            places=sink.places,
        )


_PREFIXES: dict[type[Transformation], str] = {
    SourceTransformation: "Source: ",
    LegacySinkTransformation: "Sink: ",
}


def _is_broadcast(operator: OperatorTransformation | None) -> bool:
    return operator is not None and operator.kind is OperatorKind.BROADCAST


def _role_of(step: PhysicalTransformation) -> NodeRole:
    if isinstance(step, SourceTransformation):
        return NodeRole.SOURCE
    is_sink = isinstance(step, LegacySinkTransformation) or (
        isinstance(step, OperatorTransformation) and step.is_sink
    )
    return NodeRole.SINK if is_sink else NodeRole.OPERATOR


def _encoded(type_info: TypeInformation | None) -> TypeInformation | None:
    """The type that values are encoded in, None if pickled."""
    return None if isinstance(type_info, PickledBytesTypeInfo) else type_info


def _is_batch(steps: list[Transformation], settings: GraphSettings) -> bool:
    sources = (step for step in reachable(steps) if isinstance(step, SourceTransformation))
    unbounded = next((source for source in sources if not source.is_bounded), None)
    if settings.runtime_mode == "AUTOMATIC":
        return unbounded is None
    if settings.runtime_mode == "BATCH" and unbounded is not None:
        raise InvalidProgram(
            f"Detected an UNBOUNDED source with the 'execution.runtime-mode' set to 'BATCH': source "
            f"'{unbounded.name}' never ends, please set it to STREAMING or AUTOMATIC."
        )
    return settings.runtime_mode == "BATCH"


def _is_adaptive(settings: GraphSettings) -> bool:
    """Would Flink decide the parallelism of BATCH vertices late?"""
    scheduler = settings.configuration.get_string("jobmanager.scheduler", "AdaptiveBatch") or ""
    return scheduler.replace("-", "").lower() == "adaptivebatch"


def _forward_problem(source: StreamNode, target: StreamNode) -> str:
    return (
        f"Forward partitioning does not allow change of parallelism. Upstream operation: '{source.name}' parallelism: "
        f"{source.parallelism}, downstream operation: '{target.name}' parallelism: {target.parallelism}. You must use "
        "another partitioning strategy, such as broadcast, rebalance, shuffle or global."
    )
