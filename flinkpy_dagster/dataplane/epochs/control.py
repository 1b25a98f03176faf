"""What people want of a running unbounded job, and what they are told."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

from pyspark.sql.streaming import DataStreamWriter

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.regions.results import RegionListener
from flinkpy_dagster.errors import JobFailed
from flinkpy_dagster.runtime.checkpoints import CheckpointFailed
from flinkpy_dagster.state.metadata import EpochMetadata
from flinkpy_dagster.state.restoring import RestoreReport

if TYPE_CHECKING:
    from flinkpy_dagster.dataplane.epochs.keeping import EpochKeeping


class EpochListener(RegionListener, Protocol):
    """Told of the epochs of a job, in the thread that runs them."""

    def on_restore(self, report: RestoreReport) -> None:
        """The job goes on from state; this is what becomes of it."""

    def on_epoch(self, metadata: EpochMetadata, failures: Sequence[CheckpointFailed]) -> None:
        """An epoch is complete and its results are visible; ``failures`` are checkpoints that failed since the last."""

    def on_checkpoint(self, metadata: EpochMetadata) -> None:
        """The newest epoch, which was told before, has become a checkpoint."""

    def on_savepoint(self, metadata: EpochMetadata, path: str) -> None:
        """A savepoint is complete."""


class Observer(Protocol):
    """Called between the steps of an epoch with the name of the step that is done, and the epoch."""

    def __call__(self, step: str, epoch: int) -> None: ...


class NoSteps:
    """Observes nothing."""

    def __call__(self, step: str, epoch: int) -> None:
        """Nothing."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """When epochs begin."""

    is_available_now: bool
    interval: timedelta

    @staticmethod
    def of(configuration: Configuration) -> "Trigger":
        return Trigger(
            configuration.get("execution.trigger") == "available-now",
            configuration.get("execution.trigger-interval"),
        )

    def applied(self, writer: DataStreamWriter) -> DataStreamWriter:
        """Spark's trigger."""
        if self.is_available_now:
            return writer.trigger(availableNow=True)
        return writer.trigger(processingTime=f"{self.interval // timedelta(milliseconds=1)} milliseconds")


@dataclass(eq=False)
class SavepointRequest:
    """A savepoint of the next epoch that is complete. ``folder`` None: that of the options.

    ``stops``: the job ends with it; ``drains``: after its event time has been brought to its end. ``is_checkpoint``: it
    is to be a checkpoint; ``path`` is then its id.
    """

    folder: str | None = None
    stops: bool = False
    drains: bool = False
    is_checkpoint: bool = False
    path: "Future[str]" = field(default_factory=Future)

    def serve(
        self, keeping: "EpochKeeping", now_ms: int, inspect: Callable[[], None] = lambda: None
    ) -> tuple[EpochMetadata, str] | None:
        """Makes it, if ``inspect`` of the state does not object.

        An error is the requester's; a job that was to stop then goes on.
        """
        try:
            inspect()
            made = keeping.savepoint(self.folder, now_ms)
        except Exception as error:  # a folder that cannot be written to
            self.stops = False
            self.path.set_exception(error)
            return None
        self.path.set_result(made[1])
        return made


class EpochRequests:
    """Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[SavepointRequest] = []
        self._closed_by: str | None = None

    def add(self, request: SavepointRequest) -> None:
        """Its future fails if the job has ended."""
        with self._lock:
            if self._closed_by is None:
                self._waiting.append(request)
                return
        request.path.set_exception(
            JobFailed(self._closed_by, "it has ended, so there is no savepoint of it.")
        )

    def ask(
        self,
        folder: str | None = None,
        *,
        stops: bool = False,
        drains: bool = False,
        is_checkpoint: bool = False,
    ) -> "Future[str]":
        """``add`` of such a request; gives the path."""
        request = SavepointRequest(folder, stops, drains, is_checkpoint)
        self.add(request)
        return request.path

    @property
    def is_waiting(self) -> bool:
        return bool(self._waiting)

    @property
    def wants_drain(self) -> bool:
        """Shall the next epoch be the last?"""
        return any(request.drains for request in self._waiting)

    def may_drain(self, inspect: Callable[[], None]) -> bool:
        """``wants_drain``, unless ``inspect`` of the state objects: who asked is told so, and nothing is drained.

        Afterwards is too late: what event time has ended cannot go on.
        """
        draining = [request for request in self._waiting if request.drains]
        if not draining:
            return False
        try:
            inspect()
        except Exception as error:
            with self._lock:
                self._waiting = [each for each in self._waiting if each not in draining]
            for request in draining:
                request.path.set_exception(error)
            return False
        return True

    def take(self, *, after_drain: bool) -> list[SavepointRequest]:
        """Those that can be served now: a drain waits for its epoch."""
        with self._lock:
            ready = [each for each in self._waiting if after_drain or not each.drains]
            self._waiting = [each for each in self._waiting if each not in ready]
        return ready

    def close(self, job: str, error: BaseException | None = None) -> None:
        """The job has ended: what still waits fails."""
        with self._lock:
            waiting, self._waiting, self._closed_by = self._waiting, [], job
        for request in waiting:
            request.path.set_exception(error or JobFailed(job, "it ended before the savepoint was made."))

    def open(self) -> None:
        """The job runs (again)."""
        self._closed_by = None
