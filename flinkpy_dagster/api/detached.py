"""What a detached program has of the jobs that it submitted: their ids (Flink's ``DetachedJobExecutionResult``)."""

from collections.abc import Iterator
from typing import Any, NoReturn

from flinkpy_dagster.api.job_client import CompletableFuture, JobClient, JobExecutionResult, JobID
from flinkpy_dagster.errors import InvalidProgram, UnsupportedFeature

NO_RESULTS = (
    "Job was submitted in detached mode. Results of job execution, such as accumulators, runtime, etc. "
    "are not available."
)


class DetachedJobExecutionResult(JobExecutionResult):
    """The id, and InvalidProgram for everything else, in Flink's words."""

    def __init__(self, job_id: JobID) -> None:
        super().__init__(job_id, 0)

    def get_net_runtime(self) -> int:
        raise InvalidProgram(NO_RESULTS)

    def get_accumulator_result(self, accumulator_name: str) -> Any:
        raise InvalidProgram(NO_RESULTS)

    def get_all_accumulator_results(self) -> dict[str, Any]:
        raise InvalidProgram(NO_RESULTS)

    def __str__(self) -> str:
        return f"DetachedJobExecutionResult({self.get_job_id()})"


class DetachedJob(JobClient):
    """A job that was handed to its Dagster run. It is asked from outside, by its id."""

    def __init__(self, job_id: str) -> None:
        self._id = JobID(job_id)

    def get_job_id(self) -> JobID:
        return self._id

    def get_job_execution_result(self) -> CompletableFuture:
        """A result without numbers."""
        return CompletableFuture.completed(DetachedJobExecutionResult(self._id))

    def get_job_status(self) -> CompletableFuture:
        _refuse("get_job_status", "flinkpy list -a")

    def cancel(self) -> CompletableFuture:
        _refuse("cancel", f"flinkpy cancel {self._id}")

    def collected(self, node_id: int) -> Iterator[Any]:
        _refuse("collected", "a sink, or run the program attached")


def _refuse(method: str, instead: str) -> NoReturn:
    raise UnsupportedFeature(f"JobClient.{method}() in a detached program", f"use {instead}.")
