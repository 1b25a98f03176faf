"""Sources that never end, as programs ask for them."""

from pathlib import Path

import pytest

from flinkpy_dagster.api import (
    DataGeneratorSource,
    Duration,
    FileSource,
    ForeachSink,
    SimpleStringSchema,
    SocketTextSource,
    StreamExecutionEnvironment,
    StreamFormat,
    Types,
    WatermarkStrategy,
)
from flinkpy_dagster.api.kafka import KafkaOffsetsInitializer, KafkaSource, KafkaTopicPartition
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.boundedness import is_unbounded, unbounded_sources
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.operators.specs import NumberSequence
from flinkpy_dagster.operators.stream_sources import GeneratedNumbers, KafkaOffsets, KafkaRecords, SocketText

NO_TIMES = WatermarkStrategy.no_watermarks()


def reading(source) -> JobGraph:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_source(source, NO_TIMES, "source").print()
    return env.job_graph()


def first_payload(job_graph: JobGraph) -> object:
    return job_graph.vertices[0].nodes[0].operators[0]


def kafka_builder():
    builder = KafkaSource.builder().set_bootstrap_servers("broker:9092").set_topics("a", "b")
    return builder.set_value_only_deserializer(SimpleStringSchema())


def test_files_when_monitored_then_the_job_is_unbounded(tmp_path: Path) -> None:
    builder = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(tmp_path))
    assert not is_unbounded(reading(builder.build()))
    job_graph = reading(builder.monitor_continuously(Duration.of_seconds(1)).build())
    assert [node.name for node in unbounded_sources(job_graph)] == ["Source: source"]
    assert not is_unbounded(reading(builder.process_static_file_set().build()))


def test_batch_when_a_source_never_ends_then_it_is_refused_by_name(tmp_path: Path) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.get_config()
    env._recording.configuration.set("execution.runtime-mode", "BATCH")
    env.from_csv(
        str(tmp_path), row_type=Types.ROW_NAMED(["a"], [Types.INT()]), monitor_continuously=True
    ).print()
    with pytest.raises(InvalidProgram, match="CSV Source"):
        env.job_graph()


def test_socket_when_asked_for_then_its_address_is_in_the_payload() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.socket_text_stream("host", 99, max_retry=3).print()
    job_graph = env.job_graph()
    assert first_payload(job_graph) == SocketText(host="host", port=99, max_retries=3)
    with pytest.raises(InvalidProgram, match="65535, not 0"):
        SocketTextSource("host", 0)


def test_generator_when_counted_then_it_is_bounded_unless_it_is_paced() -> None:
    at_once = reading(DataGeneratorSource(str, Types.STRING(), count=5))
    assert first_payload(at_once) == NumberSequence(start=0, end=4)
    paced = reading(DataGeneratorSource(str, Types.STRING(), count=5, records_per_second=10))
    assert first_payload(paced) == GeneratedNumbers(count=5, per_second=10)
    assert is_unbounded(paced)


def test_kafka_when_built_then_options_are_those_of_the_connector_of_spark() -> None:
    offsets = KafkaOffsetsInitializer.offsets({KafkaTopicPartition("a", 0): 17})
    source = kafka_builder().set_group_id("me").set_property("fetch.min.bytes", "1")
    job_graph = reading(source.set_starting_offsets(offsets).build())
    assert first_payload(job_graph) == KafkaRecords(
        options={
            "kafka.bootstrap.servers": "broker:9092",
            "subscribe": "a,b",
            "kafka.group.id": "me",
            "kafka.fetch.min.bytes": "1",
        },
        starting=KafkaOffsets(kind="offsets", by_partition={("a", 0): 17}, otherwise="earliest"),
        group_id="me",
    )
    assert is_unbounded(job_graph)
    assert job_graph.vertices[0].nodes[0].output_type == Types.STRING()


def test_kafka_when_properties_are_what_the_source_decides_then_they_are_passed_over() -> None:
    source = kafka_builder().set_properties({"auto.offset.reset": "latest", "value.deserializer": "x"})
    source.set_group_id("me").set_property("commit.offsets.on.checkpoint", "false")
    payload = first_payload(reading(source.set_property("failOnDataLoss", "false").build()))
    assert isinstance(payload, KafkaRecords)
    assert payload.group_id is None
    assert payload.options == {
        "kafka.bootstrap.servers": "broker:9092",
        "subscribe": "a,b",
        "kafka.group.id": "me",
        "failOnDataLoss": "false",
    }


def test_kafka_when_it_stops_somewhere_then_the_job_is_bounded() -> None:
    job_graph = reading(kafka_builder().set_bounded(KafkaOffsetsInitializer.timestamp(1_000)).build())
    payload = first_payload(job_graph)
    assert isinstance(payload, KafkaRecords)
    assert payload.stopping == KafkaOffsets(kind="timestamp", timestamp_ms=1_000)
    assert not is_unbounded(job_graph)


def test_kafka_when_something_is_missing_or_said_twice_then_it_is_named() -> None:
    with pytest.raises(InvalidProgram, match=r"set_topics\(\), set_value_only_deserializer\(\)"):
        KafkaSource.builder().set_bootstrap_servers("broker:9092").build()
    with pytest.raises(InvalidProgram, match="set once"):
        kafka_builder().set_topic_pattern("x.*")
    with pytest.raises(InvalidProgram, match="reads nothing"):
        kafka_builder().set_bounded(KafkaOffsetsInitializer.earliest())
    with pytest.raises(InvalidProgram, match=r"set_group_id\(\)"):
        kafka_builder().set_starting_offsets(KafkaOffsetsInitializer.committed_offsets()).build()


def test_foreach_when_there_is_nothing_to_call_then_it_is_refused() -> None:
    with pytest.raises(InvalidProgram, match="write"):
        ForeachSink(17)
