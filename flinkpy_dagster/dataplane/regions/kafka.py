"""Topics of Kafka as DataFrames, of what is there and of what is to come."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from flinkpy_dagster.dataplane.spark.kafka_topics import KafkaTopics, offsets_json
from flinkpy_dagster.errors import UnreadableSource
from flinkpy_dagster.operators.stream_sources import KafkaRecords
from flinkpy_dagster.types import Types

KAFKA_ROW = Types.ROW_NAMED(
    ["value", "timestamp", "topic", "partition", "offset"],
    [Types.PRIMITIVE_ARRAY(Types.BYTE()), Types.LONG(), Types.STRING(), Types.INT(), Types.LONG()],
)


def kafka_rows(spark: SparkSession, name: str, spec: KafkaRecords) -> DataFrame:
    """The records of a source that ends, up to where it ends now; raises UnreadableSource."""
    assert spec.stopping is not None
    with KafkaTopics.of(spark, name, spec) as topics:
        partitions = topics.partitions()
        starting = topics.offsets(spec.starting, partitions)
        stopping = topics.offsets(spec.stopping, partitions)
    ends = {each: max(starting[each], stopping[each]) for each in partitions}
    if starting == ends:
        return spark.createDataFrame([], KAFKA_SCHEMA)
    reader = spark.read.format("kafka").options(**spec.options)
    reader = reader.option("startingOffsets", offsets_json(starting)).option(
        "endingOffsets", offsets_json(ends)
    )
    return _columns(reader.load())


def kafka_stream(spark: SparkSession, name: str, spec: KafkaRecords, max_records: int) -> DataFrame:
    """The records as they come, at most so many in one epoch; raises UnreadableSource."""
    if spec.stopping is not None:
        raise UnreadableSource(
            name,
            "it ends (set_bounded() or set_unbounded()), but other sources of the job never do: leave the stopping "
            "offsets out, or run it as a job of its own.",
        )
    with KafkaTopics.of(spark, name, spec) as topics:
        partitions = topics.partitions()  # says what is missing before Spark waits for it
        where = spec.starting
        known = topics.offsets(where, partitions) if where.kind in ("offsets", "committed") else {}
    reader = spark.readStream.format("kafka").options(**spec.options)
    reader = reader.option("maxOffsetsPerTrigger", str(max_records))
    if where.kind == "timestamp":
        reader = reader.option("startingTimestamp", str(where.timestamp_ms))
        reader = reader.option("startingOffsetsByTimestampStrategy", "latest")
    else:
        reader = reader.option("startingOffsets", offsets_json(known) if known else where.kind)
    return _columns(reader.load())


KAFKA_SCHEMA = "value binary, timestamp bigint, topic string, partition int, offset bigint"


def _columns(rows: DataFrame) -> DataFrame:
    milliseconds = F.unix_millis(F.col("timestamp")).alias("timestamp")
    return rows.select("value", milliseconds, "topic", "partition", "offset")
