"""State, windows and event time through epochs on Spark: restarts, savepoints, another parallelism."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from flinkpy_dagster.api import (
    Duration,
    Encoder,
    FileSink,
    Time,
    TimestampAssigner,
    TumblingEventTimeWindows,
    Types,
    WatermarkStrategy,
)
from flinkpy_dagster.api.environment import StreamExecutionEnvironment
from flinkpy_dagster.dataplane.epochs.control import SavepointRequest
from flinkpy_dagster.state.savepoints import open_checkpoint
from tests.dataplane.streaming import STEPS, Death, DiesAt, epoch_runner, lines_below, put_file, run
from tests.dataplane.test_epochs import growing_folder

pytestmark = pytest.mark.spark

EVENT = Types.TUPLE([Types.STRING(), Types.LONG(), Types.INT()])


class SecondField(TimestampAssigner):
    def extract_timestamp(self, value: tuple, record_timestamp: int) -> int:
        return value[1]


def parsed(line: str) -> tuple:
    key, time_ms, number = line.split(",")
    return key, int(time_ms), int(number)


def added(one: tuple, other: tuple) -> tuple:
    return one[0], max(one[1], other[1]), one[2] + other[2]


def summing(folder: Path) -> Callable[[StreamExecutionEnvironment], None]:
    """Running sums per key, and sums per key and second; both from one read of ``in``."""

    def sink(name: str) -> FileSink:
        return FileSink.for_row_format(str(folder / name), Encoder.simple_string_encoder()).build()

    def build(env: StreamExecutionEnvironment) -> None:
        times = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(100))
        source = env.from_source(growing_folder(folder / "in"), WatermarkStrategy.no_watermarks(), "lines")
        events = source.map(parsed, EVENT).assign_timestamps_and_watermarks(
            times.with_timestamp_assigner(SecondField())
        )
        keyed = events.key_by(lambda event: event[0], Types.STRING())
        running = keyed.reduce(added).uid("running")
        running.map(lambda event: f"{event[0]} {event[2]}", Types.STRING()).sink_to(sink("running"))
        windows = keyed.window(TumblingEventTimeWindows.of(Time.seconds(1))).reduce(added).uid("windows")
        windows.map(lambda event: f"{event[0]} {event[1] // 1000} {event[2]}", Types.STRING()).sink_to(
            sink("windows")
        )

    return build


def put_events(folder: Path, file: int) -> None:
    """A second of events per file: keys a to e, ten each."""
    lines = [f"{'abcde'[n % 5]},{file * 1000 + n * 10},{n}" for n in range(50)]
    put_file(folder / "in", f"{file:03}.txt", lines)


def results(folder: Path) -> tuple[list[str], list[str]]:
    return lines_below(folder / "running"), lines_below(folder / "windows")


def undisturbed(spark: SparkSession, folder: Path, files: int) -> tuple[list[str], list[str]]:
    for file in range(files):
        put_events(folder, file)
    run(epoch_runner(spark, summing(folder), folder / "job"))
    return results(folder)


@pytest.mark.slow
def test_sums_and_windows_of_a_run_that_dies_again_and_again_are_those_of_an_undisturbed_one(
    spark: SparkSession, tmp_path: Path
) -> None:
    expected = undisturbed(spark, tmp_path / "expected", len(STEPS) + 1)
    folder = tmp_path / "disturbed"
    for number, step in enumerate(STEPS):
        put_events(folder, number)
        with pytest.raises(Death):
            run(epoch_runner(spark, summing(folder), folder / "job", DiesAt(step, epoch=number + 1)))
        if step in ("planned", "processed"):  # not committed: the next run does the epoch again
            run(epoch_runner(spark, summing(folder), folder / "job"))
    put_events(folder, len(STEPS))
    run(epoch_runner(spark, summing(folder), folder / "job"))
    assert results(folder) == expected
    assert len(expected[0]) == 50 * (len(STEPS) + 1)
    assert len(expected[1]) == 5 * len(STEPS)  # the last second is still open


@pytest.mark.slow
def test_a_savepoint_goes_on_elsewhere_with_another_parallelism(spark: SparkSession, tmp_path: Path) -> None:
    expected = undisturbed(spark, tmp_path / "expected", 4)
    folder = tmp_path / "moved"
    put_events(folder, 0)
    put_events(folder, 1)
    first = epoch_runner(spark, summing(folder), folder / "job")
    request = SavepointRequest(str(tmp_path / "savepoints"), stops=True)
    first.requests.add(request)
    run(first)
    moved = tmp_path / "elsewhere"
    Path(request.path.result(0)).rename(moved)
    assert not (folder / "job").exists(), "stopped with a savepoint: checkpoints are not retained"

    put_events(folder, 2)
    put_events(folder, 3)
    savepoint = open_checkpoint(str(moved))
    second = epoch_runner(
        spark, summing(folder), folder / "job2", restored=savepoint, parallelism__default="3"
    )
    run(second)
    assert results(folder) == expected
    assert second.listener.report is not None
    kinds = {line.label: line.kind.value for line in second.listener.report.lines}
    assert (kinds["running"], kinds["windows"]) == ("rescaled", "rescaled")
    newest = second.keeping.newest
    assert newest is not None
    assert newest.restored_from == str(moved)


def test_draining_brings_event_time_to_its_end(spark: SparkSession, tmp_path: Path) -> None:
    put_events(tmp_path, 0)
    runner = epoch_runner(spark, summing(tmp_path), tmp_path / "job", execution__trigger="continuous")
    request = SavepointRequest(str(tmp_path / "savepoints"), stops=True, drains=True)
    runner.requests.add(request)
    run(runner)
    assert len(lines_below(tmp_path / "windows")) == 5
    assert open_checkpoint(request.path.result(0)).metadata.is_last
