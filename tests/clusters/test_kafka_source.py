"""Topics of a real broker as the sources of jobs that end and of jobs that do not."""

import json
from pathlib import Path

import pytest

from flinkpy_dagster.api import (
    DataGeneratorSource,
    Duration,
    FileSource,
    StreamExecutionEnvironment,
    StreamFormat,
    Time,
    TumblingEventTimeWindows,
    Types,
    WatermarkStrategy,
)
from flinkpy_dagster.api.json_format import JsonRowDeserializationSchema
from flinkpy_dagster.api.kafka import (
    KafkaOffsetResetStrategy,
    KafkaOffsetsInitializer,
    KafkaSource,
    KafkaSourceBuilder,
    KafkaTopicPartition,
)
from flinkpy_dagster.errors import UnreadableSource, UserCodeError
from flinkpy_dagster.operators.time.watermarks import TimestampAssigner
from tests.clusters.programs import EARLIEST, LATEST, NO_TIMES, added, lines_sink, texts
from tests.clusters.topics import Broker
from tests.dataplane.running import run_program
from tests.dataplane.streaming import STEPS, Death, DiesAt, epoch_runner, lines_below, put_file, run

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.slow]

PAIR = Types.TUPLE([Types.STRING(), Types.INT()])


def read_to_the_end(kafka: Broker, builder: KafkaSourceBuilder, folder: Path) -> list[str]:
    """What a bounded job prints, sorted."""

    def build(env: StreamExecutionEnvironment) -> None:
        env.from_source(builder.set_bounded(LATEST).build(), NO_TIMES, "topics").print()

    ran = run_program(kafka.spark, build, folder)
    return sorted(line.partition("> ")[2] for line in ran.lines)


def test_a_bounded_source_reads_between_the_offsets_it_is_given(kafka: Broker, tmp_path: Path) -> None:
    topic = kafka.new_topic(2)
    kafka.put(topic, range(5), partition=0)
    kafka.put(topic, "abc", partition=1)
    partitions = {KafkaTopicPartition(topic, 0)}
    second = KafkaOffsetsInitializer.offsets({KafkaTopicPartition(topic, 1): 2})
    after_all = KafkaOffsetsInitializer.timestamp(2**42)
    sources = {
        "all": texts(kafka).set_topic_pattern(f"{topic}.*"),
        "one partition": texts(kafka).set_partitions(partitions),
        "from an offset": texts(kafka, topic).set_starting_offsets(second),
        "from the end": texts(kafka, topic).set_starting_offsets(LATEST),
        "from a time": texts(kafka, topic).set_starting_offsets(after_all),
    }
    found = {
        name: "".join(read_to_the_end(kafka, source, tmp_path / name)) for name, source in sources.items()
    }
    assert found == {
        "all": "01234abc",
        "one partition": "01234",
        "from an offset": "01234c",
        "from the end": "",
        "from a time": "",
    }


def test_sums_when_runs_die_anywhere_then_no_record_counts_twice_and_new_partitions_are_read(
    kafka: Broker, tmp_path: Path
) -> None:
    topic = kafka.new_topic(2)
    kafka.put(topic, range(40))

    def build(env: StreamExecutionEnvironment) -> None:
        numbers = env.from_source(texts(kafka, topic).build(), NO_TIMES, "numbers")
        pairs = numbers.map(lambda text: (str(int(text) % 2), int(text)), PAIR)
        sums = pairs.key_by(lambda pair: pair[0], Types.STRING()).reduce(added).uid("sums")
        sums.map(lambda pair: f"{pair[0]} {pair[1]}", Types.STRING()).sink_to(lines_sink(tmp_path / "out"))

    for epoch, step in enumerate(STEPS, start=1):
        runner = epoch_runner(kafka.spark, build, tmp_path / "job", DiesAt(step, epoch), **few_records(6))
        with pytest.raises(Death):
            run(runner)
    kafka.widen(topic, 3)
    kafka.put(topic, range(40, 44), partition=2)
    runner = epoch_runner(kafka.spark, build, tmp_path / "job", **few_records(1000))
    run(runner)
    last = {line.split()[0]: max(int(sum_) for key, sum_ in pairs_of(tmp_path / "out") if key == line[0])
            for line in lines_below(tmp_path / "out")}  # fmt: skip
    assert last == {str(rest): sum(range(rest, 44, 2)) for rest in (0, 1)}
    assert len(lines_below(tmp_path / "out")) == 44
    ((offset, _, _),) = next(iter(runner.keeping.offsets.values()))["streams"]
    read = json.loads(offset)[topic]
    assert (sum(read.values()), read["2"]) == (44, 4)


def pairs_of(folder: Path) -> list[list[str]]:
    return [line.split() for line in lines_below(folder)]


def few_records(count: int) -> dict[str, str]:
    return {"flinkpy.epoch.max-records": str(count)}


def test_a_group_is_told_the_offsets_of_checkpoints_and_the_next_job_begins_there(
    kafka: Broker, tmp_path: Path
) -> None:
    topic = kafka.new_topic(1)
    kafka.put(topic, range(3))
    source = texts(kafka, topic).set_group_id(f"group of {topic}")

    def build(env: StreamExecutionEnvironment) -> None:
        env.from_source(source.build(), NO_TIMES, "topics").print()

    run(epoch_runner(kafka.spark, build, tmp_path / "job"))
    assert kafka.committed(f"group of {topic}") == {(topic, 0): 3}
    kafka.put(topic, "ab")
    committed = KafkaOffsetsInitializer.committed_offsets()
    assert read_to_the_end(kafka, source.set_starting_offsets(committed), tmp_path / "next") == ["a", "b"]
    unknown = texts(kafka, topic).set_group_id("nobody").set_starting_offsets(committed)
    with pytest.raises(UnreadableSource, match=r"no committed offset of partition 0 .*ResetStrategy"):
        read_to_the_end(kafka, unknown, tmp_path / "refused")
    latest = KafkaOffsetsInitializer.committed_offsets(KafkaOffsetResetStrategy.LATEST)
    assert read_to_the_end(kafka, unknown.set_starting_offsets(latest), tmp_path / "latest") == []


class SecondField(TimestampAssigner):
    def extract_timestamp(self, value: tuple, record_timestamp: int) -> int:
        return value[1]


def test_windows_when_partitions_are_apart_in_time_then_nothing_is_late(
    kafka: Broker, tmp_path: Path
) -> None:
    """One partition is 20 s behind the other, in every epoch."""
    topic = kafka.new_topic(2)
    for second in range(30):
        kafka.put(topic, [f"a,{second * 1000}"], partition=0) if second % 10 == 0 else None
    kafka.put(topic, [f"b,{second * 1000 + 1}" for second in range(20, 50, 10)], partition=1)

    def build(env: StreamExecutionEnvironment) -> None:
        times = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(25))
        lines = env.from_source(texts(kafka, topic).build(), NO_TIMES, "events")
        events = lines.map(lambda line: (line[0], int(line[2:])), PAIR)
        timed = events.assign_timestamps_and_watermarks(times.with_timestamp_assigner(SecondField()))
        windows = timed.key_by(lambda event: event[0], Types.STRING()).window(
            TumblingEventTimeWindows.of(Time.seconds(10))
        )
        counted = windows.reduce(lambda one, other: (one[0], one[1] + other[1]))
        counted.map(lambda event: f"{event[0]} {event[1]}", Types.STRING()).sink_to(
            lines_sink(tmp_path / "out")
        )

    runner = epoch_runner(kafka.spark, build, tmp_path / "job", **few_records(2))
    run(runner)
    assert len(runner.listener.epochs) > 1
    assert lines_below(tmp_path / "out") == ["a 0"], "the watermark is at 40.001 s - 25 s"
    drained = epoch_runner(kafka.spark, build, tmp_path / "job")
    kafka.put(topic, ["b,90000"], partition=1)
    run(drained)
    assert lines_below(tmp_path / "out") == ["a 0", "a 10000", "a 20000", "b 20001", "b 30001", "b 40001"]


def test_files_topics_and_numbers_are_one_job_whose_sources_go_on_together(
    kafka: Broker, tmp_path: Path
) -> None:
    topic = kafka.new_topic(2)

    def build(env: StreamExecutionEnvironment) -> None:
        lines = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(tmp_path / "in"))
        files = env.from_source(lines.monitor_continuously(Duration.of_seconds(1)).build(), NO_TIMES, "files")
        topics = env.from_source(texts(kafka, topic).build(), NO_TIMES, "topics")
        numbers = DataGeneratorSource(
            lambda number: f"number {number}", Types.STRING(), count=30, records_per_second=1000
        )
        generated = env.from_source(numbers, NO_TIMES, "numbers", Types.STRING())
        counted = files.union(topics, generated).map(lambda text: (text.split()[0], 1), PAIR)
        sums = counted.key_by(lambda pair: pair[0], Types.STRING()).reduce(added).uid("sums")
        sums.map(lambda pair: f"{pair[0]} {pair[1]:03}", Types.STRING()).sink_to(lines_sink(tmp_path / "out"))

    for number, step in enumerate((*STEPS, None)):
        put_file(tmp_path / "in", f"{number}.txt", [f"file {number}", f"file {number}"])
        kafka.put(topic, [f"topic {number}"] * 3)
        runner = epoch_runner(kafka.spark, build, tmp_path / "job", DiesAt(step or "", number + 1))
        if step is None:
            run(runner)
        else:
            with pytest.raises(Death):
                run(runner)
    found = lines_below(tmp_path / "out")
    expected = {"file": 10, "topic": 15, "number": 30}
    assert found == sorted(
        f"{key} {count:03}" for key, many in expected.items() for count in range(1, many + 1)
    )


def test_records_that_are_gone_or_wrong_are_said_with_source_and_place(kafka: Broker, tmp_path: Path) -> None:
    topic = kafka.new_topic(1)
    kafka.put(topic, range(10))

    def build(env: StreamExecutionEnvironment) -> None:
        source = texts(kafka, topic).set_property("failOnDataLoss", fails)
        env.from_source(source.build(), NO_TIMES, "orders").print()

    fails = "true"
    with pytest.raises(Death):
        run(epoch_runner(kafka.spark, build, tmp_path / "job", DiesAt("published", 1), **few_records(3)))
    kafka.forget(topic, 0, before=8)
    with pytest.raises(UnreadableSource, match=rf"'orders'.*{topic}.*failOnDataLoss"):
        run(epoch_runner(kafka.spark, build, tmp_path / "job"))
    fails = "false"
    runner = epoch_runner(kafka.spark, build, tmp_path / "job")
    run(runner)
    assert [line.partition("> ")[2] for line in runner.listener.lines] == ["8", "9"]

    row = Types.ROW_NAMED(["key"], [Types.STRING()])
    schema = JsonRowDeserializationSchema.builder().type_info(row).build()
    with pytest.raises(UserCodeError, match=rf"'Source: topics'.*offset 8 of partition 0 of topic '{topic}'"):
        read_to_the_end(kafka, texts(kafka, topic).set_value_only_deserializer(schema), tmp_path / "json")


def test_topics_and_brokers_that_are_not_there_are_named_before_anything_runs(
    kafka: Broker, tmp_path: Path
) -> None:
    with pytest.raises(UnreadableSource, match=r"'topics'.*no such topic \(nosuch\): create it"):
        read_to_the_end(kafka, texts(kafka, "nosuch"), tmp_path / "1")
    nowhere = KafkaSource.builder().set_bootstrap_servers("127.0.0.1:1").set_topics("a")
    nowhere.set_property("default.api.timeout.ms", "500").set_property("request.timeout.ms", "500")
    nowhere.set_value_only_deserializer(texts(kafka, "a").build()._deserializer)
    with pytest.raises(UnreadableSource, match=r"no broker of Kafka answers at '127\.0\.0\.1:1'"):
        read_to_the_end(kafka, nowhere, tmp_path / "2")


def test_a_source_that_ends_beside_one_that_does_not_is_refused(kafka: Broker, tmp_path: Path) -> None:
    topic = kafka.new_topic(1)

    def build(env: StreamExecutionEnvironment) -> None:
        ending = env.from_source(texts(kafka, topic).set_bounded(LATEST).build(), NO_TIMES, "ending")
        endless = texts(kafka, topic).set_starting_offsets(EARLIEST)
        ending.union(env.from_source(endless.build(), NO_TIMES, "endless")).print()

    with pytest.raises(UnreadableSource, match=r"'ending'.*other sources of the job never do"):
        run(epoch_runner(kafka.spark, build, tmp_path / "job"))
