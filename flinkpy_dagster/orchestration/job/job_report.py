"""What a JobRun can say of itself: results, accumulators, metrics, the failures it has had."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.operators.metric_registry import MetricValue, merged
from flinkpy_dagster.orchestration.job.job_run import JobRun
from flinkpy_dagster.orchestration.naming import NamedGraph
from flinkpy_dagster.runtime.job_metrics import (
    JobMetrics,
    VertexMetrics,
    downtime_ms,
    restarting_time_ms,
    uptime_ms,
)


def tables(run: JobRun) -> list[tuple[str, Any]]:
    """Name of the sink and StoredDataSet of every result in Parquet files, in the order of the program."""
    sinks = {
        node.id: node.name.removesuffix(": Writer")  # Flink's name of the operator of a sink
        for vertex in run.graph.job_graph.vertices
        for node in vertex.nodes
        if any(getattr(spec, "path", None) is not None for spec in node.operators)
    }
    stored = {
        number: table for result in list(run.results.values()) for number, table in result.tables.items()
    }
    return [(sinks[number], stored[number]) for number in sorted(stored) if number in sinks]


def accumulators(run: JobRun) -> dict[str, MetricValue]:
    """Metrics of user functions by name, over all subtasks."""
    vertices = [subtasks for result in list(run.results.values()) for subtasks in result.metrics.values()]
    tasks = [metrics for subtasks in vertices for metrics in subtasks.values()]
    return merged(pair for metrics in tasks for pair in metrics.accumulators.items())


def progress(run: JobRun) -> tuple[int, int]:
    """Vertices that have finished, and records that finished subtasks have read."""
    finished = sum(len(region.vertices) for region in run.regions if region.id in run.results)
    metrics = run.runner.progress() if run.runner is not None else {}
    return finished, sum(each.records_in for subtasks in metrics.values() for each in subtasks.values())


def metrics_of(run: JobRun) -> JobMetrics:
    """The one view of the job's metrics, now."""
    failures = run.failures
    vertices = _vertex_metrics(run.graph, list(run.results.values()))
    scheduler = run.control.scheduler if run.control is not None else None
    if scheduler is None:
        return JobMetrics(
            status="",
            num_restarts=failures.num_restarts,
            full_restarts=failures.full_restarts,
            vertices=vertices,
        )
    execution, now = scheduler.execution, run.clock.now_ms()
    return JobMetrics(
        status=execution.status.name,
        num_restarts=failures.num_restarts,
        full_restarts=failures.full_restarts,
        restarting_time_ms=restarting_time_ms(execution, now),
        uptime_ms=uptime_ms(execution, now),
        downtime_ms=downtime_ms(execution, now),
        slots_total=scheduler.slots.total,
        slots_available=scheduler.slots.available,
        vertices=vertices,
    )


def _vertex_metrics(graph: NamedGraph, results: list[Any]) -> dict[str, VertexMetrics]:
    """By the name of the op."""
    subtasks: dict[str, list[Any]] = defaultdict(list)
    sizes: dict[str, int] = {}
    for result in results:
        for vertex_id, of_vertex in result.metrics.items():
            subtasks[vertex_id] += of_vertex.values()
        sizes |= {data_set: stored.size_bytes for data_set, stored in result.data_sets.items()}
    read, made = _stored_by_vertex(graph.job_graph)
    return {
        graph.op_names[vertex.id]: VertexMetrics(
            records_in=sum(each.records_in for each in subtasks[vertex.id]),
            records_out=sum(each.records_out for each in subtasks[vertex.id]),
            bytes_in=sum(sizes.get(data_set, 0) for data_set in read[vertex.id]),
            bytes_out=sum(sizes.get(data_set, 0) for data_set in made[vertex.id])
            + _bytes_of_sinks(vertex.nodes, results),
            busy_ms=round(sum(each.busy_ms for each in subtasks[vertex.id])),
        )
        for vertex in graph.job_graph.vertices
    }


def _stored_by_vertex(job_graph: JobGraph) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    read: dict[str, set[str]] = defaultdict(set)
    made: dict[str, set[str]] = defaultdict(set)
    for edge in job_graph.edges:
        read[edge.target].add(edge.data_set)
        made[edge.source].add(edge.data_set)
    return read, made


def _bytes_of_sinks(nodes: Iterable[Any], results: list[Any]) -> int:
    ids = {node.id for node in nodes if node.is_sink}
    stored = (table.size_bytes for result in results for node, table in result.tables.items() if node in ids)
    files = (
        file.size_bytes
        for result in results
        for node, of_node in result.files.items()
        if node in ids
        for file in of_node
    )
    return sum(stored) + sum(files)
