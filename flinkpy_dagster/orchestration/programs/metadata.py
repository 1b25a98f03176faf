"""What Dagster shows about assets: of a graph that has not run, and of the results of a run."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from dagster import MetadataValue, TableColumn, TableRecord, TableSchema

from flinkpy_dagster.graph.job_graph import IntermediateDataSet, JobGraph, JobVertex
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.metric_registry import merged
from flinkpy_dagster.orchestration.programs.code_references import code_references
from flinkpy_dagster.runtime.failover import ExceptionEntry
from flinkpy_dagster.runtime.job_metrics import JobMetrics
from flinkpy_dagster.types import TypeInformation

Metadata = dict[str, Any]

PARTITION_FIELD = "partition_by"
"""In the metadata of a sink that has a folder per value of this field."""


def column_schema(value_type: TypeInformation | None) -> MetadataValue:
    """The fields of rows and tuples; other types are one column."""
    if value_type is None:
        fields: Iterable[tuple[str, str]] = [("value", "PickledByteArrayTypeInfo")]
    elif hasattr(value_type, "get_field_types"):
        types = value_type.get_field_types()
        names = getattr(value_type, "get_field_names", lambda: [f"f{index}" for index in range(len(types))])()
        fields = [(name, each.describe()) for name, each in zip(names, types)]
    else:
        fields = [("value", value_type.describe())]
    return _schema(fields)


def of_data_set(job_graph: JobGraph, data_set: IntermediateDataSet) -> Metadata:
    """What the graph says of a data set."""
    producer = job_graph.vertex(data_set.producer)
    strategies = [edge.ship_strategy.value for edge in job_graph.edges if edge.data_set == data_set.id]
    return {
        "dagster/column_schema": column_schema(data_set.value_type),
        "ship_strategy": ", ".join(dict.fromkeys(strategies)),
        "result_type": data_set.result_type.value,
        "parallelism": producer.execution_parallelism,
        "vertex": producer.name,
        **code_references(producer.nodes),
    }


def of_sink(vertex: JobVertex, node: StreamNode) -> Metadata:
    """What the graph says of a sink."""
    spec: Any = node.operators[-1]
    metadata: Metadata = {"parallelism": vertex.execution_parallelism, "vertex": vertex.name}
    value_type = getattr(spec, "row_type", None) or getattr(spec, "value_type", None)
    if value_type is not None:
        metadata["dagster/column_schema"] = column_schema(value_type)
    path = getattr(spec, "path", None) or getattr(spec, "base_path", None)
    if path is not None:
        metadata["path"] = MetadataValue.path(path)
        metadata["dagster/uri"] = path
    if getattr(spec, "partition_by", None) is not None:
        metadata[PARTITION_FIELD] = spec.partition_by
    return metadata | code_references([node])


def of_dead_end(vertex: JobVertex) -> Metadata:
    """What the graph says of a vertex whose result nobody takes."""
    return {"parallelism": vertex.execution_parallelism, "vertex": vertex.name, "read_by": "nobody"}


def kinds_of_data_set(data_set: IntermediateDataSet) -> set[str]:
    return {"flink", "pyspark"} | ({"parquet"} if data_set.result_type.is_blocking else set())


def kinds_of_sink(node: StreamNode) -> set[str]:
    is_parquet = isinstance(node.operators[-1], specs.TableSink) and node.operators[-1].path is not None
    return {"flink", "pyspark"} | ({"parquet"} if is_parquet else set())


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
        "dagster/column_schema": _schema(stored.schema),
    }


def _schema(fields: Iterable[tuple[str, str]]) -> MetadataValue:
    columns = [TableColumn(name=name, type=kind) for name, kind in fields]
    return MetadataValue.table_schema(TableSchema(columns=columns))


def kind_tags(kinds: set[str]) -> Mapping[str, str]:
    """The tags that show these kinds with their icons."""
    return {f"dagster/kind/{kind}": "" for kind in sorted(kinds)}
