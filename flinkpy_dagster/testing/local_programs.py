"""Programs that run their jobs in this process instead of on Spark: ``with local_execution(): main()``."""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from time import perf_counter
from typing import Any
from unittest.mock import patch

from flinkpy_dagster.api import execution
from flinkpy_dagster.api.job_client import CompletableFuture, JobClient, JobExecutionResult, JobID, JobStatus
from flinkpy_dagster.clock import Clock
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.ids import random_id
from flinkpy_dagster.operators.task.task import Committable, Printed
from flinkpy_dagster.testing.local_job import LocalResult, run_job


class LocalJobClient(JobClient):
    """A job that is over when its client is made. ``result`` is what it made."""

    def __init__(self, result: LocalResult, error: Exception | None, runtime_ms: int):
        self.result = result
        self._job_id = JobID(random_id())
        self._future: Future = Future()
        if error is None:
            outcome = JobExecutionResult(self._job_id, runtime_ms, result.accumulators)
            self._future.set_result(outcome)
        else:
            self._future.set_exception(error)

    def get_job_id(self) -> JobID:
        return self._job_id

    def get_job_status(self) -> CompletableFuture:
        failed = self._future.exception() is not None
        return CompletableFuture.completed(JobStatus.FAILED if failed else JobStatus.FINISHED)

    def cancel(self) -> CompletableFuture:
        return CompletableFuture.completed(None)

    def get_job_execution_result(self) -> CompletableFuture:
        return CompletableFuture(self._future)

    def collected(self, node_id: int) -> Iterator[Any]:
        return iter(self.result.collected(node_id))


@contextmanager
def local_execution(clock: Clock | None = None) -> Iterator[list[LocalJobClient]]:
    """Inside of the block ``execute()`` and its kin run jobs in this process; gives the clients of the jobs
    so far.

    Lines of printing sinks go to the standard output (or error), files of file sinks are committed.
    """
    clients: list[LocalJobClient] = []

    def submit(job_graph: JobGraph, configuration: Configuration) -> LocalJobClient:
        client = run_to_end(job_graph, configuration, clock)
        clients.append(client)
        return client

    with patch.object(execution, "executor_for", lambda configuration: submit):
        yield clients


def run_to_end(
    job_graph: JobGraph, configuration: Configuration, clock: Clock | None = None
) -> LocalJobClient:
    """Runs a job; an error of the job is the client's."""
    started = perf_counter()
    error: Exception | None = None
    result = LocalResult()
    try:
        result = run_job(job_graph, configuration=configuration, clock=clock)
        deliver(result)
    except Exception as raised:
        error = raised
    return LocalJobClient(result, error, round((perf_counter() - started) * 1000))


def deliver(result: LocalResult) -> None:
    """Prints what was printed and renames the files that were written."""
    for outputs in result.outputs.values():
        for output in outputs:
            content = output.content
            if isinstance(content, Printed):
                stream = sys.stderr if content.to_stderr else sys.stdout
                stream.write("".join(line + "\n" for line in content.lines))
            elif isinstance(content, Committable):
                os.replace(content.pending, content.final)
