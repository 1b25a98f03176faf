"""Running programs region by region on Spark, without Dagster."""

import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from pyspark.sql import SparkSession

from flinkpy_dagster.api import execution
from flinkpy_dagster.api.environment import StreamExecutionEnvironment
from flinkpy_dagster.api.job_client import CompletableFuture, JobClient, JobExecutionResult, JobID, JobStatus
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.data_sets import DataSetStore
from flinkpy_dagster.dataplane.regions.regions import RegionRunner
from flinkpy_dagster.dataplane.regions.results import RegionResult
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.graph.regions import pipelined_regions
from flinkpy_dagster.ids import random_id
from flinkpy_dagster.operators.departures import Collected, Printed, SinkOutput


@dataclass
class Run:
    """One job on Spark: what its sinks delivered and what its regions returned."""

    job_graph: JobGraph
    runner: RegionRunner
    outputs: list[SinkOutput] = field(default_factory=list)
    results: list[RegionResult] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        """All printed lines, those of one subtask in order."""
        return [
            line
            for output in self.outputs
            if isinstance(output.content, Printed)
            for line in output.content.lines
        ]

    def collected(self, node: int) -> list[Any]:
        """The values of a collecting sink."""
        mine = [output.content for output in self.outputs if output.node == node]
        return [value for content in mine if isinstance(content, Collected) for value in content.values]

    def records_in(self, name: str) -> list[int]:
        """Per subtask, of the vertex whose name contains ``name``."""
        vertex = next(vertex for vertex in self.job_graph.vertices if name in vertex.name)
        metrics = next(result.metrics[vertex.id] for result in self.results if vertex.id in result.metrics)
        return [metrics[index].records_in for index in sorted(metrics)]


class Recorder:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.outputs: list[SinkOutput] = []

    def on_sink_output(self, output: SinkOutput) -> None:
        self.outputs.append(output)


def prepared(spark: SparkSession, job_graph: JobGraph, folder: str, settings: dict[str, str]) -> Run:
    """A job that has not run yet."""
    recorder = Recorder()
    runner = RegionRunner(spark, job_graph, Configuration.from_dict(settings), DataSetStore(folder), recorder)
    return Run(job_graph, runner, recorder.outputs)


def run_job(spark: SparkSession, job_graph: JobGraph, folder: str, **settings: str) -> Run:
    """Runs all regions, one after the other."""
    run = prepared(spark, job_graph, folder, settings)
    for region in pipelined_regions(job_graph):
        run.results.append(run.runner.run(region))
    return run


def environment(parallelism: int = 2, mode: str = "STREAMING", **settings: str) -> StreamExecutionEnvironment:
    """An environment for a program of a test."""
    pairs = {"execution.runtime-mode": mode, "parallelism.default": str(parallelism), **settings}
    return StreamExecutionEnvironment.get_execution_environment(Configuration.from_dict(pairs))


def run_program(
    spark: SparkSession, build: Callable[[StreamExecutionEnvironment], Any], folder: Any, **options: Any
) -> Run:
    """Builds a program and runs its job; ``options`` are those of ``environment``."""
    env = environment(**options)
    build(env)
    return run_job(spark, env.job_graph(), str(folder))


class SparkJobClient(JobClient):
    """A job that is over when its client is made."""

    def __init__(self, run: Run, error: Exception | None) -> None:
        self._run = run
        self._future: Future = Future()
        if error is not None:
            self._future.set_exception(error)
        else:
            self._future.set_result(JobExecutionResult(JobID(random_id()), 0, {}))

    def get_job_id(self) -> JobID:
        return JobID(self._run.runner.job_id)

    def get_job_status(self) -> CompletableFuture:
        return CompletableFuture.completed(JobStatus.FINISHED)

    def cancel(self) -> CompletableFuture:
        return CompletableFuture.completed(None)

    def get_job_execution_result(self) -> CompletableFuture:
        return CompletableFuture(self._future)

    def collected(self, node_id: int) -> Iterator[Any]:
        return iter(self._run.collected(node_id))


@contextmanager
def spark_execution(spark: SparkSession) -> Iterator[list[Run]]:
    """Inside of the block ``execute()`` and its kin run jobs on Spark; printed lines go to the standard output."""
    runs: list[Run] = []

    def submit(job_graph: JobGraph, configuration: Configuration) -> SparkJobClient:
        with tempfile.TemporaryDirectory() as folder:
            run = prepared(spark, job_graph, folder, configuration.to_dict())
            runs.append(run)
            error = None
            try:
                for region in pipelined_regions(job_graph):
                    run.results.append(run.runner.run(region))
            except Exception as raised:
                error = raised
            for line in run.lines:
                print(line)
            return SparkJobClient(run, error)

    with patch.object(execution, "executor_for", lambda configuration: submit):
        yield runs
