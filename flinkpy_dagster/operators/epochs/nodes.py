"""One stream node of a subtask in an epoch: what it restores at the start, and what it writes at the end."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from flinkpy_dagster.errors import CorruptState, IncompatibleState
from flinkpy_dagster.operators.batch import MIN_TIMESTAMP
from flinkpy_dagster.operators.epochs.epoch import Epoch
from flinkpy_dagster.operators.epochs.input import KeyedEpochInput
from flinkpy_dagster.operators.epochs.pages import KeyedPages
from flinkpy_dagster.operators.epochs.snapshots import KeyedSnapshot, written_file
from flinkpy_dagster.operators.epochs.sources import LocalSourceEpoch
from flinkpy_dagster.operators.task.node_running import NodeRunner
from flinkpy_dagster.operators.time.event_time import GenerateWatermarksOperator
from flinkpy_dagster.operators.time.source_clocks import clock_of
from flinkpy_dagster.state.files import Files, joined
from flinkpy_dagster.state.pages import StoredPages
from flinkpy_dagster.state.pickling import dumps_alone, loads_alone
from flinkpy_dagster.state.refs import FileRef, SubtaskStateRef
from flinkpy_dagster.types.keys import key_group_range

SOURCE = -1
"""Where the positions of a source are among the states of its node's operators."""

LARGEST_INLINE_BYTES = 16 * 1024
"""Operator state up to here is part of the metadata (Flink: ``state.storage.fs.memory-threshold``)."""


class OutputMemory:
    """Hears what a node tells about event time, so that it can be told again in the next epoch."""

    takes_columns = True

    def __init__(self) -> None:
        self.watermark = MIN_TIMESTAMP
        self.is_idle = False
        self.has_heard = False

    def take(self, batch: Any) -> None:
        """Elements do not matter."""

    def take_watermark(self, timestamp: int) -> None:
        """Event time has come so far."""
        self.watermark, self.is_idle, self.has_heard = timestamp, False, True

    def take_idle(self) -> None:
        """The node has become idle."""
        self.is_idle = self.has_heard = True


@dataclass(frozen=True, kw_only=True)
class NodePlace:
    """What a node knows of where it is. ``source_of`` names the source of a channel (``WatermarkValve.settle``)."""

    epoch: Epoch
    is_source_side: bool
    source_of: Callable[[Any], Any]


class NodeEpoch:
    """Life: ``prepare``, then the node is opened, ``restore``; elements; ``settle_partly`` until it is false, ``end``
    (both not in the last epoch), ``snapshot``.
    """

    def __init__(self, runner: NodeRunner, place: NodePlace, source: LocalSourceEpoch | None = None):
        self._runner = runner
        self._place = place
        self._epoch = place.epoch
        self._refs = place.epoch.restored.get(runner.node.operator_id, ())
        self._memory = OutputMemory()
        self._keyed: KeyedEpochInput | None = next(
            (operator for operator in runner.operators if isinstance(operator, KeyedEpochInput)), None
        )
        self.node_id = runner.node.id
        self.source = source
        runner.output.watch(self._memory)

    @property
    def has_ended(self) -> bool:
        """Has a source nothing more to give?"""
        if self.source is not None:
            return not self.source.remaining
        return self.node_id in self._epoch.ended_sources

    # --- start

    def prepare(self) -> None:
        """Finds the pages of its key groups."""
        if self._keyed is not None:
            setup = self._runner.setup
            self._check_key_groups(setup.max_parallelism)
            own = key_group_range(setup.subtask_index, setup.parallelism, setup.max_parallelism)
            stored = StoredPages(self._files, self._epoch.folder, self._refs, own)
            types = {name: kind for ref in self._refs for name, kind in ref.state_types.items()}
            self._runner.setup = replace(setup, restored_state_types=types)
            self._keyed.pages = KeyedPages(
                stored, self._keyed.operator, setup.max_parallelism, self._runner.node.operators
            )

    def _check_key_groups(self, max_parallelism: int) -> None:
        before = max((ref.key_groups[1] for ref in self._refs if ref.key_groups[1]), default=max_parallelism)
        if before != max_parallelism:
            raise IncompatibleState(
                self._runner.node.name,
                f"it was written with maximum parallelism {before}, the program has {max_parallelism}",
                f"call set_max_parallelism({before})",
            )

    def restore(self) -> None:
        """Event time and state without keys, as the epoch before left them."""
        inputs = self._joined([ref.input_watermark for ref in self._refs])
        told = self._joined([ref.watermark for ref in self._refs])
        self._runner.start_from(inputs)
        self._memory.watermark = told
        self._memory.is_idle = bool(self._refs) and all(ref.is_idle for ref in self._refs)
        states = [self._operator_state(ref) for ref in self._refs]
        watermark = inputs
        for index, operator in enumerate(self._runner.operators):
            if isinstance(operator, GenerateWatermarksOperator):
                watermark = told
            target = operator.operator if isinstance(operator, KeyedEpochInput) else operator
            self._runner.guarded(target.restore_watermark, watermark)
            given = [state[index] for state in states if state.get(index) is not None]
            if given:
                self._runner.guarded(target.restore_state, given)
        if self.source is not None:
            self._restore_source([state[SOURCE] for state in states if SOURCE in state])

    def _restore_source(self, states: list) -> None:
        setup = self._runner.setup
        if states:
            assert self.source is not None
            self.source.go_on(states, setup.subtask_index, setup.parallelism)
        elif self.source is not None:
            self.source.begin(setup.subtask_index, setup.parallelism)

    def _joined(self, watermarks: list[int]) -> int:
        if self._place.is_source_side:
            return clock_of(watermarks)
        return min(watermarks, default=MIN_TIMESTAMP)

    def _operator_state(self, ref: SubtaskStateRef) -> dict[int, Any]:
        file = ref.operator_state_file
        if file is not None:
            data = self._files.read(joined(self._epoch.folder, file.path))
            if zlib.crc32(data) != file.checksum:
                raise CorruptState(file.path, "its checksum is wrong")
            return loads_alone(data, self._runner.node.operators)
        if not ref.operator_state:
            return {}
        return loads_alone(ref.operator_state, self._runner.node.operators)

    # --- end

    def settle_partly(self) -> bool:
        """All senders have told their event time: does a slice of what is due; call it as long as it is true."""
        return self._runner.settle_partly(self._place.source_of)

    def end(self) -> None:
        """Says the last about event time; readers hear from each sender in each epoch."""
        if self.node_id in self._epoch.ended_sources:
            self._runner.complete()
        self._runner.check_clock()
        self._runner.end_epoch()
        memory = self._memory
        if memory.has_heard:
            return
        if memory.is_idle and not self._runner.output.elements:
            self._runner.output.emit_idle()
        elif memory.watermark > MIN_TIMESTAMP:
            self._runner.output.emit_watermark(memory.watermark)

    def snapshot(self) -> SubtaskStateRef:
        """Writes what has changed; a failure leaves files nobody refers to."""
        runner, memory = self._runner, self._memory
        blob, blob_file = self._write_operator_state()
        common: dict[str, Any] = {
            "operator_id": runner.node.operator_id,
            "subtask": runner.setup.subtask_index,
            "epoch": self._epoch.number,
            "operator_state": blob,
            "operator_state_file": blob_file,
            "watermark": memory.watermark,
            "input_watermark": runner.watermark,
            "is_idle": memory.is_idle and not runner.output.elements,
            "next_timer_ms": runner.next_timer_ms(),
        }
        if self._keyed is None:
            written = len(blob) + (blob_file.bytes if blob_file else 0)
            return SubtaskStateRef(**common, live_bytes=written, written_bytes=written)
        return KeyedSnapshot(self._keyed.pages, self._refs, self._epoch, runner).write(common)

    def _write_operator_state(self) -> tuple[bytes, FileRef | None]:
        states = {}
        for index, operator in enumerate(self._runner.operators):
            target = operator.operator if isinstance(operator, KeyedEpochInput) else operator
            state = self._runner.guarded(target.snapshot_state)
            if state is not None:
                states[index] = state
        if self.source is not None:
            states[SOURCE] = self.source.remaining
        if not states:
            return b"", None
        data = dumps_alone(states)
        if len(data) <= LARGEST_INLINE_BYTES:
            return data, None
        for ref in self._refs:
            file = ref.operator_state_file
            if file is not None and (file.bytes, file.checksum) == (len(data), zlib.crc32(data)):
                return b"", file
        return b"", written_file(self._epoch, self._runner, data, "operator")

    @property
    def _files(self) -> Files:
        return self._epoch.files
