"""Parts of the programs that tests run against a broker."""

from pathlib import Path

from flinkpy_dagster.api import Encoder, FileSink, WatermarkStrategy
from flinkpy_dagster.api.kafka import KafkaOffsetsInitializer, KafkaSource, KafkaSourceBuilder
from flinkpy_dagster.api.kafka_sink import KafkaRecordSerializationSchema, KafkaSink
from flinkpy_dagster.api.serialization import SimpleStringSchema
from tests.clusters.topics import Broker

NO_TIMES = WatermarkStrategy.no_watermarks()
EARLIEST, LATEST = KafkaOffsetsInitializer.earliest(), KafkaOffsetsInitializer.latest()


def texts(kafka: Broker, *topics: str) -> KafkaSourceBuilder:
    """A source of texts."""
    builder = KafkaSource.builder().set_bootstrap_servers(kafka.servers)
    if topics:
        builder.set_topics(*topics)
    return builder.set_value_only_deserializer(SimpleStringSchema())


def texts_sink(kafka: Broker, topic: str) -> KafkaSink:
    """A sink of texts, which are their own keys."""
    serializer = KafkaRecordSerializationSchema.builder().set_topic(topic)
    serializer.set_key_serialization_schema(SimpleStringSchema())
    serializer.set_value_serialization_schema(SimpleStringSchema())
    builder = KafkaSink.builder().set_bootstrap_servers(kafka.servers)
    return builder.set_record_serializer(serializer.build()).build()


def lines_sink(folder: Path) -> FileSink:
    """A sink of lines."""
    return FileSink.for_row_format(str(folder), Encoder.simple_string_encoder()).build()


def added(one: tuple, other: tuple) -> tuple:
    """Pairs of a key and a number."""
    return one[0], one[1] + other[1]
