"""Sources that Spark reads."""

import datetime as dt
from decimal import Decimal

import pytest

from flinkpy_dagster.errors import UnreadableSource, UserCodeError
from flinkpy_dagster.types import Row, Types
from tests.dataplane.running import environment, run_program, spark_execution

pytestmark = pytest.mark.spark

FLIGHT = Types.ROW_NAMED(["origin", "delay"], [Types.STRING(), Types.INT()])


def collected(spark, build, **options):
    """What the stream that ``build`` returns collects."""
    with spark_execution(spark):
        return list(build(environment(**options)).execute_and_collect())


def test_text_when_files_are_in_several_folders_comes_line_by_line(spark, tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "one.txt").write_bytes(b"a\n\nb\r\nc")
    (tmp_path / "b" / "two.txt").write_text("ä🙂\n", encoding="utf-8")

    lines = collected(spark, lambda env: env.read_text_file(str(tmp_path / "one.txt")))
    assert lines == ["a", "", "b", "c"]
    lines = collected(spark, lambda env: env.read_text_file(f"file://{tmp_path}/b"))
    assert lines == ["ä🙂"]


def test_relative_path_is_one_below_the_working_folder(spark, tmp_path, monkeypatch):
    (tmp_path / "lines.txt").write_text("x\n")
    monkeypatch.chdir(tmp_path)
    assert collected(spark, lambda env: env.read_text_file("lines.txt")) == ["x"]


def test_text_in_another_encoding_is_decoded(spark, tmp_path):
    (tmp_path / "latin.txt").write_bytes("müller\nähre\n".encode("latin-1"))
    lines = collected(spark, lambda env: env.read_text_file(str(tmp_path / "latin.txt"), "ISO-8859-1"))
    assert lines == ["müller", "ähre"]


def test_csv_with_a_header_gives_named_rows(spark, tmp_path):
    (tmp_path / "flights.csv").write_text("origin,delay\nJFK,5\nEWR,\n")
    rows = collected(spark, lambda env: env.from_csv(str(tmp_path), row_type=FLIGHT, header=True))
    assert rows == [Row(origin="JFK", delay=5), Row(origin="EWR", delay=None)]


def test_json_lines_give_named_rows(spark, tmp_path):
    (tmp_path / "flights.json").write_text('{"delay": 5, "origin": "JFK"}\n{"origin": "EWR"}\n')
    rows = collected(spark, lambda env: env.from_json(str(tmp_path), row_type=FLIGHT))
    assert rows == [Row(origin="JFK", delay=5), Row(origin="EWR", delay=None)]


def test_parquet_without_declared_type_gives_rows_of_its_columns(spark, tmp_path):
    path = str(tmp_path / "data")
    expression = (
        "'a' as name, cast(1.50 as decimal(10,2)) as price, date'2024-01-02' as day, "
        "array(1, null) as numbers, map('k', true) as flags, X'00FF' as raw, "
        "timestamp'2024-03-10 12:00:00' as moment, named_struct('x', 1L) as inner"
    )
    spark.sql(f"select {expression}").write.parquet(path)
    (row,) = collected(spark, lambda env: env.from_parquet(path))
    assert row.as_dict() == {
        "name": "a",
        "price": Decimal("1.50"),
        "day": dt.date(2024, 1, 2),
        "numbers": [1, None],
        "moment": dt.datetime(2024, 3, 10, 12),
        "inner": Row(x=1),
        "flags": {"k": True},
        "raw": b"\0\xff",
    }


def test_dataframe_when_a_tuple_is_declared_is_taken_by_position_and_cast(spark):
    def build(env):
        load = lambda session: session.sql("select id, cast(id as string) as text from range(3)")  # noqa: E731
        return env.from_dataframe(load, Types.TUPLE([Types.INT(), Types.STRING()]))

    assert sorted(collected(spark, build)) == [(0, "0"), (1, "1"), (2, "2")]


@pytest.mark.parametrize("partitions", [1, 2, 5])
def test_dataframe_when_partitions_are_not_subtasks_runs_in_all_subtasks(spark, tmp_path, partitions):
    def build(env):
        rows = env.from_dataframe(lambda session: session.range(0, 100, 1, partitions), Types.LONG())
        rows.map(lambda number: number, Types.LONG()).key_by(lambda number: 0).reduce(max).print()

    run = run_program(spark, build, tmp_path, parallelism=3, mode="BATCH")
    counts = run.records_in("DataFrame Source")
    assert len(counts) == 3
    assert sum(counts) == 100
    assert sum(count > 0 for count in counts) == min(3, partitions)


def test_dataframe_when_empty_runs_in_all_subtasks(spark, tmp_path):
    def build(env):
        env.from_dataframe(lambda session: session.range(5).where("id > 9"), Types.LONG()).rebalance().map(
            str
        ).print()

    run = run_program(spark, build, tmp_path, parallelism=3)
    assert run.lines == []
    assert run.records_in("DataFrame Source") == [0, 0, 0]


def test_dataframe_of_a_small_local_list_has_an_index_in_every_subtask(spark, tmp_path):
    def build(env):
        load = lambda session: session.createDataFrame([(1,), (2,), (3,), (4,)], "n long")  # noqa: E731
        env.from_dataframe(load, Types.LONG()).rebalance().map(str).print()

    assert sum(run_program(spark, build, tmp_path, parallelism=2).records_in("Source")) == 4


def test_dataframe_with_a_shuffle_of_its_own_keeps_the_order_of_its_partitions(spark, tmp_path):
    def build(env):
        rows = env.from_dataframe(lambda session: session.range(1000).orderBy("id"), Types.LONG())
        rows.map(lambda number: number, Types.LONG()).print()

    lines = run_program(spark, build, tmp_path, parallelism=1).lines
    assert list(map(int, lines)) == list(range(1000))


def test_path_that_does_not_exist_names_source_and_path(spark, tmp_path):
    missing = str(tmp_path / "missing.txt")
    with pytest.raises(UnreadableSource, match=r"Source 'Text File Source' cannot be read: .*missing\.txt"):
        run_program(spark, lambda env: env.read_text_file(missing).print(), tmp_path)


def test_row_that_does_not_fit_its_type_names_the_source(spark, tmp_path):
    (tmp_path / "in.csv").write_text("JFK,5\nEWR,soon\n")

    def build(env):
        env.from_csv(str(tmp_path / "in.csv"), row_type=FLIGHT).map(str).print()

    with pytest.raises(UnreadableSource, match="Source 'CSV Source' cannot be read: .*soon") as raised:
        run_program(spark, build, tmp_path / "data")
    assert "\n" not in str(raised.value)


def test_parquet_file_that_is_none_names_the_source(spark, tmp_path):
    (tmp_path / "in.parquet").write_text("no parquet")

    def build(env):
        env.from_parquet(str(tmp_path / "in.parquet"), row_type=FLIGHT).map(str).print()

    with pytest.raises(UnreadableSource, match=r"Source 'Parquet Source' cannot be read: .*in\.parquet"):
        run_program(spark, build, tmp_path / "data")


def test_function_of_a_dataframe_source_that_raises_names_the_source(spark, tmp_path):
    def load(session):
        raise ValueError("no connection")

    with pytest.raises(UserCodeError, match="'DataFrame Source' failed: ValueError: no connection"):
        run_program(spark, lambda env: env.from_dataframe(load, Types.LONG()).print(), tmp_path)


def test_dataframe_with_the_wrong_columns_names_them(spark, tmp_path):
    def build(env):
        env.from_dataframe(lambda session: session.range(1), FLIGHT).print()

    with pytest.raises(
        UnreadableSource, match=r"has the columns \['id'\], but \['origin', 'delay'\] are declared"
    ):
        run_program(spark, build, tmp_path)


def test_text_that_is_not_utf_8_has_replacement_characters(spark, tmp_path):
    (tmp_path / "broken.txt").write_bytes(b"a\xffb\n")
    assert collected(spark, lambda env: env.read_text_file(str(tmp_path / "broken.txt"))) == ["a\ufffdb"]


def test_text_in_utf_16_is_decoded(spark, tmp_path):
    (tmp_path / "wide.txt").write_bytes("a\nüb\n".encode("utf-16-le"))
    lines = collected(spark, lambda env: env.read_text_file(str(tmp_path / "wide.txt"), "UTF-16LE"))
    assert lines == ["a", "üb"]


def test_empty_partition_of_a_source_when_united_with_other_stages_knows_its_subtask(spark):
    """Spark numbers the partitions of all united stages in one go: those of the source come second."""

    def build(env):
        few = env.from_collection([100, 200], Types.LONG()).map(lambda number: number, Types.LONG())
        rows = env.from_dataframe(lambda spark: spark.range(0, 6, 1, 3).where("id > 1"))
        numbers = rows.map(lambda row: row[0], Types.LONG())
        return few.set_parallelism(2).union(numbers).rebalance().map(lambda number: -number, Types.LONG())

    assert sorted(collected(spark, build, parallelism=3)) == [-200, -100, -5, -4, -3, -2]
