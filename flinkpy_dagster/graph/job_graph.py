"""The JobGraph: chains of operators as vertices, their results as intermediate data sets.

Source of the rules: Flink's ``JobGraph``, ``JobVertex``, ``JobEdge`` and ``IntermediateDataSet``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from flinkpy_dagster.graph.stream_graph import ResultPartitionType, ShipStrategy, StreamEdge, StreamNode
from flinkpy_dagster.types import TypeInformation


@dataclass(frozen=True, kw_only=True, slots=True)
class SlotSharingGroup:
    """Vertices of one group may share slots; ``index`` tells groups of one name apart (BATCH: one per vertex)."""

    name: str
    index: int


@dataclass(frozen=True, kw_only=True, slots=True)
class JobVertex:
    """A chain of operators that runs as one task.

    ``nodes`` are in topological order, ``chained_edges`` connect them. ``parallelism`` is what Flink's plan shows
    (-1 in BATCH when not set on an operator), ``execution_parallelism`` what it runs with. ``min_resources`` are
    those of the vertex itself, not of its slot sharing group; as in Flink, nothing of PyFlink's API sets them.
    """

    id: str  # 32 hex digits, the operator id of the head
    name: str
    parallelism: int
    execution_parallelism: int
    max_parallelism: int
    slot_sharing_group: SlotSharingGroup = SlotSharingGroup(name="default", index=0)
    min_resources: str | None = None
    nodes: tuple[StreamNode, ...]
    chained_edges: tuple[StreamEdge, ...] = ()

    @property
    def head(self) -> StreamNode:
        """The first operator of the chain, which its inputs reach."""
        return self.nodes[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class JobEdge:
    """One connection of two vertices; several edges may read one data set."""

    id: int
    data_set: str
    source: str  # vertex id
    target: str  # vertex id
    source_node: int  # the StreamNode whose output this is
    target_node: int
    input_index: int
    ship_strategy: ShipStrategy
    partitioner: object | None = None
    side_output: str | None = None
    value_type: TypeInformation | None = None  # of the values (without the key)
    key_type: TypeInformation | None = None
    is_keyed: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class IntermediateDataSet:
    """The result of a vertex that other vertices read."""

    id: str  # 32 hex digits, deterministic
    producer: str  # vertex id
    result_type: ResultPartitionType
    value_type: TypeInformation | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class JobGraph:
    """What is submitted: vertices in topological order, sources first."""

    name: str
    is_batch: bool
    vertices: tuple[JobVertex, ...]
    edges: tuple[JobEdge, ...]
    data_sets: tuple[IntermediateDataSet, ...]
    configuration: Mapping[str, str] = field(default_factory=dict)

    def vertex(self, vertex_id: str) -> JobVertex:
        """The vertex of this id; there must be one."""
        return next(vertex for vertex in self.vertices if vertex.id == vertex_id)

    def data_set(self, data_set_id: str) -> IntermediateDataSet:
        """The data set of this id; there must be one."""
        return next(data_set for data_set in self.data_sets if data_set.id == data_set_id)

    def edges_into(self, vertex_id: str) -> list[JobEdge]:
        """In the order of the edges of the graph."""
        return [edge for edge in self.edges if edge.target == vertex_id]

    def edges_out_of(self, vertex_id: str) -> list[JobEdge]:
        """In the order of the edges of the graph."""
        return [edge for edge in self.edges if edge.source == vertex_id]
