"""Sinks on Spark: Parquet tables, writers of the program, row files."""

import pytest

from flinkpy_dagster.api.file_parts import BucketAssigner, RollingPolicy
from flinkpy_dagster.api.file_system import FileSink
from flinkpy_dagster.api.serialization import Encoder
from flinkpy_dagster.api.sinks import ParquetSink, TableSink
from flinkpy_dagster.errors import InvalidProgram, UserCodeError
from flinkpy_dagster.types import Row, Types
from tests.dataplane.running import run_program

pytestmark = pytest.mark.spark

FLIGHT = Types.ROW_NAMED(["origin", "delay"], [Types.STRING(), Types.INT()])


def flights(env, count=4):
    return env.from_sequence(1, count).map(lambda i: Row(f"a{i}", i), FLIGHT)


def hidden(folder):
    """What is left of unfinished work."""
    return [path.name for path in folder.rglob(".*") if not path.name.endswith(".crc")]


def rows(spark, path):
    return sorted(tuple(row) for row in spark.read.parquet(str(path)).collect())


def test_parquet_sink_writes_the_declared_columns_and_describes_them(spark, tmp_path):
    out = tmp_path / "out"
    run = run_program(spark, lambda env: flights(env).sink_to(ParquetSink(str(out))), tmp_path / "data")
    assert rows(spark, out) == [("a1", 1), ("a2", 2), ("a3", 3), ("a4", 4)]
    (table,) = run.results[0].tables.values()
    assert (table.path, table.rows, table.schema) == (str(out), 4, (("origin", "string"), ("delay", "int")))
    assert table.size_bytes == sum(file.stat().st_size for file in out.glob("part-*"))
    assert hidden(tmp_path) == []


@pytest.mark.parametrize(("mode", "count"), [("overwrite", 4), ("append", 8)])
def test_parquet_sink_when_the_table_exists_overwrites_or_appends(spark, tmp_path, mode, count):
    out = tmp_path / "out"
    for _ in range(2):
        run_program(
            spark, lambda env: flights(env).sink_to(ParquetSink(str(out), mode=mode)), tmp_path / "data"
        )
    assert len(rows(spark, out)) == count
    assert hidden(tmp_path) == []


def test_parquet_sink_when_the_table_must_be_new_refuses_before_anything_runs(spark, tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(InvalidProgram, match="exists: choose another path"):
        run_program(
            spark,
            lambda env: flights(env).sink_to(ParquetSink(str(tmp_path / "out"), mode="error")),
            tmp_path,
        )


def test_failed_region_leaves_the_old_table_as_it_was(spark, tmp_path):
    out = tmp_path / "out"
    run_program(spark, lambda env: flights(env, 2).sink_to(ParquetSink(str(out))), tmp_path / "data")

    def build(env):
        flights(env, 50_000).map(refused, FLIGHT).sink_to(ParquetSink(str(out)))

    with pytest.raises(UserCodeError):
        run_program(spark, build, tmp_path / "data")
    assert rows(spark, out) == [("a1", 1), ("a2", 2)]
    assert hidden(tmp_path) == []


def refused(row):
    if row.delay == 30_000:
        raise ValueError("no")
    return row


def test_writer_of_the_program_gets_the_complete_rows_as_a_dataframe(spark, tmp_path):
    target = str(tmp_path / "target")

    def write(dataframe):
        assert dataframe.count() == 4
        dataframe.write.partitionBy("origin").json(target)

    run = run_program(spark, lambda env: flights(env).sink_to(TableSink(write)), tmp_path / "data")
    assert spark.read.json(target).count() == 4
    (table,) = run.results[0].tables.values()
    assert (table.path, table.rows) == ("", 4)
    assert hidden(tmp_path) == []


def test_writer_of_the_program_when_it_raises_names_the_sink(spark, tmp_path):
    def write(dataframe):
        raise ValueError("table is locked")

    def build(env):
        flights(env).sink_to(TableSink(write)).name("to the warehouse")
        flights(env).sink_to(ParquetSink(str(tmp_path / "other")))

    with pytest.raises(UserCodeError, match="to the warehouse.*ValueError: table is locked"):
        run_program(spark, build, tmp_path / "data")
    assert hidden(tmp_path) == []


def test_several_sinks_of_one_stage_compute_it_once(spark, tmp_path):
    calls = tmp_path / "calls"
    calls.touch()

    def noted(row):
        with open(calls, "a") as file:
            file.write(".")
        return row

    def build(env):
        stream = flights(env).map(noted, FLIGHT)
        stream.sink_to(ParquetSink(str(tmp_path / "one")))
        stream.map(lambda row: (row.origin,), Types.TUPLE([Types.STRING()])).sink_to(
            ParquetSink(str(tmp_path / "two"))
        )
        stream.print()

    run = run_program(spark, build, tmp_path / "data")
    assert calls.read_text() == "...."
    assert rows(spark, tmp_path / "two") == [("a1",), ("a2",), ("a3",), ("a4",)]
    assert len(run.lines) == 4


def file_sink(path, **options):
    builder = FileSink.for_row_format(str(path), Encoder.simple_string_encoder())
    builder = builder.with_bucket_assigner(
        options.get("buckets") or BucketAssigner.base_path_bucket_assigner()
    )
    if "part_size" in options:
        builder = builder.with_rolling_policy(
            RollingPolicy.default_rolling_policy(part_size=options["part_size"])
        )
    return builder.build()


def test_file_sink_writes_lines_into_part_files_of_each_subtask(spark, tmp_path):
    out = tmp_path / "out"

    def build(env):
        env.from_sequence(1, 10).map(str, Types.STRING()).sink_to(file_sink(out))

    run = run_program(spark, build, tmp_path / "data")
    files = sorted(out.iterdir())
    assert len(files) == 2
    assert sorted(int(line) for file in files for line in file.read_text().split()) == list(range(1, 11))
    (committed,) = [files for result in run.results for files in result.files.values()]
    assert sorted(file.final for file in committed) == list(map(str, files))
    assert sum(file.elements for file in committed) == 10
    assert hidden(tmp_path) == []


def test_file_sink_rolls_by_size_and_makes_buckets(spark, tmp_path):
    out = tmp_path / "out"

    def build(env):
        sink = file_sink(out, part_size=100, buckets=BucketAssigner.date_time_bucket_assigner("yyyy"))
        env.from_sequence(1, 100).map(str, Types.STRING()).sink_to(sink)

    run_program(spark, build, tmp_path / "data", parallelism=1)
    (bucket,) = out.iterdir()
    assert len(bucket.name) == 4
    files = list(bucket.iterdir())
    assert len(files) == 3
    assert sorted(int(line) for file in files for line in file.read_text().split()) == list(range(1, 101))


def test_file_sink_of_a_failed_region_leaves_nothing(spark, tmp_path):
    out = tmp_path / "out"

    def build(env):
        lines = flights(env, 50_000).map(lambda row: refused(row).origin, Types.STRING())
        lines.sink_to(file_sink(out, part_size=1000))

    with pytest.raises(UserCodeError):
        run_program(spark, build, tmp_path / "data")
    assert list(out.rglob("*")) == []


def test_file_sink_of_an_empty_stream_makes_no_file(spark, tmp_path):
    out = tmp_path / "out"

    def build(env):
        env.from_sequence(1, 4).map(str, Types.STRING()).filter(lambda text: False).sink_to(file_sink(out))

    run_program(spark, build, tmp_path / "data")
    assert list(out.rglob("*")) == []
