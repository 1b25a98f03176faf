"""The sources and sinks of unbounded jobs on Spark."""

import json
import socket
import threading
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from flinkpy_dagster.api import (
    DataGeneratorSource,
    Encoder,
    FileSink,
    ForeachSink,
    Row,
    TableSink,
    Time,
    TumblingProcessingTimeWindows,
    Types,
    WatermarkStrategy,
)
from flinkpy_dagster.api.environment import StreamExecutionEnvironment
from flinkpy_dagster.api.kafka import KafkaSource
from flinkpy_dagster.api.serialization import SimpleStringSchema
from flinkpy_dagster.dataplane.epochs.runner import EpochRunner
from flinkpy_dagster.errors import JobCanceled, UnreadableSource, UserCodeError
from tests.dataplane.streaming import epoch_runner, lines_below, put_file, run

pytestmark = pytest.mark.spark

NO_TIMES = WatermarkStrategy.no_watermarks()
PAIR = Types.ROW_NAMED(["key", "number"], [Types.STRING(), Types.INT()])


def lines_sink(folder: Path) -> FileSink:
    return FileSink.for_row_format(str(folder), Encoder.simple_string_encoder()).build()


def continuous(spark: SparkSession, build, folder: Path, **settings: str) -> EpochRunner:
    settings = {"execution.trigger": "continuous", "execution.trigger-interval": "50 ms", **settings}
    return epoch_runner(spark, build, folder / "job", **settings)


def test_two_sources_are_one_job_whose_files_of_both_formats_are_read_once(
    spark: SparkSession, tmp_path: Path
) -> None:
    put_file(tmp_path / "json", "1.json", [json.dumps({"key": "a", "number": 1})])
    put_file(tmp_path / "csv", "1.csv", ["b,2"])

    def build(env: StreamExecutionEnvironment) -> None:
        one = env.from_json(str(tmp_path / "json"), row_type=PAIR, monitor_continuously=True)
        other = env.from_csv(str(tmp_path / "csv"), row_type=PAIR, monitor_continuously=True)
        both = one.union(other).map(lambda row: f"{row.key}{row.number}", Types.STRING())
        both.sink_to(lines_sink(tmp_path / "out"))

    run(epoch_runner(spark, build, tmp_path / "job"))
    put_file(tmp_path / "csv", "2.csv", ["c,3"])
    run(epoch_runner(spark, build, tmp_path / "job"))
    assert lines_below(tmp_path / "out") == ["a1", "b2", "c3"]


def test_parquet_files_and_spark_streams_have_the_types_of_their_columns(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder = str(tmp_path / "in")
    spark.range(3).write.parquet(folder)
    schema = spark.read.parquet(folder).schema

    def build(env: StreamExecutionEnvironment) -> None:
        files = env.from_parquet(folder, monitor_continuously=True)
        stream = env.from_spark_stream(lambda spark: spark.readStream.schema(schema).parquet(folder))
        doubled = stream.map(lambda row: f"stream {row.id}", Types.STRING())
        files.map(lambda row: f"files {row.id}", Types.STRING()).union(doubled).sink_to(
            lines_sink(tmp_path / "out")
        )

    run(epoch_runner(spark, build, tmp_path / "job"))
    assert lines_below(tmp_path / "out") == [f"{name} {n}" for name in ("files", "stream") for n in range(3)]


def test_a_paced_generator_with_a_count_ends_the_job_and_its_windows(
    spark: SparkSession, tmp_path: Path
) -> None:
    def build(env: StreamExecutionEnvironment) -> None:
        source = DataGeneratorSource(
            lambda number: number * 10, Types.LONG(), count=30, records_per_second=100
        )
        numbers = env.from_source(source, NO_TIMES, "numbers", Types.LONG())
        numbers.map(str, Types.STRING()).sink_to(lines_sink(tmp_path / "out"))

    runner = continuous(spark, build, tmp_path)
    run(runner)
    assert sorted(map(int, lines_below(tmp_path / "out"))) == [number * 10 for number in range(30)]
    assert runner.listener.epochs[-1].is_last


def test_a_socket_is_read_until_its_server_goes_and_windows_of_the_clock_fire(
    spark: SparkSession, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def build(env: StreamExecutionEnvironment) -> None:
            words = env.socket_text_stream("127.0.0.1", port)
            pairs = words.map(lambda word: (word, 1), Types.TUPLE([Types.STRING(), Types.INT()]))
            windows = pairs.key_by(lambda pair: pair[0], Types.STRING()).window(
                TumblingProcessingTimeWindows.of(Time.milliseconds(100))
            )
            counted = windows.reduce(lambda one, other: (one[0], one[1] + other[1]))
            counted.map(lambda pair: pair[0], Types.STRING()).sink_to(lines_sink(tmp_path / "out"))

        runner = continuous(spark, build, tmp_path)
        running = threading.Thread(target=run, args=(runner,))
        running.start()
        connection, _ = server.accept()
        connection.sendall(b"one\ntwo\r\n")
        fired = threading.Event()
        runner.listener.on_epoch = lambda *_: len(lines_below(tmp_path / "out")) == 2 and fired.set()
        assert fired.wait(60), "windows fire without more input"
        connection.close()
        running.join(60)
    assert not running.is_alive()
    assert lines_below(tmp_path / "out") == ["one", "two"]


def test_writers_of_the_program_get_rows_epoch_by_epoch(spark: SparkSession, tmp_path: Path) -> None:
    put_file(tmp_path / "in", "1.csv", ["a,1", "b,2"])
    put_file(tmp_path / "in", "2.csv", ["c,3"])
    told: list[list[str]] = []

    def write(dataframe) -> None:
        told.append(sorted(row.key for row in dataframe.collect()))

    def note(key, row) -> None:
        (tmp_path / "noted" / key).write_text(str(row.number))

    (tmp_path / "noted").mkdir()

    def build(env: StreamExecutionEnvironment) -> None:
        rows = env.from_csv(str(tmp_path / "in"), row_type=PAIR, monitor_continuously=True)
        rows.sink_to(TableSink(write))
        rows.map(lambda row: Row(row.key, row.number), PAIR).sink_to(
            ForeachSink(note, key=lambda row: row[0])
        )

    run(epoch_runner(spark, build, tmp_path / "job"))
    assert told == [["a", "b"], ["c"]]
    assert {file.name: file.read_text() for file in (tmp_path / "noted").iterdir()} == {
        "a": "1",
        "b": "2",
        "c": "3",
    }


def test_a_canceled_job_leaves_nothing_running(spark: SparkSession, tmp_path: Path) -> None:
    put_file(tmp_path / "in", "1.csv", ["a,1"])

    def build(env: StreamExecutionEnvironment) -> None:
        env.from_csv(str(tmp_path / "in"), row_type=PAIR, monitor_continuously=True).print()

    runner = continuous(spark, build, tmp_path)
    caught: list[BaseException] = []

    def work() -> None:
        try:
            run(runner)
        except JobCanceled as error:
            caught.append(error)

    first = threading.Event()
    runner.listener.on_epoch = lambda *_: first.set()
    running = threading.Thread(target=work)
    running.start()
    assert first.wait(60)
    runner.cancel()
    running.join(60)
    assert len(caught) == 1
    assert spark.streams.active == []
    assert list(spark.sparkContext.statusTracker().getActiveJobsIds()) == []
    assert not (tmp_path / "job").exists()


def test_errors_of_user_code_and_of_sources_say_whose_they_are(spark: SparkSession, tmp_path: Path) -> None:
    put_file(tmp_path / "in", "1.csv", ["a,1"])

    def failing(env: StreamExecutionEnvironment) -> None:
        rows = env.from_csv(str(tmp_path / "in"), row_type=PAIR, monitor_continuously=True)
        rows.map(lambda row: row.number / 0, Types.FLOAT()).name("divide").print()

    with pytest.raises(UserCodeError, match=r"divide.*ZeroDivisionError"):
        run(epoch_runner(spark, failing, tmp_path / "job"))

    def without_connector(env: StreamExecutionEnvironment) -> None:
        builder = KafkaSource.builder().set_bootstrap_servers("localhost:1").set_topics("t")
        builder.set_property("default.api.timeout.ms", "500").set_property("request.timeout.ms", "500")
        source = builder.set_value_only_deserializer(SimpleStringSchema()).build()
        env.from_source(source, NO_TIMES, "topic").print()

    with pytest.raises(UnreadableSource, match=r"(?i)'topic'.*kafka"):
        run(epoch_runner(spark, without_connector, tmp_path / "job2"))
