"""The StreamGraph: one node per operator, one edge per connection, before chaining.

Source of the rules: Flink's ``StreamGraph``, ``StreamNode`` and ``StreamEdge``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from flinkpy_dagster.graph.program_places import Place
from flinkpy_dagster.types import TypeInformation


class NodeRole(Enum):
    """What a node is in the flow of data."""

    SOURCE = "source"
    OPERATOR = "operator"
    SINK = "sink"


class ChainingStrategy(Enum):
    """May this operator be chained to the one before it (Flink's ``ChainingStrategy``)?"""

    ALWAYS = "always"
    HEAD = "head"  # starts a new chain, others may chain to it
    NEVER = "never"


class ShipStrategy(Enum):
    """How records choose the subtask that receives them; values as in Flink's JSON plans."""

    FORWARD = "FORWARD"
    HASH = "HASH"
    REBALANCE = "REBALANCE"
    RESCALE = "RESCALE"
    BROADCAST = "BROADCAST"
    SHUFFLE = "SHUFFLE"
    GLOBAL = "GLOBAL"
    CUSTOM = "CUSTOM"

    @property
    def is_pointwise(self) -> bool:
        """Does each producer talk to some consumers only (Flink's ``DistributionPattern.POINTWISE``)?"""
        return self in (ShipStrategy.FORWARD, ShipStrategy.RESCALE)


class ResultPartitionType(Enum):
    """How a result is handed over: while it is made, or after it is complete."""

    PIPELINED_BOUNDED = "PIPELINED_BOUNDED"
    BLOCKING = "BLOCKING"

    @property
    def is_blocking(self) -> bool:
        """Is it there as a whole before anybody reads it?"""
        return self is ResultPartitionType.BLOCKING


@dataclass(frozen=True, kw_only=True, slots=True)
class StreamNode:
    """One operator, or several Python operators that PyFlink fuses into one.

    ``operators`` are the payloads (``flinkpy_dagster.operators.specs``), opaque to the graph; they run in this
    order without re-encoding values in between. ``output_type`` None means pickled.
    """

    id: int
    name: str
    role: NodeRole
    operators: tuple[object, ...]
    output_type: TypeInformation | None
    parallelism: int
    is_parallelism_configured: bool = False  # set on the operator itself, not inherited from the environment
    max_parallelism: int = -1
    slot_sharing_group: str = "default"
    chaining: ChainingStrategy = ChainingStrategy.ALWAYS
    is_python: bool = False
    uid: str | None = None
    uid_hash: str | None = None  # 32 hex digits that the user wants as operator id
    description: str | None = None
    operator_id: str = ""  # 32 hex digits
    is_legacy_source: bool = False  # what a Flink SourceFunction reads: yielding operators do not chain to it
    is_yielding: bool = False  # waits in its mailbox (the Writer of a sink)
    is_sink_stage: bool = False  # Writer or Committer of one sink: Flink's plan calls these operators
    places: tuple[Place, ...] = field(
        default=(), compare=False
    )  # the program's own lines, of no meaning to a plan

    @property
    def is_source(self) -> bool:
        """Does it read what is outside of the job?"""
        return self.role is NodeRole.SOURCE

    @property
    def is_sink(self) -> bool:
        """Does it write what is outside of the job?"""
        return self.role is NodeRole.SINK


@dataclass(frozen=True, kw_only=True, slots=True)
class StreamEdge:
    """A connection of two nodes.

    ``input_index`` is 0 for the only or first input of the target, 1 for the second one of a two-input operator.
    ``partitioner`` is the user's payload of a CUSTOM edge. ``side_output`` is the id of an OutputTag.
    ``value_type`` is that of the values on this edge (None: pickled), ``key_type`` that of the keys beside them.
    """

    id: int
    source: int
    target: int
    ship_strategy: ShipStrategy
    input_index: int = 0
    partitioner: object | None = None
    side_output: str | None = None
    side_output_type: TypeInformation | None = None
    value_type: TypeInformation | None = None
    key_type: TypeInformation | None = None
    is_keyed: bool = False
    partitioning: int = -1  # edges of one number are one partitioning of the stream, asked for once
    is_forward_inferred: bool = False  # nobody asked for FORWARD, the parallelisms just agree
    is_stored: bool = False  # BATCH: complete before it is read, whatever the shuffle mode


@dataclass(frozen=True, kw_only=True, slots=True)
class StreamGraph:
    """All nodes (in order of creation) and edges of one job, and what of the configuration chaining must know.

    ``is_dynamic``: BATCH jobs whose parallelism is decided late (Flink's adaptive batch scheduler). Edges into a node
    are in the order of its inputs, edges out of a node in the order in which their consumers were translated.
    """

    job_name: str
    nodes: tuple[StreamNode, ...]
    edges: tuple[StreamEdge, ...]
    is_batch: bool = False
    is_dynamic: bool = False
    is_chaining_enabled: bool = True
    chains_different_max_parallelisms: bool = True
    stores_shuffles: bool = False  # edges are BLOCKING
    configuration: Mapping[str, str] = field(default_factory=dict)

    def node(self, node_id: int) -> StreamNode:
        """The node of this id; there must be one."""
        return next(node for node in self.nodes if node.id == node_id)

    def edges_into(self, node_id: int) -> list[StreamEdge]:
        """In the order of the edges of the graph."""
        return [edge for edge in self.edges if edge.target == node_id]

    def edges_out_of(self, node_id: int) -> list[StreamEdge]:
        """In the order of the edges of the graph."""
        return [edge for edge in self.edges if edge.source == node_id]
