"""Topics of a real broker as the sources of jobs that end and of jobs that do not."""

from pathlib import Path

import pytest

from flinkpy_dagster.api import (
    Encoder,
    FileSink,
    StreamExecutionEnvironment,
    WatermarkStrategy,
)
from flinkpy_dagster.api.kafka import KafkaOffsetsInitializer, KafkaSource, KafkaSourceBuilder
from flinkpy_dagster.api.serialization import SimpleStringSchema
from tests.clusters.topics import Broker
from tests.dataplane.running import run_program

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.slow]

NO_TIMES = WatermarkStrategy.no_watermarks()
EARLIEST, LATEST = KafkaOffsetsInitializer.earliest(), KafkaOffsetsInitializer.latest()


def texts(kafka: Broker, *topics: str) -> KafkaSourceBuilder:
    builder = KafkaSource.builder().set_bootstrap_servers(kafka.servers)
    if topics:
        builder.set_topics(*topics)
    return builder.set_value_only_deserializer(SimpleStringSchema())


def lines_sink(folder: Path) -> FileSink:
    return FileSink.for_row_format(str(folder), Encoder.simple_string_encoder()).build()


def read_to_the_end(kafka: Broker, builder: KafkaSourceBuilder, folder: Path) -> list[str]:
    """What a bounded job prints, sorted."""

    def build(env: StreamExecutionEnvironment) -> None:
        env.from_source(builder.build(), NO_TIMES, "topics").print()

    ran = run_program(kafka.spark, build, folder)
    return sorted(line.partition("> ")[2] for line in ran.lines)


def test_a_bounded_source_reads_what_is_there_when_the_job_starts(kafka: Broker, tmp_path: Path) -> None:
    topic = kafka.new_topic()
    kafka.put(topic, range(5))
    source = texts(kafka, topic).set_bounded(LATEST)
    assert read_to_the_end(kafka, source, tmp_path / "1") == list("01234")
    source.set_starting_offsets(LATEST)
    assert read_to_the_end(kafka, source, tmp_path / "2") == []
