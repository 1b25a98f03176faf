"""From recorded transformations to a running job: who runs it is found by ``execution.target``."""

from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import entry_points
from typing import Any

import cloudpickle

from flinkpy_dagster.api.capturing import CapturedJob, current_capture
from flinkpy_dagster.api.iterating import CloseableIterator
from flinkpy_dagster.api.job_client import JobClient, JobStatus
from flinkpy_dagster.api.recording import Recording, is_such_a_copy
from flinkpy_dagster.api.running import started_jobs
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.recovery_options import LATEST, NONE
from flinkpy_dagster.config.targets import target_of
from flinkpy_dagster.errors import TargetUnavailable, UnpicklableFunction, UnsupportedFeature
from flinkpy_dagster.graph.boundedness import is_unbounded
from flinkpy_dagster.graph.chaining import job_graph_of
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.graph.stream_graph import StreamGraph
from flinkpy_dagster.graph.transformations import LegacySinkTransformation, Transformation
from flinkpy_dagster.graph.vertex_parallelism import check_parallelisms
from flinkpy_dagster.operators import specs

EXECUTORS = "flinkpy_dagster.executors"
COLLECT_JOB = "DataStream Collect"
COLLECT_SINK = "Data stream collect sink"

Executor = Callable[[JobGraph, Configuration], JobClient]


def submit(recording: Recording, job_name: str | None, extra: Sequence[Transformation] = ()) -> JobClient:
    """Starts the job that was recorded; the recording is empty afterwards.

    Raises ProgramError for a program that is no job, ProgramCaptured inside of ``capture()``.
    """
    stream_graph = recording.stream_graph(job_name, extra)
    job_graph = job_graph_of(stream_graph)
    check_parallelisms(job_graph)
    check_partitioned_sinks(job_graph)
    check_pickling(stream_graph)
    configuration = Configuration(recording.configuration)
    check_restore(job_graph, configuration)
    captured = current_capture()
    if captured is not None:
        job = CapturedJob(stream_graph, job_graph, stream_graph.job_name, configuration)
        client = captured.take(job)
        recording.clear()
        return client
    client = executor_for(configuration)(job_graph, configuration)
    started_jobs().add(client)
    recording.clear()
    return client


def executor_for(configuration: Configuration) -> Executor:
    """The executor that ``execution.target`` names. Raises TargetUnavailable, ConfigurationError.

    A target that Spark knows (``config.targets``) is run by ``local``, with the Spark master that it stands for.
    """
    target = configuration.get("execution.target")
    known = {entry.name: entry for entry in entry_points(group=EXECUTORS)}
    if "local" not in known:
        raise TargetUnavailable(
            f"There is no entry point of the group {EXECUTORS}: is flinkpy-dagster installed?"
        )
    if target not in known:
        configuration.set_string("spark.master", target_of(configuration).master)
        target = "local"
    executor: Executor = known[target].load()
    return executor


def check_partitioned_sinks(job_graph: JobGraph) -> None:
    """Raises UnsupportedFeature for a sink with ``partition_by`` in a job that may never end."""
    if not is_unbounded(job_graph):
        return
    for vertex in job_graph.vertices:
        for node in vertex.nodes:
            if any(isinstance(each, specs.TableSink) and each.partition_by for each in node.operators):
                raise UnsupportedFeature(
                    f"ParquetSink(partition_by=...) of '{node.name}' in an unbounded job",
                    "use it in bounded programs, or FileSink with a bucket assigner.",
                )


def check_restore(job_graph: JobGraph, configuration: Configuration) -> None:
    """Raises UnsupportedFeature for a job that ends and is to start from a savepoint: it keeps no state between runs.

    ``latest`` and ``none`` are fine: there is nothing for such a job to go on from.
    """
    path = configuration.get("execution.state-recovery.path")
    if path not in (None, LATEST, NONE) and not is_unbounded(job_graph):
        raise UnsupportedFeature(
            f"Starting '{job_graph.name}', all of whose sources end, from '{path}'",
            "leave out -s (execution.state-recovery.path), or give it a source that grows (monitor_continuously).",
        )


def check_pickling(graph: StreamGraph) -> None:
    """Every function must reach the workers. Raises UnpicklableFunction naming the operator."""
    for node in graph.nodes:
        payloads = [
            *node.operators,
            *(edge.partitioner for edge in graph.edges_into(node.id) if edge.partitioner),
        ]
        for payload in payloads:
            if isinstance(payload, specs.CollectionSource) or is_such_a_copy(payload):
                continue
            try:
                cloudpickle.dumps(payload)
            except Exception as problem:
                raise UnpicklableFunction(node.name, f"{type(problem).__name__}: {problem}") from problem


def collect(recording: Recording, stream: Transformation, job_name: str | None) -> CloseableIterator:
    """Runs everything recorded and hands the elements of one stream to the client.

    Raises UnsupportedFeature in a detached program: nobody would be there to take them.
    """
    captured = current_capture()
    if captured is not None and captured.is_detached:
        raise UnsupportedFeature(
            "execute_and_collect() in a detached program", "write to a sink, or run the program attached."
        )
    sink = LegacySinkTransformation(
        id=recording.ids.next(),
        name=COLLECT_SINK,
        output_type=stream.output_type,
        parallelism=1,
        is_parallelism_configured=True,
        inputs=[stream],
        operators=(specs.CollectSink(value_type=stream.output_type),),
    )
    client = submit(recording, job_name or COLLECT_JOB, [sink])
    return CloseableIterator(_elements(client, sink.id), lambda: _close(client))


def _elements(client: JobClient, node_id: int) -> Iterator[Any]:
    yield from client.collected(node_id)
    client.get_job_execution_result().result()  # the job's error, if it failed after its last element


def _close(client: JobClient) -> None:
    status = client.get_job_status().result()
    if isinstance(status, JobStatus) and not status.is_terminal_state():
        started_jobs().give_up(client)
        client.cancel().result()
