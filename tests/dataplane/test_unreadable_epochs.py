"""Input that turns out to be unreadable while a job runs: the error names the source, the file and the way out."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from flinkpy_dagster.api import StreamExecutionEnvironment, Types
from flinkpy_dagster.errors import UnreadableSource
from tests.dataplane.running import run_program
from tests.dataplane.streaming import epoch_runner, put_file, run

pytestmark = pytest.mark.spark

PAIR = Types.ROW_NAMED(["key", "number"], [Types.STRING(), Types.INT()])
GOOD = {"csv": "a,1", "json": '{"key":"a","number":1}'}
BAD = {"csv": "b,x", "json": '{"key":"b","num'}


@pytest.mark.parametrize("format", ["csv", "json"])
def test_row_when_it_is_not_of_the_declared_type_then_its_file_is_named(
    spark: SparkSession, tmp_path: Path, format: str
) -> None:
    put_file(tmp_path / "good", f"1.{format}", [GOOD[format]])
    put_file(tmp_path / "in", f"2.{format}", [GOOD[format], BAD[format]])

    def build(env: StreamExecutionEnvironment, monitored: bool = True, **options: str) -> None:
        read = getattr(env, f"from_{format}")
        good = read(str(tmp_path / "good"), row_type=PAIR, source_name="good", monitor_continuously=monitored)
        bad = read(
            str(tmp_path / "in"),
            row_type=PAIR,
            source_name="orders",
            monitor_continuously=monitored,
            **options,
        )
        good.union(bad).print()

    said = rf"Source 'orders' cannot be read: file '{tmp_path}/in/2\.{format}' has a row .*DROPMALFORMED"
    with pytest.raises(UnreadableSource, match=said):
        run(epoch_runner(spark, build, tmp_path / "job"))
    with pytest.raises(UnreadableSource, match=said):
        run_program(spark, lambda env: build(env, monitored=False), tmp_path / "bounded")
    runner = epoch_runner(spark, lambda env: build(env, mode="DROPMALFORMED"), tmp_path / "job")
    run(runner)
    assert len(runner.listener.lines) == 2


def test_file_when_it_is_gone_or_damaged_then_it_is_named_and_can_be_passed_over(
    spark: SparkSession, tmp_path: Path
) -> None:
    def build(env: StreamExecutionEnvironment) -> None:
        env.from_csv(
            str(tmp_path / "in"), row_type=PAIR, source_name="orders", monitor_continuously=True
        ).print()

    def lose(step: str, epoch: int) -> None:
        if step == "planned":
            (tmp_path / "in" / "1.csv").unlink()

    put_file(tmp_path / "in", "1.csv", ["a,1"])
    with pytest.raises(
        UnreadableSource, match=r"'orders'.*in/1\.csv' is not there any more.*ignoreMissingFiles"
    ):
        run(epoch_runner(spark, build, tmp_path / "job", lose))

    numbers = Types.ROW_NAMED(["id"], [Types.LONG()])
    spark.range(1).coalesce(1).write.parquet(str(tmp_path / "numbers"))
    (tmp_path / "numbers" / "bad.parquet").write_bytes(b"PAR1 this is none PAR1")

    def damaged(env: StreamExecutionEnvironment) -> None:
        folder = str(tmp_path / "numbers")
        env.from_parquet(folder, row_type=numbers, source_name="numbers", monitor_continuously=True).print()

    both = {"flinkpy.epoch.max-files": "2"}
    with pytest.raises(UnreadableSource, match=r"'numbers'.*bad\.parquet' is damaged.*ignoreCorruptFiles"):
        run(epoch_runner(spark, damaged, tmp_path / "job2", **both))
    key = "spark.sql.files.ignoreCorruptFiles"
    spark.conf.set(key, "true")
    try:
        runner = epoch_runner(spark, damaged, tmp_path / "job2", **both)
        run(runner)
    finally:
        spark.conf.unset(key)
    assert [line.partition("> ")[2] for line in runner.listener.lines] == ["+I[0]"]
