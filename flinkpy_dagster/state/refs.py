"""What a subtask says of the state it wrote: values that fit into JSON and into a pickle.

Keyed state of one operator in one subtask is a list of immutable *segments*, oldest first. A segment holds pages, a
page the state of a few keys of one key group; where two segments have the same page the newer one counts. So
rescaling means reading the segments of all subtasks whose key groups overlap with one's own.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from flinkpy_dagster.state.packed_segments import Packed

MIN_TIMESTAMP = -(2**63)


@dataclass(frozen=True, kw_only=True, slots=True)
class FileRef:
    """A file of the state. ``path`` is relative to the folder of the state, ``checksum`` the CRC-32 of all bytes."""

    path: str
    bytes: int
    checksum: int

    def to_json(self) -> list[Any]:
        """As a JSON value."""
        return [self.path, self.bytes, self.checksum]

    @staticmethod
    def from_json(value: list[Any]) -> "FileRef":
        """The inverse of ``to_json``."""
        path, size, checksum = value
        return FileRef(path=path, bytes=size, checksum=checksum)


@dataclass(frozen=True, kw_only=True, slots=True)
class SegmentRef:
    """One segment. It counts for ``key_groups`` (half open) only: what else is in it belongs to other subtasks by now.

    ``epoch`` wrote it; ``entries`` are the keys in its pages, outdated ones included.
    """

    file: FileRef
    key_groups: tuple[int, int]
    epoch: int
    entries: int

    def to_json(self) -> list[Any]:
        """As a JSON value."""
        return [*self.file.to_json(), *self.key_groups, self.epoch, self.entries]

    @staticmethod
    def from_json(value: list[Any]) -> "SegmentRef":
        """The inverse of ``to_json``."""
        *file, start, end, epoch, entries = value
        return SegmentRef(file=FileRef.from_json(file), key_groups=(start, end), epoch=epoch, entries=entries)


@dataclass(frozen=True, kw_only=True, slots=True)
class SubtaskStateRef:
    """All state of one operator in one subtask at the end of an epoch.

    ``key_groups`` is a half-open range; ``segments`` are oldest first. ``operator_state`` is state without keys,
    pickled (``operators.epochs.nodes``); ``operator_state_file`` the same when it is large.
    ``watermark`` is what the operator has told downstream (ms; MIN_TIMESTAMP: nothing), ``input_watermark`` how far
    its own event time has come. ``next_timer_ms``: when its first processing time timer is due, None without one.
    ``state_types``: type of state and values by name of the state. ``entries`` keys and ``live_bytes`` are what counts
    now, ``written_bytes`` what this epoch added to disk.
    """

    operator_id: str
    subtask: int
    epoch: int
    key_groups: tuple[int, int] = (0, 0)
    segments: Sequence[SegmentRef] = ()
    operator_state: bytes = b""
    operator_state_file: FileRef | None = None
    watermark: int = MIN_TIMESTAMP
    input_watermark: int = MIN_TIMESTAMP
    is_idle: bool = False
    next_timer_ms: int | None = None
    state_types: dict[str, str] = field(default_factory=dict)
    entries: int = 0
    live_bytes: int = 0
    written_bytes: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Segments travel as bytes: most of who gets them does not look."""
        segments = self.segments
        if not isinstance(segments, Packed):
            segments = Packed.of((each.to_json() for each in segments), SegmentRef.from_json)
        others = (getattr(self, name) for name in self.__dataclass_fields__ if name != "segments")
        return _unpickled, (segments, *others)

    @property
    def files(self) -> tuple[FileRef, ...]:
        """All files it needs."""
        others = () if self.operator_state_file is None else (self.operator_state_file,)
        return tuple(segment.file for segment in self.segments) + others

    @property
    def is_empty(self) -> bool:
        """Is there nothing to restore?"""
        return not (self.segments or self.operator_state or self.operator_state_file) and (
            self.watermark == self.input_watermark == MIN_TIMESTAMP
        )

    def to_json(self) -> dict[str, Any]:
        """As a JSON value."""
        blob = self.operator_state_file
        return {
            "subtask": self.subtask,
            "epoch": self.epoch,
            "key_groups": list(self.key_groups),
            "segments": [segment.to_json() for segment in self.segments],
            "operator_state": base64.b64encode(self.operator_state).decode("ascii"),
            "operator_state_file": None if blob is None else blob.to_json(),
            "watermark": self.watermark,
            "input_watermark": self.input_watermark,
            "is_idle": self.is_idle,
            "next_timer_ms": self.next_timer_ms,
            "state_types": dict(self.state_types),
            "entries": self.entries,
            "live_bytes": self.live_bytes,
            "written_bytes": self.written_bytes,
        }

    @staticmethod
    def from_json(operator_id: str, value: dict[str, Any]) -> "SubtaskStateRef":
        """The inverse of ``to_json``."""
        blob = value["operator_state_file"]
        return SubtaskStateRef(
            operator_id=operator_id,
            **value
            | {
                "key_groups": tuple(value["key_groups"]),
                "segments": tuple(map(SegmentRef.from_json, value["segments"])),
                "operator_state": base64.b64decode(value["operator_state"]),
                "operator_state_file": None if blob is None else FileRef.from_json(blob),
            },
        )


def _unpickled(segments: Sequence[SegmentRef], *others: Any) -> SubtaskStateRef:
    names = (name for name in SubtaskStateRef.__dataclass_fields__ if name != "segments")
    return SubtaskStateRef(segments=segments, **dict(zip(names, others)))


def overlapping(
    refs: tuple[SubtaskStateRef, ...], key_groups: tuple[int, int]
) -> tuple[SubtaskStateRef, ...]:
    """Those of the refs that hold keyed state of some of these key groups."""
    start, end = key_groups
    return tuple(
        ref for ref in refs if ref.segments and ref.key_groups[0] < end and start < ref.key_groups[1]
    )
