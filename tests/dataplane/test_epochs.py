"""Unbounded jobs on Spark: what an epoch is, and that a run may die between any two steps of it."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from flinkpy_dagster.api import (
    Duration,
    Encoder,
    FileSink,
    FileSource,
    ParquetSink,
    Row,
    StreamFormat,
    Types,
    WatermarkStrategy,
)
from flinkpy_dagster.api.environment import StreamExecutionEnvironment
from flinkpy_dagster.dataplane.spark.file_system import absolute
from flinkpy_dagster.errors import JobFailed, StaleLeader
from tests.dataplane.streaming import (
    STEPS,
    Death,
    DiesAt,
    epoch_runner,
    leftovers,
    lines_below,
    put_file,
    run,
)

pytestmark = pytest.mark.spark

NUMBERED = Types.ROW_NAMED(["number"], [Types.INT()])


def growing_folder(folder: Path) -> FileSource:
    """Lines of the files in a folder, as it grows."""
    builder = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(folder))
    return builder.monitor_continuously(Duration.of_seconds(1)).build()


def copying(folder: Path):
    """A program from ``in`` to a file sink ``out``, with a shuffle, and to a table ``table``."""

    def build(env: StreamExecutionEnvironment) -> None:
        lines = env.from_source(growing_folder(folder / "in"), WatermarkStrategy.no_watermarks(), "lines")
        sink = FileSink.for_row_format(str(folder / "out"), Encoder.simple_string_encoder()).build()
        lines.rebalance().map(lambda line: f"<{line}>", Types.STRING()).sink_to(sink)
        rows = lines.map(lambda line: Row(int(line)), NUMBERED)
        rows.sink_to(ParquetSink(str(folder / "table")))

    return build


def numbers(spark: SparkSession, folder: Path) -> list[int]:
    return sorted(row.number for row in spark.read.parquet(str(folder / "table")).collect())


def put_numbers(folder: Path, file: int) -> list[int]:
    """Ten numbers of their own in every file."""
    content = list(range(file * 10, file * 10 + 10))
    put_file(folder / "in", f"{file:03}.txt", content)
    return content


def test_files_that_appear_later_are_read_by_the_next_run_and_none_twice(
    spark: SparkSession, tmp_path: Path
) -> None:
    expected = put_numbers(tmp_path, 0) + put_numbers(tmp_path, 1)
    first = epoch_runner(spark, copying(tmp_path), tmp_path / "job")
    result = run(first)
    assert numbers(spark, tmp_path) == expected
    assert [each.epoch for each in first.listener.epochs] == [1, 2]
    assert [table.rows for table in result.tables.values()] == [20]

    expected += put_numbers(tmp_path, 2)
    second = epoch_runner(spark, copying(tmp_path), tmp_path / "job")
    run(second)
    assert numbers(spark, tmp_path) == expected
    assert lines_below(tmp_path / "out") == sorted(f"<{number}>" for number in expected)
    assert [each.epoch for each in second.listener.epochs] == [3]

    third = epoch_runner(spark, copying(tmp_path), tmp_path / "job")
    run(third)
    assert third.listener.epochs == []


@pytest.mark.slow
def test_a_run_that_dies_after_any_step_loses_and_doubles_nothing(
    spark: SparkSession, tmp_path: Path
) -> None:
    expected: list[int] = []
    for number, step in enumerate(STEPS):
        expected += put_numbers(tmp_path, 2 * number) + put_numbers(tmp_path, 2 * number + 1)
        doomed = epoch_runner(spark, copying(tmp_path), tmp_path / "job", DiesAt(step, epoch=2 * number + 1))
        with pytest.raises(Death):
            run(doomed)
        run(epoch_runner(spark, copying(tmp_path), tmp_path / "job"))
        assert numbers(spark, tmp_path) == sorted(expected), step
        assert lines_below(tmp_path / "out") == sorted(f"<{number}>" for number in expected), step
        assert leftovers(tmp_path / "out") == leftovers(tmp_path / "table") == [], step


def test_an_epoch_whose_metadata_was_never_written_happens_again_with_more(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Spark's own plan of the epoch is forgotten with its folder: offsets are those of our metadata."""
    expected = put_numbers(tmp_path, 0)
    with pytest.raises(Death):
        run(epoch_runner(spark, copying(tmp_path), tmp_path / "job", DiesAt("processed", 1)))
    assert lines_below(tmp_path / "out") == []
    expected += put_numbers(tmp_path, 1)
    settings = {"flinkpy.epoch.max-files": "10"}
    again = epoch_runner(spark, copying(tmp_path), tmp_path / "job", **settings)
    run(again)
    assert [each.epoch for each in again.listener.epochs] == [1]
    assert numbers(spark, tmp_path) == expected


def test_the_last_epoch_of_an_available_now_run_is_a_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    put_numbers(tmp_path, 0)
    runner = epoch_runner(spark, copying(tmp_path), tmp_path / "job")
    run(runner)
    newest = runner.keeping.newest
    assert newest is not None
    assert (newest.epoch, newest.checkpoint_id, newest.kind.value) == (1, 1, "checkpoint")
    assert runner.keeping.newest_path == absolute(str(tmp_path / "job" / "chk-1"))


@pytest.mark.slow
def test_of_two_runs_of_one_job_only_the_later_one_can_commit(spark: SparkSession, tmp_path: Path) -> None:
    expected = put_numbers(tmp_path, 0)
    usurper = epoch_runner(spark, copying(tmp_path), tmp_path / "job")

    def usurp(step: str, epoch: int) -> None:
        if step == "processed":
            run(usurper)

    with pytest.raises(StaleLeader):
        run(epoch_runner(spark, copying(tmp_path), tmp_path / "job", usurp))
    assert numbers(spark, tmp_path) == expected
    assert leftovers(tmp_path / "out") == []


def test_a_job_whose_checkpoint_folder_cannot_be_written_fails_and_goes_on_later(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = put_numbers(tmp_path, 0)
    broken = epoch_runner(spark, copying(tmp_path), tmp_path / "job")

    def full(metadata: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(broken.keeping._store, "commit", full)
    with pytest.raises(JobFailed, match=r"Checkpoint 1 failed: .*No space left on device.*tolerated"):
        run(broken)
    assert lines_below(tmp_path / "out") == []
    run(epoch_runner(spark, copying(tmp_path), tmp_path / "job"))
    assert numbers(spark, tmp_path) == expected


def test_files_of_more_epochs_than_spark_keeps_entries_for_are_read_once(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Spark rewrites its log of files every ten entries; runs end before, at and after that."""
    expected: list[int] = []
    for files in (range(0, 9), range(9, 10), range(10, 12)):
        for file in files:
            expected += put_numbers(tmp_path, file)
        run(epoch_runner(spark, copying(tmp_path), tmp_path / "job"))
        assert numbers(spark, tmp_path) == expected
