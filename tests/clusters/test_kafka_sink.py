"""Records written to topics of a real broker by jobs that end and by jobs that do not."""

from pathlib import Path

import pytest

from flinkpy_dagster.api import Row, StreamExecutionEnvironment, Types
from flinkpy_dagster.api.json_format import JsonRowSerializationSchema
from flinkpy_dagster.api.kafka_sink import KafkaRecordSerializationSchema, KafkaSink
from flinkpy_dagster.dataplane.epochs import commits
from flinkpy_dagster.dataplane.sinks.handing_over import hand_over
from flinkpy_dagster.errors import UnwritableSink
from tests.clusters.programs import NO_TIMES, texts, texts_sink
from tests.clusters.topics import Broker
from tests.dataplane.running import run_program
from tests.dataplane.streaming import STEPS, Death, DiesAt, epoch_runner, run

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.slow]

ROW = Types.ROW_NAMED(["kind", "number"], [Types.STRING(), Types.INT()])


@pytest.mark.parametrize("mode", ["STREAMING", "BATCH"])
def test_a_bounded_job_writes_rows_to_the_topics_they_select(
    kafka: Broker, tmp_path: Path, mode: str
) -> None:
    topics = {"even": kafka.new_topic(1), "odd": kafka.new_topic(1)}
    serializer = KafkaRecordSerializationSchema.builder().set_topic_selector(lambda row: topics[row.kind])
    rows = JsonRowSerializationSchema.builder().with_type_info(ROW).build()
    builder = KafkaSink.builder().set_bootstrap_servers(kafka.servers)
    builder.set_record_serializer(serializer.set_value_serialization_schema(rows).build())

    def build(env: StreamExecutionEnvironment) -> None:
        numbers = env.from_collection(list(range(4)), Types.INT())
        kinds = numbers.map(lambda number: Row("odd" if number % 2 else "even", number), ROW)
        kinds.sink_to(builder.build())

    run_program(kafka.spark, build, tmp_path, mode=mode, parallelism=1)
    assert kafka.records(topics["even"]) == [
        (None, '{"kind":"even","number":0}'),
        (None, '{"kind":"even","number":2}'),
    ]
    assert kafka.values(topics["odd"]) == ['{"kind":"odd","number":1}', '{"kind":"odd","number":3}']


def test_an_unbounded_job_repeats_records_only_if_it_dies_while_it_writes(
    kafka: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = kafka.new_topic(1), kafka.new_topic(1)
    kafka.put(source, [f"{number:02}" for number in range(24)])

    def build(env: StreamExecutionEnvironment) -> None:
        env.from_source(texts(kafka, source).build(), NO_TIMES, "in").sink_to(texts_sink(kafka, target))

    few = {"flinkpy.epoch.max-records": "4", "parallelism.default": "1"}
    for epoch, step in enumerate(STEPS, start=1):
        with pytest.raises(Death):
            run(epoch_runner(kafka.spark, build, tmp_path / "job", DiesAt(step, epoch), **few))
    assert kafka.records(target) == [(text, text) for text in (f"{number:02}" for number in range(16))]

    def hand_over_and_die(*arguments) -> None:
        hand_over(*arguments)
        raise Death("after the records are in Kafka")

    with monkeypatch.context() as patched:
        patched.setattr(commits, "hand_over", hand_over_and_die)
        with pytest.raises(Death):
            run(epoch_runner(kafka.spark, build, tmp_path / "job", **few))
    run(epoch_runner(kafka.spark, build, tmp_path / "job", **few))
    found = kafka.values(target)
    assert sorted(set(found)) == [f"{number:02}" for number in range(24)]
    assert len(found) == 28, "one epoch was written twice"


def test_a_sink_whose_records_are_not_taken_is_named(kafka: Broker, tmp_path: Path) -> None:
    def build(env: StreamExecutionEnvironment) -> None:
        sink = texts_sink(kafka, "no such topic?")
        env.from_collection(["a"], Types.STRING()).sink_to(sink).name("shop")

    with pytest.raises(UnwritableSink, match=r"Sink 'shop: Writer' cannot write: Kafka at '.*did not take"):
        run_program(kafka.spark, build, tmp_path)
