"""The DataFrames of a region: passes, and the shuffles between them."""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from flinkpy_dagster.dataplane.data_sets import DataSetStore, names_read, parquet_schema, stored_rows
from flinkpy_dagster.dataplane.regions.sources import read_source, source_rows
from flinkpy_dagster.dataplane.rows.arrivals import (
    MARKER_PORT,
    ExchangePort,
    NoInput,
    ShuffledInput,
    SourceInput,
    StageInput,
    StoredInput,
    StoredPort,
    marked,
)
from flinkpy_dagster.dataplane.rows.departures import column_name
from flinkpy_dagster.dataplane.rows.records import DataSetColumns
from flinkpy_dagster.dataplane.rows.wire import OUTPUT_PORT, WIRE_SCHEMA
from flinkpy_dagster.dataplane.spark.engines import engine_of
from flinkpy_dagster.dataplane.stage_plans import StagePlan, senders, stage_of_vertices
from flinkpy_dagster.graph.job_graph import JobEdge
from flinkpy_dagster.graph.stages import is_spark_side
from flinkpy_dagster.graph.stream_graph import StreamNode

_WIRE_NAMES = WIRE_SCHEMA.names


def unshared_session(spark: SparkSession, settings: Mapping[str, str]) -> SparkSession:
    """A session with settings of its own over the same context; it knows the views and functions of ``spark``."""
    return engine_of(spark).with_settings(settings)


ENGINE_SETTINGS = {
    "spark.sql.adaptive.enabled": "false",  # our shuffles have the partitions they must have
    "spark.sql.unionOutputPartitioning": "false",
    "spark.sql.legacy.javaCharsets": "true",  # any encoding Java knows
    "spark.sql.caseSensitive": "true",  # fields are called what the program calls them
    # it would compute spark_partition_id() once for all rows of a small local DataFrame
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation",
    "spark.sql.execution.arrow.pyspark.validateSchema.enabled": "true",
    "spark.sql.ui.explainMode": "simple",  # every plan is put into words for Spark's UI, whether there is one or not
}
UNSPLIT_SETTINGS = ENGINE_SETTINGS | {
    "spark.sql.files.maxPartitionBytes": str(1 << 50),
    "spark.sql.files.openCostInBytes": "0",
}


def spark_side_source(plan: StagePlan) -> StreamNode | None:
    """The one source of a stage that Spark reads."""
    return next((node for node in plan.stage.sources if is_spark_side(node)), None)


def source_name(node: StreamNode) -> str:
    """What the program calls a source."""
    return node.name.removeprefix("Source: ")


def reading_sessions(spark: SparkSession, plans: Sequence[StagePlan]) -> tuple[SparkSession, SparkSession]:
    """Where a region is planned, and where its stored data sets are read, every file by one task.

    The same where sessions cannot be united; files of sources are not split either then if there are data sets.
    """
    if engine_of(spark).unites_sessions:
        return unshared_session(spark, ENGINE_SETTINGS), unshared_session(spark, UNSPLIT_SETTINGS)
    own = stage_of_vertices(plans)
    reads_stored = any(edge.source not in own for plan in plans for edge in plan.stage.inputs)
    session = unshared_session(spark, UNSPLIT_SETTINGS if reads_stored else ENGINE_SETTINGS)
    return session, session


class StageInputs:
    """Makes the input of one stage's pass after the other: rows, and how to read them."""

    def __init__(self, engine: SparkSession, unsplit: SparkSession, store: DataSetStore) -> None:
        self._engine = engine
        self._unsplit = unsplit
        self._store = store

    def of_generators(self, plan: StagePlan) -> tuple[DataFrame, StageInput]:
        """For a stage whose sources make their elements themselves."""
        parallelism = plan.stage.parallelism
        return self._engine.range(0, parallelism, 1, parallelism), NoInput()

    def of_source(self, plan: StagePlan, node: StreamNode) -> tuple[DataFrame, StageInput]:
        """For a stage with a source that Spark reads."""
        spec: Any = next(payload for payload in node.operators if getattr(payload, "is_spark_side", False))
        dataframe, row_type = read_source(self._engine, source_name(node), spec)
        own = in_session(self._engine, dataframe)
        rows = source_rows(own, plan.stage.parallelism)
        return rows, SourceInput(node.id, row_type)

    def of_exchanges(
        self,
        plan: StagePlan,
        upstream: Mapping[int, tuple[StagePlan, DataFrame]],
        stage_of: Mapping[str, int],
    ) -> tuple[DataFrame, StageInput]:
        """For a stage that reads other stages (by stage id) and stored data sets."""
        wired = [edge for edge in plan.stage.inputs if edge.source in stage_of]
        stored = [edge for edge in plan.stage.inputs if edge.source not in stage_of]
        if len(stored) == 1 and not wired:
            return self._of_one_data_set(stored[0], plan.stage.parallelism)
        parts = [
            _sent_to(producer, rows, plan.stage.id)
            for producer, rows in (upstream[stage] for stage in senders(plan, stage_of))
        ]
        parts += [self._stored_in_struct(edge, plan.stage.parallelism) for edge in stored]
        if stored:
            parts.append(self._markers(plan.stage.parallelism))
        together = _union(parts)
        shuffled = together.repartitionById(plan.stage.parallelism, F.col("channel"))
        return shuffled, self._reader(wired, stored, upstream, stage_of)

    def _reader(
        self,
        wired: list[JobEdge],
        stored: list[JobEdge],
        upstream: Mapping[int, tuple[StagePlan, DataFrame]],
        stage_of: Mapping[str, int],
    ) -> StageInput:
        return ShuffledInput(
            tuple(
                ExchangePort(
                    edge.id,
                    upstream[stage_of[edge.source]][0].stage.parallelism,
                    edge.value_type,
                    edge.key_type,
                )
                for edge in wired
            ),
            tuple(self._port(edge, len(_WIRE_NAMES) + place) for place, edge in enumerate(stored)),
        )

    def _of_one_data_set(self, edge: JobEdge, parallelism: int) -> tuple[DataFrame, StageInput]:
        """Plain columns: what Spark has to do per row counts here."""
        rows = self._stored(edge, parallelism)
        nothing = [F.lit(None).cast(field.dataType).alias(field.name) for field in rows.schema[:-1]]
        marker = F.expr(f"cast({marked(0)} - id as int)").alias("_subtask")
        markers = self._engine.range(0, parallelism, 1, 1).select(*nothing, marker)
        target = F.when(F.col("_subtask") < 0, F.lit(marked(0)) - F.col("_subtask")).otherwise(
            F.col("_subtask")
        )
        shuffled = rows.unionAll(markers).repartitionById(parallelism, target)
        return shuffled, StoredInput(self._port(edge, 0))

    def _stored(self, edge: JobEdge, readers: int) -> DataFrame:
        stored = self._store.get(edge.data_set)
        return stored_rows(self._unsplit, stored, edge, readers, data_set_columns(edge).schema)

    def _port(self, edge: JobEdge, column: int) -> StoredPort:
        names = names_read(self._store.get(edge.data_set), data_set_columns(edge).schema)
        return StoredPort(edge.id, column, tuple(names), edge.value_type, edge.key_type, edge.is_keyed)

    def _stored_in_struct(self, edge: JobEdge, readers: int) -> DataFrame:
        """Columns ``channel``, ``port`` and one struct of the records."""
        rows = self._stored(edge, readers)
        records = F.struct(*(F.col(f"`{name}`") for name in rows.columns[:-1]))
        channel, port = F.col("_subtask").alias("channel"), F.lit(edge.id).alias("port")
        return rows.select(channel, port, records.alias(column_name(edge.id)))

    def _markers(self, parallelism: int) -> DataFrame:
        """One row per subtask, so that none is left without a row that tells its index."""
        rows = self._engine.range(0, parallelism, 1, 1)
        return rows.select(
            F.col("id").cast("int").alias("channel"), F.lit(MARKER_PORT).cast("int").alias("port")
        )


def data_set_columns(edge: JobEdge) -> DataSetColumns:
    """The columns of the data set an edge reads."""
    return DataSetColumns(edge.value_type, edge.key_type, edge.is_keyed)


def in_session(session: SparkSession, dataframe: DataFrame) -> DataFrame:
    """The same plan under the settings of ``session``, whatever session the program made it in."""
    return engine_of(session).adopted(dataframe, session)


def _sent_to(producer: StagePlan, rows: DataFrame, stage_id: int) -> DataFrame:
    """The wire rows of a stage that go to another one, with those for the driver if it carries them."""
    ports = [edge.id for edge in producer.exchanges if producer.targets[edge.id] == stage_id]
    if producer.carrier == stage_id:
        ports.append(OUTPUT_PORT)
    if producer.readers > 1:
        rows = rows.where(F.col("port").isin(ports))
    return rows.select(*_WIRE_NAMES)


def _union(parts: list[DataFrame]) -> DataFrame:
    """All parts with all columns: those of the wire, then the records of every stored data set."""
    kinds = {field.name: field.dataType for field in parquet_schema(WIRE_SCHEMA)}
    for part in parts:
        kinds |= {field.name: field.dataType for field in part.schema if field.name not in kinds}
    padded = []
    for part in parts:
        own = set(part.columns)
        columns = [
            F.col(name) if name in own else F.lit(None).cast(kind).alias(name) for name, kind in kinds.items()
        ]
        padded.append(part.select(*columns))
    together = padded[0]
    for part in padded[1:]:
        together = together.unionAll(part)
    return together
