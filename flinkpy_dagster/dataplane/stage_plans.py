"""What the pass of each stage of a region reads and writes, decided before Spark is asked for anything."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate

from flinkpy_dagster.graph.job_graph import JobEdge, JobGraph
from flinkpy_dagster.graph.regions import PipelinedRegion
from flinkpy_dagster.graph.stages import Stage, plan_stages
from flinkpy_dagster.graph.stream_graph import ShipStrategy, StreamNode
from flinkpy_dagster.operators.specs import CollectSink, PrintSink, RowFileSink, TableSink
from flinkpy_dagster.types import TypeInformation

_SINKS_OF_THE_DRIVER = (PrintSink, CollectSink, RowFileSink)


@dataclass(frozen=True, kw_only=True, slots=True)
class TableOutput:
    """A table sink inside a stage; ``row_type`` None means pickled."""

    node: StreamNode
    spec: TableSink
    row_type: TypeInformation | None

    @property
    def port(self) -> int:
        """What its rows are marked with in the output of the stage; negative, so no edge has it."""
        return table_port(self.node.id)


@dataclass(frozen=True, kw_only=True, slots=True)
class StagePlan:
    """``exchanges`` go to other stages of the region, ``stored`` to data sets (one edge per data set).

    Rows for the driver leave by the first exchange (``carrier``), or by the stage itself if it has none.
    ``part_tables`` are table sinks whose files the subtasks write themselves (in the epochs of an unbounded job).
    ``writes_files``: they write what is in ``stored`` and ``tables`` too, by port to one of ``folders``.
    """

    stage: Stage
    exchanges: tuple[JobEdge, ...]
    stored: tuple[JobEdge, ...]
    tables: tuple[TableOutput, ...]
    has_driver_rows: bool
    channels: dict[int, int]  # per edge of ``exchanges`` and ``stored``: parallelism of the reader
    targets: dict[int, int]  # per edge of ``exchanges``: id of the stage that reads it
    part_tables: tuple[TableOutput, ...] = ()
    writes_files: bool = False
    folders: Mapping[int, str] = field(default_factory=dict)
    first_partition: int = (
        0  # how many partitions of other stages come before those of this one in a Spark task set
    )

    @property
    def carrier(self) -> int | None:
        """Id of the stage that takes this one's rows for the driver along."""
        return self.targets[self.exchanges[0].id] if self.exchanges else None

    @property
    def needs_wire(self) -> bool:
        """Are there rows that are no records?"""
        return bool(self.exchanges) or self.has_driver_rows or not (self.stored or self.tables)

    @property
    def delivers(self) -> bool:
        """Must the driver fetch wire rows of this stage?"""
        return self.carrier is None and self.needs_wire

    @property
    def readers(self) -> int:
        """How often the rows of this stage are read."""
        records = 0 if self.writes_files else len(self.stored) + len(self.tables)
        return len(set(self.targets.values())) + records + self.delivers


def table_port(node_id: int) -> int:
    """Ports of table sinks lie below those of everything else."""
    return -10 - node_id


def plan_region(
    job_graph: JobGraph, region: PipelinedRegion, *, in_epochs: bool = False, writes_files: bool = False
) -> tuple[StagePlan, ...]:
    """The plans of all stages of a region in topological order. Subtasks write tables themselves ``in_epochs``, data
    sets and tables if the region ``writes_files``.
    """
    stages = plan_stages(job_graph, region)
    owner = {vertex.id: stage.id for stage in stages for vertex in stage.vertices}
    plans: list[StagePlan] = []
    carried: set[int] = set()
    for stage in stages:
        plan = _plan(job_graph, stage, owner, stage.id in carried, in_epochs, writes_files)
        if plan.has_driver_rows and plan.carrier is not None:
            carried.add(plan.carrier)
        plans.append(plan)
    return _placed(plans, owner)


def stage_of_vertices(plans: Iterable[StagePlan]) -> dict[str, int]:
    """The id of the stage that each vertex is in."""
    return {vertex.id: plan.stage.id for plan in plans for vertex in plan.stage.vertices}


def senders(plan: StagePlan, owner: Mapping[str, int]) -> list[int]:
    """Ids of the stages whose rows ``plan`` reads, in the order in which they are united."""
    return list(dict.fromkeys(owner[edge.source] for edge in plan.stage.inputs if edge.source in owner))


def _placed(plans: list[StagePlan], owner: Mapping[str, int]) -> tuple[StagePlan, ...]:
    """The plans with their ``first_partition``. Stages with several readers are computed alone."""
    by_id = {plan.stage.id: plan for plan in plans}
    united = [[by_id[stage] for stage in senders(plan, owner)] for plan in plans]
    united.append([plan for plan in plans if plan.delivers])
    first: dict[int, int] = {}
    for parts in united:
        before = accumulate((part.stage.parallelism for part in parts), initial=0)
        first |= {
            part.stage.id: count for part, count in zip(parts, before, strict=False) if part.readers == 1
        }
    return tuple(replace(plan, first_partition=first.get(plan.stage.id, 0)) for plan in plans)


def _plan(
    job_graph: JobGraph,
    stage: Stage,
    owner: dict[str, int],
    carries: bool,
    in_epochs: bool,
    writes_files: bool,
) -> StagePlan:
    exchanges = tuple(edge for edge in stage.outputs if edge.target in owner)
    stored = {edge.data_set: edge for edge in reversed(stage.outputs) if edge.target not in owner}
    payloads = [(node, spec) for vertex in stage.vertices for node in vertex.nodes for spec in node.operators]
    tables = tuple(
        TableOutput(node=node, spec=spec, row_type=spec.row_type or _input_type(job_graph, stage, node))
        for node, spec in payloads
        if isinstance(spec, TableSink)
    )
    writes_files = writes_files and bool(stored or tables)
    return StagePlan(
        stage=stage,
        exchanges=exchanges,
        stored=tuple(sorted(stored.values(), key=lambda edge: edge.id)),
        tables=() if in_epochs else tables,
        part_tables=tables if in_epochs else (),
        has_driver_rows=carries
        or (in_epochs and bool(tables))
        or writes_files
        or any(isinstance(spec, _SINKS_OF_THE_DRIVER) for _, spec in payloads),
        writes_files=writes_files,
        channels={edge.id: job_graph.vertex(edge.target).execution_parallelism for edge in stage.outputs},
        targets={edge.id: owner[edge.target] for edge in exchanges},
    )


def _input_type(job_graph: JobGraph, stage: Stage, sink: StreamNode) -> TypeInformation | None:
    """The type of what reaches a sink: that of the operator before it, in its chain or in another vertex."""
    for vertex in stage.vertices:
        outputs = {node.id: node.output_type for node in vertex.nodes}
        for edge in vertex.chained_edges:
            if edge.target == sink.id:
                return edge.value_type or outputs[edge.source]
    into = [edge.value_type for edge in job_graph.edges if edge.target_node == sink.id]
    return into[0] if into else None


def is_broadcast(edge: JobEdge) -> bool:
    """Does every subtask of the reader get every record?"""
    return edge.ship_strategy is ShipStrategy.BROADCAST
