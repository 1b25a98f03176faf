"""Sinks as operators: what reaches them leaves the task as ``SinkOutput``."""

from collections.abc import Callable
from typing import Any

from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.departures import Collected, Committable, Printed, SinkOutput
from flinkpy_dagster.operators.operator import Operator, Setup
from flinkpy_dagster.operators.task.file_writing import FileWriting
from flinkpy_dagster.types.codec import codec_of
from flinkpy_dagster.types.printing import print_text

Deliver = Callable[[SinkOutput], None]


class SinkOperator(Operator):
    """Base of sinks. Watermarks and side outputs end here, unless a Committer follows."""

    def __init__(self, spec: Any, node: int, deliver: Deliver):
        super().__init__()
        self._spec = spec
        self._node = node
        self._deliver = deliver

    def deliver(self, content: Any) -> None:
        """Hands over what the sink made."""
        self._deliver(SinkOutput(self._node, self.setup.subtask_index, content))


class PrintOperator(SinkOperator):
    """Lines as Flink's ``PrintSink`` writes them: ``identifier:subtask> text``; the subtask only if there are
    several.
    """

    def open(self, setup: Setup) -> None:
        super().open(setup)
        subtask = str(setup.subtask_index + 1) if setup.parallelism > 1 else ""
        prefix = ":".join(part for part in (self._spec.prefix or "", subtask) if part)
        self._prefix = f"{prefix}> " if prefix else ""

    def process(self, batch: Batch, input_index: int) -> None:
        prefix, value_type = self._prefix, self._spec.value_type
        lines = [prefix + print_text(value, value_type) for value in batch.values]
        if lines:
            self.deliver(Printed(lines, self._spec.to_stderr))


class CollectOperator(SinkOperator):
    """Values as the client gets them."""

    def open(self, setup: Setup) -> None:
        super().open(setup)
        self._codec = codec_of(self._spec.value_type)

    def process(self, batch: Batch, input_index: int) -> None:
        if batch.values:
            self.deliver(Collected(self._codec.present(batch.values)))


class TableOperator(SinkOperator):
    """Rows for a DataFrame."""

    takes_columns = True

    def process(self, batch: Batch, input_index: int) -> None:
        if batch.values:
            self.deliver(Batch(batch.values))


class FileOperator(SinkOperator):
    """Files that the driver commits."""

    def open(self, setup: Setup) -> None:
        super().open(setup)
        self._writing = FileWriting(self._spec, setup.subtask_index, setup.clock, self._complete)

    def _complete(self, committable: Committable) -> None:
        self.deliver(committable)

    def process(self, batch: Batch, input_index: int) -> None:
        self._writing.write(batch.values)

    def check_clock(self) -> None:
        self._writing.roll_aged()

    def end_epoch(self) -> None:
        """A file belongs to one epoch, which commits it."""
        self._writing.finish()

    def finish(self) -> None:
        self._writing.finish()

    def close(self) -> None:
        if hasattr(self, "_writing"):
            self._writing.abort()


class NothingOperator(SinkOperator):
    """The Committer of a file sink: the driver does its work."""

    def process(self, batch: Batch, input_index: int) -> None:
        """Nothing reaches it."""


SINKS: dict[type, type[SinkOperator]] = {
    specs.PrintSink: PrintOperator,
    specs.CollectSink: CollectOperator,
    specs.TableSink: TableOperator,
    specs.RowFileSink: FileOperator,
    specs.CommitFiles: NothingOperator,
}


def build_sink(spec: Any, node: int, deliver: Deliver) -> SinkOperator:
    """The operator for a sink spec."""
    return SINKS[type(spec)](spec, node, deliver)
