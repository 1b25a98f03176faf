"""Which epochs are checkpoints, and what a failing one means (Flink's ``CheckpointRequestDecider`` and
``CheckpointFailureManager``).

Decides only: the clock is an argument, files and threads are other people's. Every epoch can be recovered from; a
checkpoint is one that has a number, is kept and is reported.
"""

from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum

from flinkpy_dagster.config import Configuration

ENDED = "ended"
"""File in the folder of a job that has ended by itself, was canceled or stopped: how."""


class Retention(Enum):
    """What becomes of checkpoints when the job ends (Flink's ``ExternalizedCheckpointRetention``)."""

    NO_EXTERNALIZED_CHECKPOINTS = "NO_EXTERNALIZED_CHECKPOINTS"
    """Deleted when the job is canceled. Flink deletes them when it fails, too; here its next run goes on from them."""
    DELETE_ON_CANCELLATION = "DELETE_ON_CANCELLATION"
    """Deleted when the job is canceled."""
    RETAIN_ON_CANCELLATION = "RETAIN_ON_CANCELLATION"
    """Kept; whoever needs the space deletes them."""


class JobEnd(Enum):
    """How a job ended, as far as its checkpoints care."""

    FINISHED = "finished"
    """All sources were at their end."""
    SUSPENDED = "suspended"
    """An available-now run is through: the next one goes on from its last checkpoint."""
    STOPPED = "stopped"
    """With a savepoint."""
    CANCELED = "canceled"
    FAILED = "failed"


class FailureReason(Enum):
    """Why a checkpoint failed."""

    EXPIRED = "it took longer than execution.checkpointing.timeout"
    NOT_STORED = "its files could not be written"


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckpointSettings:
    """The options ``execution.checkpointing.*``. ``interval`` None: no checkpoints."""

    interval: timedelta | None = None
    min_pause: timedelta = timedelta(0)
    timeout: timedelta = timedelta(minutes=10)
    tolerable_failures: int = 0
    retained: int = 1
    retention: Retention = Retention.NO_EXTERNALIZED_CHECKPOINTS

    @staticmethod
    def of(configuration: Configuration) -> "CheckpointSettings":
        return CheckpointSettings(
            interval=configuration.get("execution.checkpointing.interval"),
            min_pause=configuration.get("execution.checkpointing.min-pause"),
            timeout=configuration.get("execution.checkpointing.timeout"),
            tolerable_failures=configuration.get("execution.checkpointing.tolerable-failed-checkpoints"),
            retained=configuration.get("execution.checkpointing.num-retained"),
            retention=Retention[
                configuration.get("execution.checkpointing.externalized-checkpoint-retention")
            ],
        )


@dataclass(frozen=True, slots=True)
class CheckpointFailed:
    """A checkpoint that came to nothing. ``is_fatal``: more in a row than are tolerated, the job fails."""

    checkpoint_id: int
    reason: FailureReason
    is_fatal: bool
    details: str = ""

    def __str__(self) -> str:
        more = f" ({self.details})" if self.details else ""
        return f"Checkpoint {self.checkpoint_id} failed: {self.reason.value}{more}."


@dataclass
class CheckpointCoordinator:
    """One job's. ``next_id`` is that of the next checkpoint; times are ms since the epoch of the clock."""

    settings: CheckpointSettings
    started_ms: int
    next_id: int = 1
    completed: int = 0
    failed: int = 0
    _in_a_row: dict[FailureReason, int] = field(default_factory=dict)
    _last_trigger_ms: int = field(init=False)
    _last_completion_ms: int | None = None

    def __post_init__(self) -> None:
        self._last_trigger_ms = self.started_ms

    def is_due(self, now_ms: int) -> bool:
        """Shall the epoch that is complete now be a checkpoint?"""
        settings = self.settings
        if settings.interval is None or now_ms - self._last_trigger_ms < _ms(settings.interval):
            return False
        completed_ms = self._last_completion_ms
        return completed_ms is None or now_ms - completed_ms >= _ms(settings.min_pause)

    def triggered(self, now_ms: int) -> int:
        """A checkpoint, or a savepoint, begins; its id."""
        self._last_trigger_ms = now_ms
        self.next_id += 1
        return self.next_id - 1

    def stored(self, checkpoint_id: int, triggered_ms: int, now_ms: int) -> CheckpointFailed | None:
        """Its files are written: it is complete, or has expired meanwhile."""
        if self.is_expired(triggered_ms, now_ms):
            return self.expired(checkpoint_id)
        self.completed += 1
        self._in_a_row.clear()
        self._last_completion_ms = now_ms
        return None

    def is_expired(self, triggered_ms: int, now_ms: int) -> bool:
        """Has a checkpoint that began then taken too long already?"""
        return now_ms - triggered_ms > _ms(self.settings.timeout)

    def expired(self, checkpoint_id: int) -> CheckpointFailed:
        """It took too long: the epoch counts all the same, but is no checkpoint."""
        return self._failure(checkpoint_id, FailureReason.EXPIRED)

    def epoch_stored(self) -> None:
        """Files of an epoch are written, checkpoint or not: what could not be written before is forgiven."""
        self._in_a_row.pop(FailureReason.NOT_STORED, None)

    def not_stored(self, checkpoint_id: int, details: str) -> CheckpointFailed:
        """Its files could not be written."""
        return self._failure(checkpoint_id, FailureReason.NOT_STORED, details)

    def keeps_checkpoints(self, end: JobEnd) -> bool:
        """Do the checkpoints outlive the job?"""
        if end in (JobEnd.SUSPENDED, JobEnd.FAILED):
            return True
        if end in (JobEnd.CANCELED, JobEnd.STOPPED):
            return self.settings.retention is Retention.RETAIN_ON_CANCELLATION
        return False

    def _failure(self, checkpoint_id: int, reason: FailureReason, details: str = "") -> CheckpointFailed:
        self.failed += 1
        self._in_a_row[reason] = self._in_a_row.get(reason, 0) + 1
        is_fatal = sum(self._in_a_row.values()) > self.settings.tolerable_failures
        return CheckpointFailed(checkpoint_id, reason, is_fatal, details)


def _ms(duration: timedelta) -> int:
    return duration // timedelta(milliseconds=1)
