"""What the api records: one transformation per call, connected to those it reads.

Transformations change until the graph is made (``name()``, ``set_parallelism()`` ...); the passes work on copies.
Source of the rules: Flink's ``Transformation`` and its subclasses.
"""

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field
from enum import Enum
from itertools import count

from flinkpy_dagster.graph.program_places import Place, place_of_caller
from flinkpy_dagster.graph.stream_graph import ChainingStrategy, ShipStrategy
from flinkpy_dagster.types import TypeInformation

KEY_BY_OPERATOR = "_stream_key_by_map_operator"
KEYED_VALUES_OPERATOR = "_keyed_stream_values_operator"
PARTITION_CUSTOM_OPERATOR = "_partition_custom_map_operator"

DEFAULT_PARALLELISM = -1


class OperatorKind(Enum):
    """Which of PyFlink's operator classes runs an operator; decides what fuses with what."""

    NATIVE = "native"
    """Java in Flink: projections, watermark generators, sinks."""
    PROCESS = "process"
    KEYED_PROCESS = "keyed process"
    """Windows too: PyFlink runs them in its keyed process operator."""
    CO_PROCESS = "co-process"
    KEYED_CO_PROCESS = "keyed co-process"
    BROADCAST = "broadcast"
    """Python, but never fused."""

    @property
    def is_python(self) -> bool:
        """Is it a Python operator of PyFlink's? Others are Java's own there, and never fused."""
        return self is not OperatorKind.NATIVE


class TransformationIds:
    """Numbers transformations and nodes in order of creation."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def next(self) -> int:
        return next(self._numbers)


@dataclass(eq=False, kw_only=True)
class Transformation:
    """One step. ``max_parallelism`` -1: not set; ``slot_sharing_group`` None: that of the inputs.

    ``places``: the lines of the program that asked for it.
    """

    id: int
    name: str
    output_type: TypeInformation
    parallelism: int
    is_parallelism_configured: bool = False
    max_parallelism: int = -1
    slot_sharing_group: str | None = None
    uid: str | None = None
    uid_hash: str | None = None
    description: str | None = None
    buffer_timeout_ms: int = -1
    inputs: list["Transformation"] = field(default_factory=list)
    places: tuple[Place, ...] = field(default_factory=place_of_caller)

    def replace_input(self, old: "Transformation", new: "Transformation") -> None:
        """Reads ``new`` where it read ``old``."""
        self.inputs[self.inputs.index(old)] = new


@dataclass(eq=False, kw_only=True)
class PhysicalTransformation(Transformation):
    """A step that becomes a node. ``operators`` are payloads, opaque here."""

    operators: tuple[object, ...]
    chaining: ChainingStrategy = ChainingStrategy.ALWAYS


@dataclass(eq=False, kw_only=True)
class SourceTransformation(PhysicalTransformation):
    """A source; ``is_legacy``: Flink would read it by a SourceFunction."""

    is_bounded: bool = True
    is_legacy: bool = False


@dataclass(eq=False, kw_only=True)
class OperatorTransformation(PhysicalTransformation):
    """An operator with one input or two."""

    kind: OperatorKind
    is_yielding: bool = False
    is_sink_stage: bool = False
    is_sink: bool = False  # hands elements out of the job


@dataclass(eq=False, kw_only=True)
class LegacySinkTransformation(PhysicalTransformation):
    """A sink that is one node (print)."""


@dataclass(eq=False, kw_only=True)
class SinkTransformation(PhysicalTransformation):
    """A sink that becomes a Writer node and, with ``committer`` set, a Committer node (Flink's FLIP-143).

    ``operators`` are the writer's.
    """

    committer: object | None = None


@dataclass(eq=False, kw_only=True)
class PartitionTransformation(Transformation):
    """How the next step's subtasks get the elements."""

    ship_strategy: ShipStrategy
    partitioner: object | None = None
    key_type: TypeInformation | None = None
    is_keyed: bool = False
    is_stored: bool = False


@dataclass(eq=False, kw_only=True)
class UnionTransformation(Transformation):
    """Several streams of one type as one."""

    def replace_input(self, old: Transformation, new: Transformation) -> None:
        """The new input goes last, as PyFlink does it."""
        self.inputs.remove(old)
        self.inputs.append(new)


@dataclass(eq=False, kw_only=True)
class SideOutputTransformation(Transformation):
    """The elements that the input emits under a tag."""

    tag_id: str


def reachable(transformations: Iterable[Transformation]) -> Iterator[Transformation]:
    """These and all they read, each once, breadth first."""
    queue, seen = list(transformations), set()
    for transformation in queue:
        if transformation not in seen:
            seen.add(transformation)
            yield transformation
            queue.extend(transformation.inputs)


def copy_of(transformations: Iterable[Transformation]) -> list[Transformation]:
    """The same transformations, inputs included, as new objects that a pass may change."""
    originals = list(transformations)
    copies = {original: copy(original) for original in reachable(originals)}
    for duplicate in copies.values():
        duplicate.inputs = [copies[source] for source in duplicate.inputs]
    return [copies[original] for original in originals]
