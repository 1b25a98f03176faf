"""What a job takes over from a checkpoint, told before it starts."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from flinkpy_dagster.errors import IncompatibleState
from flinkpy_dagster.state.metadata import EpochMetadata, OperatorMetadata
from flinkpy_dagster.types.keys import default_max_parallelism

if TYPE_CHECKING:
    from flinkpy_dagster.graph.job_graph import JobGraph, JobVertex
    from flinkpy_dagster.graph.stream_graph import StreamNode


class RestoreKind(Enum):
    """What becomes of the state of one operator."""

    RESTORED = "restored"
    """Taken over as it is."""
    RESCALED = "rescaled"
    """Taken over by another number of subtasks."""
    NEW = "new"
    """The checkpoint knows nothing of it: it starts afresh."""
    DROPPED = "dropped"
    """The program has no such operator."""
    INCOMPATIBLE = "incompatible"
    """It does not fit; the reason says why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RestoreLine:
    """One operator. ``entries`` and ``bytes`` of its state in the checkpoint; ``reason``, and ``instead``: what can be
    done, are for people.
    """

    operator_id: str
    label: str
    kind: RestoreKind
    entries: int = 0
    bytes: int = 0
    has_state: bool = False
    reason: str = ""
    instead: str = "change the program back, or start without state"


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """All operators of the program in their order, then those that only the checkpoint has."""

    lines: tuple[RestoreLine, ...]
    allow_non_restored: bool = False

    def refused(self) -> list[RestoreLine]:
        """What forbids the start: state that does not fit, and, unless ``-n`` allows it, state nobody takes."""
        kinds = {RestoreKind.INCOMPATIBLE} | (set() if self.allow_non_restored else {RestoreKind.DROPPED})
        return [line for line in self.lines if line.kind in kinds and line.has_state]

    def check(self) -> None:
        """Raises IncompatibleState for the first thing that forbids the start."""
        for line in self.refused():
            if line.kind is RestoreKind.DROPPED:
                raise IncompatibleState(
                    line.label,
                    "the program has no operator of that uid",
                    "give the operator its uid again, or allow to leave state behind (-n)",
                )
            raise IncompatibleState(line.label, line.reason, line.instead)

    def with_misfit(self, operator_id: str, reason: str, instead: str) -> "RestoreReport":
        """The report with a reason against the state of an operator, which was only found when it was opened."""
        return replace(
            self,
            lines=tuple(
                replace(line, kind=RestoreKind.INCOMPATIBLE, reason=reason, instead=instead)
                if line.operator_id == operator_id
                else line
                for line in self.lines
            ),
        )

    def text(self) -> str:
        """A line per operator."""
        rows = [
            f"{line.kind.value:<12} {line.label}: {line.entries:,} keys, {line.bytes:,} bytes"
            + (f" ({line.reason})" if line.reason else "")
            for line in self.lines
        ]
        return "\n".join(rows)


def restore_report(
    job_graph: "JobGraph", metadata: EpochMetadata, allow_non_restored: bool = False
) -> RestoreReport:
    """Compares a job with the checkpoint it is to go on from, by operator id (that is: by uid)."""
    lines = list(_lines_of_program(job_graph, metadata))
    known = {line.operator_id for line in lines}
    lines += [
        _line(operator, RestoreKind.DROPPED)
        for operator in metadata.operators.values()
        if operator.operator_id not in known and _has_state(operator)
    ]
    return RestoreReport(tuple(lines), allow_non_restored)


def _lines_of_program(job_graph: "JobGraph", metadata: EpochMetadata) -> Iterator[RestoreLine]:
    for vertex in job_graph.vertices:
        for node in vertex.nodes:
            operator = metadata.operators.get(node.operator_id)
            if operator is None:
                yield RestoreLine(
                    operator_id=node.operator_id, label=node.uid or node.name, kind=RestoreKind.NEW
                )
            else:
                yield _compared(job_graph, vertex, node, operator)


def _compared(
    job_graph: "JobGraph", vertex: "JobVertex", node: "StreamNode", operator: OperatorMetadata
) -> RestoreLine:
    reason = _reason_against(job_graph, vertex, node, operator)
    if reason:
        return _line(operator, RestoreKind.INCOMPATIBLE, reason)
    before, now = operator.parallelism, vertex.execution_parallelism
    if before != now:
        return _line(operator, RestoreKind.RESCALED, f"parallelism {before} to {now}")
    return _line(operator, RestoreKind.RESTORED)


def _reason_against(
    job_graph: "JobGraph", vertex: "JobVertex", node: "StreamNode", operator: OperatorMetadata
) -> str:
    if not any(subtask.key_groups[1] for subtask in operator.subtasks):
        return ""
    groups, parallelism = operator.max_parallelism, vertex.execution_parallelism
    if 0 < vertex.max_parallelism != groups:
        return f"its maximum parallelism was {groups}, the program sets {vertex.max_parallelism}"
    if parallelism > groups:
        return f"its maximum parallelism is {groups}, the program wants parallelism {parallelism}"
    key_type = key_type_text(job_graph, node)
    if operator.key_type is not None and key_type is not None and operator.key_type != key_type:
        return f"its keys were {operator.key_type}, the program's are {key_type}"
    return ""


def key_type_text(job_graph: "JobGraph", node: "StreamNode") -> str | None:
    """The type of a node's keys as it is written to ``OperatorMetadata.key_type``; None if none is declared."""
    types = [edge.key_type for edge in job_graph.edges if edge.target_node == node.id and edge.is_keyed]
    return next((str(each) for each in types if each is not None), None)


def _has_state(operator: OperatorMetadata) -> bool:
    return any(
        subtask.entries or subtask.operator_state or subtask.operator_state_file
        for subtask in operator.subtasks
    )


def _line(operator: OperatorMetadata, kind: RestoreKind, reason: str = "") -> RestoreLine:
    return RestoreLine(
        operator_id=operator.operator_id,
        label=operator.label,
        kind=kind,
        entries=operator.entries,
        bytes=operator.bytes,
        has_state=_has_state(operator),
        reason=reason,
    )


def with_restored_max_parallelism(job_graph: "JobGraph", metadata: EpochMetadata) -> "JobGraph":
    """The job with the maximum parallelism its state was written with, where the program sets none.

    By default it follows from the parallelism (``default_max_parallelism``), so a rescaled job would get another one;
    Flink, too, keeps that of the checkpoint.
    """

    def restored(vertex: "JobVertex") -> "JobVertex":
        if vertex.max_parallelism > 0:
            return vertex
        known = {
            operator.max_parallelism
            for node in vertex.nodes
            if (operator := metadata.operators.get(node.operator_id)) is not None
            and any(subtask.key_groups[1] for subtask in operator.subtasks)
        }
        groups = max(known, default=0)
        is_default = groups in (0, default_max_parallelism(vertex.execution_parallelism))
        return vertex if is_default else replace(vertex, max_parallelism=groups)

    return replace(job_graph, vertices=tuple(map(restored, job_graph.vertices)))
