"""KafkaSink and JdbcSink as programs of PyFlink write them."""

import pytest

from flinkpy_dagster.api import Row, SimpleStringSchema, StreamExecutionEnvironment, Types
from flinkpy_dagster.api.jdbc import JdbcConnectionOptions, JdbcExecutionOptions, JdbcSink
from flinkpy_dagster.api.kafka_sink import KafkaRecordSerializationSchema, KafkaSink
from flinkpy_dagster.api.modes import DeliveryGuarantee
from flinkpy_dagster.errors import InvalidProgram, UnsupportedFeature
from flinkpy_dagster.operators.specs import TableSink
from flinkpy_dagster.operators.table_writers import DatabaseWriter, KafkaWriter

PAIR = Types.ROW([Types.STRING(), Types.INT()])
INSERT = "INSERT INTO t (a, b) VALUES (?, ?)"


def connection() -> JdbcConnectionOptions:
    builder = JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url("jdbc:postgresql://db/shop")
    builder.with_driver_name("org.postgresql.Driver").with_user_name("me")
    return builder.with_password("secret").build()


def payloads(env: StreamExecutionEnvironment) -> list[object]:
    return [each for vertex in env.job_graph().vertices for node in vertex.nodes for each in node.operators]


def test_jdbc_sink_when_added_then_the_plan_has_flinks_name_and_no_password_shows() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    rows = env.from_collection([Row("a", 1)], PAIR)
    options = JdbcExecutionOptions.builder().with_batch_size(7).with_max_retries(1).build()
    rows.add_sink(JdbcSink.sink(INSERT, PAIR, connection(), options)).name("shop")
    (spec,) = [each for each in payloads(env) if isinstance(each, TableSink)]
    assert spec.write == DatabaseWriter(
        url="jdbc:postgresql://db/shop",
        user="me",
        password="secret",
        statement=INSERT,
        batch_size=7,
        max_retries=1,
    )
    assert "secret" not in repr(spec)
    assert any("Sink: shop" in vertex.name for vertex in env.job_graph().vertices)


def test_jdbc_sink_when_marks_and_fields_differ_then_it_is_refused() -> None:
    with pytest.raises(InvalidProgram, match="2 question marks, its type has 1 fields"):
        JdbcSink.sink(INSERT, Types.ROW([Types.INT()]), connection())
    env = StreamExecutionEnvironment.get_execution_environment()
    sink = JdbcSink.sink(INSERT, PAIR, connection())
    with pytest.raises(InvalidProgram, match="2 fields gets elements of type"):
        env.from_collection([1], Types.INT()).add_sink(sink)
    with pytest.raises(UnsupportedFeature, match="add_sink of object"):
        env.from_collection([1], Types.INT()).add_sink(object())


def test_jdbc_options_when_not_set_then_they_are_flinks() -> None:
    options = JdbcExecutionOptions.defaults()
    assert options.get_batch_size() == 5000
    assert (options.get_batch_interval_ms(), options.get_max_retries()) == (0, 3)


def schema() -> KafkaRecordSerializationSchema:
    builder = KafkaRecordSerializationSchema.builder().set_topic_selector(lambda text: f"topic-{text[0]}")
    builder.set_key_serialization_schema(SimpleStringSchema())
    return builder.set_value_serialization_schema(SimpleStringSchema()).build()


def test_kafka_sink_when_written_to_then_elements_become_records_of_the_selected_topic() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    builder = KafkaSink.builder().set_bootstrap_servers("broker:9092").set_record_serializer(schema())
    builder.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE).set_property("acks", "all")
    env.from_collection(["abc"], Types.STRING()).sink_to(builder.build())
    serialize, table = payloads(env)[-3:-1]
    assert serialize.function("abc") == Row(b"abc", b"abc", "topic-a")
    assert isinstance(table, TableSink)
    assert table.write == KafkaWriter(options={"kafka.bootstrap.servers": "broker:9092", "kafka.acks": "all"})


def test_kafka_sink_when_exactly_once_or_incomplete_then_it_says_what_to_do() -> None:
    with pytest.raises(UnsupportedFeature, match="EXACTLY_ONCE: .*use AT_LEAST_ONCE"):
        KafkaSink.builder().set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
    with pytest.raises(InvalidProgram, match="set_record_serializer"):
        KafkaSink.builder().set_bootstrap_servers("broker:9092").build()
    with pytest.raises(InvalidProgram, match="set_topic"):
        KafkaRecordSerializationSchema.builder().build()
