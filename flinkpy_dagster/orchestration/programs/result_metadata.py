"""What Dagster shows about assets: the results of a run."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from dagster import MetadataValue, TableColumn, TableRecord, TableSchema

from flinkpy_dagster.graph.job_graph import IntermediateDataSet, JobVertex
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.operators.metric_registry import merged
from flinkpy_dagster.orchestration.programs.metadata import (
    PARTITION_FIELD,
    Metadata,
    column_schema,
    schema_of,
)
from flinkpy_dagster.runtime.failover import ExceptionEntry
from flinkpy_dagster.runtime.job_metrics import JobMetrics


def of_vertex(result: Any, vertex: JobVertex) -> Metadata:
    """What the subtasks of a vertex did, and its user functions' metrics; ``result``: RegionResult of its region."""
    subtasks = list(result.metrics.get(vertex.id, {}).values())
    metrics = merged(pair for each in subtasks for pair in each.accumulators.items())
    return {
        **{f"metric/{name}": value for name, value in metrics.items()},
        "records_in": sum(each.records_in for each in subtasks),
        "records_out": sum(each.records_out for each in subtasks),
        "busy_ms": round(sum(each.busy_ms for each in subtasks)),
    }


def of_data_set_result(result: Any, data_set: IntermediateDataSet) -> Metadata:
    """What became of a data set: rows always, place and bytes when it is stored."""
    stored = result.data_sets.get(data_set.id)
    rows = result.rows.get(data_set.id)
    metadata = _of_stored(stored) if stored is not None else {}
    if rows is not None:
        metadata["dagster/row_count"] = rows
    metadata["dagster/column_schema"] = column_schema(
        data_set.value_type
    )  # Flink's types, not those of the file
    return metadata


def of_sink_result(result: Any, node: StreamNode, kept: Any) -> Metadata:
    """What a sink wrote; ``kept`` (KeptOutputs or None) has the head of what it delivered to the driver."""
    if node.id in result.tables:
        field = getattr(node.operators[-1], "partition_by", None)
        return _of_stored(result.tables[node.id]) | ({PARTITION_FIELD: field} if field else {})
    files = result.files.get(node.id)
    if files is not None:
        return {
            "dagster/row_count": sum(file.elements for file in files),
            "bytes": sum(file.size_bytes for file in files),
            "files": len(files),
            **_of_base_path(node),
        }
    count = kept.count(node.id) if kept is not None else None
    if count is None:
        return {}
    preview = "\n".join(f"    {line}" for line in kept.preview(node.id))
    return {"dagster/row_count": count, "preview": MetadataValue.md(preview)}


def of_several_partitions(details: Mapping[str, Any]) -> Metadata:
    """The same, rows and bytes being those of a range of partitions: Dagster would take them for each one's own."""
    names = {"dagster/row_count": "rows_of_the_range", "bytes": "bytes_of_the_range"}
    return {names.get(name, name): value for name, value in details.items()}


def of_history(history: Iterable[ExceptionEntry]) -> Metadata:
    """The failures that a job has had, the newest first, once there is more than one to tell."""
    entries = list(history)
    if len(entries) < 2:
        return {}
    columns = ["time", "vertex", "attempt", "cause", "outcome"]
    records = [
        TableRecord(dict(zip(columns, (each.time_text, each.vertex, each.attempt, each.cause, each.outcome))))
        for each in entries
    ]
    schema = TableSchema(columns=[TableColumn(name=name) for name in columns])
    return {"exception_history": MetadataValue.table(records, schema)}


def of_job(metrics: JobMetrics, op_name: str) -> Metadata:
    """Bytes of the op's stored inputs and results; of a job that has restarted also its own metrics, now."""
    vertex = metrics.vertices[op_name]
    sizes = {"bytes_in": vertex.bytes_in, "bytes_out": vertex.bytes_out}
    return sizes | (metrics.numbers() if metrics.num_restarts else {})


def _of_base_path(node: StreamNode) -> Metadata:
    base: str | None = getattr(node.operators[-1], "base_path", None)
    return {"path": MetadataValue.path(base), "dagster/uri": _uri(base)} if base else {}


def _uri(path: str) -> str:
    """Absolute, so that other programs find it (``env.from_asset()``)."""
    return path if "://" in path else os.path.abspath(path)


def _of_stored(stored: Any) -> Metadata:
    return {
        "path": MetadataValue.path(stored.path),
        **({"dagster/uri": _uri(stored.path)} if stored.path else {}),
        "dagster/row_count": stored.rows,
        "bytes": stored.size_bytes,
        "dagster/column_schema": schema_of(stored.schema),
    }
