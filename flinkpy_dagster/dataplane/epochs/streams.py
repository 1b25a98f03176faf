"""The sources of a job as one streaming query of Spark: offsets of an epoch are atomic.

Every source is a struct column of the union, ``_source`` says which one a row belongs to. One more source, without rows
of interest, starts epochs that no data asks for: timers that are due, sources that the driver reads itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from flinkpy_dagster.dataplane.epochs.polled_sources import POLLED
from flinkpy_dagster.dataplane.regions.exchanges import source_name
from flinkpy_dagster.dataplane.regions.sources import EpochLimits, stream_parts
from flinkpy_dagster.dataplane.spark.failures import spark_errors
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.operators.specs import SourceSpec
from flinkpy_dagster.types import TypeInformation


@dataclass(frozen=True, slots=True)
class StreamSource:
    """One source node that Spark streams: ``parts`` are its places among the sources of the query (one per path)."""

    node: StreamNode
    row_type: TypeInformation
    parts: range

    @property
    def column(self) -> str:
        return f"source_{self.node.id}"


def spark_side_nodes(job_graph: JobGraph) -> Iterator[tuple[StreamNode, SourceSpec]]:
    """The sources of a job that are not made by its tasks, each with its payload."""
    for vertex in job_graph.vertices:
        for node in vertex.nodes:
            for payload in node.operators:
                if isinstance(payload, SourceSpec) and payload.is_spark_side:
                    yield node, payload


def named_sources(job_graph: JobGraph) -> list[tuple[str, SourceSpec]]:
    """The same by the names that the program gives them, to say which of them cannot be read."""
    return [(source_name(node), spec) for node, spec in spark_side_nodes(job_graph)]


class Ticks:
    """A source of the query that has new data when we say so (Spark's ``MemoryStream``)."""

    def __init__(self, spark: SparkSession) -> None:
        jvm: Any = spark._jvm
        self._jvm = jvm
        encoder = jvm.org.apache.spark.sql.Encoders.STRING()
        stream = jvm.org.apache.spark.sql.execution.streaming.runtime.MemoryStream
        self._stream = stream.apply(encoder, spark._jsparkSession)
        self.frame = DataFrame(self._stream.toDF(), spark)

    def add(self) -> None:
        """The next epoch begins even if no other source has anything new."""
        self._stream.addData(self._jvm.org.apache.spark.api.python.PythonUtils.toSeq(["tick"]))


@dataclass
class QuerySources:
    """The streaming DataFrame of all sources. ``ticks`` come last among its sources."""

    frame: DataFrame
    streams: tuple[StreamSource, ...]
    ticks: Ticks
    _columns: dict[int, Any] = field(default_factory=dict)

    @staticmethod
    def open(spark: SparkSession, job_graph: JobGraph, limits: EpochLimits) -> "QuerySources":
        """Raises UnreadableSource."""
        opened: list[tuple[StreamSource, list[DataFrame]]] = []
        count = 0
        for node, spec in spark_side_nodes(job_graph):
            if not isinstance(spec, POLLED):
                with spark_errors(job_graph.name, "", source_name(node), [(source_name(node), spec)]):
                    parts, row_type = stream_parts(spark, source_name(node), spec, limits)
                opened.append((StreamSource(node, row_type, range(count, count + len(parts))), parts))
                count += len(parts)
        ticks = Ticks(spark)
        frame = _union(opened, ticks.frame)
        return QuerySources(frame, tuple(stream for stream, _ in opened), ticks)

    @property
    def size(self) -> int:
        """How many sources Spark sees."""
        return sum(len(stream.parts) for stream in self.streams) + 1

    def rows_of(self, epoch: DataFrame, node: StreamNode) -> tuple[DataFrame, TypeInformation]:
        """The rows of one source among those of an epoch."""
        stream = next(stream for stream in self.streams if stream.node.id == node.id)
        return epoch.where(F.col("_source") == node.id).select(f"{stream.column}.*"), stream.row_type


def _union(opened: list[tuple[StreamSource, list[DataFrame]]], ticks: DataFrame) -> DataFrame:
    kinds = {stream.column: parts[0].schema for stream, parts in opened}
    together = None
    for stream, parts in opened:
        for part in parts:
            own = F.struct(*(F.col(f"`{name}`") for name in part.columns))
            columns = [
                (own if column == stream.column else F.lit(None)).cast(kind).alias(column)
                for column, kind in kinds.items()
            ]
            rows = part.select(F.lit(stream.node.id).alias("_source"), *columns)
            together = rows if together is None else together.unionAll(rows)
    nothing = [F.lit(None).cast(kind).alias(column) for column, kind in kinds.items()]
    rows = ticks.select(F.lit(-1).alias("_source"), *nothing)
    return rows if together is None else together.unionAll(rows)
