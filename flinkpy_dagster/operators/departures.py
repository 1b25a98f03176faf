"""What goes into a task and what comes out of it, as values."""

from dataclasses import dataclass
from typing import Any

from flinkpy_dagster.operators.batch import Batch, Idle, Tick, Watermark


@dataclass(frozen=True, slots=True)
class Arrival:
    """Something for a task. ``port``: ``JobEdge.id`` of an exchange, or the id of a source node that Spark reads."""

    port: int
    sender: int
    content: Batch | Watermark | Idle | Tick


@dataclass(frozen=True, slots=True)
class Emission:
    """Something for ``channel`` (a subtask index) of the exchange ``edge`` (``JobEdge.id``)."""

    edge: int
    channel: int
    content: Batch | Watermark | Idle | Tick


@dataclass(frozen=True, slots=True)
class Printed:
    """Lines for the standard output (or error) of the client."""

    lines: list[str]
    to_stderr: bool = False


@dataclass(frozen=True, slots=True)
class Collected:
    """Values for the client, already presented as ``execute_and_collect`` does."""

    values: list[Any]


@dataclass(frozen=True, slots=True)
class Committable:
    """A finished file under a hidden name; renaming ``pending`` to ``final`` makes it a result."""

    pending: str
    final: str
    size_bytes: int
    elements: int


@dataclass(frozen=True, slots=True)
class SinkOutput:
    """What a sink made: ``node`` is the sink's ``StreamNode.id``. A Batch is for a table sink."""

    node: int
    subtask: int
    content: Printed | Collected | Committable | Batch
