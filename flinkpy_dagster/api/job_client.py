"""Talking to a submitted job (``pyflink.common``'s JobClient and what it gives)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum
from typing import Any

from flinkpy_dagster.errors import UnsupportedFeature


class JobID:
    """The id of a job: 32 hex digits."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"JobID({self._text})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JobID) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)


class JobStatus(Enum):
    """The states of a job, as Flink has them."""

    CREATED = 0
    RUNNING = 1
    FAILING = 2
    FAILED = 3
    CANCELLING = 4
    CANCELED = 5
    FINISHED = 6
    RESTARTING = 7
    SUSPENDED = 8
    RECONCILING = 9

    def is_globally_terminal_state(self) -> bool:
        """Is the job over for good?"""
        return self in (JobStatus.FAILED, JobStatus.CANCELED, JobStatus.FINISHED)

    def is_terminal_state(self) -> bool:
        """Is the job over, here at least?"""
        return self.is_globally_terminal_state() or self is JobStatus.SUSPENDED


class JobExecutionResult:
    """How a job ended: its run time in ms and its accumulators."""

    def __init__(
        self, job_id: JobID, net_runtime_ms: int, accumulators: Mapping[str, Any] | None = None
    ) -> None:
        self._job_id = job_id
        self._net_runtime_ms = net_runtime_ms
        self._accumulators = dict(accumulators or {})

    def get_job_id(self) -> JobID:
        return self._job_id

    def get_net_runtime(self) -> int:
        """Run time of the job, ms."""
        return self._net_runtime_ms

    def get_accumulator_result(self, accumulator_name: str) -> Any:
        """The value of an accumulator, None if there is none of that name."""
        return self._accumulators.get(accumulator_name)

    def get_all_accumulator_results(self) -> dict[str, Any]:
        return dict(self._accumulators)

    def __str__(self) -> str:
        lines = [
            "Program execution finished",
            f"Job with JobID {self._job_id} has finished.",
            f"Job Runtime: {self._net_runtime_ms} ms",
        ]
        if self._accumulators:
            lines.append("Accumulator Results: ")
            lines += [
                f"- {name} ({type(value).__name__}): {value}" for name, value in self._accumulators.items()
            ]
        return "\n".join(lines)


class CompletableFuture:
    """A result that may not be there yet; ``convert`` is applied to it when it is asked for.

    ``raised`` is called when ``result`` raises the error that there was instead.
    """

    def __init__(
        self,
        future: "Future[Any]",
        convert: Callable[[Any], Any] | None = None,
        raised: Callable[[], None] = lambda: None,
    ) -> None:
        self._future = future
        self._convert = convert
        self._raised = raised

    @staticmethod
    def completed(value: Any) -> "CompletableFuture":
        """A future that has its result."""
        future: Future[Any] = Future()
        future.set_result(value)
        return CompletableFuture(future)

    def cancel(self) -> bool:
        return self._future.cancel()

    def cancelled(self) -> bool:
        return self._future.cancelled()

    def done(self) -> bool:
        return self._future.done()

    def result(self) -> Any:
        """Waits for the result; raises the error there was instead."""
        try:
            value = self._future.result()
        except Exception:
            self._raised()
            raise
        return self._converted(value)

    def exception(self) -> BaseException | None:
        """The error there was, None if there was none or it is not over yet."""
        return self._future.exception() if self._future.done() and not self._future.cancelled() else None

    def then(self, convert: Callable[[Any], Any]) -> "CompletableFuture":
        """A future of what ``convert`` makes of the result."""
        return CompletableFuture(self._future, lambda value: convert(self._converted(value)), self._raised)

    def _converted(self, value: Any) -> Any:
        return value if self._convert is None else self._convert(value)

    def __str__(self) -> str:
        return f"CompletableFuture({'completed' if self.done() else 'not completed'})"


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """A Parquet result of a job: the sink's name, the absolute path, rows and bytes."""

    name: str
    path: str
    rows: int
    size_bytes: int


class JobClient(ABC):
    """A submitted job; what runs jobs implements it."""

    @abstractmethod
    def get_job_id(self) -> JobID: ...

    @abstractmethod
    def get_job_status(self) -> CompletableFuture:
        """A future of the JobStatus."""

    @abstractmethod
    def cancel(self) -> CompletableFuture:
        """Cancels the job; the future is complete when it has stopped."""

    def suspend(self) -> CompletableFuture:
        """Ends the job in this process; if it can go on in another one it is not canceled (beyond PyFlink)."""
        return self.cancel()

    @abstractmethod
    def get_job_execution_result(self) -> CompletableFuture:
        """A future of the JobExecutionResult; its error is that of the job."""

    @abstractmethod
    def collected(self, node_id: int) -> Iterator[Any]:
        """The elements that reach a CollectSink node, as they come; raises the job's error where they end early."""

    def get_accumulators(self) -> CompletableFuture:
        """A future of the accumulators, done when the job has finished."""
        return self.get_job_execution_result().then(JobExecutionResult.get_all_accumulator_results)

    def get_exception_history(self) -> list[str]:
        """What has failed so far and what became of it, one line each, the newest first (beyond PyFlink)."""
        return []

    def get_tables(self) -> list[WrittenTable]:
        """The Parquet results that are in place so far (beyond PyFlink)."""
        return []

    def stop_with_savepoint(
        self, advance_to_end_of_event_time: bool, savepoint_directory: str | None = None
    ) -> CompletableFuture:
        """A future of the path of the savepoint."""
        raise UnsupportedFeature("JobClient.stop_with_savepoint", "this job has no savepoints; use cancel().")

    def trigger_savepoint(self, savepoint_directory: str | None = None) -> CompletableFuture:
        """A future of the path of the savepoint."""
        raise UnsupportedFeature("JobClient.trigger_savepoint", "this job has no savepoints.")
