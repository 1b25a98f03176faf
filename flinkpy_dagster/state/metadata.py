"""What an epoch is, once it is complete: the content of its ``_metadata`` file (JSON, versioned)."""

import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from flinkpy_dagster.state.refs import MIN_TIMESTAMP, FileRef, SubtaskStateRef

FORMAT_VERSION = 1


class CheckpointKind(Enum):
    """Why an epoch was kept."""

    EPOCH = "epoch"
    """It was not: the newest ones are there for recovery only."""
    CHECKPOINT = "checkpoint"
    """By the interval."""
    SAVEPOINT = "savepoint"
    """The user asked for it; self-contained, never deleted by the job."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OperatorMetadata:
    """State of one operator (a ``StreamNode``) in all its subtasks. ``uid`` is the user's, None without one.

    ``key_type``: of its keyed input, as text; None: none or not declared.
    """

    operator_id: str
    uid: str | None
    name: str
    parallelism: int
    max_parallelism: int
    key_type: str | None = None
    subtasks: tuple[SubtaskStateRef, ...] = ()

    @property
    def label(self) -> str:
        """How to name it to people: its uid, else its name."""
        return self.uid or self.name

    @property
    def state_types(self) -> dict[str, str]:
        """Types by name of state, over all subtasks."""
        return {name: kind for subtask in self.subtasks for name, kind in subtask.state_types.items()}

    @property
    def entries(self) -> int:
        """Keys with state."""
        return sum(subtask.entries for subtask in self.subtasks)

    @property
    def bytes(self) -> int:
        """Size of the state that counts."""
        return sum(subtask.live_bytes for subtask in self.subtasks)

    @property
    def written_bytes(self) -> int:
        """What the epoch added."""
        return sum(subtask.written_bytes for subtask in self.subtasks)

    @property
    def watermark(self) -> int:
        """The highest one of its subtasks, ms."""
        return max((subtask.watermark for subtask in self.subtasks), default=MIN_TIMESTAMP)


@dataclass(frozen=True, kw_only=True, slots=True)
class EpochMetadata:
    """One complete epoch of a job.

    ``operators`` by operator id. ``offsets``: per source (uid or operator id) where it continues, any JSON.
    ``pending_commits``: per sink (operator id) what must be committed, any JSON; commits are idempotent, so whoever
    restores this epoch does them again. ``records_in``/``records_out`` and ``statistics`` are for people only.
    Times are ms since the epoch of the clock.
    """

    job_name: str
    job_id: str
    epoch: int
    kind: CheckpointKind = CheckpointKind.EPOCH
    checkpoint_id: int | None = None
    operators: Mapping[str, OperatorMetadata] = field(default_factory=dict)
    offsets: Mapping[str, Any] = field(default_factory=dict)
    pending_commits: Mapping[str, Any] = field(default_factory=dict)
    triggered_ms: int = 0
    completed_ms: int = 0
    program_version: str = ""
    restored_from: str | None = None
    fencing_token: int = 0
    is_last: bool = False
    statistics: Mapping[str, Any] = field(default_factory=dict)

    @property
    def entries(self) -> int:
        """Keys with state, over all operators."""
        return sum(operator.entries for operator in self.operators.values())

    @property
    def bytes(self) -> int:
        """Size of all state."""
        return sum(operator.bytes for operator in self.operators.values())

    @property
    def written_bytes(self) -> int:
        """What the epoch added (the incremental size)."""
        return sum(operator.written_bytes for operator in self.operators.values())

    @property
    def refs(self) -> dict[str, tuple[SubtaskStateRef, ...]]:
        """What ``Epoch.restored`` of the next epoch is."""
        return {operator_id: operator.subtasks for operator_id, operator in self.operators.items()}

    def files(self) -> Iterator[FileRef]:
        """All files it needs; one may come several times."""
        for operator in self.operators.values():
            for subtask in operator.subtasks:
                yield from subtask.files


def encoded(metadata: EpochMetadata) -> bytes:
    """The content of ``_metadata``: one line with the checksum of what follows, then JSON."""
    value = {name: item for name, item in _shallow(metadata).items() if name not in ("operators", "kind")}
    value["format_version"] = FORMAT_VERSION
    value["kind"] = metadata.kind.value
    value["operators"] = [_operator_json(operator) for operator in metadata.operators.values()]
    body = json.dumps(value, separators=(",", ":")).encode()
    return b"%08x\n" % zlib.crc32(body) + body


def decoded(data: bytes) -> EpochMetadata:
    """The inverse of ``encoded``; raises ValueError that says what is wrong with the bytes."""
    head, _, body = data.partition(b"\n")
    if head != b"%08x" % zlib.crc32(body):
        raise ValueError("its checksum is wrong: it is cut off or was changed")
    value = json.loads(body)
    version = value.pop("format_version")
    if version != FORMAT_VERSION:
        raise ValueError(f"it has format {version}, this version reads {FORMAT_VERSION}")
    operators = {item["operator_id"]: _operator_of(item) for item in value.pop("operators")}
    return EpochMetadata(operators=operators, kind=CheckpointKind(value.pop("kind")), **value)


def _shallow(metadata: EpochMetadata) -> dict[str, Any]:
    return {name: getattr(metadata, name) for name in metadata.__dataclass_fields__}


def _operator_json(operator: OperatorMetadata) -> dict[str, Any]:
    value = {name: getattr(operator, name) for name in operator.__dataclass_fields__}
    return value | {"subtasks": [subtask.to_json() for subtask in operator.subtasks]}


def _operator_of(value: dict[str, Any]) -> OperatorMetadata:
    operator_id = value["operator_id"]
    subtasks = tuple(SubtaskStateRef.from_json(operator_id, item) for item in value["subtasks"])
    return OperatorMetadata(**value | {"subtasks": subtasks})
