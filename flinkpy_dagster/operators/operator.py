"""What every operator is: something that takes batches and watermarks in and pushes batches and watermarks out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from flinkpy_dagster.clock import Clock
from flinkpy_dagster.operators.batch import MIN_TIMESTAMP, Batch
from flinkpy_dagster.operators.metric_registry import MetricRegistry
from flinkpy_dagster.types import TypeInformation

SLICE_SIZE = 8192
"""Timers, keys or elements of one slice of work at a watermark: a bound of what it holds before results leave."""


class Output(Protocol):
    """Where an operator pushes what it makes."""

    def emit(self, batch: Batch) -> None:
        """Results; the batch belongs to the receiver from now on."""

    @property
    def has_side_readers(self) -> bool:
        """Does anybody read a side output?"""

    def emit_side(self, tag_id: str, batch: Batch) -> None:
        """Results for a side output."""

    def emit_watermark(self, timestamp: int) -> None:
        """Event time has come so far, ms."""

    def emit_idle(self) -> None:
        """Nothing to say about event time until the next results."""


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What an operator knows about the subtask it runs in.

    ``restored_state_types``: in an epoch, the declarations of the keyed states it goes on with, by name.
    ``output_type`` is None for pickled results and within fused operators; ``task_name`` is that of the whole chain.
    """

    name: str
    task_name: str = ""
    clock: Clock
    metrics: MetricRegistry
    output_type: TypeInformation | None = None
    is_batch: bool = False
    parallelism: int = 1
    max_parallelism: int = 128
    subtask_index: int = 0
    attempt: int = 0
    job_parameters: dict[str, str]
    watermark_interval_ms: int = 200
    restored_state_types: Mapping[str, str] = field(default_factory=dict)


class Operator:
    """Base of all operators: passes everything on.

    Life: ``open``; then any number of ``process`` (one batch of one input), ``advance_watermark`` and
    ``check_clock`` (after each batch); at the end of all inputs ``advance_watermark`` to the maximum, ``finish`` and
    ``close``. ``close`` also follows a failure.
    """

    output: Output
    takes_columns = False
    """Does it move values without looking at them? Then they had better come as ``TypedValues``."""

    def __init__(self) -> None:
        self.watermark = MIN_TIMESTAMP

    def open(self, setup: Setup) -> None:
        """Called once, before anything else."""
        self.setup = setup

    def process(self, batch: Batch, input_index: int) -> None:
        """Takes a batch of input 0 (the only or first one) or 1."""
        self.output.emit(batch)

    def advance_watermark(self, timestamp: int) -> None:
        """Event time has come to ``timestamp``, ms; never called with less than before."""
        for _ in self.approach(timestamp):
            pass
        self.watermark = timestamp
        self.output.emit_watermark(timestamp)

    def approach(self, timestamp: int) -> Iterator[None]:
        """Does what is due at a watermark that will come next, slice by slice; results can leave after each.

        ``advance_watermark`` does what is left of it.
        """
        return iter(())

    def mark_idle(self) -> None:
        """All inputs are idle."""
        self.output.emit_idle()

    def check_clock(self) -> None:
        """Does what is due by the clock."""

    def next_timer_ms(self) -> int | None:
        """When something will be due by the clock, as far as it is known."""
        return None

    def end_epoch(self) -> None:
        """All elements of an epoch have been taken: says what there is to say about event time, completes files."""

    def restore_watermark(self, timestamp: int) -> None:
        """Event time goes on from here; what was due has been done."""
        self.watermark = timestamp

    def snapshot_state(self) -> Any:
        """State without keys at the end of an epoch, picklable; None: there is none."""
        return None

    def restore_state(self, states: list[Any]) -> None:
        """What the subtasks of the epoch before gave, in their order; those that gave None left out."""

    def finish(self) -> None:
        """Emits what is left at the end of all inputs."""

    def close(self) -> None:
        """Releases what ``open`` acquired; must not raise when ``open`` failed half-way."""


def open_function(function: Any, runtime_context: Any) -> None:
    """Calls ``open`` if the function (a rich function or a plain callable) has one."""
    opener = getattr(function, "open", None)
    if callable(opener):
        opener(runtime_context)


def close_function(function: Any) -> None:
    """Calls ``close`` if the function has one."""
    closer = getattr(function, "close", None)
    if callable(closer):
        closer()


def callable_of(function: Any, method: str) -> Any:
    """The method of a rich function, or the plain callable itself."""
    return getattr(function, method, function)
