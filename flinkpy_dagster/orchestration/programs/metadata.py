"""What Dagster shows about assets: of a graph that has not run."""

from collections.abc import Iterable, Mapping
from typing import Any

from dagster import MetadataValue, TableColumn, TableSchema

from flinkpy_dagster.graph.job_graph import IntermediateDataSet, JobGraph, JobVertex
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.operators import specs
from flinkpy_dagster.orchestration.programs.code_references import code_references
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
    return schema_of(fields)


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


def schema_of(fields: Iterable[tuple[str, str]]) -> MetadataValue:
    columns = [TableColumn(name=name, type=kind) for name, kind in fields]
    return MetadataValue.table_schema(TableSchema(columns=columns))


def kind_tags(kinds: set[str]) -> Mapping[str, str]:
    """The tags that show these kinds with their icons."""
    return {f"dagster/kind/{kind}": "" for kind in sorted(kinds)}
